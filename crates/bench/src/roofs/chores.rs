//! Rates of what is neither multiply-adds nor movement: exponentials, softmax, and dequantising each format that weights have.
//!
//! A format is dequantised by the kernel that multiplies with it, from a matrix that fits half of the second cache, where
//! nothing else bounds it.

use eaves_roofline::Precision;
use eaves_roofline::measured::{CacheState, Spec};

use super::session::{Session, rate_of};
use super::{ChoreRate, Level, Pair};
use crate::formats::Format;

/// Rows of the matrix are this long.
const LENGTH: usize = 1024;

/// Measures all of them on so many threads.
pub(super) fn measure(
    session: &mut Session<'_>,
    levels: &[Level],
    rates: &mut Vec<ChoreRate>,
    threads: usize,
) {
    session.say("exponentials");
    add(session, Spec::Exp, rates, threads);
    session.say("softmax");
    add(session, Spec::Softmax, rates, threads);
    // The second cache, or the only one.
    let caches: Vec<usize> = levels.iter().filter_map(|level| level.fits).collect();
    let Some(cache) = caches.get(1).or_else(|| caches.first()).copied() else { return };
    for format in Format::ALL {
        let weights = format.precision(LENGTH);
        let row = weights.bytes(LENGTH as f64).max(1.0);
        let n = ((cache as f64 / 2.0 / row) as usize).max(1) * threads;
        for activations in [Precision::FP32, Precision::INT8] {
            session.say(&format!("dequantising {weights} for {activations}"));
            add(session, Spec::Gemv { n, k: LENGTH, weights, activations }, rates, threads);
        }
    }
}

/// Measures a kernel, if there is one, and adds the rates of its chores.
fn add(session: &mut Session<'_>, spec: Spec, rates: &mut Vec<ChoreRate>, threads: usize) {
    let (protocol, instructions) = (session.protocol(), session.instructions());
    let Some(measured) = session.run(spec, threads, CacheState::Hot, instructions, protocol) else { return };
    for chore in &measured.chores {
        let Some(rate) = rate_of(&measured, chore.amount) else { continue };
        let index = rates.iter().position(|known| known.key == chore.rate).unwrap_or_else(|| {
            rates.push(ChoreRate { key: chore.rate.clone(), rate: Pair::default() });
            rates.len() - 1
        });
        if let Some(known) = rates.get_mut(index) {
            *known.rate.of(threads > 1) = Some(rate);
        }
    }
    session.measurements.push(measured);
}
