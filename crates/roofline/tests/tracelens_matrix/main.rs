//! Comparison of operators with matrix products with the tables and traces of TraceLens (AMD-AGI/TraceLens 171dd747).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod catalogue;
mod nested;
#[path = "../reference/mod.rs"]
mod reference;
mod tables;
