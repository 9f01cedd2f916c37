//! Products as recordings name them. Products of quantized matrices are in [`quantised`].

use super::{Gemm, quantised};
use crate::ops::{Call, Formula, NoFormula, Tensor};
use crate::{Precision, Work};

const CATEGORY: &str = "gemm";

pub(super) const fn formula(names: &'static [&'static str], work: crate::ops::Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(&["aten::mm"], mm),
    formula(&["aten::_addmm_activation", "aten::addmm"], addmm),
    formula(&["aten::bmm"], bmm),
    formula(&["aten::baddbmm"], baddbmm),
    formula(&["aten::addbmm"], addbmm),
    formula(&["aten::mv"], mv),
    formula(&["aten::addmv"], addmv),
    formula(&["aten::dot", "aten::vdot"], dot),
    // The products inside layers of Transformer Engine 2, as tools that split its functions name them.
    formula(
        &[
            "_LayerNormLinearBackward_wgrad_mm",
            "_LayerNormLinearBackward_xgrad_mm",
            "_LayerNormLinear_yfwd_mm",
            "_LinearBackward_wgrad_mm",
            "_LinearBackward_xgrad_mm",
            "_Linear_yfwd_mm",
        ],
        transformer_engine_2,
    ),
    formula(&["tex_ts::te_gemm_ts"], transformer_engine_1),
    formula(
        &[
            "aiter::gemm_a16w16",
            "aten::mkldnn_linear",
            "mkldnn::_linear_pointwise",
            "vllm::rocm_unquantized_gemm",
        ],
        rows_of_weights_with_bias,
    ),
    formula(
        &[
            "aiter::_gemm_a16w16_asm",
            "aiter::gemm_a16w16_atomic_",
            "sglang_profiler::gemm_kernels_flydsl_hgemm",
        ],
        rows_of_weights,
    ),
    formula(&["aten::_scaled_mm"], quantised::scaled_mm),
    formula(&["aten::_scaled_mm_v2"], quantised::scaled_mm_v2),
    formula(&["trtllm::cublas_scaled_mm"], quantised::cublas_scaled_mm),
    formula(&["_C::cutlass_scaled_mm"], quantised::cutlass_scaled_mm),
    formula(
        &["_C::cutlass_scaled_fp4_mm", "sgl_kernel::cutlass_scaled_fp4_mm"],
        quantised::cutlass_scaled_fp4_mm,
    ),
    formula(
        &["sgl_kernel::fp8_blockwise_scaled_mm", "sgl_kernel::fp8_scaled_mm", "sgl_kernel::int8_scaled_mm"],
        quantised::sgl_scaled_mm,
    ),
    formula(&["aten::_int_mm"], quantised::int_mm),
    formula(&["bitsandbytes::int8_linear_matmul"], quantised::int8_linear_matmul),
    formula(&["aten::_weight_int8pack_mm"], quantised::weight_int8pack_mm),
    formula(&["aten::_weight_int4pack_mm"], quantised::weight_int4pack_mm),
    formula(
        &[
            "aiter::_gemm_a8w8_blockscale_bpreshuffle_asm",
            "aiter::flatmm_a8w8_blockscale_asm",
            "aiter::gemm_a8w8",
            "aiter::gemm_a8w8_asm",
            "aiter::gemm_a8w8_blockscale",
            "aiter::gemm_a8w8_blockscale_bpreshuffle",
            "aiter::gemm_a8w8_blockscale_bpreshuffle_ck",
            "aiter::gemm_a8w8_blockscale_bpreshuffle_cktile",
            "aiter::gemm_a8w8_blockscale_ck",
            "aiter::gemm_a8w8_blockscale_cktile",
            "aiter::gemm_a8w8_bpreshuffle",
            "aiter::gemm_a8w8_bpreshuffle_ck",
            "aiter::gemm_a8w8_ck",
            "aiter::gfx950_a8w8_blockscale_asm",
            "sglang_profiler::fp8_utils_gemm_a8w8_blockscale",
            "sglang_profiler::gemm_a8w8_blockscale_gemm_a8w8_blockscale",
            "vllm::_rocm_aiter_preshuffled_per_token_w8a8_gemm",
            "vllm::padded_cutlass",
            "vllm::rocm_aiter_gemm_a8w8_blockscale",
            "vllm::rocm_aiter_gemm_a8w8_blockscale_bpreshuffle",
            "vllm::rocm_aiter_gemm_w8a8",
            "vllm::rocm_aiter_gemm_w8a8_blockscale",
            "vllm::rocm_aiter_triton_gemm_a8w8_blockscale",
            "vllm::rocm_aiter_w8a8_gemm",
            "vllm::w8a8_block_fp8_matmul_deepgemm",
            "vllm::w8a8_triton_block_scaled_mm_func",
        ],
        quantised::scaled_rows,
    ),
    formula(&["aiter::_gemm_a4w4_asm", "aiter::gemm_a4w4", "aiter::gemm_afp4wfp4_"], quantised::packed_rows),
    formula(&["aiter::batched_gemm_a16wfp4_"], quantised::batched_packed_weights),
    formula(
        &[concat!(
            "sglang_profiler::batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant_",
            "batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant"
        )],
        quantised::batched_scaled_weights,
    ),
    formula(&["vllm::gemm_with_dynamic_quant"], quantised::dynamic_packed_weights),
    formula(
        &["primus_turbo::hipblaslt_gemm_fp8", "primus_turbo_cpp_extension::hipblaslt_gemm_fp8"],
        quantised::hipblaslt_fp8,
    ),
    formula(
        &["primus_turbo::hipblaslt_gemm_fp4", "primus_turbo_cpp_extension::hipblaslt_gemm_fp4"],
        quantised::hipblaslt_fp4,
    ),
];

pub(in crate::ops) const WRAPPERS: &[Formula] =
    &[formula(&["aten::linear"], rows_of_weights_with_bias), formula(&["aten::matmul"], matmul)];

/// One product with operands as stored and the output in the type of the first.
pub(super) fn product([m, n, k]: [f64; 3], a: Precision, b: Precision) -> Gemm {
    Gemm { batch: 1.0, m, n, k, a, b, output: a, bias: None, compute: None }
}

/// Whether the extents that are summed over agree.
pub(super) fn agree(first: f64, second: f64) -> Result<(), NoFormula> {
    if first == second {
        Ok(())
    } else {
        Err(format!("the matrices do not fit: {first} columns, {second} rows"))
    }
}

/// `a` (m, k) with `b` (k, n).
pub(super) fn matrices(a: &Tensor, b: &Tensor) -> Result<Gemm, NoFormula> {
    let ([m, k], [rows, n]) = (a.extents()?, b.extents()?);
    agree(k, rows)?;
    Ok(product([m, n, k], a.precision()?, b.precision()?))
}

/// `x` (..., k) with weights (n, k).
pub(super) fn with_rows(x: &Tensor, weight: &Tensor) -> Result<Gemm, NoFormula> {
    let ([m, k], [n, columns]) = (x.rows_and_columns()?, weight.extents()?);
    agree(k, columns)?;
    Ok(product([m, n, k], x.precision()?, weight.precision()?))
}

fn on(gemm: &Gemm, a: &Tensor, b: &Tensor) -> Work {
    gemm.work_on(a.stored_elements(), b.stored_elements())
}

/// Adds what an operator adds to its product: every element of the output gets one of the tensor's, as stored. Nothing is
/// read if the factor before it is zero.
fn added(
    mut work: Work,
    call: &Call<'_>,
    index: usize,
    factor: Option<f64>,
    outputs: f64,
) -> Result<Work, NoFormula> {
    if factor == Some(0.0) {
        return Ok(work);
    }
    let tensor = call.tensor(index)?;
    work.flops += outputs;
    Ok(work.reads("bias", tensor.stored_elements(), tensor.precision()?))
}

fn mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let gemm = matrices(a, b)?;
    let output = call.element_type(2).unwrap_or(gemm.output);
    Ok(on(&Gemm { output, ..gemm }, a, b))
}

fn addmm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(1)?, call.tensor(2)?);
    let gemm = matrices(a, b)?;
    added(on(&gemm, a, b), call, 0, call.number(3), gemm.m * gemm.n)
}

fn batched(a: &Tensor, b: &Tensor) -> Result<Gemm, NoFormula> {
    let ([batch, m, k], [_, rows, n]) = (a.extents()?, b.extents()?);
    agree(k, rows)?;
    Ok(Gemm { batch, ..product([m, n, k], a.precision()?, b.precision()?) })
}

fn bmm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let gemm = batched(a, b)?;
    let output = call.element_type(2).unwrap_or(gemm.output);
    Ok(on(&Gemm { output, ..gemm }, a, b))
}

fn baddbmm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(1)?, call.tensor(2)?);
    let gemm = batched(a, b)?;
    added(on(&gemm, a, b), call, 0, call.number(3), gemm.batch * gemm.m * gemm.n)
}

/// The products of a batch are summed, which is one product over all of their `k`.
fn addbmm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(1)?, call.tensor(2)?);
    let gemm = batched(a, b)?;
    let gemm = Gemm { batch: 1.0, k: gemm.batch * gemm.k, ..gemm };
    added(on(&gemm, a, b), call, 0, call.number(3), gemm.m * gemm.n)
}

fn vector(matrix: &Tensor, vector: &Tensor) -> Result<Gemm, NoFormula> {
    let ([n, k], [rows]) = (matrix.extents()?, vector.extents()?);
    agree(k, rows)?;
    Ok(product([1.0, n, k], matrix.precision()?, vector.precision()?))
}

fn mv(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    Ok(on(&vector(a, b)?, a, b))
}

fn addmv(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(1)?, call.tensor(2)?);
    let gemm = vector(a, b)?;
    added(on(&gemm, a, b), call, 0, call.number(3), gemm.n)
}

fn dot(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let ([k], [rows]) = (a.extents()?, b.extents()?);
    agree(k, rows)?;
    Ok(on(&product([1.0, 1.0, k], a.precision()?, b.precision()?), a, b))
}

/// Outputs of 8-bit operands are 16 bits wide, in whichever of the two types.
fn transformer_engine_2(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let gemm = matrices(a, b)?;
    let output = if gemm.a.element_bits <= 8.0 { Precision::BF16 } else { gemm.a };
    Ok(on(&Gemm { output, ..gemm }, a, b))
}

/// `te_gemm_ts(A, scale, place, type, transa, B, scale, place, type, transb, D, scale, type, amax, bias, ...)` with
/// matrices by columns, as BLAS has them.
fn transformer_engine_1(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b, output) = (call.tensor(0)?, call.tensor(5)?, call.tensor(10)?);
    let ([rows, columns], [b_rows, b_columns]) = (a.extents()?, b.extents()?);
    let (m, k) = if call.flag(4) { (rows, columns) } else { (columns, rows) };
    let (n, b_k) = if call.flag(9) { (b_columns, b_rows) } else { (b_rows, b_columns) };
    agree(k, b_k)?;
    let mut gemm = product([m, n, k], a.precision()?, b.precision()?);
    gemm.output = output.precision()?;
    let work = on(&gemm, a, b);
    match call.optional(14).filter(|bias| bias.elements() > 0.0) {
        Some(_) => added(work, call, 14, None, m * n),
        None => Ok(work),
    }
}

/// `(x, weight, bias, type, ...)`.
fn rows_of_weights_with_bias(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let gemm = with_rows(x, weight)?;
    let output = call.element_type(3).unwrap_or(gemm.output);
    let work = on(&Gemm { output, ..gemm }, x, weight);
    if call.optional(2).is_some() { added(work, call, 2, None, gemm.m * gemm.n) } else { Ok(work) }
}

/// `(x, weight, ...)`, the output among the others.
fn rows_of_weights(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let gemm = with_rows(x, weight)?;
    let output = output_of(call, &gemm).unwrap_or(gemm.output);
    Ok(on(&Gemm { output, ..gemm }, x, weight))
}

/// The type of the output, if it is among the arguments after the first two: a tensor of its shape.
pub(super) fn output_of(call: &Call<'_>, gemm: &Gemm) -> Option<Precision> {
    let fits = |tensor: &&Tensor| {
        tensor.shape.len() >= 2
            && tensor.rows_and_columns().is_ok_and(|[m, n]| m == gemm.batch * gemm.m && n == gemm.n)
            && tensor.precision.is_some_and(|precision| precision.arithmetic().is_some())
    };
    let tensor = (2..call.inputs.len()).filter_map(|index| call.optional(index)).find(fits)?;
    tensor.precision
}

/// Products of stacks of matrices with broadcasting; a vector is a matrix of one row or column.
fn matmul(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let (first, second) = (axes(a, true)?, axes(b, false)?);
    let ([m, k], [rows, n]) = (first.matrix, second.matrix);
    agree(k, rows)?;
    let batch = crate::ops::shape::volume(&crate::ops::shape::broadcast(first.stack, second.stack)?);
    Ok(on(&Gemm { batch, ..product([m, n, k], a.precision()?, b.precision()?) }, a, b))
}

struct Axes<'a> {
    stack: &'a [u64],
    matrix: [f64; 2],
}

fn axes(tensor: &Tensor, is_row: bool) -> Result<Axes<'_>, NoFormula> {
    match tensor.shape.as_slice() {
        [] => Err("a matrix is a single number".to_owned()),
        [one] if is_row => Ok(Axes { stack: &[], matrix: [1.0, *one as f64] }),
        [one] => Ok(Axes { stack: &[], matrix: [*one as f64, 1.0] }),
        [stack @ .., rows, columns] => Ok(Axes { stack, matrix: [*rows as f64, *columns as f64] }),
    }
}
