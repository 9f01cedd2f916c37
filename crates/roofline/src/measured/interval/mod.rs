//! Three roofs: arithmetic, bytes of the memory level that operands come from, and what is neither.
//!
//! Units that do these work at the same time if the code lets them, so that work takes at least as long as the slowest of
//! them and at most as long as all of them one after the other. A prediction is the interval between the two. Where in it
//! a kernel lies depends on how well its instructions overlap, which no roof says; its middle is the single number that is
//! wrong by the least in the worst case.

use super::{CacheState, Chore};
use crate::device::{Device, Memory};
use crate::{Access, Arithmetic, Counts, Engine, Operand, Roof, Work};

/// A chore whose rate is this and the id of a memory level, `read l2`, is bytes that a kernel must take from a cache
/// however well operands stay in it: panels of a product are read again for every tile.
pub(super) const READ: &str = "read ";

/// A chore whose rate is this and the name of an arithmetic, `fma fp32`, is operations that a kernel does and the work does
/// not ask for: those of tiles that are not whole.
pub(super) const FMA: &str = "fma ";

/// A chore whose rate begins so was measured with the multiply-add that each weight is for.
const DEQUANTISE: &str = "dequantise ";

/// Operations of a multiply-add.
const OPERATIONS: f64 = 2.0;

/// Bytes of a multiply-add of the triad: three numbers of FP32.
const TRIAD_BYTES: f64 = 12.0;

/// The share of the triad's bytes that is written.
const TRIAD_WRITTEN: f64 = 1.0 / 3.0;

/// Bound of a share of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoofKind {
    /// Multiply-adds.
    Arithmetic,
    /// Bytes.
    Memory,
    /// Dequantising, exponentials.
    Chore,
}

impl RoofKind {
    /// The name in files and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Memory => "memory",
            Self::Chore => "chore",
        }
    }
}

/// The time that one roof alone asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct RoofTime {
    /// The roof: `fp32 vector`, `DRAM`, `dequantise mxfp4/int8`.
    pub roof: String,
    /// What it bounds.
    pub kind: RoofKind,
    /// Seconds.
    pub seconds: f64,
}

/// How long work takes by the roofs of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// What each roof asks for; those that ask for nothing are not here.
    pub times: Vec<RoofTime>,
    /// Chores that the device has no rate for, by the key of the rate: the interval is without them, so the work may take
    /// longer.
    pub unknown: Vec<String>,
    /// The peak or bandwidth that is needed and not known, in words: there is no interval without it.
    pub missing: Option<String>,
    /// Seconds of arithmetic that the rates of other roofs were measured with: they are in the times of both, and pass once.
    pub shared: f64,
}

impl Interval {
    /// At least: the longest of the roofs.
    pub fn low(&self) -> Option<f64> {
        self.bound_by().map(|time| time.seconds)
    }

    /// At most: all roofs one after the other, and what two of them have in common once.
    pub fn high(&self) -> Option<f64> {
        let all: f64 = self.times.iter().map(|time| time.seconds).sum();
        self.low().map(|low| (all - self.shared).max(low))
    }

    /// The middle.
    pub fn middle(&self) -> Option<f64> {
        Some(f64::midpoint(self.low()?, self.high()?))
    }

    /// The roof that asks for the longest time.
    pub fn bound_by(&self) -> Option<&RoofTime> {
        let known = self.missing.is_none();
        self.times.iter().filter(|_| known).max_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// Whether a time lies in the interval, widened by this share of its ends.
    pub fn holds(&self, seconds: f64, tolerance: f64) -> Option<bool> {
        let (low, high) = (self.low()?, self.high()?);
        Some((low * (1.0 - tolerance)..=high * (1.0 + tolerance)).contains(&seconds))
    }
}

/// The interval of work on a device, with its operands in this memory level.
///
/// The rate of a level is measured from the core, through everything between, so bytes take their time once: at the level
/// where they are.
pub fn interval(work: &Work, chores: &[Chore], device: &Device, level: Option<&Memory>) -> Interval {
    let mut found = Interval::default();
    let mut missing = Vec::new();
    let roof = Roof::new(device, work.arithmetic, work.engine);
    if work.flops > 0.0 {
        match &roof.compute {
            Some(ceiling) => {
                let amount = match ceiling.counts {
                    Counts::Operations => work.flops,
                    Counts::Macs => work.macs,
                };
                let seconds = amount / ceiling.rate;
                found.push(ceiling.name.clone(), RoofKind::Arithmetic, seconds);
                found.shared = seconds * (shared(work, chores, device, level) / work.flops).min(1.0);
            }
            None => missing.push(match work.arithmetic {
                Some(arithmetic) => format!("{arithmetic} {} peak", work.engine),
                None => "what it is computed in".to_owned(),
            }),
        }
    }
    let bytes = work.bytes();
    if bytes > 0.0 {
        match level.and_then(|level| Some((level, seconds_per_byte(level, written(work))?))) {
            Some((level, each)) => found.push(level.name.clone(), RoofKind::Memory, bytes * each),
            None => missing.push(
                level.map_or_else(|| "memory".to_owned(), |level| format!("bandwidth of {}", level.name)),
            ),
        }
    }
    for chore in chores.iter().filter(|chore| chore.amount > 0.0) {
        match chore_rate(device, &chore.rate) {
            Some(rate) => found.push(chore.rate.clone(), RoofKind::Chore, chore.amount / rate),
            None => found.unknown.push(chore.rate.clone()),
        }
    }
    found.missing = (!missing.is_empty()).then(|| missing.join(", "));
    found
}

impl Interval {
    fn push(&mut self, roof: String, kind: RoofKind, seconds: f64) {
        self.times.push(RoofTime { roof, kind, seconds });
    }
}

/// The memory level that operands of this many bytes come from. Those that stay in a cache ([`CacheState::Hot`]) come from
/// the smallest that holds all of them.
pub fn level(device: &Device, bytes: f64, state: CacheState) -> Option<&Memory> {
    let main = device.main_memory();
    let size = |level: &&Memory| level.size.as_ref().map(|size| size.value);
    let caches = || device.memory.iter().skip(1).filter_map(move |level| Some((size(&level)?, level)));
    let by_size = |a: &(f64, &Memory), b: &(f64, &Memory)| a.0.total_cmp(&b.0);
    let found = match state {
        CacheState::Cold => None,
        CacheState::LastLevel => caches().max_by(by_size),
        CacheState::Hot => caches().filter(|(size, _)| *size >= bytes).min_by(by_size),
    };
    found.map(|(_, level)| level).or(main)
}

/// The share of the bytes that is written.
fn written(work: &Work) -> f64 {
    let written = work.operands.iter().filter(|operand| operand.access == Access::Write);
    written.map(Operand::bytes).sum::<f64>() / work.bytes()
}

/// Seconds that a byte takes at a level if this share of them is written. Reading, the triad (a third), copying (a half)
/// and writing are measured; between two of them that are, bytes take their time in proportion.
fn seconds_per_byte(level: &Memory, written: f64) -> Option<f64> {
    let Memory { bandwidth, write, copy, triad, .. } = level;
    let rates = [(0.0, bandwidth), (TRIAD_WRITTEN, triad), (0.5, copy), (1.0, write)];
    let known: Vec<(f64, f64)> = rates
        .into_iter()
        .filter_map(|(share, rate)| Some((share, 1.0 / rate.as_ref().filter(|rate| rate.value > 0.0)?.value)))
        .collect();
    // A level is known by its bandwidth.
    bandwidth.as_ref()?;
    let before = known.iter().rev().find(|(share, _)| *share <= written).or_else(|| known.first())?;
    let after = known.iter().find(|(share, _)| *share > written).unwrap_or(before);
    let part = if after.0 > before.0 { (written - before.0) / (after.0 - before.0) } else { 0.0 };
    Some(before.1 + part * (after.1 - before.1))
}

/// Operations of the work that other roofs were measured with: one multiply-add for each weight that is dequantised, and
/// that of the triad.
fn shared(work: &Work, chores: &[Chore], device: &Device, level: Option<&Memory>) -> f64 {
    let known =
        |chore: &&Chore| chore.rate.starts_with(DEQUANTISE) && chore_rate(device, &chore.rate).is_some();
    let weights = chores.iter().filter(known).map(|chore| chore.amount);
    let is_triad = (written(work) - TRIAD_WRITTEN).abs() < 1e-3;
    let measured = is_triad && level.is_some_and(|level| level.triad.is_some());
    let triad = if measured { work.bytes() / TRIAD_BYTES } else { 0.0 };
    OPERATIONS * (weights.sum::<f64>() + triad)
}

/// How many of a chore a device does in a second.
fn chore_rate(device: &Device, key: &str) -> Option<f64> {
    if let Some(arithmetic) = key.strip_prefix(FMA).and_then(Arithmetic::from_id) {
        return device.peak(arithmetic, Engine::Vector).map(|peak| peak.dense.value);
    }
    let of_level = |id: &str| device.memory.iter().find(|level| level.id == id)?.bandwidth.as_ref();
    let fact = device.rate(key).or_else(|| of_level(key.strip_prefix(READ)?))?;
    (fact.value > 0.0).then_some(fact.value)
}

#[cfg(test)]
mod tests;
