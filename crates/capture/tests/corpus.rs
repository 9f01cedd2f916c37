//! A short deterministic replay of the fuzz corpus: every seed as it is, cut at every byte, and changed at every byte.

use crate::exercise;
use std::path::Path;

/// Every seed of a target, cut and changed.
fn replay(target: &str, least: usize, values: [u8; 2], exercise: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut seeds = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        seeds += 1;
        exercise(&bytes);
        for at in 0..bytes.len() {
            exercise(&bytes[..at]);
            let mut changed = bytes.clone();
            for value in values {
                changed[at] = value;
                exercise(&changed);
            }
        }
    }
    assert!(seeds >= least, "{target}: {seeds}");
}

#[test]
fn input_files_of_counters() {
    replay("counters_input", 4, [b':', 0xff], exercise::counters_input);
}

#[test]
fn messages_of_processes_with_kineto() {
    replay("kineto_datagram", 5, [0, 0xff], exercise::kineto_datagram);
}
