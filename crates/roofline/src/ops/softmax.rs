//! Softmax and its logarithm: five operations for an element (largest, difference, exponential, sum, quotient), four
//! backward (product, sum, difference, product).

use super::operands::stored;
use super::{Call, Formula, NoFormula};
use crate::Work;

const CATEGORY: &str = "softmax";

pub(super) const FORMULAS: &[Formula] = &[
    Formula {
        names: &["aten::_log_softmax", "aten::_safe_softmax", "aten::_softmax"],
        category: CATEGORY,
        work: forward,
        backward: None,
    },
    Formula {
        names: &["aten::_log_softmax_backward_data", "aten::_softmax_backward_data"],
        category: CATEGORY,
        work: backward,
        backward: None,
    },
];

/// They call the above.
pub(super) const WRAPPERS: &[Formula] = &[Formula {
    names: &["aten::log_softmax", "aten::softmax"],
    category: CATEGORY,
    work: forward,
    backward: None,
}];

/// `_softmax(self, dim, half_to_float)`.
fn forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (elements, precision) = (input.elements(), input.precision()?);
    let result = if call.scalar(2) == "True" { stored("fp32")? } else { precision };
    Ok(Work::vector(5.0 * elements, elements, precision)
        .reads("input", elements, precision)
        .writes("output", elements, result))
}

/// `_softmax_backward_data(grad, output, dim, input_dtype)`.
fn backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, output) = (call.tensor(0)?, call.tensor(1)?);
    let elements = output.elements();
    let result = call.element_type(3).map_or_else(|| output.precision(), Ok)?;
    Ok(Work::vector(4.0 * elements, elements, output.precision()?)
        .reads("gradient", gradient.elements(), gradient.precision()?)
        .reads("output", elements, output.precision()?)
        .writes("input gradient", elements, result))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::counted;
    use super::*;

    #[test]
    fn by_hand() {
        let dim = ("-1", "Scalar");
        let half = ("[3136,12,8,8]", "c10::BFloat16");
        let elements = 2_408_448.0;
        assert_eq!(counted(forward, &[half, dim, ("False", "Scalar")]), (5.0 * elements, 4.0 * elements));
        assert_eq!(counted(forward, &[half, dim, ("True", "Scalar")]), (5.0 * elements, 6.0 * elements));
        let x = ("[256,512]", "float");
        assert_eq!(counted(backward, &[x, x, dim, ("6", "Scalar")]), (4.0 * 131_072.0, 12.0 * 131_072.0));
        assert_eq!(counted(backward, &[x, x, dim, ("5", "Scalar")]), (4.0 * 131_072.0, 10.0 * 131_072.0));
    }
}
