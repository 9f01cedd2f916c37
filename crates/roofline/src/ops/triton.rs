//! Kernels that `torch.compile` generates: `triton_poi_fused_mul_silu_2` is pointwise (`poi`) or a reduction (`red`,
//! `per`), computes the operators in its name and has its extents behind its tensors.
//!
//! The name lists every operator once, however often it occurs, so operations are at least what is counted. Pointers of
//! a kernel that updates an argument in place look like those of one that does not; it is taken to do so if its operators
//! need as many inputs as it has tensors.

use super::operands::count;
use super::{Call, Formula, Input, Tensor, Unmodelled};
use crate::Work;

/// The formula of a kernel with such a name.
pub(super) fn formula(name: &str) -> Option<&'static Formula> {
    const FORMULA: &Formula = &Formula { names: &[], category: "triton", work, backward: None };
    parts(name).map(|_| FORMULA)
}

/// Whether it is pointwise, and the operators in its name.
fn parts(name: &str) -> Option<(bool, &str)> {
    let rest = name.strip_prefix("triton_")?;
    let (kind, rest) = rest.split_once("_fused_")?;
    let pointwise = match kind {
        "poi" => true,
        "red" | "per" => false,
        _ => return None,
    };
    let (operators, number) = rest.rsplit_once('_').unwrap_or(("", rest));
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some((pointwise, operators))
}

/// Operators with the operations that TraceLens counts for an element, and, below them, ours for those it has none for.
const WEIGHTS: &[(&str, f64)] = &[
    ("abs", 1.0),
    ("add", 1.0),
    ("div", 1.0),
    ("eq", 1.0),
    ("exp", 4.0),
    ("ge", 1.0),
    ("gelu", 8.0),
    ("gt", 1.0),
    ("le", 1.0),
    ("log", 4.0),
    ("lt", 1.0),
    ("mean", 1.0),
    ("mul", 1.0),
    ("ne", 1.0),
    ("neg", 1.0),
    ("pow", 2.0),
    ("reciprocal", 2.0),
    ("relu", 1.0),
    ("rsqrt", 2.0),
    ("sigmoid", 4.0),
    ("silu", 4.0),
    ("sqrt", 2.0),
    ("sub", 1.0),
    ("sum", 1.0),
    ("tanh", 4.0),
    ("var", 2.0),
    // Ours.
    ("_log_softmax", 5.0),
    ("_log_softmax_backward_data", 4.0),
    ("_softmax", 5.0),
    ("_softmax_backward_data", 4.0),
    ("addcdiv", 3.0),
    ("addcmul", 3.0),
    ("amax", 1.0),
    ("amin", 1.0),
    ("clamp", 1.0),
    ("clamp_max", 1.0),
    ("clamp_min", 1.0),
    ("cos", 4.0),
    ("cumsum", 1.0),
    ("erf", 4.0),
    ("gelu_backward", 9.0),
    ("lerp", 3.0),
    ("log1p", 4.0),
    ("maximum", 1.0),
    ("minimum", 1.0),
    ("native_dropout", 2.0),
    ("native_layer_norm", 5.0),
    ("native_layer_norm_backward", 9.0),
    ("rsub", 1.0),
    ("sigmoid_backward", 3.0),
    ("silu_backward", 8.0),
    ("sin", 4.0),
    ("tanh_backward", 3.0),
    ("threshold_backward", 1.0),
    ("var_mean", 3.0),
];

/// Names with a part that is a name by itself, but computes something else, or nothing.
const OTHERS: &[&str] = &[
    "_foreach_add",
    "_log_softmax_backward",
    "_native_batch_norm_legit_functional",
    "_to_copy",
    "_unsafe_index_put",
    "_unsafe_view",
    "constant_pad_nd",
    "embedding_dense_backward",
    "index_add",
    "index_put",
    "leaky_relu",
    "log_sigmoid_forward",
    "masked_fill",
    "max_pool2d_with_indices",
    "native_batch_norm_backward",
    "native_group_norm",
    "nll_loss_forward",
    "scatter_add",
];

/// Which take two tensors.
const BINARY: &[&str] = &[
    "add",
    "div",
    "eq",
    "ge",
    "gelu_backward",
    "gt",
    "le",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "sigmoid_backward",
    "silu_backward",
    "sub",
    "tanh_backward",
    "threshold_backward",
];

/// The known operators in a name such as `_unsafe_view_add_mean`: the longest that fits, word by word.
fn operators(mut name: &str) -> Vec<&'static str> {
    let known = || WEIGHTS.iter().map(|(name, _)| *name).chain(OTHERS.iter().copied());
    let mut found = Vec::new();
    while !name.is_empty() {
        let ends_word =
            |operator: &str| name.len() == operator.len() || name[operator.len()..].starts_with('_');
        let longest = known()
            .filter(|operator| name.starts_with(operator) && ends_word(operator))
            .max_by_key(|operator| operator.len());
        let length = match longest {
            Some(operator) => {
                found.push(operator);
                operator.len()
            }
            // An unknown word; one that is empty is the underscore that a name begins with.
            None => name.find('_').unwrap_or(name.len()).max(1),
        };
        name = name.get(length..).unwrap_or("");
        name = name.strip_prefix('_').unwrap_or(name);
    }
    found
}

fn work(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (pointwise, name) =
        parts(call.name).ok_or_else(|| "the name is not of a generated kernel".to_owned())?;
    if name.is_empty() {
        return Err("the name of the kernel says no operator".to_owned());
    }
    let tensors: Vec<&Tensor> = call.tensors().collect();
    let last = tensors.last().ok_or_else(|| "it has no tensors".to_owned())?;
    let points = points(call, pointwise)?;
    let operators = operators(name);
    let weight = |operator: &&'static str| {
        WEIGHTS.iter().find(|(name, _)| name == operator).map_or(0.0, |(_, weight)| *weight)
    };
    let flops = operators.iter().map(weight).sum::<f64>() * points;
    let mut work = Work::vector(flops, points, last.precision()?);
    let inputs = 1 + usize::from(operators.iter().any(|operator| BINARY.contains(operator)));
    let in_place = pointwise && tensors.len() <= inputs;
    // A point reads each tensor once at most, also one that it looks something up in.
    let touched = |tensor: &Tensor| tensor.elements().min(points);
    let read = if in_place { tensors.len() } else { tensors.len() - 1 };
    for tensor in &tensors[..read] {
        work = work.reads("input", touched(tensor), tensor.precision()?);
    }
    let written = if in_place { tensors[0] } else { *last };
    Ok(work.writes("output", touched(written), written.precision()?))
}

/// The product of the extents behind the tensors: one for pointwise kernels, or one for each of its dimensions; two for
/// reductions.
fn points(call: &Call<'_>, pointwise: bool) -> Result<f64, Unmodelled> {
    let first =
        call.inputs.iter().rposition(|input| !matches!(input, Input::Scalar(_))).map_or(0, |last| last + 1);
    let extents: Vec<u64> =
        (first..call.inputs.len()).map(|index| count(call, index)).collect::<Result<_, _>>()?;
    match extents.as_slice() {
        [] => Err("its extents were not recorded".to_owned()),
        [.., extent] if pointwise && extents.len() == 1 => Ok(*extent as f64),
        all => Ok(super::shape::volume(all)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::call;
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            (
                "_unsafe_view_add_mean_mul_pow_rsqrt",
                vec!["_unsafe_view", "add", "mean", "mul", "pow", "rsqrt"],
            ),
            ("constant_pad_nd_moe_forward", vec!["constant_pad_nd"]),
            ("_log_softmax_add", vec!["_log_softmax", "add"]),
            ("scatter_add_mul", vec!["scatter_add", "mul"]),
            ("native_layer_norm_backward", vec!["native_layer_norm_backward"]),
            ("__add", vec!["add"]),
            ("é_mul", vec!["mul"]),
            ("", vec![]),
        ] {
            assert_eq!(operators(name), expected, "{name}");
        }
        assert!(formula("triton_poi_fused_add_0").is_some());
        assert!(formula("triton_poi_fused_0").is_some());
        assert!(formula("triton_tem_fused_mm_0").is_none());
        assert!(formula("triton_poi_fused_add_x").is_none());
        assert!(formula("aten::add").is_none());
    }

    #[test]
    fn by_hand() {
        let (bf16, x) = ("c10::BFloat16", ("8192", "Scalar"));
        let big = ("[64,128]", bf16);
        for (name, arguments, flops, bytes) in [
            // Two tensors for two inputs: the first is updated in place.
            (
                "triton_poi_fused__unsafe_view_mul_silu_2",
                vec![big, ("[8192]", bf16), x],
                5.0 * 8192.0,
                6.0 * 8192.0,
            ),
            // A third to write to.
            ("triton_poi_fused_add_3", vec![big, big, big, x], 8192.0, 6.0 * 8192.0),
            ("triton_poi_fused_add_cos_sin_0", vec![big, big, big, x], 9.0 * 8192.0, 6.0 * 8192.0),
            ("triton_poi_fused__to_copy_1", vec![("[64,128]", "float"), big, x], 0.0, 6.0 * 8192.0),
            // 64 rows are looked up in a table of 1000.
            (
                "triton_poi_fused_embedding_0",
                vec![("[64]", "long int"), ("[1000,128]", bf16), big, x],
                0.0,
                512.0 + 4.0 * 8192.0,
            ),
            (
                "triton_red_fused_add_mean_mul_pow_rsqrt_0",
                vec![big, ("[128]", bf16), big, ("64", "Scalar"), ("128", "Scalar")],
                7.0 * 8192.0,
                4.0 * 8192.0 + 256.0,
            ),
        ] {
            let work = work(&call(name, &arguments)).unwrap();
            assert_eq!((work.flops, work.bytes()), (flops, bytes), "{name}");
        }
        assert!(work(&call("triton_poi_fused_0", &[big, x])).unwrap_err().contains("no operator"));
        assert!(work(&call("triton_poi_fused_add_0", &[big])).unwrap_err().contains("not recorded"));
        assert!(work(&call("triton_poi_fused_add_0", &[x])).unwrap_err().contains("no tensors"));
    }
}
