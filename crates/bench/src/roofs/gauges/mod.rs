//! Roofs that are measured again next to what is compared with them.
//!
//! What other programs leave of a machine changes with the seconds: a bandwidth of a minute ago says little of a product now.
//! So a kernel is run in alternation with exactly the streams, multiply-adds and chores that bound it, on as many threads; all
//! are read at the same share of their clean samples, and how far those of a roof lie apart is how wide the prediction is.

use eaves_roofline::device::{self, Confidence, Device, Fact, Memory, Peak, Source};
use eaves_roofline::measured::{
    CacheState, ESTIMATE, MEASURED_BESIDE, Measurement, SPREAD, Spec, level, quantile, summary,
};
use eaves_roofline::{Access, Arithmetic, Counts, Operand};

use super::{Origin, Rate, Roofs, Traffic};
use crate::backend::{BenchError, Options};
use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::timing::{self, Protocol};

/// The triad writes a third of its bytes: what writes less lies between it and reading.
const TRIAD_WRITTEN: f64 = 0.34;

/// What writes less than this only reads.
const READS: f64 = 0.02;

/// Times that a kernel with too few clean samples goes on, in alternation with its roofs.
const ROUNDS: usize = 3;

/// Which roof a gauge is of.
#[derive(Clone, Debug, PartialEq)]
enum Target {
    /// A kind of traffic of a level of memory.
    Traffic { level: String, kind: &'static str },
    /// The peak of an arithmetic.
    Peak(Arithmetic),
    /// The rate of a chore.
    Chore(String),
}

/// A roof that can be measured again.
struct Gauge {
    target: Target,
    origin: Origin,
    kernel: Box<dyn Kernel>,
}

/// A device as it was in the seconds of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Rates at [`ESTIMATE`].
    pub middle: Device,
    /// Rates at the faster end of [`SPREAD`].
    pub quick: Device,
    /// Rates at the slower end.
    pub slow: Device,
    /// How many roofs were measured again.
    pub gauges: usize,
}

/// Roofs that are measured again on this many threads, kept from one measurement to the next.
pub struct Gauges<'a> {
    cpu: Cpu,
    roofs: &'a Roofs,
    threads: usize,
    device: Device,
    made: Vec<Gauge>,
}

impl<'a> Gauges<'a> {
    /// Those of a processor whose roofs were measured before.
    pub fn new(cpu: &Cpu, roofs: &'a Roofs, threads: usize) -> Self {
        let device = roofs.device(threads);
        Self { cpu: cpu.clone(), roofs, threads, device, made: Vec::new() }
    }

    /// Measures a kernel in alternation with the roofs that bound it.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn measure(
        &mut self,
        spec: &Spec,
        options: &Options,
    ) -> Result<(Measurement, Vec<Measurement>, Beside), BenchError> {
        let mut kernel = self.cpu.kernel(spec, options)?;
        let wanted = self.wanted(&*kernel);
        self.make(&wanted, options);
        let used: Vec<&mut Gauge> = self
            .made
            .iter_mut()
            .filter(|gauge| wanted.iter().any(|(target, _)| *target == gauge.target))
            .collect();
        let targets: Vec<(Target, Origin)> =
            used.iter().map(|gauge| (gauge.target.clone(), gauge.origin)).collect();
        let mut running: Vec<&mut dyn Kernel> = vec![&mut *kernel];
        running.extend(used.into_iter().map(|gauge| &mut *gauge.kernel as &mut dyn Kernel));
        // Together they take at most twice as long as the kernel may.
        let pieces: Vec<usize> = running.iter().map(|kernel| kernel.pieces()).collect();
        let limit = 2 * options.protocol.limit / u32::try_from(running.len()).unwrap_or(u32::MAX);
        let protocol = Protocol { limit, ..options.protocol };
        let mut measured: Vec<Measurement> = Vec::new();
        for _ in 0..ROUNDS {
            let more = timing::measure(&mut running, self.threads, &self.cpu.name, &protocol);
            measured = match measured.is_empty() {
                true => more,
                false => measured.into_iter().zip(more).zip(&pieces).map(pooled).collect(),
            };
            if measured.first().is_none_or(|measurement| measurement.time.is_some()) {
                break;
            }
        }
        let mut measured = measured.into_iter();
        let lost = || BenchError::Device { device: self.cpu.name.clone(), cause: "no answer".to_owned() };
        let measurement = measured.next().ok_or_else(lost)?;
        let gauges: Vec<Measurement> = measured.collect();
        let sound: Vec<(&Target, &Origin, &Measurement)> = targets
            .iter()
            .zip(&gauges)
            .filter(|(_, gauge)| gauge.is_sound())
            .map(|((target, origin), gauge)| (target, origin, gauge))
            .collect();
        let beside = Beside {
            middle: adjusted(&self.device, &sound, ESTIMATE),
            quick: adjusted(&self.device, &sound, SPREAD.0),
            slow: adjusted(&self.device, &sound, SPREAD.1),
            gauges: sound.len(),
        };
        Ok((measurement, gauges, beside))
    }

    /// The roofs that bound a kernel, as far as they were measured before.
    fn wanted(&self, kernel: &dyn Kernel) -> Vec<(Target, Origin)> {
        let mut wanted: Vec<(Target, Origin)> = Vec::new();
        let mut want = |target: Target, rate: Option<&Rate>| {
            // There may have been no time to measure it before.
            let origin = rate.and_then(|rate| rate.origin).or_else(|| self.usual(&target));
            if let Some(origin) = origin
                && wanted.iter().all(|(known, _)| *known != target)
            {
                wanted.push((target, origin));
            }
        };
        let work = kernel.work();
        if let Some(arithmetic) = work.arithmetic.filter(|_| work.flops > 0.0) {
            want(Target::Peak(arithmetic), self.peak(arithmetic));
        }
        let bytes = match kernel.spec() {
            Spec::Stream { bytes, .. } => bytes as f64,
            _ => work.bytes(),
        };
        if let Some(memory) = level(&self.device, bytes, kernel.state()) {
            let writes = work.operands.iter().filter(|operand| operand.access == Access::Write);
            let written = writes.map(Operand::bytes).sum::<f64>() / work.bytes().max(1.0);
            for kind in kinds(written) {
                let target = Target::Traffic { level: memory.id.clone(), kind };
                want(target, self.traffic(&memory.id, kind));
            }
        }
        for chore in kernel.chores().iter().filter(|chore| chore.amount > 0.0) {
            if let Some(id) = chore.rate.strip_prefix("read ") {
                let target = Target::Traffic { level: id.to_owned(), kind: "read" };
                want(target, self.traffic(id, "read"));
            } else if let Some(arithmetic) = chore.rate.strip_prefix("fma ").and_then(Arithmetic::from_id) {
                want(Target::Peak(arithmetic), self.peak(arithmetic));
            } else {
                let rate = self.roofs.rates.iter().find(|rate| rate.key == chore.rate);
                want(
                    Target::Chore(chore.rate.clone()),
                    rate.and_then(|rate| rate.rate.of_team(self.threads)),
                );
            }
        }
        wanted
    }

    /// What a roof is measured with that was not measured before.
    fn usual(&self, target: &Target) -> Option<Origin> {
        let (spec, state) = match target {
            Target::Peak(arithmetic) => (Spec::Fma { arithmetic: *arithmetic }, CacheState::Hot),
            Target::Chore(key) => {
                (super::chores::spec(key, &self.roofs.levels, self.threads)?, CacheState::Hot)
            }
            Target::Traffic { level, kind } => {
                let place = self.roofs.levels.iter().position(|known| known.id == *level)?;
                let before = place.checked_sub(1).and_then(|place| self.roofs.levels.get(place));
                super::levels::usual(self.roofs.levels.get(place)?, before, kind, self.threads)?
            }
        };
        Some(Origin { spec, state, instructions: self.cpu.instructions, share: 1.0 })
    }

    fn peak(&self, arithmetic: Arithmetic) -> Option<&'a Rate> {
        let peak = self.roofs.peaks.iter().find(|peak| peak.arithmetic == arithmetic)?;
        peak.rate.of_team(self.threads)
    }

    fn traffic(&self, level: &str, kind: &str) -> Option<&'a Rate> {
        let level = self.roofs.levels.iter().find(|known| known.id == level)?;
        let (_, pair) = level.traffic.pairs().into_iter().find(|(name, _)| *name == kind)?;
        pair.of_team(self.threads)
    }

    /// Makes those that are not made yet.
    fn make(&mut self, wanted: &[(Target, Origin)], options: &Options) {
        for (target, origin) in wanted {
            if self.made.iter().any(|gauge| gauge.target == *target) {
                continue;
            }
            let cpu = Cpu { instructions: origin.instructions, ..self.cpu.clone() };
            let options = Options { threads: self.threads, state: origin.state, ..*options };
            if let Ok(kernel) = cpu.kernel(&origin.spec, &options) {
                self.made.push(Gauge { target: target.clone(), origin: *origin, kernel });
            }
        }
    }
}

/// A measurement with the samples of a later one of the same kernel.
fn pooled(((mut one, later), pieces): ((Measurement, Measurement), &usize)) -> Measurement {
    one.samples.extend(later.samples);
    one.time = summary(&one.samples, *pieces);
    let both = one.clock.zip(later.clock).map(|(earlier, later)| earlier.max(later));
    one.clock = both.or(one.clock).or(later.clock);
    one.verification = later.verification;
    one.violations.extend(later.violations);
    one
}

/// The kinds of traffic that bound work of which this share of the bytes is written.
fn kinds(written: f64) -> Vec<&'static str> {
    match written {
        written if written < READS => vec!["read"],
        written if (written - 1.0 / 3.0).abs() < 1e-3 => vec!["triad"],
        written if written <= TRIAD_WRITTEN => vec!["read", "triad"],
        _ => Traffic::default().pairs().map(|(name, _)| name).to_vec(),
    }
}

/// The device with the rates of gauges at this place of their clean samples.
fn adjusted(device: &Device, gauges: &[(&Target, &Origin, &Measurement)], place: f64) -> Device {
    let mut device = device.clone();
    for (target, origin, gauge) in gauges {
        let whole = quantile(&gauge.samples, place).filter(|seconds| *seconds > 0.0);
        let Some(seconds) = whole.map(|seconds| seconds * origin.share) else { continue };
        let fact = |amount: f64| {
            let text = format!(
                "{MEASURED_BESIDE}{}, {} clean samples",
                gauge.conditions.implementation,
                gauge.clean()
            );
            let source = Source { text, confidence: Confidence::Measured };
            Fact { value: amount / seconds, source }
        };
        match target {
            Target::Traffic { level, kind } => {
                if let Some(memory) = device.memory.iter_mut().find(|memory| memory.id == *level) {
                    *slot(memory, kind) = Some(fact(gauge.work.bytes()));
                }
            }
            Target::Peak(arithmetic) => {
                let dense = fact(gauge.work.flops);
                match device.peaks.iter_mut().find(|peak| peak.arithmetic == Some(*arithmetic)) {
                    Some(peak) => peak.dense = dense,
                    None => device.peaks.push(Peak {
                        key: arithmetic.id().to_owned(),
                        arithmetic: Some(*arithmetic),
                        engine: None,
                        dense,
                        sparse: None,
                        counts: Counts::Operations,
                    }),
                }
            }
            Target::Chore(key) => {
                let Some(chore) = gauge.chores.iter().find(|chore| chore.rate == *key) else { continue };
                let per_second = fact(chore.amount);
                match device.rates.iter_mut().find(|rate| rate.key == *key) {
                    Some(rate) => rate.per_second = per_second,
                    None => device.rates.push(device::Rate { key: key.clone(), per_second }),
                }
            }
        }
    }
    device
}

fn slot<'a>(memory: &'a mut Memory, kind: &str) -> &'a mut Option<Fact> {
    match kind {
        "write" => &mut memory.write,
        "copy" => &mut memory.copy,
        "triad" => &mut memory.triad,
        _ => &mut memory.bandwidth,
    }
}

#[cfg(test)]
mod tests;
