//! Any bytes as an input file of hardware counters.
#![no_main]

#[path = "../../crates/capture/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::counters_input(bytes));
