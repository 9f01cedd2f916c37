//! Physical limits. A number beyond one is wrong, however often it was measured.

use std::fmt;

use super::{Contamination, Measurement, Sample};

/// A measured rate may be above the measured peak by this much: peaks are measured too.
const ABOVE_PEAK: f64 = 1.02;

/// A kernel that is to measure arithmetic must not use more of the memory's bandwidth than this.
const COMPUTE_BANDWIDTH: f64 = 0.5;

/// A physical limit that a measurement breaks.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// Quicker than the measured peak allows.
    AbovePeak {
        /// Which peak: `fp32`, `memory`.
        peak: String,
        /// The rate as a share of it.
        share: f64,
    },
    /// More operations in a cycle than the instruction set can do.
    AboveInstructionSet {
        /// Per core and cycle.
        measured: f64,
        /// What it can.
        limit: f64,
    },
    /// A kernel that is to measure arithmetic, but moves too much memory.
    BandwidthBound {
        /// Its traffic as a share of the bandwidth.
        share: f64,
    },
    /// A device says more time than the host.
    DeviceAboveHost,
    /// Timestamps that go backwards or are zero.
    Backwards,
    /// The result is wrong.
    WrongResult {
        /// The error.
        error: f64,
        /// What is allowed.
        tolerance: f64,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AbovePeak { peak, share } => {
                write!(formatter, "{:.0} % of the measured {peak} peak", share * 100.0)
            }
            Self::AboveInstructionSet { measured, limit } => {
                write!(
                    formatter,
                    "{measured:.1} operations per cycle where the instruction set allows {limit}"
                )
            }
            Self::BandwidthBound { share } => {
                write!(
                    formatter,
                    "bound by memory, not arithmetic: {:.0}% of the memory bandwidth",
                    share * 100.0
                )
            }
            Self::DeviceAboveHost => {
                formatter.write_str("the device reports more elapsed time than the host")
            }
            Self::Backwards => formatter.write_str("timestamps run backwards or are zero"),
            Self::WrongResult { error, tolerance } => {
                write!(formatter, "wrong result: error {error:.2e}, allowed {tolerance:.2e}")
            }
        }
    }
}

/// What a measurement is compared with.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The measured peak of the arithmetic with its name, operations per second of all threads.
    pub peak: Option<(String, f64)>,
    /// The measured bandwidth of the level that the operands come from, with its name, bytes per second of all threads.
    pub bandwidth: Option<(String, f64)>,
    /// Whether that bandwidth is one of the median of samples, as in device files: then the median is compared with it, not the
    /// fastest sample.
    pub is_median: bool,
    /// Operations that the instruction set can do per core and cycle.
    pub per_cycle: Option<f64>,
    /// True if the kernel is there to measure arithmetic.
    pub is_arithmetic: bool,
}

/// Limits that the measurement breaks.
pub fn violations(measurement: &Measurement, limits: &Limits) -> Vec<Violation> {
    let mut broken = Vec::new();
    let flops = measurement.flops_per_second(true);
    let bytes = measurement.bytes_per_second(!limits.is_median);
    let mut above = |rate: Option<f64>, peak: &Option<(String, f64)>| {
        if let (Some(rate), Some((name, peak))) = (rate, peak)
            && rate > peak * ABOVE_PEAK
        {
            broken.push(Violation::AbovePeak { peak: name.clone(), share: rate / peak });
        }
    };
    above(flops, &limits.peak);
    above(bytes, &limits.bandwidth);
    // The clock is measured too, next to the samples.
    if let (Some(measured), Some(limit)) = (measurement.flops_per_cycle(), limits.per_cycle)
        && measured > limit * ABOVE_PEAK
    {
        broken.push(Violation::AboveInstructionSet { measured, limit });
    }
    if let (true, Some(bytes), Some((_, bandwidth))) = (limits.is_arithmetic, bytes, &limits.bandwidth)
        && bytes > bandwidth * COMPUTE_BANDWIDTH
    {
        broken.push(Violation::BandwidthBound { share: bytes / bandwidth });
    }
    // A stray sample is dropped and counted; a clock that is often wrong is not a clock.
    let often = |contamination| {
        let has = |sample: &&Sample| sample.contamination == Some(contamination);
        10 * measurement.samples.iter().filter(has).count() > measurement.samples.len()
    };
    if often(Contamination::DeviceAboveHost) {
        broken.push(Violation::DeviceAboveHost);
    }
    if often(Contamination::Backwards) {
        broken.push(Violation::Backwards);
    }
    if let Some(verification) = &measurement.verification
        && !verification.holds()
    {
        broken.push(Violation::WrongResult { error: verification.error, tolerance: verification.tolerance });
    }
    broken
}
