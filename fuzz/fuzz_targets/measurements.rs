//! Any bytes as a kernel table, events, commands or a benchmark, told by their content and by name.
#![no_main]

#[path = "../../crates/ingest/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::measurements(bytes));
