//! Elementwise operators: for every element of the result the operations of [`super::operations`]; operands broadcast, and
//! a number counts as one element of four bytes. Copies count one operation for the conversion.

use super::operands::{Kind, kind, output_argument, promoted, stored, value};
use super::operations;
use super::shape::{broadcast, volume};
use super::{Call, Formula, NoFormula};
use crate::{Precision, Work};

const CATEGORY: &str = "elementwise";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: UNARY, category: CATEGORY, work: unary, backward: None },
    Formula { names: TESTS, category: CATEGORY, work: test, backward: None },
    Formula { names: COPIES, category: CATEGORY, work: copy, backward: None },
    Formula { names: BINARY, category: CATEGORY, work: binary, backward: None },
    Formula { names: DIVISIONS, category: CATEGORY, work: division, backward: None },
    Formula { names: COMPARISONS, category: CATEGORY, work: comparison, backward: None },
    Formula { names: FUSED, category: CATEGORY, work: multiply_and_add, backward: None },
    Formula { names: &["aten::where"], category: CATEGORY, work: choose, backward: None },
    Formula { names: MASKED, category: CATEGORY, work: masked, backward: None },
    Formula { names: REDUCER, category: CATEGORY, work: through_bucket, backward: None },
];

/// Operators that call one of the above.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula { names: &["aten::square", "aten::square_"], category: CATEGORY, work: unary, backward: None },
    Formula { names: &["aten::rsub"], category: CATEGORY, work: binary, backward: None },
];

const UNARY: &[&str] = &[
    "aten::abs",
    "aten::abs_",
    "aten::acos",
    "aten::acosh",
    "aten::angle",
    "aten::asin",
    "aten::asinh",
    "aten::atan",
    "aten::atanh",
    "aten::bitwise_not",
    "aten::ceil",
    "aten::ceil_",
    "aten::clamp",
    "aten::clamp_",
    "aten::clamp_max",
    "aten::clamp_max_",
    "aten::clamp_min",
    "aten::clamp_min_",
    "aten::conj_physical",
    "aten::cos",
    "aten::cos_",
    "aten::cosh",
    "aten::digamma",
    "aten::erf",
    "aten::erf_",
    "aten::erfc",
    "aten::erfinv",
    "aten::erfinv_",
    "aten::exp",
    "aten::exp2",
    "aten::exp_",
    "aten::expm1",
    "aten::floor",
    "aten::floor_",
    "aten::frac",
    "aten::lgamma",
    "aten::log",
    "aten::log10",
    "aten::log1p",
    "aten::log1p_",
    "aten::log2",
    "aten::log_",
    "aten::logit",
    "aten::logit_",
    "aten::nan_to_num",
    "aten::nan_to_num_",
    "aten::neg",
    "aten::neg_",
    "aten::pow",
    "aten::pow_",
    "aten::reciprocal",
    "aten::reciprocal_",
    "aten::round",
    "aten::round_",
    "aten::rsqrt",
    "aten::rsqrt_",
    "aten::sgn",
    "aten::sigmoid",
    "aten::sigmoid_",
    "aten::sign",
    "aten::sign_",
    "aten::sin",
    "aten::sin_",
    "aten::sinc",
    "aten::sinh",
    "aten::sqrt",
    "aten::sqrt_",
    "aten::tan",
    "aten::tanh",
    "aten::tanh_",
    "aten::trunc",
    "aten::trunc_",
];

const TESTS: &[&str] = &[
    "aten::isfinite",
    "aten::isinf",
    "aten::isnan",
    "aten::isneginf",
    "aten::isposinf",
    "aten::logical_not",
    "aten::signbit",
];

const COPIES: &[&str] = &["aten::_copy_from", "aten::copy", "aten::copy_"];

const BINARY: &[&str] = &[
    "LigerSiLUMulFunction",
    "aten::add",
    "aten::add_",
    "aten::atan2",
    "aten::bitwise_and",
    "aten::bitwise_and_",
    "aten::bitwise_left_shift",
    "aten::bitwise_or",
    "aten::bitwise_or_",
    "aten::bitwise_right_shift",
    "aten::bitwise_xor",
    "aten::bitwise_xor_",
    "aten::complex",
    "aten::copysign",
    "aten::floor_divide",
    "aten::floor_divide_",
    "aten::fmax",
    "aten::fmin",
    "aten::fmod",
    "aten::fmod_",
    "aten::gcd",
    "aten::heaviside",
    "aten::hypot",
    "aten::logaddexp",
    "aten::logaddexp2",
    "aten::maximum",
    "aten::minimum",
    "aten::mul",
    "aten::mul_",
    "aten::nextafter",
    "aten::polar",
    "aten::remainder",
    "aten::remainder_",
    "aten::sub",
    "aten::sub_",
    "aten::xlogy",
    "prims::bitwise_or",
];

const DIVISIONS: &[&str] = &["aten::div", "aten::div_", "aten::true_divide"];

const COMPARISONS: &[&str] = &[
    "aten::eq",
    "aten::eq_",
    "aten::equal",
    "aten::ge",
    "aten::ge_",
    "aten::gt",
    "aten::gt_",
    "aten::le",
    "aten::le_",
    "aten::logical_and",
    "aten::logical_and_",
    "aten::logical_or",
    "aten::logical_or_",
    "aten::logical_xor",
    "aten::lt",
    "aten::lt_",
    "aten::ne",
    "aten::ne_",
    "prims::ge",
    "prims::le",
    "prims::ne",
];

/// Self plus a product or quotient of two others times a number; an interpolation.
const FUSED: &[&str] =
    &["aten::addcdiv", "aten::addcdiv_", "aten::addcmul", "aten::addcmul_", "aten::lerp", "aten::lerp_"];

const MASKED: &[&str] = &["aten::masked_fill", "aten::masked_fill_"];

/// Between gradients and the buckets that DDP reduces: `torch/csrc/distributed/c10d/reducer.cpp`.
const REDUCER: &[&str] =
    &["torch.distributed.ddp.reducer::copy_bucket_to_grad", "torch::distributed::reducer::mul_out"];

/// What the result is stored in.
#[derive(Clone, Copy)]
pub(super) enum Stored {
    /// What PyTorch promotes the operands to.
    Promoted,
    /// This.
    Fixed(Precision),
}

/// Elementwise work over the first `operands` arguments, with this many operations for an element of the result.
pub(super) fn mapped(
    call: &Call<'_>,
    operands: usize,
    operations: f64,
    result: Stored,
) -> Result<Work, NoFormula> {
    const NAMES: [&str; 3] = ["x", "y", "z"];
    let values = (0..operands).map(|index| value(call, index)).collect::<Result<Vec<_>, _>>()?;
    let shape = values.iter().try_fold(Vec::new(), |shape, value| broadcast(&shape, value.shape))?;
    let computed = promoted(&values)?;
    let in_place = call.name.ends_with('_');
    let output = match (output_argument(call, operands), values.first()) {
        (_, Some(first)) if in_place => first.precision,
        (Some(tensor), _) if !tensor.shape.is_empty() => tensor.precision()?,
        _ => match result {
            Stored::Promoted => computed,
            Stored::Fixed(precision) => precision,
        },
    };
    let elements = volume(&shape);
    let work = Work::vector(operations * elements, elements, computed);
    let read = values
        .iter()
        .zip(NAMES)
        .fold(work, |work, (value, name)| work.reads(name, volume(value.shape), value.precision));
    Ok(read.writes("output", elements, output))
}

pub(super) fn unary(call: &Call<'_>) -> Result<Work, NoFormula> {
    // An exponent or a bound may be a tensor.
    let takes_tensors = ["aten::pow", "aten::clamp"].iter().any(|name| call.name.starts_with(name));
    let operands =
        if takes_tensors && call.optional(1).is_some() && !call.name.ends_with("out") { 2 } else { 1 };
    mapped(call, operands, operations::of(call), Stored::Promoted)
}

fn test(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 1, operations::of(call), Stored::Fixed(stored("bool")?))
}

/// Destination first. The source may broadcast.
fn copy(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (to, from) = if call.name == "aten::_copy_from" { (1, 0) } else { (0, 1) };
    let target = call.tensor(to)?;
    let source = call.tensor(from)?;
    let elements = target.elements();
    Ok(Work::vector(elements, elements, target.precision()?)
        .reads("source", source.elements(), source.precision()?)
        .writes("destination", elements, target.precision()?))
}

pub(super) fn binary(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 2, operations::of(call), Stored::Promoted)
}

/// Integers divide to the default type, unless the quotient is rounded.
fn division(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rounded = matches!(call.scalar(2), "floor" | "trunc");
    let integers = promoted(&[value(call, 0)?, value(call, 1)?]).map(kind)? <= Kind::Integer;
    let result = if integers && !rounded { Stored::Fixed(stored("fp32")?) } else { Stored::Promoted };
    mapped(call, 2, operations::of(call), result)
}

fn comparison(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 2, operations::of(call), Stored::Fixed(stored("bool")?))
}

/// A product, its product with a number, a sum.
fn multiply_and_add(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 3, 3.0, Stored::Promoted)
}

/// A choice computes nothing.
fn choose(call: &Call<'_>) -> Result<Work, NoFormula> {
    let result = promoted(&[value(call, 1)?, value(call, 2)?])?;
    mapped(call, 3, 0.0, Stored::Fixed(result))
}

/// `(bucket)` or `(parameter)`: one operand of two with the same shape and type is recorded. A gradient is divided on its
/// way into the bucket, and converted on its way out, as copies are.
fn through_bucket(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 1, 1.0, Stored::Promoted)
}

/// Reads the tensor and the mask, writes the tensor.
fn masked(call: &Call<'_>) -> Result<Work, NoFormula> {
    mapped(call, 2, 0.0, Stored::Fixed(call.tensor(0)?.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        // Rule, arguments, FLOPs, bytes.
        let table: &[Example<'_>] = &[
            (unary, &[("[4,5]", "float")], 20.0, 160.0),
            (unary, &[("[4,5]", "float"), ("2", "Scalar")], 20.0, 160.0),
            (test, &[("[4,5]", "float")], 20.0, 80.0 + 20.0),
            // 559 converted integers of 8 bytes to floats of 4.
            (
                copy,
                &[("[1,1,559]", "float"), ("[1,1,559]", "long int"), ("False", "Scalar")],
                559.0,
                559.0 * 12.0,
            ),
            // One row copied to four.
            (copy, &[("[4,8]", "float"), ("[8]", "float"), ("False", "Scalar")], 32.0, 128.0 + 32.0),
            // A picture of 4*197*768 plus one row for all.
            (
                binary,
                &[("[4,197,768]", bf16), ("[1,197,768]", bf16), ("1", "Scalar")],
                605_184.0,
                2.0 * (605_184.0 + 151_296.0 + 605_184.0),
            ),
            (binary, &[("[2,1,3]", "float"), ("[5,1]", bf16)], 30.0, 24.0 + 10.0 + 120.0),
            (binary, &[("[8]", bf16), ("[]", "double")], 8.0, 16.0 + 8.0 + 16.0),
            (binary, &[("[8]", "bool"), ("[8]", "float")], 8.0, 8.0 + 32.0 + 32.0),
            (division, &[("[8]", bf16), ("49", "Scalar")], 8.0, 16.0 + 4.0 + 16.0),
            (division, &[("[8]", "long int"), ("2", "Scalar")], 8.0, 64.0 + 4.0 + 32.0),
            (division, &[("[8]", "long int"), ("2", "Scalar"), ("floor", "Scalar")], 8.0, 64.0 + 4.0 + 64.0),
            (comparison, &[("[16,559]", "long int"), ("1", "Scalar")], 8944.0, 8944.0 * 9.0 + 4.0),
            (
                multiply_and_add,
                &[("[6]", "float"), ("[6]", "float"), ("[6]", "float"), ("1.", "Scalar")],
                18.0,
                96.0,
            ),
            (choose, &[("[3,4]", "bool"), ("[4]", "float"), ("[]", "float")], 0.0, 12.0 + 16.0 + 4.0 + 48.0),
            (masked, &[("[3,4]", bf16), ("[4]", "bool"), ("0", "Scalar")], 0.0, 24.0 + 4.0 + 24.0),
            // Of the gradient and its place in the bucket one is recorded.
            (through_bucket, &[("[4,64]", "float")], 256.0, 2.0 * 1024.0),
        ];
        check(table);
    }

    #[test]
    fn functions_count_what_the_table_says() {
        for (name, operations) in [("aten::neg", 1.0), ("aten::rsqrt", 2.0), ("aten::exp_", 4.0)] {
            assert_eq!(unary(&call(name, &[("[4,5]", "float")])).unwrap().flops, operations * 20.0, "{name}");
        }
        // Generated kernels know every function that eager mode has.
        for name in [UNARY, TESTS, BINARY, DIVISIONS, COMPARISONS, FUSED].concat() {
            assert!(operations::for_element(name).is_some(), "{name}");
        }
    }

    #[test]
    fn in_place_keeps_the_type_of_the_first() {
        let work = binary(&call("aten::add_", &[("[8]", "c10::Half"), ("[8]", "float")])).unwrap();
        assert_eq!(work.bytes(), 16.0 + 32.0 + 16.0);
    }

    #[test]
    fn shapes_that_do_not_broadcast_and_types_that_are_unknown_are_said() {
        let error = binary(&call("aten::add", &[("[2]", "float"), ("[3]", "float")])).unwrap_err();
        assert!(error.contains("broadcast"), "{error}");
        let error = unary(&call("aten::neg", &[("[2]", "c10::Odd")])).unwrap_err();
        assert!(error.contains("c10::Odd"), "{error}");
    }
}
