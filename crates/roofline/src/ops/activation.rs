//! Activation functions, forward and backward: for every element of the result the operations of [`super::operations`];
//! gated ones of serving engines with the count TraceLens gives them.

use super::elementwise::{Stored, mapped};
use super::operations;
use super::{Call, Formula, NoFormula};
use crate::Work;

const CATEGORY: &str = "activation";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: FORWARD, category: CATEGORY, work: forward, backward: None },
    Formula { names: BACKWARD, category: CATEGORY, work: backward, backward: None },
    Formula { names: &["aten::elu_backward"], category: CATEGORY, work: elu_backward, backward: None },
    Formula { names: &["aten::glu"], category: CATEGORY, work: glu, backward: None },
    Formula { names: &["aten::glu_backward"], category: CATEGORY, work: glu_backward, backward: None },
    Formula { names: GATED_SILU, category: CATEGORY, work: gated::<5>, backward: None },
    Formula { names: GATED_GELU, category: CATEGORY, work: gated::<8>, backward: None },
    Formula { names: GATED_GELU_TANH, category: CATEGORY, work: gated::<10>, backward: None },
    Formula { names: &["_C::fatrelu_and_mul"], category: CATEGORY, work: gated::<2>, backward: None },
    // A sigmoid (4), three products, a sum and two bounds.
    Formula { names: &["_C::swigluoai_and_mul"], category: CATEGORY, work: gated::<10>, backward: None },
    Formula { names: GATED_SILU_QUANTISED, category: CATEGORY, work: gated_quantised, backward: None },
    Formula { names: TO_OUTPUT, category: CATEGORY, work: to_output, backward: None },
];

/// PyTorch computes these with `aten::clamp_min` and its like.
pub(super) const WRAPPERS: &[Formula] = &[Formula {
    names: &["aten::relu", "aten::relu6", "aten::relu_", "aten::selu"],
    category: CATEGORY,
    work: forward,
    backward: None,
}];

const FORWARD: &[&str] = &[
    "aten::celu",
    "aten::elu",
    "aten::elu_",
    "aten::gelu",
    "aten::gelu_",
    "aten::hardshrink",
    "aten::hardsigmoid",
    "aten::hardsigmoid_",
    "aten::hardswish",
    "aten::hardswish_",
    "aten::hardtanh",
    "aten::hardtanh_",
    "aten::leaky_relu",
    "aten::leaky_relu_",
    "aten::log_sigmoid_forward",
    "aten::mish",
    "aten::mish_",
    "aten::silu",
    "aten::silu_",
    "aten::softplus",
    "aten::softshrink",
    "aten::threshold",
    "aten::threshold_",
];

/// The gradient and what the forward pass read or wrote.
const BACKWARD: &[&str] = &[
    "aten::gelu_backward",
    "aten::hardsigmoid_backward",
    "aten::hardswish_backward",
    "aten::hardtanh_backward",
    "aten::leaky_relu_backward",
    "aten::log_sigmoid_backward",
    "aten::logit_backward",
    "aten::mish_backward",
    "aten::sigmoid_backward",
    "aten::silu_backward",
    "aten::softplus_backward",
    "aten::tanh_backward",
    "aten::threshold_backward",
];

const GATED_SILU: &[&str] = &[
    "_C::mul_and_silu",
    "_C::silu_and_mul",
    "aiter::silu_and_mul",
    "flashinfer::silu_and_mul",
    "sgl_kernel::silu_and_mul",
];
const GATED_GELU: &[&str] =
    &["_C::gelu_and_mul", "aiter::gelu_and_mul", "flashinfer::gelu_and_mul", "sgl_kernel::gelu_and_mul"];
const GATED_GELU_TANH: &[&str] = &[
    "_C::gelu_tanh_and_mul",
    "aiter::gelu_tanh_and_mul",
    "flashinfer::gelu_tanh_and_mul",
    "sgl_kernel::gelu_tanh_and_mul",
];
/// Two operations more, for a scale that is given or found.
const GATED_SILU_QUANTISED: &[&str] =
    &["_C::silu_and_mul_per_block_quant", "_C::silu_and_mul_quant", "aiter::scaled_silu_and_mul"];
/// `(out, input)` without a gate.
const TO_OUTPUT: &[&str] = &["_C::gelu_fast", "_C::gelu_new", "_C::gelu_quick", "aiter::gelu_fast"];

fn forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 1, operations::of(call), Stored::Promoted)
}

fn backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 2, operations::of(call), Stored::Promoted)
}

/// The gradient comes first, the input or result last.
fn elu_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, other) = (call.tensor(0)?, call.tensor(5)?);
    let elements = gradient.elements();
    Ok(Work::vector(operations::of(call) * elements, elements, gradient.precision()?)
        .reads("gradient", elements, gradient.precision()?)
        .reads("input", other.elements(), other.precision()?)
        .writes("output", elements, gradient.precision()?))
}

/// One half of the input gates the other: a sigmoid and a product.
fn glu(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (elements, precision) = (input.elements(), input.precision()?);
    Ok(Work::vector(elements, elements / 2.0, precision).reads("input", elements, precision).writes(
        "output",
        elements / 2.0,
        precision,
    ))
}

fn glu_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, input) = (call.tensor(0)?, call.tensor(1)?);
    let (elements, precision) = (input.elements(), input.precision()?);
    Ok(Work::vector(elements, elements, precision)
        .reads("gradient", gradient.elements(), gradient.precision()?)
        .reads("input", elements, precision)
        .writes("output", elements, precision))
}

/// `op(out, input)`: the input is twice as wide as the output. Operations for an element of the output.
fn gated<const OPERATIONS: u32>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (output, input) = (call.tensor(0)?, call.tensor(1)?);
    let elements = output.elements();
    Ok(Work::vector(f64::from(OPERATIONS) * elements, elements, input.precision()?)
        .reads("gate and input", 2.0 * elements, input.precision()?)
        .writes("output", elements, output.precision()?))
}

/// `(out, input, scales, ...)`.
fn gated_quantised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let scales = call.tensor(2)?;
    Ok(gated::<7>(call)?.writes("scales", scales.elements(), scales.precision()?))
}

/// `op(out, input)`: the operations of PyTorch's.
fn to_output(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (output, input) = (call.tensor(0)?, call.tensor(1)?);
    let elements = output.elements();
    Ok(Work::vector(operations::of(call) * elements, elements, input.precision()?)
        .reads("input", input.elements(), input.precision()?)
        .writes("output", elements, output.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{call, check_named, counted};
    use super::*;

    #[test]
    fn functions_count_what_the_table_says() {
        let call = call("aten::gelu", &[("[4,5]", "float"), ("none", "")]);
        assert_eq!(forward(&call).unwrap().flops, 8.0 * 20.0);
        for name in [FORWARD, BACKWARD].concat() {
            assert!(operations::for_element(name).is_some(), "{name}");
        }
    }

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        assert_eq!(counted(forward, &[("[4,197,3072]", bf16), ("none", "")]), (2_420_736.0, 9_682_944.0));
        assert_eq!(
            counted(backward, &[("[8,32]", "float"), ("[8,32]", "float"), ("0", "Scalar")]),
            (256.0, 3072.0)
        );
        let elu = [
            ("[8]", bf16),
            ("1", "Scalar"),
            ("1", "Scalar"),
            ("1", "Scalar"),
            ("False", "Scalar"),
            ("[8]", bf16),
        ];
        assert_eq!(counted(elu_backward, &elu), (8.0, 48.0));
        assert_eq!(counted(glu, &[("[3,8]", bf16), ("-1", "Scalar")]), (24.0, 48.0 + 24.0));
        assert_eq!(counted(glu_backward, &[("[3,4]", bf16), ("[3,8]", bf16)]), (24.0, 24.0 + 48.0 + 48.0));
        // An accumulation in FP32 gated to BF16.
        assert_eq!(
            counted(gated::<5>, &[("[4,256]", bf16), ("[4,512]", "float")]),
            (5120.0, 8192.0 + 2048.0)
        );
        let (narrow, wide) = (("[4,256]", "c10::Float8_e4m3fn"), ("[4,512]", bf16));
        check_named(&[
            ("flashinfer::silu_and_mul", &[("[4,256]", bf16), wide], 5120.0, 4096.0 + 2048.0),
            ("_C::silu_and_mul_quant", &[narrow, wide, ("[1]", "float")], 7168.0, 4096.0 + 1024.0 + 4.0),
            (
                "_C::silu_and_mul_per_block_quant",
                &[narrow, wide, ("[4,2]", "float"), ("128", "Scalar")],
                7168.0,
                4096.0 + 1024.0 + 32.0,
            ),
            ("_C::gelu_new", &[("[4,256]", bf16), ("[4,256]", bf16)], 8192.0, 4096.0),
        ]);
    }
}
