//! Roofs as a device, so that everything that compares work with a datasheet can compares it with what was measured.

use eaves_roofline::Counts;
use eaves_roofline::device::detect::{Kind, Machine};
use eaves_roofline::device::{self, Confidence, Device, Fact, Memory, Source};
use eaves_roofline::measured::HAND_OVER;

use super::{Rate, Roofs};

impl Roofs {
    /// What one core can do, or with more threads than one what all can. Every number says that it was measured here and by
    /// what. Bandwidths are those at the median: memory is shared with others, and what they leave of it is what
    /// kernels find too. Peaks are the best that was seen.
    pub fn device(&self, threads: usize) -> Device {
        let all = threads > 1 && self.threads > 1;
        let cores = if all { self.threads } else { 1 };
        let found = Machine::here().detect().into_iter().find(|found| found.kind == Kind::Cpu);
        let told = found.map(|found| found.device).unwrap_or_default();
        let memory_size =
            told.main_memory().filter(|level| level.id == "hbm").and_then(|level| level.size.clone());
        let pick = |pair: &super::Pair| if all { pair.all.clone() } else { pair.one.clone() };
        let mut memory: Vec<Memory> = Vec::new();
        for level in self.levels.iter().rev() {
            let bandwidth =
                |pair: &super::Pair| pick(pair).map(|rate| fact(rate.median, &described("median", &rate)));
            let super::Traffic { read, write, copy, triad } = &level.traffic;
            let size = match level.fits {
                None => memory_size.clone(),
                Some(fits) => {
                    let count = if level.is_shared { 1 } else { cores };
                    let how = "the size up to which it is as quick";
                    Some(Fact { value: (fits * count) as f64, ..fact(0.0, how) })
                }
            };
            memory.push(Memory {
                id: level.id.clone(),
                name: level.name.clone(),
                bandwidth: bandwidth(read),
                write: bandwidth(write),
                copy: bandwidth(copy),
                triad: bandwidth(triad),
                size,
            });
        }
        let peaks = self.peaks.iter().filter_map(|peak| {
            let rate = pick(&peak.rate)?;
            Some(device::Peak {
                key: peak.arithmetic.id().to_owned(),
                arithmetic: Some(peak.arithmetic),
                engine: None,
                dense: fact(rate.best, &described("best", &rate)),
                sparse: None,
                counts: Counts::Operations,
            })
        });
        let rates = self.rates.iter().filter_map(|chore| {
            let rate = pick(&chore.rate)?;
            let per_second = fact(rate.median, &described("median", &rate));
            Some(device::Rate { key: chore.key.clone(), per_second })
        });
        let hand_over = self.hand_over.filter(|seconds| all && *seconds > 0.0).map(|seconds| {
            let how = "calls of nothing, from handing them to all threads until all are done";
            device::Rate { key: HAND_OVER.to_owned(), per_second: fact(1.0 / seconds, how) }
        });
        Device {
            id: format!("{}-measured", if told.id.is_empty() { "cpu" } else { &told.id }),
            name: format!("{} (measured)", self.name),
            vendor: told.vendor,
            isa: told.isa,
            scope: Some(if all { format!("{cores} cores") } else { "one core".to_owned() }),
            units: Some(fact(cores as f64, "threads that ran")),
            unit_kind: Some("core".to_owned()),
            clock: self.clock_of(all),
            peaks: peaks.collect(),
            memory,
            rates: rates.chain(hand_over).collect(),
            ..Device::default()
        }
    }
}

impl Roofs {
    /// The clock of one core, or that of the slowest while all work.
    fn clock_of(&self, all: bool) -> Option<device::Fact> {
        let of_one = || {
            let clock = self.clock?;
            let spread = format!("chains of additions, the middle half within {:.1} %", clock.spread * 100.0);
            Some(fact(clock.hertz, &spread))
        };
        match self.clock_of_all.filter(|_| all) {
            Some(hertz) => Some(fact(hertz, "chains of additions on the slowest core while all work")),
            None => of_one(),
        }
    }
}

fn described(which: &str, rate: &Rate) -> String {
    format!("{}: {which} of {} clean samples", rate.by, rate.clean)
}

fn fact(value: f64, how: &str) -> Fact {
    let source = Source { text: format!("measured here: {how}"), confidence: Confidence::Measured };
    Fact { value: rounded(value), source }
}

/// To six digits: nothing is measured more closely, and files are for people too.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
