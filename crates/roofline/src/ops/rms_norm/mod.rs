//! Root-mean-square normalization: PyTorch's, and those of serving engines fused with an addition, padding or
//! quantization.
//!
//! Counts are TraceLens': with n elements in rows of c, (2c + 2) operations a row and 2n for the scale (n without one);
//! n more for an added residual, 2n for quantization.

use super::normalization::mask;
use super::operands::{count, extents, stored};
use super::shape::volume;
use super::{Call, Formula, NoFormula, Tensor};
use crate::{Precision, Work};

mod served;

pub(super) use served::{FORMULAS as SERVED, WRAPPERS as SERVED_WRAPPERS};

const CATEGORY: &str = "rms norm";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: &["aten::_fused_rms_norm"], category: CATEGORY, work: fused, backward: None },
    Formula { names: BACKWARD, category: CATEGORY, work: backward, backward: None },
    Formula { names: PLAIN, category: CATEGORY, work: plain, backward: None },
    Formula { names: &["aiter::rmsnorm"], category: CATEGORY, work: to_output, backward: None },
    Formula { names: ADDED, category: CATEGORY, work: added, backward: None },
    Formula { names: &["fb::rms_norm"], category: CATEGORY, work: plain, backward: None },
    Formula {
        names: &["aiter::rmsnorm2d_fwd_with_dynamicquant_ck"],
        category: CATEGORY,
        work: row_quantised,
        backward: None,
    },
    Formula { names: &["aiter::rmsnorm_quant"], category: CATEGORY, work: group_quantised, backward: None },
    Formula {
        names: &["vllm::rocm_aiter_rmsnorm_fp8_group_quant"],
        category: CATEGORY,
        work: fp8_quantised,
        backward: None,
    },
    Formula {
        names: &["vllm::rocm_aiter_rmsnorm_with_add_fp8_group_quant"],
        category: CATEGORY,
        work: added_fp8_quantised,
        backward: None,
    },
    Formula { names: PADDED, category: CATEGORY, work: padded, backward: None },
    Formula { names: MXFP4, category: CATEGORY, work: mxfp4_quantised, backward: None },
    Formula { names: ALL_REDUCED, category: CATEGORY, work: all_reduced, backward: None },
];

/// PyTorch's calls `aten::_fused_rms_norm` or the elementwise operators it is made of.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula { names: &["aten::rms_norm"], category: CATEGORY, work: fused, backward: None },
    Formula { names: &["vllm::rocm_aiter_rms_norm"], category: CATEGORY, work: plain, backward: None },
];

const BACKWARD: &[&str] = &[
    "aten::_fused_rms_norm_backward",
    "aten::cudnn_rms_norm_backward",
    "aten::miopen_rms_norm_backward",
    "aten::native_rms_norm_backward",
    "aten::rms_norm_backward",
];
const PLAIN: &[&str] = &["aiter::rms_norm", "aiter::rmsnorm2d_fwd", "aiter::rmsnorm2d_fwd_ck"];
const ADDED: &[&str] =
    &["aiter::add_rmsnorm", "aiter::rmsnorm2d_fwd_with_add", "aiter::rmsnorm2d_fwd_with_add_ck"];
const PADDED: &[&str] = &["aiter::fused_add_rmsnorm_pad_", "vllm::rocm_aiter_triton_add_rmsnorm_pad"];
const MXFP4: &[&str] =
    &["aiter::_fuse_rmsnorm_fp4_quant", "sglang_profiler::fused_mxfp4_quant_fused_rms_mxfp4_quant"];
const ALL_REDUCED: &[&str] = &["aiter::fused_allreduce_rmsnorm", "aiter::fused_allreduce_rmsnorm_"];

/// A tensor in rows.
struct Rows {
    elements: f64,
    width: f64,
    precision: Precision,
}

impl Rows {
    fn new(input: &Tensor, width: f64) -> Result<Self, NoFormula> {
        if width < 1.0 {
            return Err("the rows have no elements".to_owned());
        }
        Ok(Self { elements: input.elements(), width, precision: input.precision()? })
    }

    /// The input and the scale at these places.
    fn scaled(call: &Call<'_>, input: usize, scale: usize) -> Result<Self, NoFormula> {
        let width = call.tensor(scale)?.elements();
        Self::new(call.tensor(input)?, width)
    }

    fn rows(&self) -> f64 {
        self.elements / self.width
    }

    /// Normalised and scaled, with this many operations more for an element; the input and the scale are read.
    fn normalised(&self, more: f64) -> Work {
        let flops = self.rows() * (2.0 * self.width + 2.0) + (2.0 + more) * self.elements;
        Work::vector(flops, self.elements, self.precision)
            .reads("input", self.elements, self.precision)
            .reads("scale", self.width, self.precision)
    }

    /// One byte for an element and one FP32 scale for every `group` of a row.
    fn quantised(&self, work: Work, group: u64) -> Result<Work, NoFormula> {
        let scales = self.rows() * (self.width / group.max(1) as f64).ceil();
        Ok(work.writes("output", self.elements, stored("fp8")?).writes("scales", scales, stored("fp32")?))
    }
}

/// `_fused_rms_norm(input, normalized_shape, weight, eps)`.
fn fused(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::new(call.tensor(0)?, volume(&extents(call, 1)?))?;
    let mut work = rows.normalised(0.0);
    if call.optional(2).is_none() {
        work.flops -= rows.elements;
        work.operands.retain(|operand| operand.name != "scale");
    }
    Ok(work.writes("output", rows.elements, rows.precision))
}

/// `_fused_rms_norm_backward(grad, input, normalized_shape, rstd, weight, output_mask)`: 2n operations (n without a
/// scale), 6n for the gradient of the input, 2n for that of the scale (n if there is one row).
fn backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::new(call.tensor(1)?, volume(&extents(call, 2)?))?;
    let (elements, precision) = (rows.elements, rows.precision);
    let has_scale = call.optional(4).is_some();
    let [of_input, of_scale] = mask(call, 5)?;
    let mut flops = if has_scale { 2.0 * elements } else { elements };
    if of_input {
        flops += 6.0 * elements;
    }
    if of_scale {
        flops += if rows.rows() > 1.0 { 2.0 * elements } else { elements };
    }
    let mut work = Work::vector(flops, elements, precision)
        .reads("output gradient", elements, precision)
        .reads("input", elements, precision);
    if has_scale {
        work = work.reads("scale", rows.width, precision);
    }
    if of_scale {
        work = work.writes("scale gradient", rows.width, precision);
    }
    Ok(work.writes("input gradient", elements, precision))
}

/// `rms_norm(x, weight, eps)`.
fn plain(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 0, 1)?;
    Ok(rows.normalised(0.0).writes("output", rows.elements, rows.precision))
}

/// `rmsnorm(out, x, weight, eps)`.
fn to_output(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 1, 2)?;
    Ok(rows.normalised(0.0).writes("output", rows.elements, rows.precision))
}

/// `add_rmsnorm(out, x, residual_in, residual_out, weight, eps)`.
fn added(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 1, 4)?;
    Ok(with_residual(&rows, 0.0).writes("output", rows.elements, rows.precision))
}

/// One operation more for the addition, whose result is kept.
fn with_residual(rows: &Rows, more: f64) -> Work {
    rows.normalised(1.0 + more).reads("residual", rows.elements, rows.precision).writes(
        "sum",
        rows.elements,
        rows.precision,
    )
}

/// `rmsnorm2d_fwd_with_dynamicquant_ck(out, x, scales, weight, eps, ...)`: one scale a row.
fn row_quantised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 1, 3)?;
    rows.quantised(rows.normalised(2.0), rows.width as u64)
}

/// `rmsnorm_quant(out, x, scales, weight, eps, group_size, ...)`; no group is a whole row.
fn group_quantised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 1, 3)?;
    let group = match count(call, 5)? {
        0 => rows.width as u64,
        group => group,
    };
    rows.quantised(rows.normalised(2.0), group)
}

/// `(x, weight, eps, group_size)`.
fn fp8_quantised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 0, 1)?;
    rows.quantised(rows.normalised(2.0), count(call, 3)?)
}

/// `(x, residual, weight, eps, group_size)`.
fn added_fp8_quantised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 0, 2)?;
    rows.quantised(with_residual(&rows, 2.0), count(call, 4)?)
}

/// `(x, weight, eps, residual, multiple)`: the output is widened to a multiple.
fn padded(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 0, 1)?;
    let multiple = count(call, 4)?.max(1) as f64;
    let width = (rows.width / multiple).ceil() * multiple;
    Ok(with_residual(&rows, 0.0).writes("output", rows.rows() * width, rows.precision))
}

/// `(x, weight, eps, x2, weight2, eps2, residual, ...)`: the second input is normalized next to, the first is stored in
/// four bits with a byte for every whole 32.
fn mxfp4_quantised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 0, 1)?;
    let is_matrix = |index| call.optional(index).filter(|tensor| tensor.shape.len() == 2);
    let mut work = if is_matrix(6).is_some() { with_residual(&rows, 2.0) } else { rows.normalised(2.0) };
    if let Some(second) = is_matrix(3) {
        let width = second.shape.last().copied().unwrap_or(0) as f64;
        let beside = Rows { elements: rows.rows() * width, width, precision: rows.precision };
        // The same operations for an element as for the first.
        work.flops += (rows.normalised(0.0).flops * beside.elements / rows.elements.max(1.0)).floor();
        work = work
            .reads("second input", beside.elements, rows.precision)
            .reads("second scale", width, rows.precision)
            .writes("second output", beside.elements, rows.precision);
    }
    Ok(work.writes("output", rows.elements, stored("fp4")?).writes(
        "scales",
        (rows.elements / 32.0).floor(),
        stored("e8m0")?,
    ))
}

/// `(handle, buffer, x, residual_in, residual_out, out, weight, eps, ...)`: what this device reads and writes; what
/// goes over links is for the communication roofline.
fn all_reduced(call: &Call<'_>) -> Result<Work, NoFormula> {
    let rows = Rows::scaled(call, 2, 6)?;
    Ok(with_residual(&rows, 0.0).writes("output", rows.elements, rows.precision))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, check};
    use super::*;

    const X: (&str, &str) = ("[4,256]", "c10::BFloat16");
    const W: (&str, &str) = ("[256]", "c10::BFloat16");
    const EPS: (&str, &str) = ("1e-05", "Scalar");
    /// 4 rows of (2*256 + 2), and 2*1024.
    const FLOPS: f64 = 4.0 * 514.0 + 2048.0;

    #[test]
    fn by_hand() {
        let width = ("[256]", "ScalarList");
        let both = ("[True, True]", "ScalarList");
        let first = ("[True, False]", "ScalarList");
        let group = ("128", "Scalar");
        let table: &[Example<'_>] = &[
            (fused, &[X, width, W, EPS], FLOPS, 2.0 * (2048.0 + 256.0)),
            (fused, &[X, width, ("", ""), EPS], FLOPS - 1024.0, 2.0 * 2048.0),
            (backward, &[X, X, width, ("[4,1]", "float"), W, both], 10.0 * 1024.0, 2.0 * (3072.0 + 512.0)),
            (backward, &[X, X, width, ("[4,1]", "float"), ("", ""), first], 7.0 * 1024.0, 2.0 * 3072.0),
            (plain, &[X, W, EPS], FLOPS, 2.0 * (2048.0 + 256.0)),
            (to_output, &[X, X, W, EPS], FLOPS, 2.0 * (2048.0 + 256.0)),
            (added, &[X, X, X, X, W, EPS], FLOPS + 1024.0, 2.0 * (4096.0 + 256.0)),
            (
                row_quantised,
                &[X, X, ("[4,1]", "float"), W, EPS],
                FLOPS + 2048.0,
                2.0 * (1024.0 + 256.0) + 1024.0 + 4.0 * 4.0,
            ),
            (
                group_quantised,
                &[X, X, ("[4,2]", "float"), W, EPS, group],
                FLOPS + 2048.0,
                2.0 * (1024.0 + 256.0) + 1024.0 + 4.0 * 8.0,
            ),
            (fp8_quantised, &[X, W, EPS, group], FLOPS + 2048.0, 2.0 * (1024.0 + 256.0) + 1024.0 + 4.0 * 8.0),
            (
                added_fp8_quantised,
                &[X, X, W, EPS, group],
                FLOPS + 3072.0,
                2.0 * (3072.0 + 256.0) + 1024.0 + 4.0 * 8.0,
            ),
            // 256 widened to 300.
            (padded, &[X, W, EPS, X, ("100", "Scalar")], FLOPS + 1024.0, 2.0 * (3072.0 + 256.0 + 1200.0)),
            (mxfp4_quantised, &[X, W, EPS], FLOPS + 2048.0, 2.0 * (1024.0 + 256.0) + 512.0 + 32.0),
            (
                mxfp4_quantised,
                &[X, W, EPS, ("[4,128]", "c10::BFloat16"), ("[128]", "c10::BFloat16"), EPS, X],
                FLOPS + 3072.0 + FLOPS / 2.0,
                2.0 * (3072.0 + 256.0) + 512.0 + 32.0 + 2.0 * (1024.0 + 128.0),
            ),
            (
                all_reduced,
                &[("[1]", "unsigned char"), ("0", "Scalar"), X, X, X, X, W, EPS],
                FLOPS + 1024.0,
                2.0 * (4096.0 + 256.0),
            ),
        ];
        check(table);
    }
}
