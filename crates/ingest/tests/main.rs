//! Tests of the whole crate. One program for all of them, because each one more has to be linked.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too, and says how much it compared"
)]

mod amd_parts;
mod amd_text;
mod captures;
mod compile_logs;
mod corpus;
mod damaged;
mod dataset;
mod exercise;
mod nsight_compute;
mod nsys;
mod nvprof;
mod open;
mod real_traces;
mod refusals;
mod rocprof_stores;
