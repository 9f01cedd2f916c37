//! Routing of tokens to experts: scores to choices, rows into the order of experts and back. Schemas: vLLM
//! `csrc/moe/torch_bindings.cpp`, SGLang `sgl-kernel/csrc/common_extension.cc`, AITER `aiter/ops/topk.py` and
//! `aiter/ops/moe_op.py`; `TopK` and `SortTokens` are functions of Triton's kernels for experts.
//!
//! Operations are those of the scores: five for a softmax, six for a sigmoid with a bias, as TraceLens counts the latter.
//! Choosing and sorting have bytes only. Orders are padded to blocks by amounts that depend on the values; what is counted
//! is that every choice is read and placed once.

use super::operands::{count, stored};
use super::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

const CATEGORY: &str = "routing";
const SOFTMAX: f64 = 5.0;
const BIASED: f64 = 6.0;

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

pub(super) const FORMULAS: &[Formula] = &[
    // `(weights, indices, places, scores, ...)`.
    formula(&["_moe_C::topk_softmax", "aiter::topk_softmax"], |call| chosen(call, [3, 0, 1], None, SOFTMAX)),
    formula(&["_moe_C::topk_sigmoid", "_moe_C::topk_softplus_sqrt"], |call| {
        chosen(call, [3, 0, 1], None, BIASED)
    }),
    formula(&["sgl_kernel::topk_softmax"], |call| chosen(call, [2, 0, 1], None, SOFTMAX)),
    formula(&["aiter::topk_sigmoid", "sgl_kernel::topk_sigmoid"], |call| {
        chosen(call, [2, 0, 1], None, BIASED)
    }),
    formula(&["aiter::topk_gating_fwd"], |call| chosen(call, [2, 0, 1], Some(3), BIASED)),
    formula(&["aiter::_moe_fused_gate", "aiter::biased_grouped_topk_hip", "aiter::moe_fused_gate"], |call| {
        chosen(call, [0, 2, 3], Some(1), BIASED)
    }),
    formula(&["aiter::grouped_topk"], |call| chosen(call, [0, 1, 2], None, SOFTMAX)),
    formula(&["sgl_kernel::moe_fused_gate"], |call| returned(call, Some(1), 4)),
    formula(&["_moe_C::grouped_topk"], grouped),
    formula(&["TopK"], by_triton),
    formula(&["SortTokens"], |call| placed(call, &[0, 1])),
    formula(
        &[
            "_moe_C::moe_align_block_size",
            "_moe_C::sgl_moe_align_block_size",
            "aiter::moe_align_block_size",
            "sgl_kernel::moe_align_block_size",
        ],
        |call| placed(call, &[0]),
    ),
    formula(
        &[
            "_C::get_cutlass_moe_mm_data",
            "sgl_kernel::get_cutlass_w4a8_moe_mm_data",
            "sgl_kernel::prepare_moe_input",
        ],
        |call| placed(call, &[0, 0]),
    ),
    formula(&["aiter::moe_sorting_fwd", "aiter::moe_sorting_opus_fwd"], sorted_and_cleared),
    formula(
        &["_moe_C::moe_sum", "aiter::moe_sum", "sgl_kernel::moe_sum", "sgl_kernel::moe_sum_reduce"],
        summed,
    ),
    formula(&["_moe_C::shuffle_rows", "sgl_kernel::shuffle_rows"], |call| shuffled(call, 2)),
    formula(&["_moe_C::moe_permute", "_moe_C::moe_permute_with_scratch"], permuted),
    formula(&["_moe_C::moe_unpermute"], unpermuted),
    formula(&["sgl_kernel::apply_shuffle_mul_sum"], |call| {
        weighted(call, call.tensor(0)?.elements(), call.tensor(1)?)
    }),
];

/// vLLM's operators around AITER's.
pub(super) const WRAPPERS: &[Formula] = &[
    formula(&["vllm::rocm_aiter_topk_softmax"], |call| chosen(call, [3, 0, 1], None, SOFTMAX)),
    formula(&["vllm::rocm_aiter_topk_sigmoid"], |call| chosen(call, [2, 0, 1], None, BIASED)),
    formula(&["vllm::rocm_aiter_biased_grouped_topk"], |call| chosen(call, [0, 2, 3], Some(1), BIASED)),
    formula(&["vllm::rocm_aiter_grouped_topk"], |call| chosen(call, [0, 1, 2], None, SOFTMAX)),
];

fn scored(scores: &Tensor, bias: Option<&Tensor>, operations: f64) -> Result<Work, NoFormula> {
    let (elements, precision) = (scores.elements(), scores.precision()?);
    let work = Work::vector(operations * elements, elements, precision).reads("scores", elements, precision);
    match bias.filter(|bias| bias.elements() > 0.0) {
        Some(bias) => Ok(work.reads("bias", bias.elements(), bias.precision()?)),
        None => Ok(work),
    }
}

/// Scores, weights and indices at three places.
fn chosen(
    call: &Call<'_>,
    places: [usize; 3],
    bias: Option<usize>,
    operations: f64,
) -> Result<Work, NoFormula> {
    let [scores, weights, indices] =
        [call.tensor(places[0])?, call.tensor(places[1])?, call.tensor(places[2])?];
    let bias = bias.and_then(|place| call.optional(place));
    Ok(scored(scores, bias, operations)?.writes("weights", weights.elements(), weights.precision()?).writes(
        "indices",
        indices.elements(),
        indices.precision()?,
    ))
}

/// Scores first, and as many choices of each token as the number at a place says: FP32 weights, 32-bit indices.
fn returned(call: &Call<'_>, bias: Option<usize>, wanted: usize) -> Result<Work, NoFormula> {
    let scores = call.tensor(0)?;
    let choices = scores.rows_and_columns()?[0] * count(call, wanted)? as f64;
    Ok(scored(scores, bias.and_then(|place| call.optional(place)), BIASED)?
        .writes("weights", choices, Precision::FP32)
        .writes("indices", choices, Precision::INT32))
}

/// `(scores, groups, chosen groups, chosen, ...)`; older versions have biased scores as second tensor.
fn grouped(call: &Call<'_>) -> Result<Work, NoFormula> {
    match call.optional(1) {
        Some(_) => returned(call, Some(1), 4),
        None => returned(call, Some(6), 3),
    }
}

/// `(scores, chosen, ...)`: weights in the type of the scores, 16-bit indices, and a bit for each expert.
fn by_triton(call: &Call<'_>) -> Result<Work, NoFormula> {
    let scores = call.tensor(0)?;
    let [rows, experts] = scores.rows_and_columns()?;
    let choices = rows * count(call, 1)? as f64;
    Ok(scored(scores, None, SOFTMAX)?
        .writes("weights", choices, scores.precision()?)
        .writes("indices", choices, stored("int16")?)
        .writes("bits", rows * (experts / 32.0).ceil(), Precision::INT32))
}

/// Every element of the tensors at these places is read, and placed somewhere as stored.
fn placed(call: &Call<'_>, places: &[usize]) -> Result<Work, NoFormula> {
    let mut work = Work::movement();
    for place in places {
        let tensor = call.tensor(*place)?;
        let (elements, precision) = (tensor.elements(), tensor.precision()?);
        work = work.reads("choices", elements, precision).writes("order", elements, precision);
    }
    Ok(work)
}

/// `(indices, weights, sorted indices, sorted weights, sorted experts, counts, output of the layer, ...)`, which is cleared
/// for the sums that follow.
fn sorted_and_cleared(call: &Call<'_>) -> Result<Work, NoFormula> {
    let work = placed(call, &[0, 1])?;
    match call.optional(6) {
        Some(output) => Ok(work.writes("cleared", output.elements(), output.precision()?)),
        None => Ok(work),
    }
}

/// `(input (tokens, chosen, extent), output (tokens, extent))`; early versions of vLLM name them the other way round.
fn summed(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (first, second) = (call.tensor(0)?, call.tensor(1)?);
    let (input, output) =
        if first.elements() >= second.elements() { (first, second) } else { (second, first) };
    let (inputs, outputs) = (input.elements(), output.elements());
    Ok(Work::vector((inputs - outputs).max(0.0), outputs, input.precision()?)
        .reads("input", inputs, input.precision()?)
        .writes("output", outputs, output.precision()?))
}

/// `(input, map, output)`: a row of the input may be used by several of the output, and is read once.
fn shuffled(call: &Call<'_>, output: usize) -> Result<Work, NoFormula> {
    let (input, map, output) = (call.tensor(0)?, call.tensor(1)?, call.tensor(output)?);
    Ok(Work::movement()
        .reads("input", input.elements().min(output.elements()), input.precision()?)
        .reads("map", map.elements(), map.precision()?)
        .writes("output", output.elements(), output.precision()?))
}

/// `(input, ..., chosen, permuted input, ...)`: as many copies of a token as it has experts. Versions differ in what is
/// between; the number of chosen experts stands before the first tensor of more than one row that is as wide as the input.
fn permuted(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let ([tokens, columns], precision) = (input.rows_and_columns()?, input.precision()?);
    let is_result = |place: &usize| {
        call.optional(*place)
            .is_some_and(|tensor| tensor.shape.len() == 2 && tensor.shape.last() == input.shape.last())
    };
    let place = (1..call.inputs.len()).find(is_result).ok_or("the permuted rows were not recorded")?;
    let chosen = count(call, place - 1)? as f64;
    Ok(Work::movement().reads("input", tokens * columns, precision).writes(
        "output",
        tokens * chosen * columns,
        call.tensor(place)?.precision()?,
    ))
}

/// `(permuted rows, weights (tokens, chosen), ..., output (tokens, extent))`.
fn unpermuted(call: &Call<'_>) -> Result<Work, NoFormula> {
    let weights = call.tensor(1)?;
    let columns = call.tensor(0)?.shape.last().copied();
    let is_result = |tensor: &&Tensor| {
        tensor.shape.len() == 2
            && tensor.shape.first() == weights.shape.first()
            && tensor.shape.last().copied() == columns
    };
    let output = call.tensors().skip(2).find(is_result).ok_or("the output was not recorded")?;
    let columns = output.rows_and_columns()?[1];
    weighted(call, weights.elements() * columns, output)
}

/// That many elements of the first tensor's rows weighted and summed: a product for each, and a sum for all but the first of
/// each output.
fn weighted(call: &Call<'_>, used: f64, output: &Tensor) -> Result<Work, NoFormula> {
    let (input, outputs) = (call.tensor(0)?, output.elements());
    Ok(Work::vector((2.0 * used - outputs).max(0.0), outputs, input.precision()?)
        .reads("rows", used, input.precision()?)
        .writes("output", outputs, output.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::check_named;

    #[test]
    fn by_hand() {
        let (bf16, fp32, int) = ("c10::BFloat16", "float", "int");
        let scores = ("[32,128]", bf16);
        let (weights, indices) = (("[32,8]", fp32), ("[32,8]", int));
        let bias = ("[128]", fp32);
        let number = |text| (text, "Scalar");
        let read = 32.0 * 128.0 * 2.0;
        let written = 32.0 * 8.0 * 8.0;
        check_named(&[
            ("_moe_C::topk_softmax", &[weights, indices, indices, scores], 5.0 * 4096.0, read + written),
            ("sgl_kernel::topk_softmax", &[weights, indices, scores], 5.0 * 4096.0, read + written),
            (
                "aiter::biased_grouped_topk_hip",
                &[scores, bias, weights, indices, number("8"), number("4"), number("True")],
                6.0 * 4096.0,
                read + 512.0 + written,
            ),
            (
                "sgl_kernel::moe_fused_gate",
                &[scores, bias, number("8"), number("4"), number("8"), number("0")],
                6.0 * 4096.0,
                read + 512.0 + written,
            ),
            (
                "_moe_C::grouped_topk",
                &[scores, number("8"), number("4"), number("8"), number("True"), number("2.5"), bias],
                6.0 * 4096.0,
                read + 512.0 + written,
            ),
            (
                "_moe_C::grouped_topk",
                &[scores, scores, number("8"), number("4"), number("8"), number("True")],
                6.0 * 4096.0,
                2.0 * read + written,
            ),
            // Four words of bits for 128 experts.
            ("TopK", &[scores, number("4")], 5.0 * 4096.0, read + 32.0 * 4.0 * 4.0 + 32.0 * 4.0 * 4.0),
            (
                "SortTokens",
                &[("[32,4]", bf16), ("[32,4]", "short int"), number("128")],
                0.0,
                2.0 * 128.0 * 4.0,
            ),
            (
                "_moe_C::moe_align_block_size",
                &[indices, number("128"), number("16"), ("[2304]", int), ("[144]", int), ("[1]", int)],
                0.0,
                2.0 * 256.0 * 4.0,
            ),
            (
                "aiter::moe_sorting_fwd",
                &[
                    indices,
                    weights,
                    ("[2304]", int),
                    ("[2304]", fp32),
                    ("[144]", int),
                    ("[2]", int),
                    ("[32,64]", bf16),
                ],
                0.0,
                4.0 * 256.0 * 4.0 + 4096.0,
            ),
            (
                "_moe_C::moe_sum",
                &[("[32,8,64]", bf16), ("[32,64]", bf16)],
                32.0 * 7.0 * 64.0,
                2.0 * 32.0 * 9.0 * 64.0,
            ),
            (
                "sgl_kernel::shuffle_rows",
                &[("[32,64]", bf16), ("[256]", int), ("[256,64]", bf16)],
                0.0,
                2.0 * 32.0 * 64.0 + 1024.0 + 2.0 * 256.0 * 64.0,
            ),
            (
                "_moe_C::moe_permute",
                &[
                    ("[32,64]", bf16),
                    indices,
                    indices,
                    ("", ""),
                    number("128"),
                    number("128"),
                    number("8"),
                    ("[300,64]", bf16),
                    ("[129]", "long int"),
                ],
                0.0,
                2.0 * 32.0 * 9.0 * 64.0,
            ),
            (
                "_moe_C::moe_unpermute",
                &[
                    ("[300,64]", bf16),
                    weights,
                    indices,
                    ("[129]", "long int"),
                    number("8"),
                    ("[32,64]", bf16),
                ],
                32.0 * 64.0 * 15.0,
                2.0 * 32.0 * 9.0 * 64.0,
            ),
            (
                "sgl_kernel::apply_shuffle_mul_sum",
                &[("[256,64]", bf16), ("[32,64]", bf16), ("[256]", int), ("[256]", bf16)],
                32.0 * 64.0 * 15.0,
                2.0 * 32.0 * 9.0 * 64.0,
            ),
        ]);
    }
}
