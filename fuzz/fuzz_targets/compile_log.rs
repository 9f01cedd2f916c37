//! Any bytes as a log of torch.compile, structured or for people.
#![no_main]

#[path = "../../crates/ingest/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::compile_log(bytes));
