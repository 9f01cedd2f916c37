//! Products of quantized matrices. Scales are operands too: what is recorded of them is counted.

use super::Gemm;
use super::calls::{agree, matrices, output_of, product, with_rows};
use crate::ops::{Call, NoFormula, Tensor};
use crate::{Arithmetic, Precision, Work};

/// Elements that share a scale in microscaling formats (OCP MX 1.0).
const BLOCK: f64 = 32.0;

/// How a matrix is stored, and how many numbers one recorded element holds: PyTorch's packed pairs are two.
fn unpacked(tensor: &Tensor) -> Result<(Precision, f64), NoFormula> {
    let precision = tensor.precision()?;
    Ok(if precision.name == "fp4x2" { (Precision::FP4, 2.0) } else { (precision, 1.0) })
}

pub(super) fn scales(mut work: Work, call: &Call<'_>, places: &[usize]) -> Result<Work, NoFormula> {
    for tensor in places.iter().filter_map(|place| call.optional(*place)) {
        work = work.reads("scale", tensor.stored_elements(), tensor.precision()?);
    }
    Ok(work)
}

/// A bias of `n` elements that is added to every row, if the tensor at this place is one.
pub(super) fn bias(call: &Call<'_>, place: usize) -> Result<Option<Precision>, NoFormula> {
    call.optional(place).map(Tensor::precision).transpose()
}

/// `_scaled_mm(a, b, scale_a, scale_b, bias, scale_result, type, ...)`; in older versions
/// `(a, b, bias, type, scale_a, scale_b, scale_result, ...)`, where a tensor never is at place 3.
pub(super) fn scaled_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    if call.optional(3).is_some() {
        scaled(call, bias(call, 4)?, &[2, 3, 5], call.element_type(6))
    } else {
        scaled(call, bias(call, 2)?, &[4, 5, 6], call.element_type(3))
    }
}

/// `_scaled_mm_v2(a, b, scales of a, recipe, swizzle, scales of b, recipe, swizzle, bias, type, ...)`. The element type
/// of lists of tensors is not recorded, so the scales are not counted.
pub(super) fn scaled_mm_v2(call: &Call<'_>) -> Result<Work, NoFormula> {
    scaled(call, bias(call, 8)?, &[], call.element_type(9))
}

/// `cublas_scaled_mm(a, b, scale_a, scale_b, bias, type, ...)`.
pub(super) fn cublas_scaled_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    scaled(call, bias(call, 4)?, &[2, 3], call.element_type(5))
}

/// `fp8_scaled_mm(a, b, scales of a, scales of b, type, bias)`.
pub(super) fn sgl_scaled_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    scaled(call, bias(call, 5)?, &[2, 3], call.element_type(4))
}

/// `cutlass_scaled_mm(output, a, b, scales of a, scales of b, bias)`.
pub(super) fn cutlass_scaled_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gemm = matrices(call.tensor(1)?, call.tensor(2)?)?;
    let output = call.tensor(0)?.precision()?;
    scales(Gemm { output, bias: bias(call, 5)?, ..gemm }.work(), call, &[3, 4])
}

/// `cutlass_scaled_fp4_mm(output, a (m, k/2), b (n, k/2), scales of a, scales of b, scale)`, two numbers in each byte and
/// an 8-bit scale for 16 of them. Recorded scales are padded to tiles, so their number is computed.
pub(super) fn cutlass_scaled_fp4_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([m, k], [n, columns]) = (call.tensor(1)?.extents()?, call.tensor(2)?.extents()?);
    agree(k, columns)?;
    let output = call.tensor(0)?.precision()?;
    let gemm = Gemm { output, ..product([m, n, 2.0 * k], Precision::FP4, Precision::FP4) };
    let blocks = (gemm.k / 16.0).ceil();
    let work = gemm.work().reads("scale", (m + n) * blocks, call.tensor(3)?.precision()?);
    scales(work, call, &[5])
}

/// Without a type among the arguments the output has that of the first operand.
fn scaled(
    call: &Call<'_>,
    bias: Option<Precision>,
    places: &[usize],
    output: Option<Precision>,
) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let ((first, packed), (second, _)) = (unpacked(a)?, unpacked(b)?);
    let gemm = matrices(a, b)?;
    let output = output.unwrap_or(gemm.output);
    let gemm = Gemm { k: packed * gemm.k, a: first, b: second, output, bias, ..gemm };
    scales(gemm.work(), call, places)
}

/// 8-bit integers, summed to 32 bits.
pub(super) fn int_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gemm = matrices(call.tensor(0)?, call.tensor(1)?)?;
    Ok(Gemm { output: Precision::INT32, ..gemm }.work())
}

/// 8-bit integers with weights by rows, summed to 32 bits.
pub(super) fn int8_linear_matmul(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gemm = with_rows(call.tensor(0)?, call.tensor(1)?)?;
    Ok(Gemm { output: Precision::INT32, ..gemm }.work())
}

/// `_weight_int8pack_mm(x, weight, scales)`.
pub(super) fn weight_int8pack_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    scales(with_rows(call.tensor(0)?, call.tensor(1)?)?.work(), call, &[2])
}

/// `_weight_int4pack_mm(x, weight, group, scales and zeros)`: eight weights in each 32-bit element, tiled.
pub(super) fn weight_int4pack_mm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let [m, k] = x.rows_and_columns()?;
    if k <= 0.0 {
        return Err("there is nothing to sum over".to_owned());
    }
    let n = weight.elements() * weight.precision()?.element_bits / 4.0 / k;
    let gemm = product([m, n, k], x.precision()?, Precision::INT4);
    scales(gemm.work(), call, &[3])
}

/// `(x, weight, scale of x, scale of weight, ...)`. The output is bfloat16, the default of these functions, unless a
/// tensor for it is among the arguments.
pub(super) fn scaled_rows(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gemm = with_rows(call.tensor(0)?, call.tensor(1)?)?;
    let output = output_of(call, &gemm).unwrap_or(Precision::BF16);
    scales(Gemm { output, ..gemm }.work(), call, &[2, 3])
}

/// Two 4-bit floats in each byte of `x` and of the weights; one power of two for 32 of them in each row. Recorded scales
/// are padded to tiles, so their number is computed.
pub(super) fn packed_rows(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let ([m, k], [n, columns]) = (x.rows_and_columns()?, weight.extents()?);
    agree(k, columns)?;
    let gemm = product([m, n, 2.0 * k], Precision::FP4, Precision::FP4);
    let output = output_of(call, &gemm).unwrap_or(Precision::BF16);
    Ok(microscaled(&Gemm { output, ..gemm }))
}

fn microscaled(gemm: &Gemm) -> Work {
    let blocks = (gemm.k / BLOCK).ceil();
    let scales = gemm.batch * (gemm.m + gemm.n) * blocks;
    gemm.work().reads("scale", scales, Precision::E8M0)
}

/// `x` (b, m, k) in 16 bits, weights (b, n, k/2) with two 4-bit floats in each byte. The activations are quantized on
/// the way, so that it is computed in 4 bits.
pub(super) fn batched_packed_weights(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let ([batch, m, k], [_, n, columns]) = (x.extents()?, weight.extents()?);
    agree(k, 2.0 * columns)?;
    let gemm =
        Gemm { batch, compute: Some(Arithmetic::Fp4), ..product([m, n, k], x.precision()?, Precision::FP4) };
    let output = output_of(call, &gemm).unwrap_or(Precision::BF16);
    scales(Gemm { output, ..gemm }.work(), call, &[2])
}

/// `x` (b, m, k) or (m, b, k) in 16 bits, weights (b, n, k) in 8 bits. The activations are quantized on the way.
pub(super) fn batched_scaled_weights(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let ([first, second, k], [batch, n, columns]) = (x.extents()?, weight.extents()?);
    agree(k, columns)?;
    let m = if first == batch { second } else { first };
    let stored = weight.precision()?;
    let gemm = Gemm { batch, compute: stored.arithmetic(), ..product([m, n, k], x.precision()?, stored) };
    let output = output_of(call, &gemm).unwrap_or(Precision::BF16);
    scales(Gemm { output, ..gemm }.work(), call, &[2])
}

/// The first two matrices are `x` (m, k) and weights (n, k/2) with two 4-bit floats in each byte; `x` is quantized on the
/// way.
pub(super) fn dynamic_packed_weights(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mut matrices = call.tensors().filter(|tensor| tensor.shape.len() == 2);
    let (Some(x), Some(weight)) = (matrices.next(), matrices.next()) else {
        return Err("two matrices are needed".to_owned());
    };
    let ([m, k], [n, columns]) = (x.extents()?, weight.extents()?);
    agree(k, 2.0 * columns)?;
    let a = x.precision()?;
    let gemm = Gemm { compute: Some(Arithmetic::Fp4), ..product([m, n, k], a, Precision::FP4) };
    Ok(gemm.work().reads("scale", n * (k / BLOCK).ceil(), Precision::E8M0))
}

/// `(a, scale, b, scale, type, transa, transb, transc, ...)`.
fn hipblaslt(call: &Call<'_>) -> Result<Gemm, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(2)?);
    let ([rows, columns], [b_rows, b_columns]) = (a.extents()?, b.extents()?);
    let (m, k) = if call.flag(5) { (columns, rows) } else { (rows, columns) };
    let (b_k, n) = if call.flag(6) { (b_columns, b_rows) } else { (b_rows, b_columns) };
    agree(k, b_k)?;
    let output = call.element_type(4).unwrap_or(Precision::BF16);
    Ok(Gemm { output, ..product([m, n, k], a.precision()?, b.precision()?) })
}

pub(super) fn hipblaslt_fp8(call: &Call<'_>) -> Result<Work, NoFormula> {
    scales(hipblaslt(call)?.work(), call, &[1, 3])
}

pub(super) fn hipblaslt_fp4(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gemm = hipblaslt(call)?;
    Ok(microscaled(&Gemm { k: 2.0 * gemm.k, a: Precision::FP4, b: Precision::FP4, ..gemm }))
}
