//! Quantisation of activations for serving and training in 8 and 4 bits. Operations are TraceLens' estimates.

use super::operands::{count, stored};
use super::{Call, Formula, NoFormula, Tensor};
use crate::Work;

mod served;

pub(super) use served::{FORMULAS as SERVED, WRAPPERS};

const CATEGORY: &str = "quantization";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: SCALED, category: CATEGORY, work: scaled, backward: None },
    Formula {
        names: &["vllm::triton_per_token_group_quant_fp8"],
        category: CATEGORY,
        work: grouped_fp8,
        backward: None,
    },
    Formula { names: MXFP4, category: CATEGORY, work: mxfp4::<0>, backward: None },
    Formula {
        names: &["aiter::dynamic_per_group_scaled_quant_fp4"],
        category: CATEGORY,
        work: mxfp4::<1>,
        backward: None,
    },
    Formula { names: MXFP4_SORTED, category: CATEGORY, work: mxfp4::<2>, backward: None },
    Formula { names: TENSORWISE, category: CATEGORY, work: tensorwise, backward: None },
    Formula { names: MXFP4_BOTH_WAYS, category: CATEGORY, work: mxfp4_both_ways, backward: None },
    Formula {
        names: &["fbgemm::FloatToFP8RowwiseQuantized"],
        category: CATEGORY,
        work: to_fp8_rows,
        backward: None,
    },
    Formula {
        names: &["fbgemm::FP8RowwiseQuantizedToFloat"],
        category: CATEGORY,
        work: from_fp8_rows,
        backward: None,
    },
    Formula { names: &["fbgemm::FloatToHFP8Quantized"], category: CATEGORY, work: to_hfp8, backward: None },
    Formula { names: &["fbgemm::HFP8QuantizedToFloat"], category: CATEGORY, work: from_hfp8, backward: None },
    Formula {
        names: &["aten::fake_quantize_per_tensor_affine_cachemask"],
        category: CATEGORY,
        work: fake,
        backward: None,
    },
];

const SCALED: &[&str] = &[
    "aiter::dynamic_per_group_scaled_quant",
    "aiter::dynamic_per_tensor_quant",
    "aiter::dynamic_per_token_scaled_quant",
];
const MXFP4: &[&str] = &[
    "sglang_profiler::fused_mxfp4_quant_fused_flatten_mxfp4_quant",
    "sglang_profiler::quant_dynamic_mxfp4_quant",
];
const MXFP4_SORTED: &[&str] =
    &["aiter::fused_dynamic_mx_quant_moe_sort_hip", "aiter::fused_dynamic_mxfp4_quant_moe_sort_hip"];
const TENSORWISE: &[&str] =
    &["primus_turbo::quantize_fp8_tensorwise", "primus_turbo_cpp_extension::quantize_fp8_tensorwise"];
const MXFP4_BOTH_WAYS: &[&str] = &[
    "primus::quantize_mxfp4_dual",
    "primus_turbo::quantize_mxfp4_dual",
    "primus_turbo_cpp_extension::quantize_mxfp4_dual",
];

/// `(out, input, scales, ...)`: 2.59375 operations for an element, which TraceLens measured with counters.
fn scaled(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (output, input, scales) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let elements = output.elements();
    Ok(Work::vector(2.59375 * elements, elements, input.precision()?)
        .reads("input", input.elements(), input.precision()?)
        .writes("output", elements, output.precision()?)
        .writes("scales", scales.elements(), scales.precision()?))
}

/// `(input, group_size)`: six operations for an element, one byte for it, an FP32 scale for a group of a row.
fn grouped_fp8(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let width = input.shape.last().copied().unwrap_or(1).max(1);
    let group = count(call, 1)?.max(1);
    let elements = input.elements();
    let scales = elements / width as f64 * width.div_ceil(group) as f64;
    Ok(Work::vector(6.0 * elements, elements, input.precision()?)
        .reads("input", elements, input.precision()?)
        .writes("output", elements, stored("fp8")?)
        .writes("scales", scales, stored("fp32")?))
}

/// Two operations for an element of the tensor at this place, half a byte for it and one for every whole 32. Indices of
/// experts that are sorted along are not counted.
fn mxfp4<const INPUT: usize>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(INPUT)?;
    let elements = input.elements();
    Ok(Work::vector(2.0 * elements, elements, input.precision()?)
        .reads("input", elements, input.precision()?)
        .writes("output", elements, stored("fp4")?)
        .writes("scales", (elements / 32.0).floor(), stored("e8m0")?))
}

/// `(input, scale, amax)`: one operation for an element.
fn tensorwise(call: &Call<'_>) -> Result<Work, NoFormula> {
    converted(call.tensor(0)?, 1.0, "fp8")
}

fn converted(input: &Tensor, operations: f64, result: &str) -> Result<Work, NoFormula> {
    let elements = input.elements();
    Ok(Work::vector(operations * elements, elements, input.precision()?)
        .reads("input", elements, input.precision()?)
        .writes("output", elements, stored(result)?))
}

/// Quantised along rows and along columns, with scales for both.
fn mxfp4_both_ways(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let [rows, columns] = input.shape.as_slice() else {
        return Err("the input is not a matrix".to_owned());
    };
    let elements = input.elements();
    let scales = *rows as f64 * columns.div_ceil(32) as f64 + *columns as f64 * rows.div_ceil(32) as f64;
    let bytes = (elements / 2.0).ceil();
    Ok(Work::vector(elements, elements, input.precision()?)
        .reads("input", elements, input.precision()?)
        .writes("packed pairs", 2.0 * bytes, stored("fp4x2")?)
        .writes("scales", scales, stored("e8m0")?))
}

/// Bytes that FBGEMM puts behind a row for its scale.
const ROW_SCALE: f64 = 8.0;

/// A byte for an element; the largest of a row and a product: two operations.
fn to_fp8_rows(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let rows = rows(input);
    Ok(converted(input, 2.0, "uint8")?.writes("scales", rows * ROW_SCALE, stored("uint8")?))
}

/// One product for an element.
fn from_fp8_rows(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let elements = (input.elements() - rows(input) * ROW_SCALE).max(0.0);
    Ok(Work::vector(elements, elements, stored("fp32")?)
        .reads("input", input.elements(), input.precision()?)
        .writes("output", elements, stored("fp32")?))
}

fn rows(input: &Tensor) -> f64 {
    input.elements() / input.shape.last().copied().unwrap_or(1).max(1) as f64
}

fn to_hfp8(call: &Call<'_>) -> Result<Work, NoFormula> {
    converted(call.tensor(0)?, 1.0, "uint8")
}

fn from_hfp8(call: &Call<'_>) -> Result<Work, NoFormula> {
    converted(call.tensor(0)?, 1.0, "fp32")
}

/// Quantised and back (product, sum, difference, product), with a mask of what was inside the range.
fn fake(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (elements, precision) = (input.elements(), input.precision()?);
    Ok(Work::vector(4.0 * elements, elements, precision)
        .reads("input", elements, precision)
        .writes("output", elements, precision)
        .writes("mask", elements, stored("bool")?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, check};
    use super::*;

    #[test]
    fn by_hand() {
        let x = ("[4,320]", "c10::BFloat16");
        let n = 1280.0;
        let table: &[Example<'_>] = &[
            (scaled, &[("[4,320]", "c10::Float8_e4m3fn"), x, ("[4,1]", "float")], 3320.0, 3.0 * n + 16.0),
            // Three groups of 128 in a row of 320.
            (grouped_fp8, &[x, ("128", "Scalar")], 6.0 * n, 3.0 * n + 48.0),
            (mxfp4::<0>, &[x], 2.0 * n, 2.5 * n + 40.0),
            (mxfp4::<2>, &[x, x, x], 2.0 * n, 2.5 * n + 40.0),
            (tensorwise, &[x, ("[]", "float"), ("[]", "float")], n, 3.0 * n),
            // 4 rows of ten scales, 320 columns of one.
            (mxfp4_both_ways, &[x], n, 3.0 * n + 40.0 + 320.0),
            (to_fp8_rows, &[("[4,320]", "float")], 2.0 * n, 5.0 * n + 32.0),
            (from_fp8_rows, &[("[4,328]", "unsigned char")], n, 5.0 * n + 32.0),
            (to_hfp8, &[("[320]", "float")], 320.0, 1600.0),
            (from_hfp8, &[("[320]", "unsigned char")], 320.0, 1600.0),
            (fake, &[x], 4.0 * n, 5.0 * n),
        ];
        check(table);
    }
}
