//! Any bytes, packed soundly by gzip: damage inside a sound container, which the other target rarely reaches.
#![no_main]

#[path = "../../crates/ingest/tests/exercise/mod.rs"]
#[expect(dead_code, reason = "each target uses one of its functions")]
mod exercise;

use std::io::Write;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    exercise::stream(&encoder.finish().unwrap());
});
