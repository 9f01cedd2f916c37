//! Kernels that `torch.compile` generates: `triton_poi_fused_mul_silu_2` is pointwise (`poi`), a reduction (`red`, `per`)
//! or a matrix product (`tem`), computes the operators in its name and has its extents behind its tensors.
//!
//! The name lists every operator once, however often it occurs, so operations are at least what is counted. Arguments are
//! in the order of Inductor's `KernelArgs.python_argdefs`: what is updated in place, inputs, outputs; which is which is
//! not recorded. The last tensor is taken for the output, unless it is too small to have a place for every point (the
//! bias of `addmm`, which is added to the product in place), or the operators need as many inputs as there are tensors.

use super::operands::count;
use super::{Call, Formula, Input, NoFormula, Tensor, operations, template};
use crate::Work;

/// The formula of a kernel with such a name.
pub(super) fn formula(name: &str) -> Option<&'static Formula> {
    const FUSED: &Formula = &Formula { names: &[], category: "triton", work, backward: None };
    const TEMPLATE: &Formula =
        &Formula { names: &[], category: "triton", work: template::work, backward: None };
    match parts(name)? {
        (Kind::Template, _) => Some(TEMPLATE),
        _ => Some(FUSED),
    }
}

/// What a generated kernel is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Pointwise,
    Reduction,
    Template,
}

/// What it is, and the operators in its name.
pub(super) fn parts(name: &str) -> Option<(Kind, &str)> {
    let rest = name.strip_prefix("triton_")?;
    let (kind, rest) = rest.split_once("_fused_")?;
    let kind = match kind {
        "poi" => Kind::Pointwise,
        "red" | "per" => Kind::Reduction,
        "tem" => Kind::Template,
        _ => return None,
    };
    let (operators, number) = rest.rsplit_once('_').unwrap_or(("", rest));
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some((kind, operators))
}

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

/// Products whose bias a pointwise kernel adds afterwards, so that it takes two tensors for them.
const BIASED: &[&str] = &["addmm", "baddbmm", "convolution"];

/// The known operators in a name such as `_unsafe_view_add_mean`: the longest that fits, word by word.
pub(super) fn operators(mut name: &str) -> Vec<&'static str> {
    let known = || operations::names().chain(OTHERS.iter().copied()).chain(BIASED.iter().copied());
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

fn work(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (kind, name) = parts(call.name).ok_or_else(|| "the name is not of a generated kernel".to_owned())?;
    if name.is_empty() {
        return Err("the name of the kernel says no operator".to_owned());
    }
    let pointwise = kind == Kind::Pointwise;
    let tensors: Vec<&Tensor> = call.tensors().collect();
    let last = tensors.last().ok_or_else(|| "it has no tensors".to_owned())?;
    let points = points(call, pointwise)?;
    let operators = operators(name);
    let has = |names: &[&str]| operators.iter().any(|operator| names.contains(operator));
    // Adding the bias is an operation, too.
    let weights = operators.iter().map(|operator| operations::for_element(operator).unwrap_or(0.0));
    let flops = (weights.sum::<f64>() + f64::from(u8::from(has(BIASED)))) * points;
    let mut work = Work::vector(flops, points, last.precision()?);
    // A point reads each tensor once at most, also one that it looks something up in.
    let touched = |tensor: &Tensor| tensor.elements().min(points);
    let inputs = 1 + usize::from(has(BINARY)) + usize::from(has(BIASED));
    let full = tensors.iter().find(|tensor| tensor.elements() >= points);
    let in_place = full.filter(|_| pointwise && (tensors.len() <= inputs || last.elements() < points));
    let read = if in_place.is_some() { tensors.len() } else { tensors.len() - 1 };
    for tensor in &tensors[..read] {
        work = work.reads("input", touched(tensor), tensor.precision()?);
    }
    let written = in_place.unwrap_or(last);
    Ok(work.writes("output", touched(written), written.precision()?))
}

/// The product of the extents behind the tensors: one for pointwise kernels, or one for each of its dimensions; two for
/// reductions.
fn points(call: &Call<'_>, pointwise: bool) -> Result<f64, NoFormula> {
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
        assert!(formula("triton_tem_fused_mm_0").is_some());
        assert!(formula("triton_for_fused_add_0").is_none());
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
            // A bias is added in place to what `addmm` and `convolution` gave.
            (
                "triton_poi_fused_addmm_gelu_view_15",
                vec![("[2,4096,9728]", bf16), ("[9728]", bf16), ("79691776", "Scalar")],
                9.0 * 79_691_776.0,
                318_786_560.0,
            ),
            (
                "triton_poi_fused_convolution_relu_3",
                vec![("[1,64,1024,1024]", "float"), ("[64]", "float"), ("67108864", "Scalar")],
                2.0 * 67_108_864.0,
                536_871_168.0,
            ),
            // The bias is as large as the product of one row.
            (
                "triton_poi_fused_addmm_0",
                vec![("[1,128]", bf16), ("[128]", bf16), ("128", "Scalar")],
                128.0,
                768.0,
            ),
            // With a residual, still in place; with a tensor to write to, not.
            (
                "triton_poi_fused_add_addmm_0",
                vec![big, ("[128]", bf16), big, x],
                2.0 * 8192.0,
                6.0 * 8192.0 + 256.0,
            ),
            (
                "triton_poi_fused_addmm_gelu_0",
                vec![big, ("[128]", bf16), big, x],
                9.0 * 8192.0,
                4.0 * 8192.0 + 256.0,
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
