//! Any bytes as a message of a process with Kineto.
#![no_main]

#[path = "../../crates/capture/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::kineto_datagram(bytes));
