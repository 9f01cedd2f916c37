//! The traces that are simulated: every fault at every strength and size, pairs of faults, and jobs without any.

use std::io;

use crate::simulate::faults::{FAULTS, Fault, Recorded, SIZES, Size, healthy};
use crate::simulate::job::Job;

/// One simulated job.
pub(super) struct Case {
    pub(super) faults: Vec<(&'static Fault, f64)>,
    size: &'static Size,
    recorded: Recorded,
}

/// What a job is, and what its faults cost.
pub(super) struct Simulated {
    /// The trace of every rank.
    pub(super) traces: Vec<Vec<u8>>,
    /// A step with all faults, in nanoseconds.
    pub(super) step: u64,
    /// What a step would be shorter without each of the faults, in nanoseconds.
    pub(super) gains: Vec<i64>,
}

/// Faults that do not hide each other: what a step costs more by one, it costs more with the other, too. (Where the
/// host is the limit, a faster device gains nothing.)
const PAIRS: [(&str, &str); 10] = [
    ("allocator-stalls", "casts"),
    ("device-copies", "slow-rank"),
    ("host-reads", "unfused-attention"),
    ("late-gradients", "unfused-attention"),
    ("layout-copies", "small-messages"),
    ("pageable-copies", "unfused-attention"),
    ("slow-rank", "unfused-activation"),
    ("slow-step", "unfused-activation"),
    ("small-messages", "unfused-optimizer"),
    ("unaligned-products", "unfused-attention"),
];

/// Numbers of ranks that jobs have.
const RANKS: [u64; 3] = [1, 2, 4];

impl Case {
    /// A name that finds it again.
    pub(super) fn name(&self) -> String {
        let faults: Vec<String> =
            self.faults.iter().map(|(fault, strength)| format!("{}={strength}", fault.name)).collect();
        let faults = if faults.is_empty() { "healthy".to_owned() } else { faults.join("+") };
        let Recorded { ranks, with_shapes, with_stack, seed, .. } = self.recorded;
        let shapes = if with_shapes { "" } else { "-noshapes" };
        let stack = if with_stack { "-stack" } else { "" };
        format!("{faults}-{}-ranks{ranks}-seed{seed}{shapes}{stack}", self.size.name)
    }

    /// The job with some of the faults.
    fn job(&self, faults: &[(&'static Fault, f64)]) -> Job {
        let mut job = healthy(self.size, self.recorded);
        for (fault, strength) in &self.faults {
            job = fault.prepared(job, *strength);
        }
        if faults.is_empty() {
            return job;
        }
        let step = job.step_time();
        for (fault, strength) in faults {
            job = fault.injected(job, *strength, step);
        }
        job
    }

    /// Simulates the job, and again without each of its faults.
    pub(super) fn simulate(&self) -> io::Result<Simulated> {
        let job = self.job(&self.faults);
        let step = job.step_time();
        let mut gains = Vec::new();
        for without in 0..self.faults.len() {
            let mut others = self.faults.clone();
            others.remove(without);
            gains.push(step as i64 - self.job(&others).step_time() as i64);
        }
        Ok(Simulated { traces: job.record()?, step, gains })
    }
}

/// Every case, or of each kind the first few.
pub(super) fn all(is_small: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |faults: Vec<(&'static Fault, f64)>, size: &'static Size, ranks: u64| {
        let number = cases.len() as u64;
        let recorded = Recorded {
            ranks,
            steps: 8,
            with_shapes: number % 4 != 3 || faults.iter().any(|(fault, _)| fault.needs_shapes),
            with_stack: number % 5 == 4,
            seed: 1_000 + number,
        };
        cases.push(Case { faults, size, recorded });
    };
    let rounds = if is_small { 1 } else { 8 };
    for _ in 0..rounds {
        for size in &SIZES {
            for ranks in RANKS {
                add(Vec::new(), size, ranks);
            }
        }
    }
    for fault in &FAULTS {
        // As many cases of every fault, whatever the number of its strengths.
        let count = if is_small { 2 } else { 21 };
        for number in 0..count {
            let strength = fault.strengths[number % fault.strengths.len()];
            let size = &SIZES[number / fault.strengths.len() % SIZES.len()];
            let ranks = RANKS[(number + number / 9) % RANKS.len()].max(fault.ranks);
            add(vec![(fault, strength)], size, ranks);
        }
    }
    let find = |name: &str| FAULTS.iter().find(|fault| fault.name == name);
    let pairs: Vec<_> = PAIRS.iter().filter_map(|(one, other)| Some((find(one)?, find(other)?))).collect();
    for (one, other) in pairs {
        for number in 0..if is_small { 1 } else { 6 } {
            let strength = |fault: &Fault| fault.strengths[number % fault.strengths.len()];
            let ranks = RANKS[number % RANKS.len()].max(one.ranks).max(other.ranks);
            add(vec![(one, strength(one)), (other, strength(other))], &SIZES[number % SIZES.len()], ranks);
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_enough_cases_and_each_has_its_name() {
        let cases = all(false);
        assert!(cases.len() >= 500, "{}", cases.len());
        let names: BTreeSet<String> = cases.iter().map(Case::name).collect();
        assert_eq!(names.len(), cases.len());
        assert!(FAULTS.is_sorted_by_key(|fault| fault.name));
        assert!(
            PAIRS.is_sorted()
                && PAIRS.iter().all(|pair| {
                    [pair.0, pair.1].iter().all(|name| FAULTS.iter().any(|fault| fault.name == *name))
                })
        );
    }
}
