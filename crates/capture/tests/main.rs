//! Tests of the whole crate. One program for all of them, because each one more has to be linked.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod command_lines;
mod corpus;
mod exercise;
mod real_inputs;
