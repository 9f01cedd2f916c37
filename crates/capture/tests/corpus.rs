//! A short deterministic replay of the fuzz corpus: every seed as it is, cut at every byte, and changed at every byte.

mod exercise;

use std::path::Path;

#[test]
fn input_files_of_counters() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/counters_input");
    let mut seeds = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        seeds += 1;
        exercise::counters_input(&bytes);
        for at in 0..bytes.len() {
            exercise::counters_input(&bytes[..at]);
            let mut changed = bytes.clone();
            for value in [b':', 0xff] {
                changed[at] = value;
                exercise::counters_input(&changed);
            }
        }
    }
    assert!(seeds >= 4, "{seeds}");
}
