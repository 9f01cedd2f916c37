//! The one definition of attainable, bound, distance to the roof and status.
//!
//! Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009; with several
//! memory levels: Ilic, Pratas, Sousa, IEEE CAL 13(1), 2014. Time is the primary quantity: work takes at best the
//! longest of its times at each ceiling, which also holds for work without arithmetic.

use crate::device::{Device, Memory, Peak};
use crate::{Arithmetic, Counts, Engine};

/// A memory level of a roof.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Which level: `hbm`, `l2`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Bytes per second.
    pub rate: f64,
}

/// The compute ceiling of a roof.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The peak's key with its units: `fp16 matrix`.
    pub name: String,
    /// Operations or multiply-adds per second.
    pub rate: f64,
    /// What the rate counts.
    pub counts: Counts,
    /// The same with structured sparsity.
    pub sparse: Option<f64>,
}

impl Ceiling {
    /// The ceiling of a peak.
    pub fn of(peak: &Peak) -> Self {
        let name = match (peak.arithmetic, peak.engine) {
            (Some(arithmetic), Some(engine)) => format!("{arithmetic} {engine}"),
            _ => peak.key.clone(),
        };
        let sparse = peak.sparse.as_ref().map(|fact| fact.value);
        Self { name, rate: peak.dense.value, counts: peak.counts, sparse }
    }
}

/// The ceilings that hold for one kind of work on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Roof {
    /// What bounds arithmetic; absent if the device has no known peak for it.
    pub compute: Option<Ceiling>,
    /// What bounds movement, main memory first.
    pub levels: Vec<Level>,
    /// The largest cache: its name and bytes.
    pub cache: Option<(String, f64)>,
}

impl Roof {
    /// The roof over work in this type on these units.
    pub fn new(device: &Device, arithmetic: Option<Arithmetic>, engine: Engine) -> Self {
        Self::under(device, arithmetic.and_then(|arithmetic| device.peak(arithmetic, engine)))
    }

    /// The roof with this peak.
    pub fn under(device: &Device, peak: Option<&Peak>) -> Self {
        let level = |memory: &Memory| {
            let rate = memory.bandwidth.as_ref()?.value;
            Some(Level { id: memory.id.clone(), name: memory.name.clone(), rate })
        };
        let caches = device.memory.iter().skip(1);
        let cache = caches
            .filter_map(|memory| Some((memory.name.clone(), memory.size.as_ref()?.value)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let levels = device.memory.iter().filter_map(level).collect();
        Self { compute: peak.map(Ceiling::of), levels, cache }
    }

    /// The roof over work whose operands are in this level already: what lies beyond does not bound it.
    #[must_use]
    pub fn from_level(mut self, id: &str) -> Self {
        if let Some(place) = self.levels.iter().position(|level| level.id == id).filter(|&place| place > 0) {
            self.levels.drain(..place);
            self.cache = None;
        }
        self
    }

    /// The intensity at which the compute ceiling meets that of main memory.
    pub fn knee(&self) -> Option<f64> {
        Some(self.compute.as_ref()?.rate / self.levels.first()?.rate)
    }

    /// What the ceiling counts; operations if there is none.
    pub fn counts(&self) -> Counts {
        self.compute.as_ref().map_or(Counts::Operations, |ceiling| ceiling.counts)
    }
}

/// Bound of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Movement.
    Memory,
    /// Arithmetic.
    Compute,
    /// Both about equally: the intensity is near the knee.
    Balanced,
}

impl Class {
    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Memory => "memory-bound",
            Self::Compute => "compute-bound",
            Self::Balanced => "balanced",
        }
    }
}

/// How well something does, by the rules of NPU tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Right of the knee and near the roof.
    ComputeBound,
    /// Left of the knee and near the roof.
    MemoryBound,
    /// Right of the knee and far below the roof.
    ComputeInefficient,
    /// Left of the knee and far below the bandwidth.
    MemoryInefficient,
    /// In between.
    Normal,
    /// Cannot be said: no formula, no time, or no peak.
    Error,
}

impl Status {
    /// All, in the order of legends.
    pub const ALL: [Self; 6] = [
        Self::ComputeBound,
        Self::MemoryBound,
        Self::ComputeInefficient,
        Self::MemoryInefficient,
        Self::Normal,
        Self::Error,
    ];

    /// The name in files and legends.
    pub fn id(self) -> &'static str {
        match self {
            Self::ComputeBound => "Compute Bound",
            Self::MemoryBound => "Memory Bound",
            Self::ComputeInefficient => "Compute Inefficient",
            Self::MemoryInefficient => "Memory Inefficient",
            Self::Normal => "Normal",
            Self::Error => "Error",
        }
    }
}

/// Limits between the statuses and classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Above this share of the roof, in percent, something is bound by it.
    pub bound_pct: f64,
    /// Below this share of the compute roof, in percent, something right of the knee is inefficient.
    pub compute_threshold_pct: f64,
    /// Below this share of the bandwidth, in percent, something left of the knee is inefficient.
    pub memory_threshold_pct: f64,
    /// An intensity within this factor of the knee is balanced. 1 makes everything one or the other.
    pub balanced_factor: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bound_pct: 70.0,
            compute_threshold_pct: 40.0,
            memory_threshold_pct: 40.0,
            balanced_factor: 1.2,
        }
    }
}

/// Why a point lies above its roof.
#[derive(Clone, Debug, PartialEq)]
pub enum Flag {
    /// More arithmetic than the dense peak, but not more than with sparsity.
    Sparse,
    /// More arithmetic than the device can do.
    Compute,
    /// More bytes than memory can move, and few enough to stay in the cache of this name.
    Cached(String),
    /// More bytes than memory can move.
    Bandwidth,
}

impl Flag {
    /// True if nothing has to be wrong for it.
    pub fn is_explained(&self) -> bool {
        matches!(self, Self::Cached(_) | Self::Sparse)
    }

    /// What is likely the case, in one sentence.
    pub fn cause(&self) -> String {
        match self {
            Self::Sparse => {
                "above the dense peak but within the sparse one: structured sparsity, or skipped operations are \
                counted"
                    .to_owned()
            }
            Self::Compute => {
                "more operations per second than the device's peak: skipped operations are counted, the time is \
                too short, or the device or precision is wrong"
                    .to_owned()
            }
            Self::Cached(name) => {
                format!(
                    "more bytes per second than memory bandwidth: they fit in {name} and were likely served from it"
                )
            }
            Self::Bandwidth => {
                "more bytes per second than memory bandwidth: cached bytes are counted, the time is too short, or \
                the device is wrong"
                    .to_owned()
            }
        }
    }
}

/// How far something is from its roof. Rates are per second, in what the roof counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assessment {
    /// Arithmetic per byte of main memory; infinite if nothing is moved.
    pub intensity: Option<f64>,
    /// The intensity of the knee.
    pub knee: Option<f64>,
    /// `log10(intensity / knee)`: positive right of the knee.
    pub delta_log10: Option<f64>,
    /// The best time in seconds.
    pub ideal: Option<f64>,
    /// The rate at the best time.
    pub attainable: Option<f64>,
    /// Memory, compute or balanced.
    pub class: Option<Class>,
    /// The ceiling with the longest time.
    pub bound_by: Option<String>,
    /// The rate reached.
    pub achieved: Option<f64>,
    /// Bytes of main memory per second reached.
    pub bandwidth: Option<f64>,
    /// The best time in percent of the time taken.
    pub pct_of_roof: Option<f64>,
    /// Seconds above the best time; negative above the roof.
    pub headroom: Option<f64>,
    /// Why it lies above the roof, if it does.
    pub flag: Option<Flag>,
    /// Status by the settings.
    pub status: Option<Status>,
}

/// Holds work of `amount` operations (in what the roof counts) and `bytes` moved per level (by level id; levels without
/// an entry do not bound it) against a roof. `time` is what was measured, in seconds.
pub fn assess(
    roof: &Roof,
    amount: f64,
    bytes: &[(&str, f64)],
    time: Option<f64>,
    settings: &Settings,
) -> Assessment {
    let main = roof.levels.first();
    let moved = main.and_then(|level| bytes.iter().find(|(id, _)| *id == level.id)).map(|(_, bytes)| *bytes);
    let compute = roof.compute.as_ref();
    // Unknown is not free: arithmetic without a known peak leaves the best time unknown.
    let known =
        (compute.is_some() || amount == 0.0) && (main.is_some() || moved.is_none_or(|bytes| bytes == 0.0));
    let mut slowest: Option<(f64, &str)> = None;
    // Whether that is a cache: then main memory and its knee say nothing about what bounds.
    let mut in_cache = false;
    let mut consider = |seconds: f64, name, is_cache: bool| {
        if seconds > 0.0 && slowest.is_none_or(|(longest, _)| seconds > longest) {
            slowest = Some((seconds, name));
            in_cache = is_cache;
        }
    };
    if let Some(ceiling) = compute {
        consider(amount / ceiling.rate, ceiling.name.as_str(), false);
    }
    for (index, level) in roof.levels.iter().enumerate() {
        if let Some((_, bytes)) = bytes.iter().find(|(id, _)| *id == level.id) {
            consider(bytes / level.rate, level.name.as_str(), index > 0);
        }
    }
    let slowest = slowest.filter(|_| known);
    let intensity = moved.and_then(|bytes| match (amount, bytes) {
        (0.0, 0.0) => None,
        (_, 0.0) => Some(f64::INFINITY),
        _ => Some(amount / bytes),
    });
    let knee = roof.knee();
    let ratio = intensity.zip(knee).map(|(intensity, knee)| intensity / knee);
    let time = time.filter(|seconds| *seconds > 0.0);
    let achieved = time.map(|seconds| amount / seconds);
    let bandwidth = time.zip(moved).map(|(seconds, bytes)| bytes / seconds);
    let ideal = slowest.map(|(seconds, _)| seconds);
    let pct_of_roof = ideal.zip(time).map(|(ideal, seconds)| 100.0 * ideal / seconds);
    let right = !in_cache
        && ratio.map_or(amount > 0.0 && moved.is_none_or(|bytes| bytes == 0.0), |ratio| ratio >= 1.0);
    Assessment {
        intensity,
        knee,
        delta_log10: ratio.filter(|ratio| *ratio > 0.0 && ratio.is_finite()).map(f64::log10),
        ideal,
        attainable: ideal.map(|seconds| amount / seconds),
        class: ideal.map(|_| class(ratio.filter(|_| !in_cache), right, settings)),
        bound_by: slowest.map(|(_, name)| name.to_owned()),
        achieved,
        bandwidth,
        pct_of_roof,
        headroom: ideal.zip(time).map(|(ideal, seconds)| seconds - ideal),
        flag: pct_of_roof
            .filter(|pct| *pct > 100.0 * (1.0 + 1e-9))
            .map(|_| flag(roof, achieved.unwrap_or(0.0), moved.unwrap_or(0.0))),
        status: Some(pct_of_roof.map_or(Status::Error, |pct| {
            let main = main.filter(|_| !in_cache);
            let share = main.zip(bandwidth).map_or(pct, |(level, bandwidth)| 100.0 * bandwidth / level.rate);
            status(right, pct, share, settings)
        })),
    }
}

fn class(ratio: Option<f64>, right: bool, settings: &Settings) -> Class {
    let near = ratio.is_some_and(|ratio| {
        settings.balanced_factor > 1.0
            && (settings.balanced_factor.recip()..=settings.balanced_factor).contains(&ratio)
    });
    match (near, right) {
        (true, _) => Class::Balanced,
        (false, true) => Class::Compute,
        (false, false) => Class::Memory,
    }
}

fn status(right: bool, pct: f64, bandwidth_pct: f64, settings: &Settings) -> Status {
    match right {
        true if pct > settings.bound_pct => Status::ComputeBound,
        true if pct < settings.compute_threshold_pct => Status::ComputeInefficient,
        false if pct > settings.bound_pct => Status::MemoryBound,
        false if bandwidth_pct < settings.memory_threshold_pct => Status::MemoryInefficient,
        _ => Status::Normal,
    }
}

fn flag(roof: &Roof, achieved: f64, moved: f64) -> Flag {
    if let Some(ceiling) = roof.compute.as_ref().filter(|ceiling| achieved > ceiling.rate) {
        return match ceiling.sparse {
            Some(sparse) if achieved <= sparse => Flag::Sparse,
            _ => Flag::Compute,
        };
    }
    match &roof.cache {
        Some((name, size)) if moved <= *size => Flag::Cached(name.clone()),
        _ => Flag::Bandwidth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A roof of 10 000 GFLOP/s and 1000 GB/s with a cache of 1 MB.
    fn roof() -> Roof {
        let compute =
            Ceiling { name: "fp32".into(), rate: 1e13, counts: Counts::Operations, sparse: Some(2e13) };
        let levels = vec![
            Level { id: "hbm".into(), name: "HBM".into(), rate: 1e12 },
            Level { id: "l2".into(), name: "L2".into(), rate: 4e12 },
        ];
        Roof { compute: Some(compute), levels, cache: Some(("L2".into(), 1e6)) }
    }

    fn check(amount: f64, bytes: f64, time: f64) -> Assessment {
        assess(&roof(), amount, &[("hbm", bytes)], Some(time), &Settings::default())
    }

    /// The two points of the unit test of tprof-roofline.
    #[test]
    fn left_and_right_of_the_knee() {
        let left = check(1e9, 1e9, 1e-3);
        assert_eq!((left.intensity, left.achieved), (Some(1.0), Some(1e12)));
        assert_eq!((left.class, left.bound_by.as_deref()), (Some(Class::Memory), Some("HBM")));
        assert_eq!((left.pct_of_roof, left.attainable), (Some(100.0), Some(1e12)));
        let right = check(1e11, 1e9, 10e-3);
        assert_eq!((right.intensity, right.achieved), (Some(100.0), Some(1e13)));
        assert_eq!((right.class, right.bound_by.as_deref()), (Some(Class::Compute), Some("fp32")));
        assert_eq!((right.delta_log10, right.headroom), (Some(1.0), Some(0.0)));
        assert_eq!(right.status, Some(Status::ComputeBound));
    }

    #[test]
    fn near_the_knee_is_balanced_unless_switched_off() {
        assert_eq!(check(1.1e10, 1e9, 1.0).class, Some(Class::Balanced));
        assert_eq!(check(1.3e10, 1e9, 1.0).class, Some(Class::Compute));
        let strict = Settings { balanced_factor: 1.0, ..Settings::default() };
        let tie = assess(&roof(), 1e10, &[("hbm", 1e9)], Some(1.0), &strict);
        assert_eq!(tie.class, Some(Class::Compute));
    }

    #[test]
    fn movement_alone_and_arithmetic_alone_have_a_roof() {
        let copy = check(0.0, 1e9, 2e-3);
        assert_eq!((copy.class, copy.pct_of_roof), (Some(Class::Memory), Some(50.0)));
        assert_eq!((copy.delta_log10, copy.attainable), (None, Some(0.0)));
        let registers = check(1e10, 0.0, 2e-3);
        assert_eq!((registers.class, registers.pct_of_roof), (Some(Class::Compute), Some(50.0)));
        assert_eq!(registers.intensity, Some(f64::INFINITY));
        let nothing = check(0.0, 0.0, 1.0);
        assert_eq!((nothing.ideal, nothing.status), (None, Some(Status::Error)));
    }

    #[test]
    fn the_slowest_level_bounds() {
        let bytes = [("hbm", 1e9), ("l2", 8e9)];
        let found = assess(&roof(), 1e9, &bytes, Some(4e-3), &Settings::default());
        assert_eq!(
            (found.bound_by.as_deref(), found.ideal, found.pct_of_roof),
            (Some("L2"), Some(2e-3), Some(50.0))
        );
        assert_eq!((found.class, found.status), (Some(Class::Memory), Some(Status::Normal)));
        // Right of the knee of main memory, and still bound by a cache.
        let right = assess(&roof(), 1e11, &[("hbm", 1e9), ("l2", 80e9)], Some(25e-3), &Settings::default());
        assert_eq!((right.class, right.bound_by.as_deref()), (Some(Class::Memory), Some("L2")));
        assert_eq!((right.status, right.intensity), (Some(Status::MemoryBound), Some(100.0)));
    }

    #[test]
    fn above_the_roof_is_flagged_with_a_cause() {
        assert_eq!(check(1.5e10, 1.0, 1e-3).flag, Some(Flag::Sparse));
        assert_eq!(check(3e10, 1.0, 1e-3).flag, Some(Flag::Compute));
        assert_eq!(check(0.0, 1e6, 0.5e-6).flag, Some(Flag::Cached("L2".into())));
        assert_eq!(check(0.0, 1e9, 0.5e-3).flag, Some(Flag::Bandwidth));
        assert_eq!(check(1e9, 1e9, 1e-3).flag, None);
    }

    #[test]
    fn an_unknown_peak_leaves_the_best_time_unknown() {
        let memory_only = Roof { compute: None, ..roof() };
        let found = assess(&memory_only, 1e9, &[("hbm", 1e9)], Some(1.0), &Settings::default());
        assert_eq!((found.ideal, found.class, found.status), (None, None, Some(Status::Error)));
        let copy = assess(&memory_only, 0.0, &[("hbm", 1e9)], Some(1e-3), &Settings::default());
        assert_eq!(copy.pct_of_roof, Some(100.0));
    }

    #[test]
    fn zero_and_negative_times_give_no_rates() {
        for time in [0.0, -1.0, f64::NAN] {
            let found = check(1e9, 1e9, time);
            assert_eq!((found.achieved, found.bandwidth, found.pct_of_roof), (None, None, None));
        }
    }
}
