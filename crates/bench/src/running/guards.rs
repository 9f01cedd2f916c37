//! Limits that roofs set for a measurement.

use eaves_roofline::Device;
use eaves_roofline::device::{Confidence, Fact};
use eaves_roofline::measured::{level, violations};

use super::KnownRoofs;
use crate::cpu::InstructionSet;
use crate::{CacheState, Limits, Measurement, Spec};

/// Adds what the measurement breaks.
pub(super) fn check(measurement: &mut Measurement, roofs: &KnownRoofs) {
    add(measurement, &roofs.limits(measurement));
}

/// Adds what the measurement breaks of these limits.
pub(super) fn add(measurement: &mut Measurement, limits: &Limits) {
    for violation in violations(measurement, limits) {
        if !measurement.violations.contains(&violation) {
            measurement.violations.push(violation);
        }
    }
}

/// Limits by the roofs of a file. A datasheet limits too, but what it says is not what was measured.
pub(super) fn limits(measurement: &Measurement, device: Option<&Device>) -> Limits {
    let arithmetic = measurement.work.arithmetic;
    let is_cpu = measurement.conditions.backend == "cpu";
    let per_cycle = arithmetic.filter(|_| is_cpu).and_then(|one| InstructionSet::best().most_per_cycle(one));
    let measured = |fact: &Fact| fact.source.confidence == Confidence::Measured;
    let peak = device.zip(arithmetic).and_then(|(device, arithmetic)| {
        let peak = device.peak(arithmetic, measurement.work.engine)?;
        measured(&peak.dense).then(|| (peak.key.clone(), peak.dense.value))
    });
    Limits {
        peak,
        bandwidth: device.and_then(|device| bandwidth(measurement, device)),
        // A file has bandwidths at the median of many samples, which a single one may exceed.
        is_median: true,
        per_cycle,
        is_arithmetic: matches!(measurement.spec, Spec::Fma { .. }),
    }
}

/// The highest rate at which bytes come from where they are, or from nearer: a call on cold operands still finds some of
/// them in a cache if the machine has more of it than it says.
fn bandwidth(measurement: &Measurement, device: &Device) -> Option<(String, f64)> {
    // Streams are what the roof was measured with, each of them another rate.
    let Spec::Gemv { .. } = measurement.spec else { return None };
    let level = level(device, measurement.work.bytes(), measurement.conditions.state)?;
    let fact = level.bandwidth.as_ref().filter(|fact| fact.source.confidence == Confidence::Measured)?;
    let nearer = match measurement.conditions.state {
        CacheState::Cold => 1.25,
        _ => 1.0,
    };
    Some((level.name.clone(), fact.value * nearer))
}
