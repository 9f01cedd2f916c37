//! Measured work against the roofs of a device.
//!
//! Whatever the input, a trace, a kernel table or a list of commands, it becomes [`Point`]s first; [`section()`] then
//! compares them with a device. So a kernel has the same numbers wherever it came from.

mod bandwidth_fit;
mod classification;
mod communication;
mod counters;
mod levels;
mod links;
mod measurements;
mod point;
mod section;
#[cfg(test)]
mod tests;

pub use bandwidth_fit::bandwidth_fit;
pub use classification::{classified, flat_table};
pub use communication::{Transfer, communication, transfers_of};
pub use counters::{counted_load, described};
pub use measurements::{CustomFormula, Reading, mark_of, points, transfers};
pub use point::{Load, Mark, Point};
pub use section::{assessed, section};
