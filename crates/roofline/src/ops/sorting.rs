//! Sorting and searching: bytes only. How many comparisons are needed depends on the algorithm and the values, so no
//! operations are counted.

use super::operands::{count, dimension, stored};
use super::{Call, Formula, Input, NoFormula};
use crate::Work;

const CATEGORY: &str = "sorting";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: &["aten::topk"], category: CATEGORY, work: topk, backward: None },
    Formula { names: &["aten::sort"], category: CATEGORY, work: sort, backward: None },
    Formula { names: &["aten::kthvalue"], category: CATEGORY, work: kth_value, backward: None },
    Formula { names: &["aiter::topk_softplus"], category: CATEGORY, work: routing, backward: None },
    Formula { names: &["aten::bucketize"], category: CATEGORY, work: search::<0, 1>, backward: None },
    Formula { names: &["aten::searchsorted"], category: CATEGORY, work: search::<1, 0>, backward: None },
];

/// They call `aten::sort`.
pub(super) const WRAPPERS: &[Formula] =
    &[Formula { names: &["aten::argsort", "aten::msort"], category: CATEGORY, work: sort, backward: None }];

fn found(call: &Call<'_>, outputs: f64) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let precision = input.precision()?;
    Ok(Work::movement()
        .reads("input", input.elements(), precision)
        .writes("values", outputs, precision)
        .writes("indices", outputs, stored("int64")?))
}

/// `topk(self, k, dim, ...)`.
fn topk(call: &Call<'_>) -> Result<Work, NoFormula> {
    let wanted = count(call, 1)? as f64;
    let chosen = call.integers(2).first().copied();
    let outputs =
        along(call, chosen.ok_or_else(|| "argument 2, a dimension, was not recorded".to_owned())?, wanted)?;
    found(call, outputs)
}

/// Elements with another extent along a dimension.
fn along(call: &Call<'_>, chosen: i64, extent: f64) -> Result<f64, NoFormula> {
    let shape = &call.tensor(0)?.shape;
    let chosen = dimension(chosen, shape.len())?;
    let others = shape.iter().enumerate().filter(|(at, _)| *at != chosen);
    Ok(extent * others.map(|(_, extent)| *extent as f64).product::<f64>())
}

fn sort(call: &Call<'_>) -> Result<Work, NoFormula> {
    found(call, call.tensor(0)?.elements())
}

/// `kthvalue(self, k, dim, keepdim)`.
fn kth_value(call: &Call<'_>) -> Result<Work, NoFormula> {
    let chosen = call.integers(2).first().copied();
    let outputs =
        along(call, chosen.ok_or_else(|| "argument 2, a dimension, was not recorded".to_owned())?, 1.0)?;
    found(call, outputs)
}

/// `(weights, indices, scores, bias, ...)` of a router of experts: six operations for a score, as TraceLens counts, and a
/// bias for each expert.
fn routing(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (weights, indices, scores) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let experts = scores.shape.last().copied().unwrap_or(0) as f64;
    let elements = scores.elements();
    Ok(Work::vector(6.0 * elements, elements, scores.precision()?)
        .reads("scores", elements, scores.precision()?)
        .reads("bias", experts, stored("fp32")?)
        .writes("weights", weights.elements(), weights.precision()?)
        .writes("indices", indices.elements(), indices.precision()?))
}

/// Each value's place between boundaries, in 64 bits unless `out_int32`, the argument behind both, says otherwise.
fn search<const VALUES: usize, const BOUNDARIES: usize>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (values, boundaries) = (call.tensor(VALUES)?, call.tensor(BOUNDARIES)?);
    let narrow = matches!(call.inputs.get(2), Some(Input::Scalar(text)) if text == "True");
    Ok(Work::movement()
        .reads("values", values.elements(), values.precision()?)
        .reads("boundaries", boundaries.elements(), boundaries.precision()?)
        .writes("places", values.elements(), stored(if narrow { "int32" } else { "int64" })?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{call, counted};
    use super::*;

    #[test]
    fn by_hand() {
        let (k, last, yes) = (("5", "Scalar"), ("-1", "Scalar"), ("True", "Scalar"));
        let x = ("[3,400]", "c10::BFloat16");
        assert_eq!(counted(topk, &[x, k, last, yes, yes]), (0.0, 2400.0 + 15.0 * 10.0));
        assert_eq!(counted(topk, &[x, k, ("0", "Scalar"), yes, yes]), (0.0, 2400.0 + 2000.0 * 10.0));
        assert_eq!(counted(sort, &[x, last, yes]), (0.0, 2400.0 + 12000.0));
        assert_eq!(counted(kth_value, &[x, k, last, yes]), (0.0, 2400.0 + 30.0));
        let edges = ("[9]", "float");
        assert_eq!(
            counted(search::<0, 1>, &[("[7]", "float"), edges, ("False", "Scalar")]),
            (0.0, 28.0 + 36.0 + 56.0)
        );
        assert_eq!(counted(search::<1, 0>, &[edges, ("[7]", "float"), yes]), (0.0, 28.0 + 36.0 + 28.0));
        let routed = [("[4,2]", "float"), ("[4,2]", "int"), ("[4,16]", "c10::BFloat16")];
        assert_eq!(counted(routing, &routed), (384.0, 128.0 + 64.0 + 32.0 + 32.0));
        assert!(topk(&call("aten::topk", &[x, ("", "Scalar")])).is_err());
    }
}
