//! The protocol of timing, on a kernel that counts what is asked of it.

use std::sync::Mutex;
use std::time::Duration;

use eaves_bench::{CacheState, Kernel, Protocol, Spec, Verification, Violation, Worker, measure};
use eaves_roofline::{Arithmetic, Work};

/// Sums numbers in pieces; `wrong` seeds an error.
struct Sums {
    pieces: usize,
    wrong: bool,
    numbers: Vec<u64>,
    sums: Vec<Mutex<Vec<u64>>>,
}

struct Summer<'a> {
    numbers: &'a [u64],
    sums: &'a Mutex<Vec<u64>>,
    wrong: bool,
}

impl Sums {
    fn new(pieces: usize, wrong: bool) -> Self {
        Self { pieces, wrong, numbers: (0..10_000).collect(), sums: Vec::new() }
    }
}

impl Kernel for Sums {
    fn spec(&self) -> Spec {
        Spec::Fma { arithmetic: Arithmetic::Fp64 }
    }

    fn implementation(&self) -> String {
        "sums".to_owned()
    }

    fn work(&self) -> Work {
        Work::movement()
    }

    fn state(&self) -> CacheState {
        CacheState::Hot
    }

    fn pieces(&self) -> usize {
        self.pieces
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        self.sums = (0..threads).map(|_| Mutex::new(vec![0; self.pieces])).collect();
        let share = self.numbers.len().div_ceil(threads);
        let shares = self.numbers.chunks(share).zip(&self.sums);
        shares
            .map(|(numbers, sums)| Box::new(Summer { numbers, sums, wrong: self.wrong }) as Box<dyn Worker>)
            .collect()
    }

    fn verify(&self) -> Verification {
        let right: u64 = self.numbers.iter().sum();
        let got: u64 = self.sums.iter().map(|sums| sums.lock().unwrap().iter().sum::<u64>()).sum();
        Verification { error: got.abs_diff(right) as f64, tolerance: 0.0, against: "the sum".to_owned() }
    }
}

impl Worker for Summer<'_> {
    fn run(&mut self, piece: usize, _turn: usize) {
        let mut sums = self.sums.lock().unwrap();
        let size = self.numbers.len().div_ceil(sums.len());
        let sum: u64 = self.numbers.chunks(size).nth(piece).unwrap().iter().sum();
        sums[piece] = sum + u64::from(self.wrong);
    }
}

fn quick() -> Protocol {
    Protocol { limit: Duration::from_millis(200), clean: 8, ..Protocol::default() }
}

#[test]
fn every_piece_of_every_kernel_is_run_on_every_thread() {
    for threads in [1, 2] {
        let (mut one, mut other) = (Sums::new(1, false), Sums::new(4, false));
        let measured = measure(&mut [&mut one, &mut other], threads, "test", &quick());
        for (measurement, pieces) in measured.iter().zip([1_usize, 4]) {
            assert_eq!(measurement.violations, []);
            assert_eq!(measurement.conditions.threads, threads);
            let seen: std::collections::BTreeSet<u32> =
                measurement.samples.iter().map(|sample| sample.piece).collect();
            assert_eq!(seen.len(), pieces);
            if let Some(time) = measurement.time {
                assert!(time.min > 0.0 && time.min <= time.median && time.clean >= 5);
            }
        }
    }
}

#[test]
fn a_wrong_kernel_is_caught() {
    let mut wrong = Sums::new(2, true);
    let measured = measure(&mut [&mut wrong], 1, "test", &quick());
    assert!(matches!(measured[0].violations[..], [Violation::WrongResult { error: 2.0, .. }]));
    assert!(!measured[0].is_sound());
}

/// A kernel that panics in one of its threads.
struct Panics;

impl Worker for Panics {
    fn run(&mut self, _piece: usize, _turn: usize) {
        panic!("on purpose");
    }
}

impl Kernel for Panics {
    fn spec(&self) -> Spec {
        Spec::Fma { arithmetic: Arithmetic::Fp64 }
    }

    fn implementation(&self) -> String {
        "panics".to_owned()
    }

    fn work(&self) -> Work {
        Work::movement()
    }

    fn state(&self) -> CacheState {
        CacheState::Hot
    }

    /// One worker, whatever the threads: the others have nothing to do.
    fn workers(&mut self, _threads: usize) -> Vec<Box<dyn Worker + '_>> {
        vec![Box::new(Panics)]
    }

    fn verify(&self) -> Verification {
        Verification { error: 0.0, tolerance: 0.0, against: "nothing".to_owned() }
    }
}

#[test]
fn a_kernel_that_panics_has_no_number_and_others_are_measured() {
    let (mut panics, mut sums) = (Panics, Sums::new(1, false));
    let measured = measure(&mut [&mut panics, &mut sums], 2, "test", &quick());
    assert_eq!(measured[0].time, None);
    assert_eq!(measured[1].violations, []);
    assert!(!measured[1].samples.is_empty());
}
