//! Peaks of arithmetic, and what bounds them.

use std::time::Duration;

use eaves_roofline::Arithmetic;
use eaves_roofline::measured::{CacheState, Measurement, Spec};

use super::session::{Session, rate_of};
use super::{Pair, Peak};
use crate::cpu::InstructionSet;

/// What processors compute in. Eight- and sixteen-bit floats are stored so and computed in FP32.
const ARITHMETIC: [Arithmetic; 4] = [Arithmetic::Fp64, Arithmetic::Fp32, Arithmetic::Int16, Arithmetic::Int8];

/// Samples that are shorter than the time between two interrupts of the system's clock, so that some have none.
const SAMPLE: Duration = Duration::from_micros(300);

/// Measures all of them on this many threads.
pub(super) fn measure(session: &mut Session<'_>, peaks: &mut Vec<Peak>, threads: usize) {
    for arithmetic in ARITHMETIC {
        session.say(&format!("multiply-adds in {arithmetic}"));
        let Some((set, best)) = best(session, arithmetic, threads) else { continue };
        let index = peaks.iter().position(|peak| peak.arithmetic == arithmetic).unwrap_or_else(|| {
            peaks.push(Peak { arithmetic, rate: Pair::default(), per_cycle: None, most_per_cycle: None });
            peaks.len() - 1
        });
        if let Some(peak) = peaks.get_mut(index) {
            *peak.rate.of(threads > 1) = rate_of(&best, best.work.flops);
            if threads == 1 {
                peak.per_cycle = best.flops_per_cycle();
                peak.most_per_cycle = set.most_per_cycle(arithmetic);
            }
        }
        session.measurements.push(best);
    }
}

/// The fastest of all instruction sets. A wider one that is as quick is no better than the one before.
fn best(
    session: &mut Session<'_>,
    arithmetic: Arithmetic,
    threads: usize,
) -> Option<(InstructionSet, Measurement)> {
    /// Less than this is noise.
    const QUICKER: f64 = 1.01;
    let mut protocol = session.protocol();
    protocol.sample = SAMPLE;
    protocol.clean *= 3;
    let rate = |measurement: &Measurement| measurement.flops_per_second(true).unwrap_or(0.0);
    let mut best: Option<(InstructionSet, Measurement)> = None;
    for set in session.instruction_sets() {
        let spec = Spec::Fma { arithmetic };
        let Some(measured) = session.run(spec, threads, CacheState::Hot, set, protocol) else { continue };
        if best.as_ref().is_none_or(|(_, known)| rate(&measured) > rate(known) * QUICKER) {
            best = Some((set, measured));
        }
    }
    best
}
