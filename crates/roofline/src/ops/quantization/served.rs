//! Quantisation as serving engines call it. Schemas: vLLM `csrc/torch_bindings.cpp` and
//! `csrc/libtorch_stable/torch_bindings.cpp`, SGLang `sgl-kernel/csrc/common_extension.cc`, AITER `aiter/ops/quant.py`.
//!
//! A given scale takes one operation for an element, one that has to be found two (the largest, the product), scales for
//! groups of a row six, as TraceLens counts vLLM's.

use super::{CATEGORY, grouped_fp8};
use crate::ops::operands::{count, stored};
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    // `(result, input, scale, ...)`.
    formula(
        &["_C::static_scaled_fp8_quant", "_C::static_scaled_int8_quant", "aiter::static_per_tensor_quant"],
        |call| eight_bits(call, [1, 0, 2], 1.0),
    ),
    formula(
        &[
            "_C::dynamic_per_token_scaled_fp8_quant",
            "_C::dynamic_scaled_fp8_quant",
            "_C::dynamic_scaled_int8_quant",
        ],
        |call| eight_bits(call, [1, 0, 2], 2.0),
    ),
    // `(input, result, scales, ...)`.
    formula(&["sgl_kernel::sgl_per_tensor_quant_fp8"], |call| {
        eight_bits(call, [0, 1, 2], if call.flag(3) { 1.0 } else { 2.0 })
    }),
    formula(&["sgl_kernel::sgl_per_token_quant_fp8"], |call| eight_bits(call, [0, 1, 2], 2.0)),
    formula(
        &[
            "_C::per_token_group_fp8_quant",
            "_C::per_token_group_fp8_quant_packed",
            "_C::per_token_group_quant_int8",
            "sgl_kernel::sgl_per_token_group_quant_8bit",
            "sgl_kernel::sgl_per_token_group_quant_fp8",
            "sgl_kernel::sgl_per_token_group_quant_int8",
        ],
        |call| eight_bits(call, [0, 1, 2], 6.0),
    ),
    // `(result, input, scale of columns, scales of rows)`, and with the expert of each row before the last.
    formula(&["aiter::smoothquant_fwd"], |call| smooth(call, 3)),
    formula(&["aiter::moe_smoothquant_fwd"], |call| smooth(call, 4)),
    formula(&["_C::scaled_fp4_quant", "sgl_kernel::scaled_fp4_quant"], nvfp4),
    formula(&["_C::scaled_fp4_experts_quant", "sgl_kernel::scaled_fp4_experts_quant"], |call| {
        four_bits(call, 2, &NVFP4, false)
    }),
    formula(&["_C::silu_and_mul_nvfp4_quant", "_C::silu_and_mul_scaled_fp4_experts_quant"], |call| {
        four_bits(call, 2, &NVFP4, true)
    }),
    formula(&["_C::mxfp4_experts_quant"], |call| four_bits(call, 2, &MXFP4, false)),
    formula(&["_C::silu_and_mul_mxfp4_experts_quant"], |call| four_bits(call, 2, &MXFP4, true)),
    formula(&["_C::mxfp8_experts_quant"], |call| eight_bits(call, [0, 4, 5], 2.0)),
    formula(&["_C::awq_dequantize", "sgl_kernel::awq_dequantize"], awq_dequantise),
    formula(&["_C::ggml_dequantize"], ggml_dequantise),
];

/// vLLM's operators around AITER's.
pub(in crate::ops) const WRAPPERS: &[Formula] = &[
    formula(&["vllm::rocm_aiter_per_tensor_quant"], |call| {
        eight_bits(call, [1, 0, 2], if call.flag(3) { 2.0 } else { 1.0 })
    }),
    formula(&["vllm::rocm_aiter_group_fp8_quant"], grouped_fp8),
];

/// The input, the result and the scales at these places. The packed scales of DeepGEMM are whole words, counted as such.
fn eight_bits(call: &Call<'_>, places: [usize; 3], operations: f64) -> Result<Work, NoFormula> {
    let [input, result, scales] = [call.tensor(places[0])?, call.tensor(places[1])?, call.tensor(places[2])?];
    let elements = input.elements();
    Ok(Work::vector(operations * elements, elements, input.precision()?)
        .reads("input", elements, input.precision()?)
        .writes("output", elements, result.precision()?)
        .writes("scales", scales.elements(), scales.precision()?))
}

/// One product more for an element, with the scale of its column.
fn smooth(call: &Call<'_>, scales: usize) -> Result<Work, NoFormula> {
    let columns = call.tensor(2)?;
    Ok(eight_bits(call, [1, 0, scales], 3.0)?.reads(
        "column scales",
        columns.elements(),
        columns.precision()?,
    ))
}

/// A 4-bit format by the elements that share a scale of one byte.
struct Blocks {
    elements: f64,
    /// Bytes of the scale of the whole tensor.
    tensor_scale: bool,
}

const NVFP4: Blocks = Blocks { elements: 16.0, tensor_scale: true };
const MXFP4: Blocks = Blocks { elements: 32.0, tensor_scale: false };

/// `(result, input, scales, scale of the tensor)`; newer versions `(input, scale of the tensor, swizzled, ...)`, where the
/// first tensor is not a bytes.
fn nvfp4(call: &Call<'_>) -> Result<Work, NoFormula> {
    let packed = call.tensor(0)?.precision()?.element_bits <= 8.0;
    four_bits(call, usize::from(packed), &NVFP4, false)
}

/// Two operations for an element (the largest of a block, the product), five more for a SiLU gate, which halves the input;
/// half a byte for an element and a byte for a block. Recorded scales are padded to tiles, so their number is computed.
fn four_bits(call: &Call<'_>, input: usize, format: &Blocks, gated: bool) -> Result<Work, NoFormula> {
    let input = call.tensor(input)?;
    let ([rows, columns], precision) = (input.rows_and_columns()?, input.precision()?);
    let columns = if gated { columns / 2.0 } else { columns };
    let elements = rows * columns;
    let operations = if gated { 7.0 } else { 2.0 };
    let work = Work::vector(operations * elements, elements, precision)
        .reads("input", input.elements(), precision)
        .writes("output", elements, Precision::FP4)
        .writes("scales", rows * (columns / format.elements).ceil(), stored("uint8")?);
    Ok(if format.tensor_scale { work.reads("scale", 1.0, stored("fp32")?) } else { work })
}

/// `(weights (k, n/8), scales (groups, n), zeros (groups, n/8), ...)`: eight numbers in a word; a difference and a product
/// for each.
fn awq_dequantise(call: &Call<'_>) -> Result<Work, NoFormula> {
    let [weights, scales, zeros] = [call.tensor(0)?, call.tensor(1)?, call.tensor(2)?];
    let elements = 8.0 * weights.elements();
    let precision = scales.precision()?;
    let read = |work: Work, tensor: &Tensor| -> Result<Work, NoFormula> {
        Ok(work.reads("weights and scales", tensor.elements(), tensor.precision()?))
    };
    let mut work = Work::vector(2.0 * elements, elements, precision);
    for tensor in [weights, scales, zeros] {
        work = read(work, tensor)?;
    }
    Ok(work.writes("output", elements, precision))
}

/// `(weights, format, rows, columns, type)`: blocks with their scales as stored; FP16 unless a type is given.
fn ggml_dequantise(call: &Call<'_>) -> Result<Work, NoFormula> {
    let weights = call.tensor(0)?;
    let elements = count(call, 2)? as f64 * count(call, 3)? as f64;
    let result = call.element_type(4).unwrap_or(Precision::FP16);
    Ok(Work::vector(elements, elements, result)
        .reads("weights", weights.elements(), weights.precision()?)
        .writes("output", elements, result))
}

#[cfg(test)]
mod tests {
    use crate::ops::operands::testing::check_named;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let x = ("[4,320]", bf16);
        let q = ("[4,320]", "c10::Float8_e4m3fn");
        let packed = ("[4,160]", "unsigned char");
        let (one, rows) = (("[1]", "float"), ("[4,1]", "float"));
        let n = 1280.0;
        check_named(&[
            ("_C::static_scaled_fp8_quant", &[q, x, one], n, 3.0 * n + 4.0),
            ("_C::dynamic_scaled_fp8_quant", &[q, x, one], 2.0 * n, 3.0 * n + 4.0),
            ("_C::dynamic_per_token_scaled_fp8_quant", &[q, x, rows, ("", "")], 2.0 * n, 3.0 * n + 16.0),
            ("sgl_kernel::sgl_per_tensor_quant_fp8", &[x, q, one, ("True", "Scalar")], n, 3.0 * n + 4.0),
            ("sgl_kernel::sgl_per_token_quant_fp8", &[x, q, rows], 2.0 * n, 3.0 * n + 16.0),
            (
                "sgl_kernel::sgl_per_token_group_quant_fp8",
                &[x, q, ("[4,3]", "float"), ("128", "Scalar")],
                6.0 * n,
                3.0 * n + 48.0,
            ),
            ("aiter::smoothquant_fwd", &[q, x, ("[320]", "float"), rows], 3.0 * n, 3.0 * n + 1280.0 + 16.0),
            // Twenty blocks of 16 in a row, whatever the padding; both orders of arguments.
            ("_C::scaled_fp4_quant", &[packed, x, ("[128,5]", "int"), one], 2.0 * n, 2.5 * n + 80.0 + 4.0),
            ("_C::scaled_fp4_quant", &[x, one, ("True", "Scalar")], 2.0 * n, 2.5 * n + 80.0 + 4.0),
            // 160 of 320 columns are left: ten blocks.
            (
                "_C::silu_and_mul_nvfp4_quant",
                &[("[4,80]", "unsigned char"), ("[128,4]", "c10::Float8_e4m3fn"), x, one],
                7.0 * 640.0,
                2.0 * n + 320.0 + 40.0 + 4.0,
            ),
            (
                "_C::mxfp4_experts_quant",
                &[packed, ("[128,12]", "unsigned char"), x, ("[9]", "int"), ("[9]", "int"), ("8", "Scalar")],
                2.0 * n,
                2.5 * n + 40.0,
            ),
            (
                "_C::awq_dequantize",
                &[("[256,16]", "int"), ("[2,128]", "c10::Half"), ("[2,16]", "int"), ("0", "Scalar")],
                2.0 * 32768.0,
                16384.0 + 512.0 + 128.0 + 65536.0,
            ),
            // Q4_0: blocks of 32 numbers in 18 bytes.
            (
                "_C::ggml_dequantize",
                &[("[8,36]", "unsigned char"), ("2", "Scalar"), ("8", "Scalar"), ("64", "Scalar")],
                512.0,
                288.0 + 1024.0,
            ),
            ("vllm::rocm_aiter_group_fp8_quant", &[x, ("128", "Scalar")], 6.0 * n, 3.0 * n + 48.0),
        ]);
    }
}
