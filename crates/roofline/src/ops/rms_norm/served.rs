//! Normalisation as serving engines fuse it with an addition and quantization: variants differ in where their arguments
//! are. Schemas: vLLM `csrc/torch_bindings.cpp` and `vllm/_aiter_ops.py`, SGLang `sgl-kernel/csrc/common_extension.cc`,
//! FlashInfer `flashinfer/norm.py`, AITER `aiter/ops/rmsnorm.py`.

use super::{CATEGORY, Rows};
use crate::ops::operands::stored;
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(
        &[
            "_C::rms_norm",
            "aiter::rms_norm_cu",
            "flashinfer::gemma_rmsnorm",
            "flashinfer::rmsnorm",
            "sgl_kernel::gemma_rmsnorm",
            "sgl_kernel::rmsnorm",
        ],
        |call| Places { output: Some(0), ..Places::at(1, 2) }.work(call),
    ),
    formula(&["_C::rms_norm_weightless"], |call| {
        Places { output: Some(0), scale: None, ..Places::at(1, 0) }.work(call)
    }),
    formula(
        &[
            "_C::fused_add_rms_norm",
            "aiter::fused_add_rms_norm_cu",
            "flashinfer::fused_add_rmsnorm",
            "flashinfer::gemma_fused_add_rmsnorm",
            "sgl_kernel::fused_add_rmsnorm",
            "sgl_kernel::gemma_fused_add_rmsnorm",
        ],
        |call| Places { residual: Some(1), ..Places::at(0, 2) }.work(call),
    ),
    formula(&["_C::fused_add_rms_norm_weightless"], |call| {
        Places { residual: Some(1), scale: None, ..Places::at(0, 0) }.work(call)
    }),
    formula(&["_C::rms_norm_static_fp8_quant"], |call| {
        Places { output: Some(0), scales: &[3], ..Places::at(1, 2) }.work(call)
    }),
    formula(&["_C::fused_add_rms_norm_static_fp8_quant"], |call| {
        Places { output: Some(0), residual: Some(2), scales: &[4], ..Places::at(1, 3) }.work(call)
    }),
    // The residual comes last, and may be absent.
    formula(&["_C::rms_norm_dynamic_per_token_quant", "_C::rms_norm_per_block_quant"], |call| {
        Places { output: Some(0), residual: Some(6), scales: &[3], ..Places::at(1, 2) }.work(call)
    }),
    formula(&["aiter::rmsnorm2d_fwd_with_dynamicquant"], |call| {
        Places { output: Some(0), scales: &[2], ..Places::at(1, 3) }.work(call)
    }),
    formula(&["aiter::rmsnorm2d_fwd_with_smoothquant", "aiter::rmsnorm2d_fwd_with_smoothquant_ck"], |call| {
        Places { output: Some(0), scales: &[2, 3], ..Places::at(1, 4) }.work(call)
    }),
    formula(
        &[
            "aiter::add_rmsnorm_quant",
            "aiter::rmsnorm2d_fwd_with_add_dynamicquant",
            "aiter::rmsnorm2d_fwd_with_add_dynamicquant_ck",
        ],
        |call| Places { output: Some(0), residual: Some(2), scales: &[4], ..Places::at(1, 5) }.work(call),
    ),
    formula(
        &["aiter::rmsnorm2d_fwd_with_add_smoothquant", "aiter::rmsnorm2d_fwd_with_add_smoothquant_ck"],
        |call| Places { output: Some(0), residual: Some(2), scales: &[4, 5], ..Places::at(1, 6) }.work(call),
    ),
];

/// vLLM's operators around AITER's.
pub(in crate::ops) const WRAPPERS: &[Formula] = &[
    formula(&["vllm::rocm_aiter_rmsnorm2d_fwd_with_add"], |call| {
        Places { residual: Some(1), ..Places::at(0, 2) }.work(call)
    }),
    formula(&["vllm::rocm_aiter_rmsnorm_fused_dynamic_quant"], |call| by_rows(call, Places::at(0, 1))),
    formula(&["vllm::rocm_aiter_rmsnorm_fused_add_dynamic_quant"], |call| {
        by_rows(call, Places { residual: Some(1), ..Places::at(0, 2) })
    }),
];

/// Where the arguments of a variant are.
struct Places {
    input: usize,
    /// The scale of the columns.
    scale: Option<usize>,
    /// A tensor for the output, without which it has the type of the input.
    output: Option<usize>,
    /// What is added before, if it is there; the sum is kept.
    residual: Option<usize>,
    /// Scales of quantization, given or found.
    scales: &'static [usize],
}

impl Places {
    const fn at(input: usize, scale: usize) -> Self {
        Self { input, scale: Some(scale), output: None, residual: None, scales: &[] }
    }

    fn work(&self, call: &Call<'_>) -> Result<Work, NoFormula> {
        let output = self.output.map(|place| call.tensor(place)).transpose()?;
        let precision = output.unwrap_or(call.tensor(self.input)?).precision()?;
        let mut work = self.written_as(call, precision)?;
        for scales in self.scales.iter().filter_map(|place| call.optional(*place)) {
            work = work.writes("scales", scales.elements(), scales.precision()?);
        }
        Ok(work)
    }

    /// The work with an output of this precision; narrower than the input, it is quantized.
    fn written_as(&self, call: &Call<'_>, output: Precision) -> Result<Work, NoFormula> {
        let input = call.tensor(self.input)?;
        let scale = self.scale.map(|place| call.tensor(place)).transpose()?;
        let width = scale.map_or(input.shape.last().copied().unwrap_or(0) as f64, Tensor::elements);
        let rows = Rows::new(input, width)?;
        let residual = self.residual.and_then(|place| call.optional(place));
        let quantised = output.element_bits < rows.precision.element_bits;
        let more = residual.map_or(0.0, |_| 1.0) + if quantised { 2.0 } else { 0.0 };
        let mut work = rows.normalised(more);
        match scale {
            // The scale may be kept in more bits than what it scales.
            Some(scale) => {
                let precision = scale.precision()?;
                for operand in work.operands.iter_mut().filter(|operand| operand.name == "scale") {
                    operand.precision = precision;
                }
            }
            None => {
                work.flops -= rows.elements;
                work.operands.retain(|operand| operand.name != "scale");
            }
        }
        if let Some(residual) = residual {
            let precision = residual.precision()?;
            work = work.reads("residual", rows.elements, precision).writes("sum", rows.elements, precision);
        }
        Ok(work.writes("output", rows.elements, output))
    }
}

/// Quantised to 8 bits with an FP32 scale for each row.
fn by_rows(call: &Call<'_>, places: Places) -> Result<Work, NoFormula> {
    let [rows, _] = call.tensor(places.input)?.rows_and_columns()?;
    Ok(places.written_as(call, stored("fp8")?)?.writes("scales", rows, stored("fp32")?))
}

#[cfg(test)]
mod tests {
    use crate::ops::operands::testing::check_named;

    const X: (&str, &str) = ("[4,256]", "c10::BFloat16");
    const W: (&str, &str) = ("[256]", "c10::BFloat16");
    const Q: (&str, &str) = ("[4,256]", "c10::Float8_e4m3fn");
    const ROWS: (&str, &str) = ("[4,1]", "float");
    const ONE: (&str, &str) = ("[1]", "float");
    const EPS: (&str, &str) = ("1e-06", "Scalar");
    const NONE: (&str, &str) = ("", "");
    /// 4 rows of (2*256 + 2), and 2*1024 for the scale.
    const FLOPS: f64 = 4.0 * 514.0 + 2048.0;
    /// Input and scale, two bytes each.
    const READ: f64 = 2.0 * (1024.0 + 256.0);

    #[test]
    fn by_hand() {
        check_named(&[
            ("_C::rms_norm", &[X, X, W, EPS], FLOPS, READ + 2048.0),
            ("sgl_kernel::rmsnorm", &[X, X, W, EPS, ("True", "Scalar")], FLOPS, READ + 2048.0),
            // FP32 weights.
            ("flashinfer::rmsnorm", &[X, X, ("[256]", "float"), EPS], FLOPS, READ + 512.0 + 2048.0),
            ("_C::rms_norm_weightless", &[X, X, EPS], FLOPS - 1024.0, 4096.0),
            // Read twice, written twice.
            ("_C::fused_add_rms_norm", &[X, X, W, EPS], FLOPS + 1024.0, READ + 3.0 * 2048.0),
            ("sgl_kernel::fused_add_rmsnorm", &[X, X, W, EPS], FLOPS + 1024.0, READ + 3.0 * 2048.0),
            ("_C::fused_add_rms_norm_weightless", &[X, X, EPS], FLOPS, 4.0 * 2048.0),
            ("_C::rms_norm_static_fp8_quant", &[Q, X, W, ONE, EPS], FLOPS + 2048.0, READ + 1024.0 + 4.0),
            (
                "_C::fused_add_rms_norm_static_fp8_quant",
                &[Q, X, X, W, ONE, EPS],
                FLOPS + 3072.0,
                READ + 1024.0 + 4096.0 + 4.0,
            ),
            (
                "_C::rms_norm_dynamic_per_token_quant",
                &[Q, X, W, ROWS, EPS, NONE, X],
                FLOPS + 3072.0,
                READ + 1024.0 + 4096.0 + 16.0,
            ),
            (
                "_C::rms_norm_per_block_quant",
                &[Q, X, W, ("[4,2]", "float"), EPS, NONE, NONE, ("128", "Scalar"), ("False", "Scalar")],
                FLOPS + 2048.0,
                READ + 1024.0 + 32.0,
            ),
            (
                "aiter::rmsnorm2d_fwd_with_dynamicquant",
                &[Q, X, ROWS, W, EPS],
                FLOPS + 2048.0,
                READ + 1024.0 + 16.0,
            ),
            (
                "aiter::rmsnorm2d_fwd_with_smoothquant",
                &[Q, X, ("[256]", "float"), ROWS, W, EPS],
                FLOPS + 2048.0,
                READ + 1024.0 + 1024.0 + 16.0,
            ),
            (
                "aiter::add_rmsnorm_quant",
                &[Q, X, X, X, ROWS, W, EPS, ("0", "Scalar")],
                FLOPS + 3072.0,
                READ + 1024.0 + 4096.0 + 16.0,
            ),
            (
                "aiter::rmsnorm2d_fwd_with_add_smoothquant",
                &[Q, X, X, X, ("[256]", "float"), ROWS, W, EPS],
                FLOPS + 3072.0,
                READ + 1024.0 + 4096.0 + 1024.0 + 16.0,
            ),
            ("vllm::rocm_aiter_rmsnorm2d_fwd_with_add", &[X, X, W, EPS], FLOPS + 1024.0, READ + 3.0 * 2048.0),
            (
                "vllm::rocm_aiter_rmsnorm_fused_add_dynamic_quant",
                &[X, X, W, EPS, ("24", "Scalar")],
                FLOPS + 3072.0,
                READ + 1024.0 + 4096.0 + 16.0,
            ),
        ]);
    }
}
