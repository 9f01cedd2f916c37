//! Sections that need no trace.
//!
//! Rooflines of measured work, predictions, benchmark results, the device catalog, and compile logs become sections
//! here. Everything that reads a trace is in `analyze`, which compares operators with a device through the same
//! [`roofline::section()`].

pub mod bench;
pub mod compile;
pub mod devices;
pub mod operators;
mod other_inputs;
pub mod predict;
pub mod roofline;
mod sums;
mod unverified;
pub mod validate;

pub use other_inputs::{OtherInput, other_inputs};
pub use sums::sums;
