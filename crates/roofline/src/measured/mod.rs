//! What was measured on a device, as data: which kernel ran, every sample of it, what the samples come to, and what is
//! wrong with it. Running is the business of another crate.

mod guard;
mod interval;
mod ran;
mod sample;
mod spec;
mod statistics;

use crate::{Precision, Work};

pub use guard::{Limits, Violation, violations};
pub use interval::{Interval, RoofKind, RoofTime, interval, level};
pub use ran::{Ran, Roofs};
pub use sample::{Contamination, Sample};
pub use spec::{Attend, Spec, Store, Stream};
/// How the source of a roof begins that was measured in alternation with what is compared with it; the code that ran follows.
pub const MEASURED_BESIDE: &str = "measured beside it: ";

pub use statistics::{ESTIMATE, LEAST_CLEAN, SPREAD, Summary, quantile, summary};

/// Where the operands of a timed call are. It is part of the name of a result: the same kernel is several times faster
/// from a cache than from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheState {
    /// The same operands every time: in whatever cache they fit.
    Hot,
    /// Operands larger than the private caches, smaller than the last one, the same every time.
    LastLevel,
    /// Copies of the operands that are together at least four times the last cache, one after the other.
    Cold,
}

impl CacheState {
    /// The name in files and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::LastLevel => "llc",
            Self::Cold => "cold",
        }
    }

    /// The state with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Hot, Self::LastLevel, Self::Cold].into_iter().find(|state| state.id() == id)
    }
}

/// Whether a kernel ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// It ran, and the numbers are measured.
    Executed,
    /// A compiler accepted it for the architecture; no device ran it and there are no numbers.
    CompiledOnly,
}

impl Execution {
    /// The name in files and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::CompiledOnly => "compiled only",
        }
    }
}

/// A result compared with a reference in the same run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The largest error that was found, relative to the scale that `against` states.
    pub error: f64,
    /// The largest error that is allowed.
    pub tolerance: f64,
    /// What it was compared with, and how: `f64 dot products of the dequantised weights, relative to |w|.|x|`.
    pub against: String,
}

impl Verification {
    /// True if the result is right. An error that is not a number is not.
    pub fn holds(&self) -> bool {
        self.error <= self.tolerance
    }
}

/// The rate at which calls can be handed to all threads, by the key it has in device files.
pub const HAND_OVER: &str = "hand over";

/// An amount of work on units that are neither FMA nor memory: the third roof.
#[derive(Clone, Debug, PartialEq)]
pub struct Chore {
    /// The rate that bounds it, by the key it has in device files: `dequantise mxfp4`, `exp`.
    pub rate: String,
    /// How many of them a call needs.
    pub amount: f64,
}

impl Chore {
    /// That many weights of this precision made what activations of that one are multiplied with.
    pub fn dequantise(weights: Precision, activations: Precision, amount: f64) -> Self {
        Self { rate: format!("dequantise {}/{}", weights.name, activations.name), amount }
    }

    /// True if its rate is that of a memory level or of multiply-adds, which are measured as what they are.
    pub fn is_of_another_roof(&self) -> bool {
        self.rate.starts_with(interval::READ) || self.rate.starts_with(interval::FMA)
    }

    /// That many calls handed to all threads.
    pub fn hand_over(amount: f64) -> Self {
        Self { rate: HAND_OVER.to_owned(), amount }
    }

    /// That many exponentials.
    pub fn exp(amount: f64) -> Self {
        Self { rate: "exp".to_owned(), amount }
    }
}

/// How a kernel was run.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// `cpu`, `opencl`, `cuda`.
    pub backend: String,
    /// The device, as it calls itself.
    pub device: String,
    /// Which code ran: `avx2 6x16 packed`, `gemm crate`, `openblas`.
    pub implementation: String,
    /// Threads that worked together; 1 on devices that have none of ours.
    pub threads: usize,
    /// Where operands were.
    pub state: CacheState,
    /// Whether the system gave huge pages for the operands; `None` if it does not say.
    pub huge_pages: Option<bool>,
}

/// One kernel measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What ran.
    pub spec: Spec,
    /// How it ran.
    pub conditions: Conditions,
    /// Work of one call.
    pub work: Work,
    /// What one call must do next to arithmetic and movement.
    pub chores: Vec<Chore>,
    /// Every sample, also those that were dropped.
    pub samples: Vec<Sample>,
    /// What clean samples come to; `None` if there were too few of them, in which case the result is "contaminated"
    /// and there is no number.
    pub time: Option<Summary>,
    /// The core clock next to the clean samples, in hertz, where it can be measured.
    pub clock: Option<f64>,
    /// Whether the result was right.
    pub verification: Option<Verification>,
    /// Whether it ran at all.
    pub execution: Execution,
    /// Physical limits that the numbers break. A measurement with one is not to be believed.
    pub violations: Vec<Violation>,
}

impl Measurement {
    /// Operations per second at the median, or at the fastest (`best`).
    pub fn flops_per_second(&self, best: bool) -> Option<f64> {
        self.seconds(best).map(|seconds| self.work.flops / seconds)
    }

    /// Bytes of operands per second.
    pub fn bytes_per_second(&self, best: bool) -> Option<f64> {
        self.seconds(best).map(|seconds| self.work.bytes() / seconds)
    }

    /// Operations per core and cycle: the fastest time and the high clock. Whatever else runs on the machine makes times
    /// longer and clocks lower than they are, so both are taken from the undisturbed end; medians of the two would be
    /// disturbed each in its own way.
    pub fn flops_per_cycle(&self) -> Option<f64> {
        let rate = self.flops_per_second(true)?;
        Some(rate / (self.high_clock()? * self.conditions.threads as f64))
    }

    /// The clock that a tenth of the clean samples exceed. Not the highest of all, which may be an error of the clock that
    /// it was read with.
    fn high_clock(&self) -> Option<f64> {
        let mut clocks: Vec<f64> = self
            .samples
            .iter()
            .filter(|sample| sample.is_clean())
            .filter_map(|sample| sample.clock)
            .collect();
        clocks.sort_by(f64::total_cmp);
        clocks.get(clocks.len() * 9 / 10).copied().or(self.clock)
    }

    /// How often threads waited for each other in one call: once for each sample, of which a call of several pieces has
    /// several, and a short one a part. A single thread waits for nobody.
    pub fn hand_overs(&self) -> f64 {
        if self.conditions.threads < 2 {
            return 0.0;
        }
        let mut calls: Vec<u32> = Vec::new();
        for sample in &self.samples {
            let piece = sample.piece as usize;
            if calls.len() <= piece {
                calls.resize(piece + 1, 1);
            }
            if let Some(known) = calls.get_mut(piece) {
                *known = sample.calls.max(1);
            }
        }
        calls.iter().map(|calls| 1.0 / f64::from(*calls)).sum()
    }

    /// Samples that are clean.
    pub fn clean(&self) -> usize {
        self.samples.iter().filter(|sample| sample.is_clean()).count()
    }

    /// True if the number may be shown: there is one, it is verified and breaks no limit.
    pub fn is_sound(&self) -> bool {
        self.time.is_some()
            && self.violations.is_empty()
            && self.verification.as_ref().is_none_or(Verification::holds)
    }

    fn seconds(&self, best: bool) -> Option<f64> {
        let time = self.time.as_ref()?;
        Some(if best { time.min } else { time.median })
    }
}
