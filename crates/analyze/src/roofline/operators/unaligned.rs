//! Matrix products whose sides keep them from the fast path of the tensor cores.

use eaves_model::Ns;

use super::findings::{NOTABLE_PCT, SHORTEST_CALL_NS, shapes};
use super::section::{Held, Scope};
use super::{OperatorRow, TracePoints};
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{percent, shortened};

/// Tensor cores take operands whose rows begin at multiples of 16 bytes ("Matrix Multiplication Background User's Guide"
/// of NVIDIA, section 3.1): eight elements of two bytes.
const ALIGNED_ELEMENTS: u64 = 8;

/// What products reach differs with their shapes; so much of the mean is certain.
const USUAL: f64 = 0.9;

/// True for a product of two-byte types one of whose matrices has a side that is not a multiple of eight.
pub(super) fn is_unaligned(row: &OperatorRow) -> bool {
    let types = &row.arguments.types;
    row.category == "gemm"
        && (types.contains("BFloat16") || types.contains("Half"))
        && matrices(&row.arguments.dims)
            .any(|sides| sides.iter().any(|side| *side > ALIGNED_ELEMENTS && side % ALIGNED_ELEMENTS != 0))
}

/// The sides of every recorded shape with two or more.
fn matrices(dims: &str) -> impl Iterator<Item = Vec<u64>> {
    let lists = dims
        .split(['[', ']'])
        .map(|list| list.split(',').filter_map(|side| side.trim().parse().ok()).collect::<Vec<u64>>());
    lists.filter(|sides| sides.len() >= 2)
}

/// Products that take long because of their sides, compared with what the other products of the recording reach.
pub(super) fn unaligned_products(points: &TracePoints, held: &[Held<'_>], scope: Scope) -> Option<Finding> {
    let products = || {
        held.iter()
            .filter(|held| held.row.category == "gemm")
            .filter(|held| held.row.times.mean().is_some_and(|mean| mean >= SHORTEST_CALL_NS))
            .filter_map(|held| Some((held, held.ideal()?)))
    };
    let sum = |unaligned: bool| {
        let of = products().filter(|(held, _)| is_unaligned(held.row) == unaligned);
        of.fold((0.0, 0.0), |(time, ideal), (held, best)| (time + held.row.time().as_f64(), ideal + best))
    };
    let ((time, ideal), (other_time, other_ideal)) = (sum(true), sum(false));
    if points.is_of_host() || time <= 0.0 || other_ideal <= 0.0 {
        return None;
    }
    let usual = (other_ideal / other_time).min(1.0);
    let best = products()
        .filter(|(held, _)| !is_unaligned(held.row))
        .map(|(held, ideal)| ideal / held.row.time().as_f64())
        .fold(usual, f64::max)
        .min(1.0);
    let (low, high) = (time - ideal / (USUAL * usual), time - ideal / best);
    if 100.0 * low < NOTABLE_PCT * points.busy.as_f64() {
        return None;
    }
    let worst = products()
        .filter(|(held, _)| is_unaligned(held.row))
        .max_by_key(|(held, _)| held.row.time())
        .map(|(held, _)| held.row)?;
    let each = |time: f64| Ns((time / scope.ranks.max(1) as f64) as i64);
    let gain = Gain::new(
        each(low),
        each(high),
        scope.steps / scope.ranks.max(1),
        "if they reached 90% of the roof share of the other products; at most the best product's share",
    );
    Some(Finding {
        id: "unaligned_products",
        severity: Severity::Warning,
        claim: format!(
            "matrix products with unaligned sides (not multiples of {ALIGNED_ELEMENTS}) reach {:.0}% of their \
            roof, others {:.0}%; they take {} of the busy time, mostly `{}`{}",
            100.0 * ideal / time,
            100.0 * usual,
            percent(Ns(time as i64), points.busy),
            shortened(&worst.name),
            shapes(worst),
        ),
        gain: Some(Gain { budget: Budget::Compute, ..gain }),
        evidence: "tables points and by_arguments".to_owned(),
        next: format!(
            "pad the side to a multiple of {ALIGNED_ELEMENTS}, preferably 64; usually it is the vocabulary or the \
            model width"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_read_from_recorded_shapes() {
        let of = |dims| matrices(dims).collect::<Vec<_>>();
        assert_eq!(of("[[4096], [8, 1024], [1024, 16001], [], []]"), [vec![8, 1024], vec![1024, 16001]]);
        assert_eq!(of("[[[2, 3], [4, 5]], []]"), [vec![2, 3], vec![4, 5]]);
        assert!(of("").is_empty());
    }
}
