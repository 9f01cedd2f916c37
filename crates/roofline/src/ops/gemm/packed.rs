//! Products with weights of few bits that are stored in words and unpacked on the way. What is stored is what is read,
//! whatever the format; they are computed in the type of the activations.

use super::calls::agree;
use crate::ops::operands::count;
use crate::ops::{Call, NoFormula, Tensor};
use crate::{Arithmetic, Family, Precision, Work};

/// `m` x `k` activations with weights that stand for `k` x `n` numbers; scales, zeros and permutations at these places are
/// read too.
fn weight_only(
    call: &Call<'_>,
    x: &Tensor,
    weights: &Tensor,
    n: f64,
    others: impl IntoIterator<Item = usize>,
    output: Precision,
) -> Result<Work, NoFormula> {
    let ([m, k], precision) = (x.rows_and_columns()?, x.precision()?);
    let mut work = Work::matrix(m * n * k, precision).reads("a", m * k, precision).reads(
        "b",
        weights.elements(),
        weights.precision()?,
    );
    for tensor in others.into_iter().filter_map(|place| call.optional(place)) {
        work = work.reads("scale", tensor.elements(), tensor.precision()?);
    }
    Ok(work.writes("output", m * n, output))
}

/// The output of 8-bit activations is 16 bits wide.
fn output_of(x: &Tensor) -> Result<Precision, NoFormula> {
    let precision = x.precision()?;
    Ok(if precision.element_bits <= 8.0 { Precision::BF16 } else { precision })
}

/// Where `m`, `n` and `k` stand among the numbers: `m` and `k` are those of the activations.
pub(in crate::ops) fn sizes(call: &Call<'_>, x: &Tensor) -> Result<usize, NoFormula> {
    let [m, k] = x.rows_and_columns()?;
    let fits = |place: &usize| {
        call.number(*place) == Some(m)
            && call.number(place + 1).is_some_and(|n| n > 0.0)
            && call.number(place + 2) == Some(k)
    };
    (1..call.inputs.len()).find(fits).ok_or_else(|| "the sizes of the product were not recorded".to_owned())
}

/// Packed weights: the first tensor of words after the activations. A tensor for the output may stand before it.
pub(in crate::ops) fn words(call: &Call<'_>) -> Result<usize, NoFormula> {
    let is_packed = |place: &usize| {
        let precision = call.optional(*place).and_then(|tensor| tensor.precision);
        precision.is_some_and(|precision| precision.family == Family::Integer)
    };
    (1..call.inputs.len()).find(is_packed).ok_or_else(|| "the packed weights were not recorded".to_owned())
}

/// `(a, [output,] weights, [bias,] scales, ..., workspace, format, m, n, k, ...)`. Versions differ in what is between the
/// weights and the workspace, all of which is read.
pub(super) fn marlin(call: &Call<'_>) -> Result<Work, NoFormula> {
    let x = call.tensor(0)?;
    let (weights, sizes) = (words(call)?, sizes(call, x)?);
    let workspace = (weights + 1..sizes).rev().find(|place| call.optional(*place).is_some());
    let others = weights + 1..workspace.unwrap_or(weights + 1);
    let n = call.number(sizes + 1).unwrap_or(0.0);
    weight_only(call, x, call.tensor(weights)?, n, others, output_of(x)?)
}

/// `(a, weights (k / numbers in a word, n), zeros, scales, group of each row, ...)`.
pub(super) fn gptq(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weights) = (call.tensor(0)?, call.tensor(1)?);
    let [_, n] = weights.extents()?;
    weight_only(call, x, weights, n, 2..5, output_of(x)?)
}

/// `(a, weights (k, n/8), scales, zeros, ...)`.
pub(super) fn awq(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weights) = (call.tensor(0)?, call.tensor(1)?);
    let ([_, k], [rows, words]) = (x.rows_and_columns()?, weights.extents()?);
    agree(k, rows)?;
    weight_only(call, x, weights, 8.0 * words, 2..4, output_of(x)?)
}

/// `(a, weights (k / numbers in a word, n), format, type, scales, zeros, group, channel scales, token scales, ...)`.
pub(super) fn machete(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weights) = (call.tensor(0)?, call.tensor(1)?);
    let [_, n] = weights.extents()?;
    weight_only(call, x, weights, n, 4..9, call.element_type(3).map_or_else(|| output_of(x), Ok)?)
}

/// `(a, weights (k/8, n), scales, group, channel scales, token scales, type, ...)`.
pub(super) fn cutlass_w4a8(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weights) = (call.tensor(0)?, call.tensor(1)?);
    let [_, n] = weights.extents()?;
    weight_only(call, x, weights, n, 2..6, call.element_type(6).map_or_else(|| output_of(x), Ok)?)
}

/// `(a, weights, scales, zeros, n, ...)`.
pub(super) fn allspark(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weights) = (call.tensor(0)?, call.tensor(1)?);
    weight_only(call, x, weights, count(call, 4)? as f64, 2..4, output_of(x)?)
}

/// `(weights, x, format, n)`: blocks with their scales as stored. The activations are quantized to 8 bits on the way.
pub(super) fn ggml(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (weights, x) = (call.tensor(0)?, call.tensor(1)?);
    let work = weight_only(call, x, weights, count(call, 3)? as f64, [], output_of(x)?)?;
    Ok(Work { arithmetic: Some(Arithmetic::Int8), ..work })
}

/// `(a, weights (n, k/2), ..., ..., ..., ..., output)`: 8-bit activations, two weights in each byte.
pub(super) fn qserve(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weights, output) = (call.tensor(0)?, call.tensor(1)?, call.tensor(6)?);
    let ([_, k], [n, bytes]) = (x.rows_and_columns()?, weights.extents()?);
    agree(k, 2.0 * bytes)?;
    weight_only(call, x, weights, n, 2..6, output.precision()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::operands::testing::{call, check_named};

    /// 4 rows, 256 summed over, 128 columns.
    const FLOPS: f64 = 2.0 * 4.0 * 256.0 * 128.0;
    /// The activations and the output, two bytes each.
    const BYTES: f64 = 2.0 * (1024.0 + 512.0);
    /// 4 bits for each weight, FP16 scales for groups of 128.
    const WEIGHTS: f64 = 256.0 * 128.0 / 2.0;
    const SCALES: f64 = 2.0 * 2.0 * 128.0;

    #[test]
    fn by_hand() {
        let half = "c10::Half";
        let x = ("[4,256]", half);
        let tiled = ("[16,256]", "int");
        let groups = ("[2,128]", half);
        let (none, empty) = (("", ""), ("[0]", "int"));
        let workspace = ("[528]", "int");
        let number = |text| (text, "Scalar");
        let (m, n, k) = (number("4"), number("128"), number("256"));
        check_named(&[
            // Three versions: SGLang's, vLLM 0.11's, vLLM's of 2026.
            (
                "sgl_kernel::gptq_marlin_gemm",
                &[
                    x,
                    none,
                    tiled,
                    groups,
                    none,
                    empty,
                    empty,
                    empty,
                    workspace,
                    number("1125899906909960"),
                    m,
                    n,
                    k,
                ],
                FLOPS,
                BYTES + WEIGHTS + SCALES,
            ),
            (
                "_C::gptq_marlin_gemm",
                &[
                    x,
                    none,
                    tiled,
                    ("[128]", half),
                    groups,
                    none,
                    none,
                    empty,
                    empty,
                    workspace,
                    number("1125899906909960"),
                    m,
                    n,
                    k,
                    number("True"),
                ],
                FLOPS,
                BYTES + WEIGHTS + SCALES + 256.0,
            ),
            (
                "_C::marlin_gemm",
                &[
                    x,
                    ("[4,128]", half),
                    tiled,
                    none,
                    groups,
                    none,
                    none,
                    none,
                    empty,
                    empty,
                    workspace,
                    number("1125899906909960"),
                    m,
                    n,
                    k,
                    number("True"),
                ],
                FLOPS,
                BYTES + WEIGHTS + SCALES,
            ),
            (
                "_C::gptq_gemm",
                &[
                    x,
                    ("[32,128]", "int"),
                    ("[2,16]", "int"),
                    groups,
                    ("[256]", "int"),
                    number("True"),
                    number("4"),
                ],
                FLOPS,
                BYTES + WEIGHTS + SCALES + 128.0 + 1024.0,
            ),
            (
                "_C::awq_gemm",
                &[x, ("[256,16]", "int"), groups, ("[2,16]", "int"), number("8")],
                FLOPS,
                BYTES + WEIGHTS + SCALES + 128.0,
            ),
            (
                "_C::machete_mm",
                &[x, ("[32,128]", "int"), number("1"), none, groups, none, number("128"), none, none, none],
                FLOPS,
                BYTES + WEIGHTS + SCALES,
            ),
            (
                "_C::cutlass_w4a8_mm",
                &[
                    ("[4,256]", "c10::Float8_e4m3fn"),
                    ("[32,128]", "int"),
                    ("[2,8,128]", "c10::Float8_e4m3fn"),
                    number("128"),
                    ("[128,1]", "float"),
                    ("[4,1]", "float"),
                    none,
                    none,
                ],
                FLOPS,
                1024.0 + WEIGHTS + 2048.0 + 512.0 + 16.0 + 1024.0,
            ),
            (
                "_C::allspark_w8a16_gemm",
                &[x, ("[256,128]", "unsigned char"), ("[1,128]", half), none, n],
                FLOPS,
                BYTES + 32768.0 + 256.0,
            ),
            // Q4_0: 8 blocks of 18 bytes in each of 128 rows.
            (
                "_C::ggml_mul_mat_a8",
                &[("[128,144]", "unsigned char"), x, number("2"), n],
                FLOPS,
                BYTES + 18432.0,
            ),
            (
                "sgl_kernel::qserve_w4a8_per_chn_gemm",
                &[
                    ("[4,256]", "signed char"),
                    ("[128,128]", "signed char"),
                    ("[128]", half),
                    ("[4]", half),
                    ("[128]", half),
                    ("[4]", half),
                    ("[4,128]", half),
                ],
                FLOPS,
                1024.0 + WEIGHTS + 2.0 * (128.0 + 4.0 + 128.0 + 4.0) + 1024.0,
            ),
        ]);
        let unknown =
            [x, none, tiled, groups, none, empty, empty, empty, workspace, number("5"), number("7"), n, k];
        assert!(marlin(&call("_C::gptq_marlin_gemm", &unknown)).unwrap_err().contains("sizes"));
    }
}
