//! Any bytes as a stream in any container: gzip, zstd, zip or plain, told by its first bytes.
#![no_main]

#[path = "../../crates/ingest/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::stream(bytes));
