//! What files must keep: everything.

mod dataset;
pub(crate) mod sample;
mod tables;
