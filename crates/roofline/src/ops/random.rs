//! Random numbers and dropout. Making a random number is not counted as operations: what it takes depends on the
//! generator.

use super::operands::{extents, stored};
use super::shape::volume;
use super::{Call, Formula, NoFormula};
use crate::Work;

const CATEGORY: &str = "random";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: FILLS, category: CATEGORY, work: fill, backward: None },
    Formula { names: &["aten::bernoulli"], category: CATEGORY, work: sample, backward: None },
    Formula { names: &["aten::randperm"], category: CATEGORY, work: permutation, backward: None },
    Formula {
        names: &["aten::_fused_dropout", "aten::native_dropout"],
        category: CATEGORY,
        work: dropout,
        backward: None,
    },
    Formula {
        names: &["aten::_masked_scale", "aten::native_dropout_backward"],
        category: CATEGORY,
        work: dropout_backward,
        backward: None,
    },
    Formula {
        names: &["aiter::mixed_sample_outer_exponential"],
        category: CATEGORY,
        work: exponential_sample,
        backward: None,
    },
];

/// They call the above.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula {
        names: &["aten::dropout", "aten::dropout_"],
        category: CATEGORY,
        work: dropout,
        backward: None,
    },
    Formula { names: &["aten::rand", "aten::randn"], category: CATEGORY, work: new, backward: None },
];

const FILLS: &[&str] = &[
    "aten::bernoulli_",
    "aten::cauchy_",
    "aten::exponential_",
    "aten::geometric_",
    "aten::log_normal_",
    "aten::normal_",
    "aten::random_",
    "aten::uniform_",
];

fn fill(call: &Call<'_>) -> Result<Work, NoFormula> {
    let target = call.tensor(0)?;
    Ok(Work::movement().writes("output", target.elements(), target.precision()?))
}

/// Probabilities in, samples out.
fn sample(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let precision = input.precision()?;
    Ok(Work::movement().reads("probabilities", input.elements(), precision).writes(
        "output",
        input.elements(),
        precision,
    ))
}

/// `randperm(n, ..., out)`.
fn permutation(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(Work::movement().writes("output", super::operands::count(call, 0)? as f64, stored("int64")?))
}

/// `rand(size, dtype, ...)`.
fn new(call: &Call<'_>) -> Result<Work, NoFormula> {
    let precision = call.element_type(1).ok_or_else(|| "its type was not recorded".to_owned())?;
    Ok(Work::movement().writes("output", volume(&extents(call, 0)?), precision))
}

/// `native_dropout(self, p, train)`: a product with the mask, a product with a number; the mask is kept.
fn dropout(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (elements, precision) = (input.elements(), input.precision()?);
    Ok(Work::vector(2.0 * elements, elements, precision)
        .reads("input", elements, precision)
        .writes("output", elements, precision)
        .writes("mask", elements, stored("bool")?))
}

/// `native_dropout_backward(grad, mask, scale)`.
fn dropout_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, mask) = (call.tensor(0)?, call.tensor(1)?);
    let (elements, precision) = (gradient.elements(), gradient.precision()?);
    Ok(Work::vector(2.0 * elements, elements, precision)
        .reads("gradient", elements, precision)
        .reads("mask", mask.elements(), mask.precision()?)
        .writes("input gradient", elements, precision))
}

/// `(out, logits, noise, ...)`: a quotient and a comparison for every logit, a 32-bit token for every row.
fn exponential_sample(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (logits, noise) = (call.tensor(1)?, call.tensor(2)?);
    let elements = logits.elements();
    let rows = logits.shape.first().copied().unwrap_or(1) as f64;
    Ok(Work::vector(2.0 * elements, elements, logits.precision()?)
        .reads("logits", elements, logits.precision()?)
        .reads("noise", elements, noise.precision()?)
        .writes("tokens", rows, stored("int32")?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::counted;
    use super::*;

    #[test]
    fn by_hand() {
        let x = ("[8,16]", "c10::BFloat16");
        let (zero, one) = (("0.", "Scalar"), ("1.", "Scalar"));
        assert_eq!(counted(fill, &[x, zero, one, ("", "")]), (0.0, 256.0));
        assert_eq!(counted(sample, &[x]), (0.0, 512.0));
        assert_eq!(counted(permutation, &[("9", "Scalar"), ("", "")]), (0.0, 72.0));
        assert_eq!(counted(new, &[("[8, 16]", "ScalarList"), ("5", "Scalar")]), (0.0, 256.0));
        assert_eq!(counted(dropout, &[x, zero, ("True", "Scalar")]), (256.0, 512.0 + 128.0));
        assert_eq!(counted(dropout_backward, &[x, ("[8,16]", "bool"), one]), (256.0, 512.0 + 128.0));
        let sampled = [("[8]", "int"), x, ("[8,16]", "float")];
        assert_eq!(counted(exponential_sample, &sampled), (256.0, 256.0 + 512.0 + 32.0));
    }
}
