//! The binary as its users meet it. One program for all tests, because each one more has to be linked.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod any_input;
mod bench;
mod compile;
mod counted_kernels;
mod counters;
mod cpu;
mod device;
mod diff;
mod documents;
mod examples;
mod export;
mod features;
mod flame;
mod golden;
mod help;
mod hta;
mod ingest;
#[cfg(unix)]
mod interrupt;
mod memory;
mod ops;
mod partial;
mod predict;
mod privacy;
#[cfg(unix)]
mod profile;
mod python;
mod query;
#[cfg(feature = "cloud")]
mod ray;
mod report;
mod roofline;
mod schema;
mod self_verb;
mod serve;
mod source_documents;
mod support;
mod timeline;
#[cfg(unix)]
mod torch;
mod validate;
