//! Any bytes as a table of `nsys stats`, of activities or of sums.
#![no_main]

#[path = "../../crates/ingest/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    exercise::json(bytes);
    exercise::measurements(bytes);
});
