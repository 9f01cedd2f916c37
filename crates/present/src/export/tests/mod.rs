//! What every exporter must keep: everything.

mod damaged_arguments;
mod files;
mod random;
mod real;
mod round_trip;
pub(super) mod sample;
mod tables;
