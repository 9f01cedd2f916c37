//! The operators and messages of a trace against the roofs of a device.
//!
//! They become the same points as measurements that have no trace ([`eaves_assess::roofline`]), and the same tables.

mod operators;
mod reported;
mod traces;

pub use operators::{
    Arguments, Attribution, Call, Class, OperatorRow, Scope, TracePoints, trace_points, trace_section,
    with_captured_operators,
};
pub use reported::reported_device;
pub use traces::{analyses_of_traces, of_traces};
