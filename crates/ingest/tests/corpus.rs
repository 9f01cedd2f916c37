//! A short deterministic replay of the fuzz corpus: every seed as it is, cut, and changed a little.

use crate::exercise;
use std::path::{Path, PathBuf};

/// Changed copies of each seed. The fuzzer makes millions; these catch what breaks at once.
const VARIANTS: u64 = 48;

fn seeds(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut seeds: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "no seeds for {target}");
    seeds
}

/// Steele, Lea and Flood's SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// One to four small changes: a byte replaced, removed, doubled, or the rest cut off.
fn change(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const LETTERS: &[u8] = b"\"\\{}[]:,0-.eN \n\x00\xff";
    let mut changed = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(changed.len());
        if at >= changed.len() {
            break;
        }
        match random.below(8) {
            0 => changed.truncate(at),
            1 => drop(changed.remove(at)),
            2 => changed.insert(at, changed[at]),
            3 => changed.insert(at, LETTERS[random.below(LETTERS.len())]),
            _ => changed[at] = LETTERS[random.below(LETTERS.len())],
        }
    }
    changed
}

fn replay(target: &str, exercise: impl Fn(&[u8])) {
    for seed in seeds(target) {
        let bytes = std::fs::read(&seed).unwrap();
        exercise(&bytes);
        let mut random = Random(bytes.len() as u64);
        for _ in 0..VARIANTS {
            exercise(&change(&bytes, &mut random));
        }
    }
}

/// Every seed cut off before each of its bytes, and with each byte replaced by one that means something.
fn each_byte(target: &str) {
    for seed in seeds(target) {
        let bytes = std::fs::read(&seed).unwrap();
        for at in 0..bytes.len() {
            exercise::bytes(&bytes[..at]);
            let mut changed = bytes.clone();
            changed[at] = b"\",(\n9\xff"[at % 6];
            exercise::bytes(&changed);
        }
    }
}

#[test]
fn json() {
    replay("json", exercise::json);
}

#[test]
fn logs_of_compilations() {
    replay("compile_log", exercise::compile_log);
    for seed in seeds("compile_log") {
        let bytes = std::fs::read(&seed).unwrap();
        // A prime step meets every kind of place in time.
        for at in (0..bytes.len()).step_by(7) {
            exercise::compile_log(&bytes[..at]);
            let mut changed = bytes.clone();
            changed[at] = b"\"{\n\t9\xff"[at % 6];
            exercise::compile_log(&changed);
        }
    }
}

#[test]
fn containers() {
    replay("container", exercise::stream);
}

#[test]
fn measurements() {
    replay("measurements", exercise::measurements);
}

#[test]
fn rocprof_csv() {
    replay("rocprof_csv", |bytes| {
        exercise::json(bytes);
        exercise::measurements(bytes);
    });
    each_byte("rocprof_csv");
}

#[test]
fn rocprof_json() {
    replay("rocprof_json", exercise::json);
    each_byte("rocprof_json");
}

#[test]
fn rocprof_text() {
    replay("rocprof_text", exercise::json);
    each_byte("rocprof_text");
}

#[test]
fn snapshots_of_memory() {
    replay("pickle", exercise::json);
    each_byte("pickle");
}

#[test]
fn tables_of_nsight_compute() {
    replay("ncu_csv", exercise::json);
}

#[test]
fn reports_of_nsight_compute() {
    replay("ncu_rep", exercise::json);
}

#[test]
fn tables_of_nvprof() {
    replay("nvprof", |bytes| {
        exercise::json(bytes);
        exercise::measurements(bytes);
    });
}

#[test]
fn pftrace() {
    replay("pftrace", exercise::json);
}

#[test]
fn rocprofv3_json() {
    replay("rocprofv3_json", exercise::json);
}

#[test]
fn databases() {
    replay("sqlite", exercise::json);
}

#[test]
fn tables_of_nsight_systems() {
    replay("nsys_stats", |bytes| {
        exercise::json(bytes);
        exercise::measurements(bytes);
    });
}
