//! Rates of what is neither multiply-adds nor movement: exponentials, softmax, and dequantising each format that weights have.
//!
//! A format is dequantised by the kernel that multiplies with it, from a matrix that fits half of the second cache, where
//! nothing else bounds it.

use eaves_roofline::Precision;
use eaves_roofline::measured::{CacheState, Spec};

use super::session::{Session, rate_of};
use super::{ChoreRate, Level, Pair};
use crate::cpu::InstructionSet;
use crate::formats::Format;

/// Rows of the matrix are this long: as those of models are, so that the ends of rows, at which sums are added up, count no
/// more than there.
const LENGTH: usize = 4096;

/// Measures all of them on so many threads.
pub(super) fn measure(
    session: &mut Session<'_>,
    levels: &[Level],
    rates: &mut Vec<ChoreRate>,
    threads: usize,
) {
    session.say("exponentials");
    // By the code that attention has, which is that of vectors of 256 bits where there are longer ones too.
    let instructions = session.instructions().min(InstructionSet::Avx2);
    add_by(session, Spec::Exp, rates, threads, instructions);
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
        // A product of a single row does little but pack, which is how larger ones widen weights.
        if weights.element_bits < 32.0 {
            session.say(&format!("widening {weights}"));
            let spec = Spec::Gemm { m: 1, n, k: LENGTH, weights, activations: Precision::FP32 };
            add(session, spec, rates, threads);
        }
    }
}

/// Measures a kernel, if there is one, and adds the rates of its chores.
fn add(session: &mut Session<'_>, spec: Spec, rates: &mut Vec<ChoreRate>, threads: usize) {
    let instructions = session.instructions();
    add_by(session, spec, rates, threads, instructions);
}

/// Measures a kernel of these instructions and adds the rates of what it is named for: what else it needs has rates of its
/// own.
fn add_by(
    session: &mut Session<'_>,
    spec: Spec,
    rates: &mut Vec<ChoreRate>,
    threads: usize,
    instructions: InstructionSet,
) {
    let protocol = session.protocol();
    let Some(measured) = session.run(spec, threads, CacheState::Hot, instructions, protocol) else { return };
    for chore in measured.chores.iter().filter(|chore| !chore.is_of_another_roof()) {
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
