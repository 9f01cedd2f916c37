//! Runs a program under a profiler and collects its output.
//!
//! A [`Request`] says what to record. A [`Tool`] turns it into a [`Plan`] (files to write and exact command lines) with a
//! pure function, so plans can be shown and tested without the profiler.

pub mod counters;
mod files;
mod interrupt;
mod noise;
pub mod ondemand;
mod plan;
mod program;
mod request;
mod run;
mod streams;
mod system;
mod tools;
pub mod torch;

pub use interrupt::interrupt;
pub use plan::{Invocation, Plan, Purpose, Refused, quoted};
pub use program::run_program;
pub use request::{CounterRequest, Record, Request};
pub use run::{Conditions, Ended, Error, Outcome, located, prepare, probe, run, wait_for_interrupt};
pub use streams::Passed;
pub use tools::{ALL, Tool, find};
