//! How many operations a function counts for an element: one table for eager operators and generated kernels.
//!
//! A hardware counter would see additions, multiplications and multiply-adds. Special functions run on units of a quarter
//! or less of the rate, or as polynomials, so they count more than a sum: roots and quotients of one 2, exponentials,
//! logarithms and what is made of one of them 4, GELU 8, as TraceLens weighs them in generated kernels.

use super::Call;

/// Operations, and the functions that count this many, without namespace and without the `_` of operators in place.
const TABLE: &[(f64, &[&str])] = &[
    (
        1.0,
        &[
            "abs",
            "add",
            "amax",
            "amin",
            "bitwise_and",
            "bitwise_left_shift",
            "bitwise_not",
            "bitwise_or",
            "bitwise_right_shift",
            "bitwise_xor",
            "ceil",
            "clamp",
            "clamp_max",
            "clamp_min",
            "complex",
            "conj_physical",
            "copysign",
            "cummax",
            "cummin",
            "cumprod",
            "cumsum",
            "div",
            "eq",
            "equal",
            "floor",
            "floor_divide",
            "fmax",
            "fmin",
            "fmod",
            "frac",
            "gcd",
            "ge",
            "gt",
            "hardshrink",
            "hardsigmoid",
            "hardsigmoid_backward",
            "hardswish",
            "hardswish_backward",
            "hardtanh",
            "hardtanh_backward",
            "heaviside",
            "isfinite",
            "isinf",
            "isnan",
            "isneginf",
            "isposinf",
            "le",
            "leaky_relu",
            "leaky_relu_backward",
            "logical_and",
            "logical_not",
            "logical_or",
            "logical_xor",
            "lt",
            "max",
            "maximum",
            "mean",
            "min",
            "minimum",
            "mul",
            "nan_to_num",
            "ne",
            "neg",
            "nextafter",
            "prod",
            "relu",
            "relu6",
            "remainder",
            "round",
            "rsub",
            "sgn",
            "sign",
            "signbit",
            "softshrink",
            "square",
            "sub",
            "sum",
            "threshold",
            "threshold_backward",
            "true_divide",
            "trunc",
        ],
    ),
    (2.0, &["hypot", "native_dropout", "pow", "reciprocal", "rsqrt", "sqrt", "std", "var"]),
    (
        3.0,
        &[
            "addcdiv",
            "addcmul",
            "lerp",
            "logit_backward",
            "sigmoid_backward",
            "std_mean",
            "tanh_backward",
            "var_mean",
        ],
    ),
    (
        4.0,
        &[
            "_log_softmax_backward_data",
            "_softmax_backward_data",
            "acos",
            "acosh",
            "angle",
            "asin",
            "asinh",
            "atan",
            "atan2",
            "atanh",
            "celu",
            "cos",
            "cosh",
            "digamma",
            "elu",
            "elu_backward",
            "erf",
            "erfc",
            "erfinv",
            "exp",
            "exp2",
            "expm1",
            "lgamma",
            "log",
            "log10",
            "log1p",
            "log2",
            "log_sigmoid_backward",
            "log_sigmoid_forward",
            "logaddexp",
            "logaddexp2",
            "logit",
            "polar",
            "selu",
            "sigmoid",
            "silu",
            "sin",
            "sinc",
            "sinh",
            "softplus",
            "softplus_backward",
            "tan",
            "tanh",
            "xlogy",
        ],
    ),
    (5.0, &["LigerSiLUMulFunction", "_log_softmax", "_softmax", "native_layer_norm"]),
    (8.0, &["gelu", "gelu_fast", "gelu_new", "gelu_quick", "mish", "mish_backward", "silu_backward"]),
    (9.0, &["gelu_backward", "native_layer_norm_backward"]),
];

/// Operations of a function for an element: `exp`, `aten::exp_` and `aten::_foreach_exp` are one.
pub(super) fn for_element(operator: &str) -> Option<f64> {
    let name = operator.rsplit_once("::").map_or(operator, |(_, name)| name);
    let name = name.strip_prefix("_foreach_").unwrap_or(name);
    let plain = name.strip_suffix('_').unwrap_or(name);
    TABLE.iter().find(|(_, names)| names.binary_search(&plain).is_ok()).map(|(operations, _)| *operations)
}

/// Operations of a call's function for an element; one if the table does not have it.
pub(super) fn of(call: &Call<'_>) -> f64 {
    for_element(call.name).unwrap_or(1.0)
}

/// All names of the table.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().flat_map(|(_, names)| names.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_stand_once() {
        let mut all: Vec<&str> = names().collect();
        assert!(TABLE.iter().all(|(_, names)| names.is_sorted()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn one_function_has_one_count_whatever_runs_it() {
        for (names, expected) in [
            (["aten::exp", "aten::exp_", "aten::_foreach_exp_", "exp"], 4.0),
            (["aten::rsqrt", "aten::rsqrt_", "aten::_foreach_rsqrt", "rsqrt"], 2.0),
            (["aten::add", "aten::add_", "aten::_foreach_add_", "add"], 1.0),
        ] {
            for name in names {
                assert_eq!(for_element(name), Some(expected), "{name}");
            }
        }
        assert_eq!((for_element("aten::gelu"), for_element("gelu")), (Some(8.0), Some(8.0)));
        assert_eq!(for_element("aten::embedding"), None);
    }
}
