//! Tests of the whole crate. One program for all of them, because each one more has to be linked.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too, and says how much it compared"
)]

mod collectives;
mod common;
mod cpu;
mod flame;
mod graph_capture;
mod hta;
mod hta_critical_path;
mod hta_diff;
mod hta_events;
mod hta_golden;
mod hta_labels;
mod hta_streams;
mod hta_summary;
mod memory;
mod memory_snapshot;
mod regressions;
mod report;
mod roofline_traces;
mod timeline;
mod tracelens;
mod tracelens_roofline;
mod twins;
