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

/// Rows of a thread of which products are little but the preparation of activations.
const FEW: usize = 24;

/// The least share of the time that rows can have in a product that fits a cache.
const LEAST_SHARE: f64 = 0.7;

/// Measures all of them on this many threads.
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
    for format in Format::ALL {
        let weights = format.precision(LENGTH);
        let Some(n) = rows(format, levels, threads) else { return };
        for activations in [Precision::FP32, Precision::INT8] {
            session.say(&format!("dequantising {weights} for {activations}"));
            let spec = |n: usize| Spec::Gemv { n, k: LENGTH, weights, activations };
            add(session, spec(n), rates, threads);
            without_activations(
                session,
                [(n, spec(n)), (FEW * threads, spec(FEW * threads))],
                rates,
                threads,
            );
        }
        // A product of a single row does little but pack, which is how larger ones widen weights.
        if weights.element_bits < 32.0 {
            session.say(&format!("widening {weights}"));
            let spec = Spec::Gemm { m: 1, n, k: LENGTH, weights, activations: Precision::FP32 };
            add(session, spec, rates, threads);
        }
    }
}

/// Rows of a matrix that is half of the second cache of each thread, or of the only one.
fn rows(format: Format, levels: &[Level], threads: usize) -> Option<usize> {
    let caches: Vec<usize> = levels.iter().filter_map(|level| level.fits).collect();
    let cache = caches.get(1).or_else(|| caches.first()).copied()?;
    let row = format.precision(LENGTH).bytes(LENGTH as f64).max(1.0);
    Some(((cache as f64 / 2.0 / row) as usize).max(1) * threads)
}

/// The kernel that the rate of a chore is measured with, by the key of the rate.
pub(super) fn spec(key: &str, levels: &[Level], threads: usize) -> Option<Spec> {
    let format = |name: &str| Format::ALL.into_iter().find(|format| format.name() == name);
    let sized = |name: &str| {
        let format = format(name)?;
        Some((rows(format, levels, threads)?, format.precision(LENGTH)))
    };
    if let Some(name) = key.strip_prefix("widen ") {
        let (n, weights) = sized(name)?;
        return Some(Spec::Gemm { m: 1, n, k: LENGTH, weights, activations: Precision::FP32 });
    }
    if let Some((name, given)) = key.strip_prefix("dequantise ").and_then(|pair| pair.split_once('/')) {
        let (n, weights) = sized(name)?;
        let activations = if given == "int8" { Precision::INT8 } else { Precision::FP32 };
        return Some(Spec::Gemv { n, k: LENGTH, weights, activations });
    }
    match key {
        "exp" => Some(Spec::Exp),
        "softmax" => Some(Spec::Softmax),
        _ => None,
    }
}

/// Takes what a call needs for its activations, however many rows there are, out of the rate of weights that was measured
/// last: a product of few rows is little else. Of rows that fit a cache it is up to a sixth of the time, of those of models
/// a hundredth.
fn without_activations(
    session: &mut Session<'_>,
    [(all, many), (n, few)]: [(usize, Spec); 2],
    rates: &mut [ChoreRate],
    threads: usize,
) {
    let Some(many) = session.measurements.last().filter(|last| last.spec == many).cloned() else { return };
    let instructions = session.instructions();
    let protocol = session.protocol();
    let Some(measured) = session.run(few, threads, CacheState::Hot, instructions, protocol) else { return };
    let share = many
        .time
        .zip(measured.time)
        .and_then(|(many, few)| share_of_rows((all as f64, many.median), (n as f64, few.median)));
    let known = |rate: &&mut ChoreRate| many.chores.iter().any(|chore| chore.rate == rate.key);
    if let (Some(share), Some(known)) = (share, rates.iter_mut().find(known)) {
        let slot = known.rate.of(threads > 1);
        *slot = slot.take().map(|rate| rate.of_share(share));
    }
}

/// The share of the time of many rows that grows with them, by the time of few: rows and seconds of each.
fn share_of_rows(many: (f64, f64), few: (f64, f64)) -> Option<f64> {
    let each = (many.1 - few.1) / (many.0 - few.0);
    let share = each * many.0 / many.1;
    // Outside of this the two were not measured on the same machine, so to say.
    (LEAST_SHARE..=1.0).contains(&share).then_some(share)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Options;
    use crate::cpu::Cpu;
    use crate::timing::Protocol;

    /// Every key leads to a kernel that has that chore.
    /// 2 us and 50 ns a row: 240 rows take 14 us, of which 12 are theirs.
    #[test]
    fn what_does_not_grow_with_rows_is_taken_out() {
        let share = share_of_rows((240.0, 14e-6), (24.0, 3.2e-6)).unwrap();
        assert!((share - 12.0 / 14.0).abs() < 1e-9, "{share}");
        assert_eq!(share_of_rows((240.0, 14e-6), (24.0, 1.0e-6)), None, "more than in proportion");
        assert_eq!(share_of_rows((240.0, 14e-6), (24.0, 9e-6)), None, "hardly anything is of rows");
    }

    #[test]
    fn a_chore_is_measured_with_a_kernel_that_does_it() {
        let levels = [Level { fits: Some(64 << 10), ..Level::default() }];
        let options = Options { threads: 1, state: CacheState::Hot, protocol: Protocol::default() };
        for key in
            ["exp", "softmax", "dequantise mxfp4/int8", "dequantise bf16/fp32", "widen nf4", "widen int8"]
        {
            let spec = spec(key, &levels, 1).unwrap();
            let kernel = Cpu::detect().kernel(&spec, &options).unwrap();
            assert!(kernel.chores().iter().any(|chore| chore.rate == key), "{key}: {:?}", kernel.chores());
        }
        assert_eq!(spec("dequantise nothing/fp32", &levels, 1), None);
        assert_eq!(spec("hand over", &levels, 1), None);
        assert_eq!(spec("widen nf4", &[], 1), None);
    }
}
