//! Layers of experts as recordings name them. Weights are stored as (experts, rows, columns), where a column of a packed
//! format holds several numbers; which experts are used is estimated.

use super::MixtureOfExperts;
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: "experts", work, backward: None }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(
        &[
            "aiter::fused_moe_",
            "pseudo_op::moe_aiter_fused_1stage",
            "sglang::inplace_fused_experts",
            "sglang::outplace_fused_experts",
            "vllm::inplace_fused_experts",
            "vllm::outplace_fused_experts",
            "vllm::rocm_aiter_asm_moe_tkw1",
            "vllm::rocm_aiter_ck_moe",
            "vllm::rocm_aiter_fused_moe",
        ],
        fused,
    ),
    formula(
        &[
            "aiter::fmoe",
            "aiter::fmoe_fp8_blockscale_g1u1",
            "aiter::fmoe_g1u1",
            "aiter::fmoe_g1u1_a16",
            "aiter::fmoe_g1u1_tkw1",
            "aiter::fmoe_int8_g1u0",
            "aiter::fmoe_int8_g1u0_a16",
        ],
        fused_into,
    ),
    formula(
        &["vllm::flashinfer_fused_moe_blockscale_fp8", "vllm::flashinfer_fused_moe_per_tensor_scale_fp8"],
        fused_with_routing,
    ),
    formula(&["aiter::moe_cktile2stages_gemm1_ck"], |call| up(call, 1, 2)),
    formula(&["aiter::ck_moe_stage1", "aiter::ck_moe_stage1_fwd", "aiter::moe_stage1_g1u1"], |call| {
        up(call, 1, 6)
    }),
    formula(&["aiter::moe_cktile2stages_gemm2_ck"], |call| down(call, 1, 2)),
    formula(&["aiter::ck_moe_stage2", "aiter::ck_moe_stage2_fwd"], |call| down(call, 2, 6)),
    formula(&["sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel"], one_product),
];

/// How weights are stored whose rows hold `columns` numbers: several in each recorded element if there are fewer of
/// those.
fn packed(weight: &Tensor, columns: f64) -> Result<Precision, NoFormula> {
    let ([_, _, stored], precision) = (weight.extents::<3>()?, weight.precision()?);
    if stored == columns && precision.name != "fp4x2" {
        return Ok(precision);
    }
    match (columns / stored, precision.element_bits) {
        (2.0, 8.0) if precision.name.starts_with("int") => Ok(Precision::INT4),
        (2.0, 8.0) => Ok(Precision::FP4),
        (8.0, 32.0) => Ok(Precision::INT4),
        _ => Err(format!("weights of shape {:?} do not fit {columns} columns", weight.shape)),
    }
}

/// Whether the way up has two products, from its rows.
fn gated(rows: f64, intermediate: f64) -> Result<bool, NoFormula> {
    match rows / intermediate {
        1.0 => Ok(false),
        2.0 => Ok(true),
        _ => Err(format!("{rows} rows of weights do not fit {intermediate} outputs")),
    }
}

/// `(x, up weights, down weights, weights of the chosen, ...)`.
fn fused(call: &Call<'_>) -> Result<Work, NoFormula> {
    let [_, top_k] = call.tensor(3)?.extents()?;
    let x = call.tensor(0)?;
    whole(x, call.tensor(1)?, call.tensor(2)?, top_k, x.precision()?)
}

/// `(output, x, up weights, down weights, ..., ..., ..., ..., number of chosen, ...)`.
fn fused_into(call: &Call<'_>) -> Result<Work, NoFormula> {
    let top_k = call.number(8).ok_or("experts per token not recorded")?;
    let output = call.tensor(0)?.precision()?;
    whole(call.tensor(1)?, call.tensor(2)?, call.tensor(3)?, top_k, output)
}

/// `(scores, bias, x, ...)`, the weights of both ways among the tensors, and behind them the number of all experts and of
/// those chosen (vLLM, `fused_moe/flashinfer_trtllm_moe.py`). The output is 16 bits wide.
fn fused_with_routing(call: &Call<'_>) -> Result<Work, NoFormula> {
    let x = call.tensor(2)?;
    let mut weights = call.tensors().filter(|tensor| {
        tensor.shape.len() == 3 && tensor.precision.is_some_and(|precision| precision.element_bits <= 16.0)
    });
    let (Some(up), Some(down)) = (weights.next(), weights.next()) else {
        return Err("the weights of the experts were not recorded".to_owned());
    };
    let mut numbers = (3..call.inputs.len()).filter_map(|place| call.number(place));
    let top_k = numbers.nth(1).ok_or("experts per token not recorded")?;
    // The activations are quantized on the way.
    let arithmetic = up.precision()?.arithmetic();
    Ok(Work { arithmetic, ..whole(x, up, down, top_k, Precision::BF16)? })
}

fn whole(x: &Tensor, up: &Tensor, down: &Tensor, top_k: f64, output: Precision) -> Result<Work, NoFormula> {
    let ([tokens, _], [experts, rows, _]) = (x.rows_and_columns()?, up.extents()?);
    let [_, hidden, columns] = down.extents()?;
    let weights = packed(up, hidden)?;
    // The columns of the way down are packed like those of the way up.
    let intermediate = columns * (hidden / up.extents::<3>()?[2]);
    let layer = MixtureOfExperts {
        tokens,
        hidden,
        intermediate,
        experts,
        top_k,
        gated: gated(rows, intermediate)?,
        weights,
        activations: x.precision()?,
        output,
        compute: None,
    };
    Ok(layer.fused())
}

/// The way up: x (tokens, hidden), weights at one place, output (tokens, chosen, intermediate) at another.
fn up(call: &Call<'_>, weight: usize, output: usize) -> Result<Work, NoFormula> {
    let (x, weight, output) = (call.tensor(0)?, call.tensor(weight)?, call.tensor(output)?);
    let ([tokens, hidden], [experts, rows, _]) = (x.extents()?, weight.extents()?);
    let [_, top_k, intermediate] = output.extents()?;
    let layer = MixtureOfExperts {
        tokens,
        hidden,
        intermediate,
        experts,
        top_k,
        gated: gated(rows, intermediate)?,
        weights: packed(weight, hidden)?,
        activations: x.precision()?,
        output: output.precision()?,
        compute: None,
    };
    Ok(layer.up())
}

/// The way down: x (tokens, chosen, intermediate), weights (experts, hidden, intermediate), output (tokens, hidden).
fn down(call: &Call<'_>, weight: usize, output: usize) -> Result<Work, NoFormula> {
    let (x, weight, output) = (call.tensor(0)?, call.tensor(weight)?, call.tensor(output)?);
    let ([tokens, top_k, intermediate], [experts, hidden, _]) = (x.extents()?, weight.extents()?);
    let layer = MixtureOfExperts {
        tokens,
        hidden,
        intermediate,
        experts,
        top_k,
        gated: false,
        weights: packed(weight, intermediate)?,
        activations: x.precision()?,
        output: output.precision()?,
        compute: None,
    };
    Ok(layer.down())
}

/// One product of a layer: x (rows, k) and weights (experts, n, k) first, then the output (tokens, chosen, n) among the
/// others. A way down has a row of x for every chosen expert.
fn one_product(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
    let ([rows, k], [experts, n, _]) = (x.extents()?, weight.extents()?);
    let is_output = |tensor: &&Tensor| tensor.extents::<3>().is_ok_and(|[_, _, columns]| columns == n);
    let output = call.tensors().skip(2).find(is_output).ok_or("the output was not recorded")?;
    let [tokens, top_k, _] = output.extents()?;
    let layer = MixtureOfExperts {
        tokens,
        hidden: k,
        intermediate: n,
        experts,
        top_k,
        gated: false,
        weights: packed(weight, k)?,
        activations: x.precision()?,
        output: output.precision()?,
        compute: None,
    };
    let mut work = layer.up();
    for operand in work.operands.iter_mut().filter(|operand| operand.name == "x") {
        operand.elements = rows * k;
    }
    Ok(work)
}

#[cfg(test)]
mod tests {
    use crate::Arithmetic;
    use crate::ops::formula;
    use crate::ops::operands::testing::{call, check_named};

    /// 3 tokens of 8 through 2 of 2 experts, 4 wide: all weights are read.
    #[test]
    fn by_hand() {
        let (bf16, fp8) = ("c10::BFloat16", "c10::Float8_e4m3fn");
        let number = |text| (text, "Scalar");
        let x = ("[3,8]", bf16);
        // Three products of 3 * 2 * 8 * 4 multiply-adds, and 3 * 8 * 3 for the sum.
        let flops = 2.0 * 3.0 * 192.0 + 72.0;
        let routed = [
            ("[3,2]", "float"),
            ("[2]", bf16),
            x,
            ("[2,8,8]", fp8),
            ("[2,1,1]", "float"),
            ("[2,8,4]", fp8),
            ("[2,1,1]", "float"),
            number("2"),
            number("2"),
            number("1"),
        ];
        check_named(&[
            ("vllm::flashinfer_fused_moe_blockscale_fp8", &routed, flops, 48.0 + 2.0 * 96.0 + 48.0),
            (
                "aiter::fmoe_g1u1_tkw1",
                &[
                    x,
                    x,
                    ("[2,8,8]", bf16),
                    ("[2,8,4]", bf16),
                    ("[64]", "int"),
                    ("[64]", "float"),
                    ("[2]", "int"),
                    ("[1]", "int"),
                    number("2"),
                ],
                flops,
                48.0 + 4.0 * 96.0 + 48.0,
            ),
        ]);
        let name = "vllm::flashinfer_fused_moe_blockscale_fp8";
        let work = (formula(name).unwrap().work)(&call(name, &routed)).unwrap();
        assert_eq!(work.arithmetic, Some(Arithmetic::Fp8));
    }
}
