//! Losses, forward and backward.

use super::operands::stored;
use super::{Call, Formula, NoFormula};
use crate::Work;

const CATEGORY: &str = "loss";

pub(super) const FORMULAS: &[Formula] = &[
    Formula {
        names: &["aten::nll_loss2d_forward", "aten::nll_loss_forward"],
        category: CATEGORY,
        work: likelihood,
        backward: None,
    },
    Formula {
        names: &["aten::nll_loss2d_backward", "aten::nll_loss_backward"],
        category: CATEGORY,
        work: likelihood_backward,
        backward: None,
    },
    Formula { names: BACKWARD, category: CATEGORY, work: distance_backward, backward: None },
    Formula { names: &["CrossEntropyFunction"], category: CATEGORY, work: cross_entropy, backward: None },
    Formula {
        names: &["CrossEntropyFunctionBackward"],
        category: CATEGORY,
        work: cross_entropy_backward,
        backward: None,
    },
];

/// They call the above, `aten::mean`, `aten::_log_softmax` and elementwise operators.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula { names: DISTANCES, category: CATEGORY, work: distance, backward: None },
    Formula {
        names: &["aten::nll_loss", "aten::nll_loss_nd"],
        category: CATEGORY,
        work: likelihood,
        backward: None,
    },
    Formula { names: &["aten::cross_entropy_loss"], category: CATEGORY, work: cross_entropy, backward: None },
];

const DISTANCES: &[&str] = &[
    "aten::binary_cross_entropy",
    "aten::huber_loss",
    "aten::l1_loss",
    "aten::mse_loss",
    "aten::smooth_l1_loss",
];
const BACKWARD: &[&str] = &[
    "aten::binary_cross_entropy_backward",
    "aten::huber_loss_backward",
    "aten::mse_loss_backward",
    "aten::smooth_l1_loss_backward",
];

/// A loss of every pair of elements; the mean is another operator's work. Difference, square or modulus, sum.
fn distance(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (input, target) = (call.tensor(0)?, call.tensor(1)?);
    let (elements, precision) = (input.elements(), input.precision()?);
    Ok(Work::vector(3.0 * elements, elements, precision)
        .reads("input", elements, precision)
        .reads("target", target.elements(), target.precision()?)
        .writes("output", elements, precision))
}

/// `mse_loss_backward(grad, self, target, reduction)`: difference, product with the gradient, product with a number.
fn distance_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, input, target) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let (elements, precision) = (input.elements(), input.precision()?);
    Ok(Work::vector(3.0 * elements, elements, precision)
        .reads("gradient", gradient.elements(), gradient.precision()?)
        .reads("input", elements, precision)
        .reads("target", target.elements(), target.precision()?)
        .writes("input gradient", elements, precision))
}

/// `nll_loss_forward(self, target, weight, reduction, ignore_index)`: one value is looked up for every target.
fn likelihood(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (input, target) = (call.tensor(0)?, call.tensor(1)?);
    let (rows, precision) = (target.elements(), input.precision()?);
    // `Reduction::None` keeps them all; otherwise the loss and the sum of weights are left.
    let outputs = if call.scalar(3) == "0" { rows } else { 2.0 };
    let mut work = Work::vector(rows, rows, precision).reads("input", rows, precision).reads(
        "target",
        rows,
        target.precision()?,
    );
    if let Some(weight) = call.optional(2) {
        work = work.reads("weight", weight.elements(), weight.precision()?);
    }
    Ok(work.writes("output", outputs, precision))
}

/// `nll_loss_backward(grad, self, target, weight, ...)`: zeros, and one value for every target.
fn likelihood_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, input, target) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let (rows, precision) = (target.elements(), input.precision()?);
    Ok(Work::vector(rows, rows, precision)
        .reads("gradient", gradient.elements(), gradient.precision()?)
        .reads("target", rows, target.precision()?)
        .writes("input gradient", input.elements(), precision))
}

/// `(logits, target)`: five operations for a logit, an FP32 loss for a row, as TraceLens counts.
fn cross_entropy(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (logits, target) = (call.tensor(0)?, call.tensor(1)?);
    let (elements, rows, precision) = (logits.elements(), target.elements(), logits.precision()?);
    Ok(Work::vector(5.0 * elements, elements, precision)
        .reads("logits", elements, precision)
        .reads("target", rows, target.precision()?)
        .writes("loss", rows, stored("fp32")?))
}

/// The forward pass left the gradients in the logits' place: they are scaled.
fn cross_entropy_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gradient = call.tensor(0)?;
    let (elements, precision) = (gradient.elements(), gradient.precision()?);
    Ok(Work::vector(elements, elements, precision).reads("gradient", elements, precision).writes(
        "logit gradient",
        elements,
        precision,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, check};
    use super::*;

    #[test]
    fn by_hand() {
        let (x, target, none) = (("[256,512]", "float"), ("[256]", "long int"), ("", ""));
        let (mean, ignored, one) = (("1", "Scalar"), ("-100", "Scalar"), ("[]", "float"));
        let table: &[Example<'_>] = &[
            (distance, &[x, x, mean], 393_216.0, 12.0 * 131_072.0),
            (distance_backward, &[one, x, x, mean], 393_216.0, 4.0 + 12.0 * 131_072.0),
            (likelihood, &[x, target, none, mean, ignored], 256.0, 12.0 * 256.0 + 8.0),
            (
                likelihood,
                &[x, target, ("[512]", "float"), ("0", "Scalar"), ignored],
                256.0,
                16.0 * 256.0 + 2048.0,
            ),
            (
                likelihood_backward,
                &[one, x, target, none, mean, ignored, one],
                256.0,
                4.0 + 2048.0 + 524_288.0,
            ),
            (
                cross_entropy,
                &[("[4,1,1000]", "c10::BFloat16"), ("[4,1]", "long int")],
                20_000.0,
                8000.0 + 32.0 + 16.0,
            ),
            (cross_entropy_backward, &[("[8]", "c10::BFloat16")], 8.0, 32.0),
        ];
        check(table);
    }
}
