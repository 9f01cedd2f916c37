//! Measuring kernel after kernel, and keeping what was measured.

use std::time::{Duration, Instant};

use eaves_roofline::measured::{CacheState, Measurement, Spec, summary};

use super::{Effort, Level, Origin, Pair, Progress, Rate};
use crate::backend::Options;
use crate::cpu::{Cpu, InstructionSet};
use crate::kernel::Kernel;
use crate::timing::{self, Protocol};

/// Times that a kernel is tried that had too few clean samples.
const ATTEMPTS: usize = 3;

/// One run of measurements.
pub(super) struct Session<'a> {
    cpu: Cpu,
    pub(super) threads: usize,
    pub(super) effort: Effort,
    progress: &'a mut dyn FnMut(Progress<'_>),
    start: Instant,
    /// When the stage measures nothing more, from the start.
    deadline: Duration,
    /// What there was no time or no clean samples for.
    pub(super) missing: Vec<String>,
    /// Everything that is behind a number.
    pub(super) measurements: Vec<Measurement>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        cpu: Cpu,
        threads: usize,
        effort: Effort,
        progress: &'a mut dyn FnMut(Progress<'_>),
    ) -> Self {
        Self {
            cpu,
            threads: threads.max(1),
            effort,
            progress,
            start: Instant::now(),
            deadline: Duration::ZERO,
            missing: Vec::new(),
            measurements: Vec::new(),
        }
    }

    /// Tells whoever waits.
    pub(super) fn say(&mut self, what: &str) {
        let share = self.start.elapsed().as_secs_f64() / self.budget().as_secs_f64();
        (self.progress)(Progress { share: share.min(1.0), what });
    }

    /// The time that all of it may take, about: what is under way is not broken off.
    fn budget(&self) -> Duration {
        Duration::from_secs(match self.effort {
            Effort::Quick => 12,
            Effort::Default => 38,
            Effort::Thorough => 300,
        })
    }

    /// Begins a stage, which ends when this share of the time is over.
    pub(super) fn stage(&mut self, share: f64) {
        self.deadline = self.budget().mul_f64(share);
    }

    /// Whether the stage has time left.
    pub(super) fn has_time(&self) -> bool {
        self.start.elapsed() < self.deadline
    }

    /// How samples are taken.
    pub(super) fn protocol(&self) -> Protocol {
        let milliseconds = Duration::from_millis;
        let sample = Duration::from_micros(500);
        match self.effort {
            Effort::Quick => {
                Protocol { warm_up: milliseconds(3), sample, clean: 8, limit: milliseconds(120) }
            }
            Effort::Default => {
                Protocol { warm_up: milliseconds(5), sample, clean: 15, limit: milliseconds(250) }
            }
            Effort::Thorough => {
                Protocol { warm_up: milliseconds(20), sample, clean: 40, limit: milliseconds(1500) }
            }
        }
    }

    /// Instruction sets to try where it is not clear which is faster: all that have vectors of their own.
    pub(super) fn instruction_sets(&self) -> Vec<InstructionSet> {
        let known = InstructionSet::all().iter().copied();
        let vectors: Vec<_> =
            known.filter(|set| *set != InstructionSet::Portable && *set <= self.cpu.instructions).collect();
        if vectors.is_empty() { vec![InstructionSet::Portable] } else { vectors }
    }

    /// One thread, and all if that is more.
    pub(super) fn teams(&self) -> Vec<usize> {
        if self.threads > 1 { vec![1, self.threads] } else { vec![1] }
    }

    /// The best instruction set.
    pub(super) fn instructions(&self) -> InstructionSet {
        self.cpu.instructions
    }

    /// Decides what exceeds the last cache, and answers it: what was measured, or what the system says if that is more, since
    /// a cache that others use too looks smaller than it is. But not far more: virtual machines are told of caches that they
    /// have a part of. Unless the last cache itself was not found, and what was measured is the one before it.
    pub(super) fn exceed(&mut self, levels: &[Level]) -> usize {
        const FAR: usize = 4;
        const LARGEST_PRIVATE: usize = 4 << 20;
        if let Some(measured) = levels.iter().rev().find_map(|level| level.beyond) {
            if measured > LARGEST_PRIVATE {
                self.cpu.last_cache = self.cpu.last_cache.min(FAR * measured);
            }
            self.cpu.last_cache = self.cpu.last_cache.max(measured);
        }
        self.cpu.last_cache
    }

    /// Measures a kernel that is made already, and does not keep it.
    pub(super) fn time(&self, kernel: &mut dyn Kernel, protocol: &Protocol) -> Option<Measurement> {
        for _ in 0..ATTEMPTS {
            let measured = timing::measure(&mut [&mut *kernel], 1, &self.cpu.name, protocol).pop()?;
            if measured.is_sound() {
                return Some(measured);
            }
            if !self.has_time() {
                break;
            }
        }
        None
    }

    /// Measures a kernel on this many threads; `None` if there is none, no time for it, or its samples are dirty.
    pub(super) fn run(
        &mut self,
        spec: Spec,
        threads: usize,
        state: CacheState,
        instructions: InstructionSet,
        protocol: Protocol,
    ) -> Option<Measurement> {
        let what = || {
            let cores = if threads == 1 { "one core" } else { "all cores" };
            [spec.family(), &spec.precision(), &spec.shape(), state.id(), &instructions.to_string(), cores]
                .join(" ")
        };
        if !self.has_time() {
            self.missing.push(format!("{}: no time left", what()));
            return None;
        }
        let cpu = Cpu { instructions, ..self.cpu.clone() };
        let options = Options { threads, state, protocol };
        let mut kernel = cpu.kernel(&spec, &options).ok()?;
        for _ in 0..ATTEMPTS {
            let measured = timing::measure(&mut [&mut *kernel], threads, &self.cpu.name, &protocol).pop()?;
            if measured.is_sound() {
                return Some(measured);
            }
            if measured.time.is_some() {
                let broken: Vec<String> = measured.violations.iter().map(ToString::to_string).collect();
                self.missing.push(format!("{}: {}", what(), broken.join(", ")));
                return None;
            }
            if !self.has_time() {
                break;
            }
        }
        self.missing.push(format!("{}: too few clean samples", what()));
        None
    }

    /// The fastest of several at the median, as a rate of what `amount` counts in a call. All are kept.
    pub(super) fn best(
        &mut self,
        tried: Vec<Measurement>,
        amount: impl Fn(&Measurement) -> f64,
    ) -> Option<Rate> {
        let rates = tried.iter().filter_map(|measurement| rate_of(measurement, amount(measurement)));
        let best = rates.max_by(|a, b| a.median.total_cmp(&b.median));
        self.measurements.extend(tried);
        best
    }
}

/// The rate of so much a call.
pub(super) fn rate_of(measurement: &Measurement, amount: f64) -> Option<Rate> {
    let time = measurement.time?;
    let name = match measurement.spec {
        Spec::Stream { stream, .. } => format!("{stream}, "),
        _ => String::new(),
    };
    Some(Rate {
        median: amount / time.median,
        best: amount / time.min,
        by: format!("{name}{}", measurement.conditions.implementation),
        clean: time.clean,
        origin: instructions_of(measurement).map(|instructions| Origin {
            spec: measurement.spec,
            state: measurement.conditions.state,
            instructions,
            share: 1.0,
        }),
    })
}

impl Rate {
    /// The rate if what it is of took only this share of the time.
    pub(super) fn of_share(mut self, share: f64) -> Self {
        self.median /= share;
        self.best /= share;
        self.origin = self.origin.map(|origin| Origin { share, ..origin });
        self
    }
}

/// The instructions that a measurement ran with: what its code is called begins with them.
fn instructions_of(measurement: &Measurement) -> Option<InstructionSet> {
    let code = &measurement.conditions.implementation;
    InstructionSet::all().iter().copied().rev().find(|set| code.starts_with(&set.to_string()))
}

/// The measurement with the samples of another of the same kernel.
pub(super) fn pooled(mut one: Measurement, other: Measurement) -> Measurement {
    one.samples.extend(other.samples);
    one.time = summary(&one.samples, 1);
    one
}

impl Pair {
    /// Where it is kept.
    pub(super) fn of(&mut self, all: bool) -> &mut Option<Rate> {
        if all { &mut self.all } else { &mut self.one }
    }

    /// What was measured of one thread, or of all if there are more.
    pub fn of_team(&self, threads: usize) -> Option<&Rate> {
        if threads > 1 { self.all.as_ref() } else { self.one.as_ref() }
    }

    /// The rate of this many of `cores` threads together, at the median or at best: as was measured for one and for all, and
    /// as many times one in between, which is more than they can do if they share something.
    pub fn at(&self, threads: usize, cores: usize, best: bool) -> Option<f64> {
        let value = |rate: &Rate| if best { rate.best } else { rate.median };
        let one = self.one.as_ref().map(value);
        match threads {
            0 | 1 => one,
            several if several >= cores => self.all.as_ref().map(value),
            several => one.map(|rate| rate * several as f64),
        }
    }
}
