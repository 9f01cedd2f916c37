//! What every exporter must keep: everything.

mod damaged_arguments;
mod files;
mod random;
mod real;
mod round_trip;
#[path = "../../../../store/src/tests/sample.rs"]
pub(super) mod sample;
mod tables;
