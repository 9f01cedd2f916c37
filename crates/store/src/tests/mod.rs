//! What files must keep: everything.

pub(crate) mod sample;
mod tables;
