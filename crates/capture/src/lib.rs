//! Runs a program under a profiler and collects what was written.
//!
//! A [`Request`] says what to record. A [`Tool`] turns it into a [`Plan`]: files to write and exact command lines, by a
//! pure function, so that what would be run can be shown and tested without the profiler.

mod likeness;
mod plan;
mod request;
mod tools;

pub use plan::{Invocation, Plan, Purpose, Refused};
pub use request::{CounterRequest, Record, Request};
pub use tools::{ALL, Tool, find};
