//! Reductions and scans: for every element read the operations of [`super::operations`]; what is written follows from
//! the dimensions that are reduced.

use super::operands::{Kind, dimension, kind, output_argument, stored, truth, value};
use super::operations;
use super::{Call, Formula, Input, NoFormula};
use crate::{Basis, Precision, Work};

const CATEGORY: &str = "reduction";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: SUMS, category: CATEGORY, work: sum, backward: None },
    Formula { names: MEANS, category: CATEGORY, work: mean, backward: None },
    Formula { names: EXTREMES, category: CATEGORY, work: extreme, backward: None },
    Formula { names: WHERE_EXTREME, category: CATEGORY, work: where_extreme, backward: None },
    Formula { names: &["aten::aminmax"], category: CATEGORY, work: both_extremes, backward: None },
    Formula { names: NORMS, category: CATEGORY, work: norm, backward: None },
    Formula { names: DEVIATIONS, category: CATEGORY, work: deviation, backward: None },
    Formula {
        names: &["aten::var_mean", "aten::std_mean"],
        category: CATEGORY,
        work: moments,
        backward: None,
    },
    Formula { names: TRUTHS, category: CATEGORY, work: truths, backward: None },
    Formula { names: SCANS, category: CATEGORY, work: scan, backward: None },
    Formula { names: EXTREME_SCANS, category: CATEGORY, work: extreme_scan, backward: None },
];

const SUMS: &[&str] = &["aten::nansum", "aten::prod", "aten::sum", "prims::sum"];
const MEANS: &[&str] = &["aten::amax", "aten::amin", "aten::logsumexp", "aten::mean"];
const EXTREMES: &[&str] = &["aten::max", "aten::min"];
const WHERE_EXTREME: &[&str] = &["aten::argmax", "aten::argmin"];
const NORMS: &[&str] = &["aten::linalg_norm", "aten::linalg_vector_norm", "aten::norm"];
const DEVIATIONS: &[&str] = &["aten::std", "aten::var"];
const TRUTHS: &[&str] = &["aten::all", "aten::any"];
const SCANS: &[&str] = &["aten::cumprod", "aten::cumsum", "aten::logcumsumexp"];
const EXTREME_SCANS: &[&str] = &["aten::cummax", "aten::cummin"];

/// What is left of a shape.
fn kept(call: &Call<'_>, dimensions: &[i64]) -> Result<f64, NoFormula> {
    let shape = &call.tensor(0)?.shape;
    let reduced: Vec<usize> =
        dimensions.iter().map(|number| dimension(*number, shape.len())).collect::<Result<_, _>>()?;
    // No dimension named: all of them.
    let is_reduced = |index: &usize| reduced.is_empty() || reduced.contains(index);
    Ok((0..shape.len()).filter(|index| !is_reduced(index)).map(|index| shape[index] as f64).product())
}

/// What is missing where the reduced dimensions were not recorded: next to nothing next to what is read, unless they are short.
const NO_RESULT: &str = "the result, whose size was not recorded, is left out";

/// Elements of the result of `op(self, dim, keepdim, ...)`, or of `op(self, ...)` without dimensions; nothing where the
/// dimensions were not recorded. An `out` argument tells too.
fn outputs(call: &Call<'_>, dim: usize, keepdim: usize) -> Result<Option<f64>, NoFormula> {
    if call.inputs.len() <= keepdim {
        return Ok(Some(1.0));
    }
    // An absent list of dimensions and one that was not recorded look alike; the flag behind it is always written.
    match (truth(call, keepdim), &call.output) {
        (Ok(_), _) => kept(call, &call.integers(dim)).map(Some),
        (Err(_), Some(output)) => Ok(Some(output.elements())),
        // PyTorch before 2.1: there are no scalars at all.
        (Err(_), None) if call.scalar(keepdim).is_empty() => Ok(None),
        (Err(reason), None) => Err(reason),
    }
}

fn reduced(call: &Call<'_>, outputs: Option<f64>, result: Precision) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (elements, precision) = (input.elements(), input.precision()?);
    let work = Work::vector(operations::of(call) * elements, elements, precision)
        .reads("input", elements, precision);
    Ok(match outputs {
        Some(outputs) => work.writes("output", outputs, result),
        None => work.on(Basis::AtLeast(NO_RESULT)),
    })
}

/// The same with a second result of this many elements.
fn with_second(work: Work, name: &'static str, outputs: Option<f64>, precision: Precision) -> Work {
    match outputs {
        Some(outputs) => work.writes(name, outputs, precision),
        None => work,
    }
}

/// Integers and booleans are summed in 64 bits, unless a type is given.
fn summed(call: &Call<'_>, type_argument: usize) -> Result<Precision, NoFormula> {
    if let Some(out) = output_argument(call, 1) {
        return out.precision();
    }
    if let Some(precision) = call.element_type(type_argument) {
        return Ok(precision);
    }
    let precision = call.tensor(0)?.precision()?;
    if kind(precision) <= Kind::Integer { stored("int64") } else { Ok(precision) }
}

/// `sum(self, dtype)` or `sum(self, dim, keepdim, dtype)`.
fn sum(call: &Call<'_>) -> Result<Work, NoFormula> {
    let of_all = call.inputs.len() <= 2;
    reduced(call, outputs(call, 1, 2)?, summed(call, if of_all { 1 } else { 3 })?)
}

fn mean(call: &Call<'_>) -> Result<Work, NoFormula> {
    let result = output_argument(call, 1).unwrap_or(call.tensor(0)?);
    reduced(call, outputs(call, 1, 2)?, result.precision()?)
}

/// `max(self)`, `max(self, other)` or `max(self, dim, keepdim)`, which gives places too.
fn extreme(call: &Call<'_>) -> Result<Work, NoFormula> {
    if matches!(call.inputs.get(1), Some(Input::Tensor(_))) && call.inputs.len() == 2 {
        return super::elementwise::binary(call);
    }
    let precision = call.tensor(0)?.precision()?;
    if call.inputs.len() < 3 {
        return reduced(call, Some(1.0), precision);
    }
    let outputs = outputs(call, 1, 2)?;
    Ok(with_second(reduced(call, outputs, precision)?, "indices", outputs, stored("int64")?))
}

fn where_extreme(call: &Call<'_>) -> Result<Work, NoFormula> {
    reduced(call, outputs(call, 1, 2)?, stored("int64")?)
}

fn both_extremes(call: &Call<'_>) -> Result<Work, NoFormula> {
    let outputs = outputs(call, 1, 2)?;
    let precision = call.tensor(0)?.precision()?;
    Ok(with_second(reduced(call, outputs, precision)?, "largest", outputs, precision))
}

/// `norm(self, p)` or `norm(self, p, dim, keepdim, ...)`.
fn norm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let precision = call.tensor(0)?.precision()?;
    reduced(call, outputs(call, 2, 3)?, precision)
}

/// `var(self, unbiased)` or `var(self, dim, unbiased or correction, keepdim)`.
fn deviation(call: &Call<'_>) -> Result<Work, NoFormula> {
    let precision = call.tensor(0)?.precision()?;
    reduced(call, outputs(call, 1, 3)?, precision)
}

fn moments(call: &Call<'_>) -> Result<Work, NoFormula> {
    let precision = call.tensor(0)?.precision()?;
    let outputs = outputs(call, 1, 3)?;
    Ok(with_second(reduced(call, outputs, precision)?, "mean", outputs, precision))
}

/// `all(self)` or `all(self, dim, keepdim)`.
fn truths(call: &Call<'_>) -> Result<Work, NoFormula> {
    reduced(call, outputs(call, 1, 2)?, stored("bool")?)
}

fn scan(call: &Call<'_>) -> Result<Work, NoFormula> {
    let elements = value(call, 0).map(|value| super::shape::volume(value.shape))?;
    reduced(call, Some(elements), summed(call, 2)?)
}

fn extreme_scan(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    Ok(reduced(call, Some(input.elements()), input.precision()?)?.writes(
        "indices",
        input.elements(),
        stored("int64")?,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let table: &[Example<'_>] = &[
            // 8944 rows of 1024: one float left of each.
            (
                mean,
                &[("[16,559,1024]", "float"), ("[-1]", "ScalarList"), ("True", "Scalar"), ("", "")],
                9_158_656.0,
                4.0 * (9_158_656.0 + 8944.0),
            ),
            (mean, &[("[8,16]", "float"), ("[]", "ScalarList"), ("False", "Scalar")], 128.0, 512.0 + 4.0),
            (
                mean,
                &[("[10,512,7,7]", bf16), ("[-1, -2]", "ScalarList"), ("True", "Scalar"), ("", "")],
                250_880.0,
                2.0 * (250_880.0 + 5120.0),
            ),
            (
                sum,
                &[("[10,1000]", bf16), ("[0]", "ScalarList"), ("True", "Scalar"), ("", "")],
                1e4,
                2e4 + 2e3,
            ),
            (sum, &[("[10]", "float"), ("", "")], 10.0, 44.0),
            (sum, &[("[10]", "int"), ("", "")], 10.0, 48.0),
            (sum, &[("[10]", "bool"), ("", "")], 10.0, 18.0),
            (sum, &[("[10]", bf16), ("6", "Scalar")], 10.0, 24.0),
            (extreme, &[("[15]", "long int")], 15.0, 128.0),
            (extreme, &[("[3,5]", "float"), ("1", "Scalar"), ("False", "Scalar")], 15.0, 60.0 + 3.0 * 12.0),
            (extreme, &[("[3,5]", "float"), ("[5]", "float")], 15.0, 60.0 + 20.0 + 60.0),
            (
                where_extreme,
                &[("[15,20]", "float"), ("-1", "Scalar"), ("False", "Scalar")],
                300.0,
                1200.0 + 120.0,
            ),
            (norm, &[("[3,5]", "float"), ("2", "Scalar")], 15.0, 64.0),
            (
                norm,
                &[("[3,5]", "float"), ("2", "Scalar"), ("[1]", "ScalarList"), ("False", "Scalar"), ("", "")],
                15.0,
                72.0,
            ),
            (
                deviation,
                &[("[3,5]", "float"), ("[0]", "ScalarList"), ("1", "Scalar"), ("False", "Scalar")],
                15.0,
                80.0,
            ),
            (truths, &[("[16,559]", "bool")], 8944.0, 8945.0),
            (scan, &[("[15]", "long int"), ("0", "Scalar"), ("", "")], 15.0, 240.0),
            (scan, &[("[15]", "int"), ("0", "Scalar"), ("", "")], 15.0, 180.0),
            (extreme_scan, &[("[15]", "float"), ("0", "Scalar")], 15.0, 60.0 + 60.0 + 120.0),
        ];
        check(table);
    }

    #[test]
    fn dimensions_that_were_not_recorded_are_not_guessed() {
        // What is read is known all the same: 15 numbers, and as many additions.
        let unknown = call("aten::sum", &[("[3,5]", "float"), ("", "ScalarList"), ("", "Scalar"), ("", "")]);
        let work = sum(&unknown).unwrap();
        assert_eq!((work.flops, work.bytes(), work.basis), (15.0, 60.0, Basis::AtLeast(NO_RESULT)));
        let both = call("aten::max", &[("[3,5]", "float"), ("", "Scalar"), ("", "Scalar")]);
        assert_eq!(extreme(&both).unwrap().bytes(), 60.0);
        let strange =
            call("aten::sum", &[("[3,5]", "float"), ("", "ScalarList"), ("maybe", "Scalar"), ("", "")]);
        assert!(sum(&strange).unwrap_err().contains("not recorded"));
        let beyond =
            call("aten::sum", &[("[3]", "float"), ("[4]", "ScalarList"), ("True", "Scalar"), ("", "")]);
        assert!(sum(&beyond).unwrap_err().contains("dimension 4"));
    }
}
