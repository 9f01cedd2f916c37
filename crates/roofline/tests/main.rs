//! Tests of the whole crate. One program for all of them, because each one more has to be linked.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too, and says how much it compared"
)]

mod counters;
mod devices;
mod matrix_calls;
mod reference;
mod tracelens_matrix;
mod tracelens_vector;
mod transformer;
