//! One product of a layer of experts: rows with the matrices of the experts that they go to, as serving engines call it.
//! Schemas: vLLM `csrc/moe/torch_bindings.cpp` and `csrc/libtorch_stable/torch_bindings.cpp`, SGLang
//! `sgl-kernel/csrc/common_extension.cc`.
//!
//! Which experts are used is estimated, so that of weights and their scales the same share is read.

use super::{EQUALLY_LIKELY, MixtureOfExperts};
use crate::ops::operands::count;
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor, gemm};
use crate::{Arithmetic, Basis, Precision, Work};

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: "experts", work, backward: None }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    // `(output, rows, weights, scales of rows, scales of weights, ...)`.
    formula(&["_C::cutlass_blockwise_scaled_grouped_mm", "_C::cutlass_moe_mm"], |call| {
        sorted(call, [0, 1, 2], &[3, 4], 1.0)
    }),
    formula(&["_C::cutlass_w4a8_moe_mm", "sgl_kernel::cutlass_w4a8_moe_mm"], |call| {
        sorted(call, [0, 1, 2], &[3, 4, 5], 1.0)
    }),
    formula(&["sgl_kernel::fp8_blockwise_scaled_grouped_mm"], |call| sorted(call, [0, 6, 7], &[8, 9], 1.0)),
    formula(&["_C::cutlass_mxfp8_grouped_mm"], |call| sorted(call, [4, 0, 1], &[2, 3], 1.0)),
    formula(
        &["_C::cutlass_fp4_group_mm", "_C::cutlass_mxfp4_group_mm", "sgl_kernel::cutlass_fp4_group_mm"],
        |call| {
            let work = sorted(call, [0, 1, 2], &[3, 4], 2.0)?;
            Ok(Work { arithmetic: Some(Arithmetic::Fp4), ..work })
        },
    ),
    // DeepGEMM: `(rows, scales, weights, scales, output, experts of the rows, ...)`, and without scales.
    formula(
        &[
            "deep_gemm::m_grouped_fp8_gemm_nn_contiguous",
            "deep_gemm::m_grouped_fp8_gemm_nt_contiguous",
            "deep_gemm_cpp::m_grouped_fp8_gemm_nn_contiguous",
            "deep_gemm_cpp::m_grouped_fp8_gemm_nt_contiguous",
        ],
        |call| sorted(call, [4, 0, 2], &[1, 3], 1.0),
    ),
    formula(
        &["deep_gemm::m_grouped_bf16_gemm_nn_contiguous", "deep_gemm::m_grouped_bf16_gemm_nt_contiguous"],
        |call| sorted(call, [2, 0, 1], &[], 1.0),
    ),
    formula(
        &[
            "deep_gemm::fp8_m_grouped_gemm_nt_masked",
            "deep_gemm::m_grouped_fp8_gemm_nt_masked",
            "deep_gemm_cpp::fp8_m_grouped_gemm_nt_masked",
        ],
        |call| masked(call, [4, 0, 2], &[1, 3], 6),
    ),
    formula(&["deep_gemm::m_grouped_bf16_gemm_nt_masked"], |call| masked(call, [2, 0, 1], &[], 4)),
    formula(&["_moe_C::moe_wna16_marlin_gemm", "sgl_kernel::moe_wna16_marlin_gemm"], marlin),
    formula(&["_moe_C::moe_wna16_gemm"], wna16),
];

/// A product of rows with the matrices of experts as stored.
struct Product<'a> {
    /// Extents of one matrix.
    n: f64,
    k: f64,
    tokens: f64,
    top_k: f64,
    x: &'a Tensor,
    /// Experts first.
    weights: &'a Tensor,
    output: Precision,
}

impl Product<'_> {
    /// The work, with scales at these places: those with an extent for the experts are read as the weights are.
    fn work(&self, call: &Call<'_>, scales: &[usize]) -> Result<Work, NoFormula> {
        let stored = self.x.precision()?;
        let experts = self.weights.shape.first().copied().unwrap_or(0);
        let layer = MixtureOfExperts {
            tokens: self.tokens,
            hidden: self.k,
            intermediate: self.n,
            experts: experts as f64,
            top_k: self.top_k,
            gated: false,
            weights: self.weights.precision()?,
            activations: stored,
            output: self.output,
            compute: None,
        };
        let share = if experts == 0 { 0.0 } else { layer.active_experts() / experts as f64 };
        let rows = self.tokens * self.top_k;
        let mut work = Work::matrix(rows * self.n * self.k, stored)
            .reads("a", self.x.elements(), stored)
            .reads("weights", share * self.weights.elements(), layer.weights);
        for tensor in scales.iter().filter_map(|place| call.optional(*place)) {
            let of_experts = tensor.shape.len() > 1 && tensor.shape.first() == Some(&experts);
            let read = if of_experts { share } else { 1.0 };
            work = work.reads("scale", read * tensor.elements(), tensor.precision()?);
        }
        Ok(work.writes("output", rows * self.n, self.output).on(EQUALLY_LIKELY))
    }
}

/// The output (rows, n), rows (rows, k) in the order of experts, and weights at three places; `packed` numbers in a recorded
/// element of rows. How many tokens the rows are of is not recorded: every row is taken to choose its expert by itself,
/// which is slightly fewer experts than the tokens of a layer use.
fn sorted(call: &Call<'_>, places: [usize; 3], scales: &[usize], packed: f64) -> Result<Work, NoFormula> {
    let [output, x, weights] = [call.tensor(places[0])?, call.tensor(places[1])?, call.tensor(places[2])?];
    let (rows, columns) = match *x.shape.as_slice() {
        [rows, columns] => (rows as f64, columns as f64),
        // Batches of experts: how many rows of each are in use is a value on the device.
        _ => return Err("rows per expert not recorded".to_owned()),
    };
    let [_, n] = output.rows_and_columns()?;
    let product =
        Product { n, k: packed * columns, tokens: rows, top_k: 1.0, x, weights, output: output.precision()? };
    product.work(call, scales)
}

/// The output (groups, places, n), rows (groups, places, k) and weights (groups, n, k): how many of the places are in use
/// is a value on the device, and how many rows a group is expected to have is a number that the caller gives.
fn masked(call: &Call<'_>, places: [usize; 3], scales: &[usize], expected: usize) -> Result<Work, NoFormula> {
    let [output, x, weights] = [call.tensor(places[0])?, call.tensor(places[1])?, call.tensor(places[2])?];
    let ([groups, rows, k], [_, _, n]) = (x.extents()?, output.extents()?);
    let expected = call.number(expected).ok_or("rows per expert not recorded")?;
    let used = expected.clamp(0.0, rows);
    let share = if rows > 0.0 { used / rows } else { 0.0 };
    let stored = x.precision()?;
    let mut work = Work::matrix(groups * used * n * k, stored).reads("a", groups * used * k, stored).reads(
        "weights",
        weights.elements(),
        weights.precision()?,
    );
    for tensor in scales.iter().filter_map(|place| call.optional(*place)) {
        // Those of rows have their extent, those of weights another.
        let of_rows = tensor.shape.contains(&(rows as u64));
        let read = if of_rows { share } else { 1.0 };
        work = work.reads("scale", read * tensor.elements(), tensor.precision()?);
    }
    Ok(work.writes("output", groups * used * n, output.precision()?).on(AS_EXPECTED))
}

const AS_EXPECTED: Basis = Basis::Estimated("assumes each expert to have as many rows as its caller expects");

/// `(a, [output,] weights, [bias,] scales, ..., workspace, sorted tokens, experts, padded tokens, weights of the chosen,
/// block, chosen, flags, format, m, n, k, ...)`. The number of chosen experts is the last number before the flags.
fn marlin(call: &Call<'_>) -> Result<Work, NoFormula> {
    let x = call.tensor(0)?;
    let (weights, sizes) = (gemm::words(call)?, gemm::sizes(call, x)?);
    let is_flag = |place: usize| matches!(call.scalar(place), "True" | "False");
    let chosen = (1..sizes).rev().skip(1).find(|place| !is_flag(*place)).and_then(|place| call.number(place));
    let top_k = chosen.ok_or("experts per token not recorded")?;
    let [tokens, k] = x.rows_and_columns()?;
    let scales: Vec<usize> = (weights + 1..sizes)
        .filter(|place| call.optional(*place).is_some_and(|tensor| tensor.shape.len() == 3))
        .collect();
    let product = Product {
        n: call.number(sizes + 1).unwrap_or(0.0),
        k,
        tokens,
        top_k,
        x,
        weights: call.tensor(weights)?,
        output: x.precision()?,
    };
    product.work(call, &scales)
}

/// `(a, output, weights (experts, n, words), scales, zeros, weights of the chosen, ..., ..., ..., chosen, ...)`.
fn wna16(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, output, weights) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let ([tokens, k], [_, n, _]) = (x.rows_and_columns()?, weights.extents()?);
    let top_k = count(call, 9)? as f64;
    Product { n, k, tokens, top_k, x, weights, output: output.precision()? }.work(call, &[3, 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::operands::testing::{call, check_named};

    #[test]
    fn by_hand() {
        let (bf16, fp8, byte) = ("c10::BFloat16", "c10::Float8_e4m3fn", "unsigned char");
        let number = |text| (text, "Scalar");
        let (none, empty) = (("", ""), ("[0]", "int"));
        let words = ("[1,4,64]", "int");
        check_named(&[
            // One expert, which all 6 rows use: an ordinary product of 6 x 64 with 64 x 32.
            (
                "_C::cutlass_moe_mm",
                &[
                    ("[6,32]", bf16),
                    ("[6,64]", fp8),
                    ("[1,64,32]", fp8),
                    ("[6,1]", "float"),
                    ("[1,32,1]", "float"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 2048.0 + 384.0 + 24.0 + 128.0,
            ),
            // Two numbers in a byte, and a byte for 16 of them.
            (
                "_C::cutlass_fp4_group_mm",
                &[
                    ("[6,32]", bf16),
                    ("[6,32]", byte),
                    ("[1,32,32]", byte),
                    ("[128,4]", fp8),
                    ("[1,32,4]", fp8),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                192.0 + 1024.0 + 384.0 + 512.0 + 128.0,
            ),
            (
                "sgl_kernel::fp8_blockwise_scaled_grouped_mm",
                &[
                    ("[6,32]", bf16),
                    ("[1]", "long int"),
                    ("[1]", "long int"),
                    ("[1]", "long int"),
                    ("[1]", "long int"),
                    ("[1]", "long int"),
                    ("[6,64]", fp8),
                    ("[1,64,32]", fp8),
                    ("[6,1]", "float"),
                    ("[1,1,1]", "float"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 2048.0 + 384.0 + 24.0 + 4.0,
            ),
            (
                "deep_gemm::m_grouped_fp8_gemm_nt_contiguous",
                &[
                    ("[6,64]", fp8),
                    ("[6,1]", "float"),
                    ("[1,32,64]", fp8),
                    ("[1,1,1]", "float"),
                    ("[6,32]", bf16),
                    ("[6]", "int"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 2048.0 + 384.0 + 24.0 + 4.0,
            ),
            // Two experts with 8 places each, of which 3 are expected to be in use: 6 rows, and both matrices.
            (
                "deep_gemm::fp8_m_grouped_gemm_nt_masked",
                &[
                    ("[2,8,64]", fp8),
                    ("[2,8,1]", "float"),
                    ("[2,32,64]", fp8),
                    ("[2,1,1]", "float"),
                    ("[2,8,32]", bf16),
                    ("[2]", "int"),
                    number("3"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 4096.0 + 384.0 + 24.0 + 8.0,
            ),
            // 3 tokens, 2 of 1 expert each (a bound): 6 rows of output; 4-bit weights, groups of 32.
            (
                "_moe_C::moe_wna16_marlin_gemm",
                &[
                    ("[3,64]", bf16),
                    none,
                    words,
                    none,
                    ("[1,2,32]", bf16),
                    none,
                    none,
                    empty,
                    empty,
                    empty,
                    ("[528]", "int"),
                    ("[64]", "int"),
                    ("[4]", "int"),
                    ("[1]", "int"),
                    ("[3,2]", "float"),
                    number("8"),
                    number("2"),
                    number("False"),
                    number("1125899906909960"),
                    number("3"),
                    number("32"),
                    number("64"),
                    number("True"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 1024.0 + 128.0 + 384.0,
            ),
            (
                "sgl_kernel::moe_wna16_marlin_gemm",
                &[
                    ("[3,64]", bf16),
                    none,
                    words,
                    ("[1,2,32]", bf16),
                    none,
                    empty,
                    empty,
                    ("[528]", "int"),
                    ("[64]", "int"),
                    ("[4]", "int"),
                    ("[1]", "int"),
                    ("[3,2]", "float"),
                    number("8"),
                    number("2"),
                    number("False"),
                    number("False"),
                    number("1125899906909960"),
                    number("3"),
                    number("32"),
                    number("64"),
                    number("True"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 1024.0 + 128.0 + 384.0,
            ),
            (
                "_moe_C::moe_wna16_gemm",
                &[
                    ("[3,64]", bf16),
                    ("[3,2,32]", bf16),
                    ("[1,32,32]", byte),
                    ("[1,32,2]", bf16),
                    none,
                    none,
                    ("[64]", "int"),
                    ("[4]", "int"),
                    ("[1]", "int"),
                    number("2"),
                ],
                2.0 * 6.0 * 64.0 * 32.0,
                384.0 + 1024.0 + 128.0 + 384.0,
            ),
        ]);
    }

    /// One row uses one of four experts: a quarter of weights and of their scales is read.
    #[test]
    fn experts_that_are_not_used_are_not_read() {
        let (bf16, fp8) = ("c10::BFloat16", "c10::Float8_e4m3fn");
        let arguments = [
            ("[1,32]", bf16),
            ("[1,64]", fp8),
            ("[4,64,32]", fp8),
            ("[1,1]", "float"),
            ("[4,32,1]", "float"),
        ];
        let work = sorted(&call("_C::cutlass_moe_mm", &arguments), [0, 1, 2], &[3, 4], 1.0).unwrap();
        assert!((work.bytes() - (64.0 + 2048.0 + 4.0 + 128.0 + 64.0)).abs() < 1e-9, "{}", work.bytes());
        let padded = [("[4,8,32]", bf16), ("[4,8,64]", fp8), ("[4,64,32]", fp8)];
        assert!(sorted(&call("_C::cutlass_moe_mm", &padded), [0, 1, 2], &[], 1.0).is_err());
    }
}
