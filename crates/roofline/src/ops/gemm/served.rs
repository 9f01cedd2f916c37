//! Products of serving engines: weights in few bits with wider activations, scaled products with a tensor for the output.
//! Schemas: vLLM `csrc/torch_bindings.cpp`, SGLang `sgl-kernel/csrc/common_extension.cc` and
//! `python/sglang/srt/layers/quantization/fp8_kernel.py`, AITER `aiter/ops/gemm_op_a8w8.py`, and `TORCH_LIBRARY(deep_gemm)` of
//! sgl-project/DeepGEMM (`csrc/python_api.cpp`), whose own bindings record nothing.

use super::calls::{agree, formula, matrices, product, with_rows};
use super::quantised::{bias, scales};
use super::{Gemm, packed};
use crate::ops::{Call, Formula, NoFormula};
use crate::{Precision, Work};

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(&["_C::cutlass_scaled_mm_azp"], |call| {
        let work = into(call, [0, 1, 2], bias(call, 7)?)?;
        scales(work, call, &[3, 4, 5, 6])
    }),
    formula(
        &[
            "_C::dsv3_fused_a_gemm",
            "_C::fp32_router_gemm",
            "_moe_C::dsv3_router_gemm",
            "sgl_kernel::dsv3_fused_a_gemm",
            "sgl_kernel::dsv3_router_gemm",
        ],
        |call| into(call, [0, 1, 2], None),
    ),
    // `(a, scales of a, b, scales of b, output)`.
    formula(
        &[
            "deep_gemm::fp8_gemm_nn",
            "deep_gemm::fp8_gemm_nt",
            "deep_gemm_cpp::fp8_gemm_nn",
            "deep_gemm_cpp::fp8_gemm_nt",
            "sglang::deep_gemm_fp8_fp8_bf16_nt",
            "sglang::deep_gemm_mxfp8_fp8_bf16_nt",
            "vllm::fp8_gemm_nt_op",
        ],
        |call| accumulated(scales(into(call, [4, 0, 2], None)?, call, &[1, 3])?, call, 5),
    ),
    // The first operand by columns: `a` (k, m).
    formula(
        &[
            "deep_gemm::fp8_gemm_tn",
            "deep_gemm::fp8_gemm_tt",
            "deep_gemm_cpp::fp8_gemm_tn",
            "deep_gemm_cpp::fp8_gemm_tt",
        ],
        |call| accumulated(scales(by_columns(call, [4, 0, 2])?, call, &[1, 3])?, call, 5),
    ),
    // `(a, b, output, summand, ...)`.
    formula(&["deep_gemm::bf16_gemm_nn", "deep_gemm::bf16_gemm_nt"], |call| {
        accumulated(into(call, [2, 0, 1], None)?, call, 3)
    }),
    formula(&["deep_gemm::bf16_gemm_tn", "deep_gemm::bf16_gemm_tt"], |call| {
        accumulated(by_columns(call, [2, 0, 1])?, call, 3)
    }),
    formula(&["sgl_kernel::bmm_fp8"], |call| batched(call, call.tensor(2)?.precision()?, &[3, 4])),
    formula(&["vllm::bmm_fp8"], |call| {
        batched(call, call.element_type(4).unwrap_or(Precision::BF16), &[2, 3])
    }),
    formula(&["aiter::hipb_mm"], |call| {
        let gemm = matrices(call.tensor(0)?, call.tensor(1)?)?;
        let output = call.element_type(4).unwrap_or(Precision::BF16);
        scales(Gemm { output, bias: bias(call, 3)?, ..gemm }.work(), call, &[5, 6])
    }),
    formula(&["vllm::flashinfer_mm_fp4"], flashinfer_fp4),
    formula(
        &["_C::fp8_marlin_gemm", "_C::gptq_marlin_gemm", "_C::marlin_gemm", "sgl_kernel::gptq_marlin_gemm"],
        packed::marlin,
    ),
    formula(&["_C::gptq_gemm", "sgl_kernel::gptq_gemm"], packed::gptq),
    formula(&["_C::awq_gemm"], packed::awq),
    formula(&["_C::machete_mm"], packed::machete),
    formula(&["_C::cutlass_w4a8_mm"], packed::cutlass_w4a8),
    formula(&["_C::allspark_w8a16_gemm"], packed::allspark),
    formula(&["_C::ggml_mul_mat_a8", "_C::ggml_mul_mat_vec_a8"], packed::ggml),
    formula(
        &["sgl_kernel::qserve_w4a8_per_chn_gemm", "sgl_kernel::qserve_w4a8_per_group_gemm"],
        packed::qserve,
    ),
];

/// They quantize their input with its own operator and may launch the product themselves.
pub(in crate::ops) const WRAPPERS: &[Formula] = &[
    // `(input, weight, block, scales of the weight, scale of the input, bias, ...)`.
    formula(&["vllm::apply_w8a8_block_fp8_linear"], |call| {
        let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
        let gemm = with_rows(x, weight)?;
        // The input was quantized before, and is read as it is then stored.
        let stored = Gemm { a: gemm.b, output: gemm.a, bias: bias(call, 5)?, ..gemm };
        scales(stored.work(), call, &[3])
    }),
];

/// The output (m, n), `a` (m, k) and `b` (k, n) or (n, k) at three places.
fn into(call: &Call<'_>, places: [usize; 3], bias: Option<Precision>) -> Result<Work, NoFormula> {
    let [output, a, b] = [call.tensor(places[0])?, call.tensor(places[1])?, call.tensor(places[2])?];
    let ([_, n], [m, k]) = (output.rows_and_columns()?, a.rows_and_columns()?);
    agree(b.elements(), n * k)?;
    let gemm = product([m, n, k], a.precision()?, b.precision()?);
    Ok(Gemm { output: output.precision()?, bias, ..gemm }.work())
}

/// The output (m, n), `a` (k, m) and `b` at three places.
fn by_columns(call: &Call<'_>, places: [usize; 3]) -> Result<Work, NoFormula> {
    let [output, a, b] = [call.tensor(places[0])?, call.tensor(places[1])?, call.tensor(places[2])?];
    let ([rows, n], [k, m]) = (output.rows_and_columns()?, a.rows_and_columns()?);
    agree(rows, m)?;
    agree(b.elements(), n * k)?;
    let gemm = product([m, n, k], a.precision()?, b.precision()?);
    Ok(Gemm { output: output.precision()?, ..gemm }.work())
}

/// With the matrix at this place, if there is one, added to the product.
fn accumulated(mut work: Work, call: &Call<'_>, place: usize) -> Result<Work, NoFormula> {
    let Some(summand) = call.optional(place) else { return Ok(work) };
    work.flops += summand.elements();
    Ok(work.reads("summand", summand.stored_elements(), summand.precision()?))
}

/// `a` (b, m, k) with `b` (b, k, n).
fn batched(call: &Call<'_>, output: Precision, places: &[usize]) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let ([batch, m, k], [_, rows, n]) = (a.extents()?, b.extents()?);
    agree(k, rows)?;
    let gemm = Gemm { batch, output, ..product([m, n, k], a.precision()?, b.precision()?) };
    scales(gemm.work(), call, places)
}

/// `(a (m, k/2), b (k/2, n), scales of a, scales of b, scale, type, ...)` with blocks of 16 numbers. Recorded scales are
/// padded to tiles, so their number is computed.
fn flashinfer_fp4(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([m, k], [rows, n]) = (call.tensor(0)?.extents()?, call.tensor(1)?.extents()?);
    agree(k, rows)?;
    let output = call.element_type(5).unwrap_or(Precision::BF16);
    let gemm = Gemm { output, ..product([m, n, 2.0 * k], Precision::FP4, Precision::FP4) };
    let blocks = (gemm.k / 16.0).ceil();
    let work = gemm.work().reads("scale", (m + n) * blocks, call.tensor(2)?.precision()?);
    scales(work, call, &[4])
}

#[cfg(test)]
mod tests {
    use crate::ops::operands::testing::check_named;

    /// 4 rows, 64 summed over, 32 columns: 8192 multiply-adds.
    const FLOPS: f64 = 2.0 * 8192.0;

    #[test]
    fn by_hand() {
        let (bf16, fp8, int8) = ("c10::BFloat16", "c10::Float8_e4m3fn", "signed char");
        let (out, one) = (("[4,32]", bf16), ("[1]", "float"));
        let bytes = 256.0 + 2048.0 + 256.0;
        check_named(&[
            (
                "_C::cutlass_scaled_mm_azp",
                &[
                    out,
                    ("[4,64]", int8),
                    ("[64,32]", int8),
                    ("[4,1]", "float"),
                    ("[32,1]", "float"),
                    ("[32]", "int"),
                    ("", ""),
                    ("[32]", bf16),
                ],
                FLOPS + 128.0,
                bytes + 16.0 + 128.0 + 128.0 + 64.0,
            ),
            (
                "_moe_C::dsv3_router_gemm",
                &[("[4,32]", "float"), ("[4,64]", bf16), ("[32,64]", bf16)],
                FLOPS,
                512.0 + 4096.0 + 512.0,
            ),
            (
                "sglang::deep_gemm_fp8_fp8_bf16_nt",
                &[("[4,64]", fp8), ("[4,1]", "float"), ("[32,64]", fp8), ("[1,1]", "float"), out],
                FLOPS,
                bytes + 16.0 + 4.0,
            ),
            (
                "vllm::fp8_gemm_nt_op",
                &[
                    ("[4,64]", fp8),
                    ("[4,1]", "float"),
                    ("[32,64]", fp8),
                    ("[1,1]", "float"),
                    out,
                    ("True", "Scalar"),
                ],
                FLOPS,
                bytes + 16.0 + 4.0,
            ),
            // A matrix that is added is read, and an addition an element.
            (
                "deep_gemm::fp8_gemm_nn",
                &[("[4,64]", fp8), ("[4,1]", "float"), ("[64,32]", fp8), ("[1,1]", "float"), out, out],
                FLOPS + 128.0,
                bytes + 16.0 + 4.0 + 256.0,
            ),
            (
                "deep_gemm::fp8_gemm_tn",
                &[("[64,4]", fp8), ("[1,4]", "float"), ("[64,32]", fp8), ("[1,32]", "float"), out],
                FLOPS,
                bytes + 16.0 + 128.0,
            ),
            (
                "deep_gemm::bf16_gemm_nt",
                &[("[4,64]", bf16), ("[32,64]", bf16), out],
                FLOPS,
                512.0 + 4096.0 + 256.0,
            ),
            (
                "sgl_kernel::fp8_blockwise_scaled_mm",
                &[
                    ("[4,64]", fp8),
                    ("[64,32]", fp8),
                    ("[4,1]", "float"),
                    ("[1,1]", "float"),
                    ("15", "Scalar"),
                ],
                FLOPS,
                bytes + 16.0 + 4.0,
            ),
            (
                "sgl_kernel::bmm_fp8",
                &[("[3,4,64]", fp8), ("[3,64,32]", fp8), ("[3,4,32]", bf16), one, one],
                3.0 * FLOPS,
                3.0 * bytes + 8.0,
            ),
            (
                "aiter::hipb_mm",
                &[("[4,64]", fp8), ("[64,32]", fp8), ("-1", "Scalar"), ("", ""), ("15", "Scalar"), one, one],
                FLOPS,
                bytes + 8.0,
            ),
            // Four blocks of 16 in each of 36 rows.
            (
                "vllm::flashinfer_mm_fp4",
                &[
                    ("[4,32]", "unsigned char"),
                    ("[32,32]", "unsigned char"),
                    ("[128,4]", fp8),
                    ("[128,4]", fp8),
                    one,
                    ("15", "Scalar"),
                ],
                FLOPS,
                128.0 + 1024.0 + 256.0 + 144.0 + 4.0,
            ),
            (
                "vllm::apply_w8a8_block_fp8_linear",
                &[
                    ("[2,2,64]", bf16),
                    ("[32,64]", fp8),
                    ("[128, 128]", "ScalarList"),
                    ("[1,1]", "float"),
                    ("", ""),
                    ("", ""),
                ],
                FLOPS,
                bytes + 4.0,
            ),
        ]);
    }
}
