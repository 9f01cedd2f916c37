//! Measured work against the roofs of a device.
//!
//! Whatever the input, a trace, a kernel table or a list of commands, it becomes [`Point`]s first; [`section()`] then
//! holds them against a device. So a kernel has the same numbers wherever it came from.

mod classification;
mod communication;
mod counters;
mod levels;
mod links;
mod measurements;
mod point;
mod reached;
mod section;
#[cfg(test)]
mod tests;

pub use classification::{classified, flat_table};
pub use communication::{Transfer, communication, transfers_of};
pub use counters::{counted_load, described};
pub use measurements::{CustomFormula, Reading, mark_of, points, transfers};
pub use point::{Load, Mark, Point};
pub use reached::reached;
pub use section::{assessed, section};
