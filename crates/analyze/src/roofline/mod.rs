//! Measured work against the roofs of a device.
//!
//! Whatever the input, a trace, a table of kernels or a list of commands, it becomes [`Point`]s first; [`section()`] then
//! holds them against a device. So a kernel has the same numbers wherever it came from.

mod classification;
mod communication;
mod counters;
mod levels;
mod links;
mod measurements;
mod operators;
mod point;
mod reached;
mod reported;
mod section;
#[cfg(test)]
mod tests;
mod traces;

pub use classification::{classification, flat_table};
pub use communication::{Transfer, communication, transfers_of};
pub use counters::{counted_load, described};
pub use measurements::{CustomFormula, Reading, points, transfers};
pub use operators::{
    Arguments, Attribution, Call, Class, OperatorRow, Scope, TracePoints, trace_points, trace_section,
};
pub use point::{Load, Mark, Point};
pub use reached::reached;
pub use reported::reported_device;
pub use section::section;
pub use traces::{analyses_of_traces, classified, of_traces};
