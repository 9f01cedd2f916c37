//! What a measurement may not exceed.

use eaves_roofline::measured::{CacheState, Limits, Measurement, Spec};

use super::{Level, Roofs};
use crate::cpu::InstructionSet;

/// Sets up to this many times a level may be in it in part, and are compared with it.
const IN_PART: usize = 2;

impl Roofs {
    /// The limits of a measurement: the peak of what it computes in, for as many threads; the most that was ever seen to move
    /// through the level that its operands are in; what the instruction set can do in a cycle.
    pub fn limits(&self, measurement: &Measurement) -> Limits {
        let threads = measurement.conditions.threads;
        let arithmetic = measurement.work.arithmetic;
        let peak = arithmetic.and_then(|arithmetic| {
            let peak = self.peaks.iter().find(|peak| peak.arithmetic == arithmetic)?;
            Some((arithmetic.to_string(), peak.rate.at(threads, self.threads, true)?))
        });
        let bandwidth = self.level(measurement).and_then(|level| {
            let pairs = level.traffic.pairs().into_iter();
            let rates = pairs.filter_map(|(_, pair)| pair.at(threads, self.threads, true));
            Some((level.name.clone(), rates.max_by(f64::total_cmp)?))
        });
        Limits {
            peak,
            bandwidth,
            is_median: false,
            // Whatever ran, the processor has no more than its best instructions.
            per_cycle: arithmetic.and_then(|arithmetic| InstructionSet::best().most_per_cycle(arithmetic)),
            is_arithmetic: matches!(measurement.spec, Spec::Fma { .. }),
        }
    }

    /// The fastest level that operands may come from.
    fn level(&self, measurement: &Measurement) -> Option<&Level> {
        let memory = self.levels.last();
        let threads = measurement.conditions.threads.max(1);
        let bytes = match measurement.spec {
            Spec::Stream { bytes, .. } => bytes as f64,
            // In the first cache, gone through several times.
            Spec::Exp | Spec::Softmax => 0.0,
            _ => measurement.work.bytes(),
        };
        let holds = |level: &&Level| {
            let count = if level.is_shared { 1 } else { threads };
            level.fits.is_some_and(|fits| bytes <= (fits * count * IN_PART) as f64)
        };
        match measurement.conditions.state {
            CacheState::Cold => memory,
            CacheState::LastLevel => self.levels.iter().rev().find(|level| level.fits.is_some()).or(memory),
            CacheState::Hot => self.levels.iter().find(holds).or(memory),
        }
    }
}
