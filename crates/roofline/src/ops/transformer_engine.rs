//! Layers of Transformer Engine, which are functions of autograd. Version 1 calls `tex_ts::te_gemm_ts` inside, which then
//! owns the time; version 2 launches products itself. Signatures: `transformer_engine/pytorch/module/{linear,
//! layernorm_linear,layernorm_mlp,grouped_linear}.py` of both.
//!
//! Only products are counted, and the operands of the whole. A normalization before them is a small part of the arithmetic
//! and runs on other units; its input is the one that is read.

use super::{Call, Formula, NoFormula, Rule, Tensor};
use crate::Work;

const fn formula(names: &'static [&'static str], work: Rule, backward: Rule) -> Formula {
    Formula { names, category: "gemm", work, backward: Some(backward) }
}

pub(super) const WRAPPERS: &[Formula] = &[
    formula(&["_Linear"], |call| Ok(linear(call)?.forward()), |call| Ok(linear(call)?.backward())),
    formula(
        &["_LayerNormLinear"],
        |call| Ok(normalised(call)?.forward()),
        |call| Ok(normalised(call)?.backward()),
    ),
    formula(&["_LayerNormMLP"], |call| Ok(block(call)?.forward()), |call| Ok(block(call)?.backward())),
    formula(&["_GroupedLinear"], |call| Ok(grouped(call)?.forward()), |call| Ok(grouped(call)?.backward())),
];

/// A chain of products with the layers between them.
struct Chain<'a> {
    input: &'a Tensor,
    /// Multiply-adds of all products.
    macs: f64,
    /// Matrices, each read once.
    weights: Vec<&'a Tensor>,
    /// Elements of the layers between, each written and read.
    between: f64,
    outputs: f64,
    precision: crate::Precision,
}

impl<'a> Chain<'a> {
    fn new(input: &'a Tensor, weights: Vec<&'a Tensor>) -> Result<Self, NoFormula> {
        Ok(Self { input, macs: 0.0, weights, between: 0.0, outputs: 0.0, precision: input.precision()? })
    }

    fn forward(&self) -> Work {
        let work = Work::matrix(self.macs, self.precision).reads("x", self.input.elements(), self.precision);
        let work = self.over_weights(work, Work::reads);
        work.writes("between", self.between, self.precision)
            .reads("between", self.between, self.precision)
            .writes("output", self.outputs, self.precision)
    }

    /// Gradients of the input and of the weights: twice the products. The gradient of the output is read for each, the
    /// layers between are read, their gradients written and read.
    fn backward(&self) -> Work {
        let mut work = Work::matrix(2.0 * self.macs, self.precision);
        for _ in 0..2 {
            work = work.reads("output gradient", self.outputs, self.precision);
        }
        work = self.over_weights(self.over_weights(work, Work::reads), Work::writes);
        work.reads("x", self.input.elements(), self.precision)
            .reads("between", self.between, self.precision)
            .writes("between gradient", self.between, self.precision)
            .reads("between gradient", self.between, self.precision)
            .writes("x gradient", self.input.elements(), self.precision)
    }

    fn over_weights(&self, work: Work, moves: fn(Work, &'static str, f64, crate::Precision) -> Work) -> Work {
        self.weights.iter().fold(work, |work, weight| {
            moves(work, "weight", weight.elements(), weight.precision.unwrap_or(self.precision))
        })
    }
}

/// One matrix (n, k) of an input (..., k).
fn single<'a>(input: &'a Tensor, weight: &'a Tensor) -> Result<Chain<'a>, NoFormula> {
    let ([rows, k], [n, columns]) = (input.rows_and_columns()?, weight.extents()?);
    if k != columns {
        return Err(format!("the matrices do not fit: {k} columns, {columns} rows"));
    }
    Ok(Chain { macs: rows * n * k, outputs: rows * n, ..Chain::new(input, vec![weight])? })
}

/// `(weight, input, bias, ...)`; in version 1 `(weight, weight in 8 bits, transposed, input, bias, ...)`.
fn linear<'a>(call: &'a Call<'_>) -> Result<Chain<'a>, NoFormula> {
    let input = call.optional(3).map_or_else(|| call.tensor(1), Ok)?;
    single(input, call.tensor(0)?)
}

/// `(input, scale, bias of the normalisation, weight, ...)`.
fn normalised<'a>(call: &'a Call<'_>) -> Result<Chain<'a>, NoFormula> {
    single(call.tensor(0)?, call.tensor(3)?)
}

/// `(input, scale, bias of the normalisation, first weight, ..., second weight, ...)`. The second matrix is the last that
/// takes what the first gives, or half of it behind a gate, back to the extent of the input.
fn block<'a>(call: &'a Call<'_>) -> Result<Chain<'a>, NoFormula> {
    let (input, first) = (call.tensor(0)?, call.tensor(3)?);
    let ([rows, hidden], [wide, columns]) = (input.rows_and_columns()?, first.extents()?);
    if hidden != columns {
        return Err(format!("the matrices do not fit: {hidden} columns, {columns} rows"));
    }
    let fits =
        |tensor: &&Tensor| tensor.extents().is_ok_and(|[n, k]| n == hidden && (k == wide || 2.0 * k == wide));
    let tensors: Vec<&Tensor> = (4..call.inputs.len()).filter_map(|place| call.optional(place)).collect();
    let second = tensors.into_iter().rev().find(fits).ok_or("the second weight was not recorded")?;
    let [_, inner] = second.extents()?;
    Ok(Chain {
        macs: rows * hidden * (wide + inner),
        // With a gate, both halves are written, and what it leaves.
        between: rows * if inner == wide { wide } else { wide + inner },
        outputs: rows * hidden,
        ..Chain::new(input, vec![first, second])?
    })
}

/// `(input, splits, ..., weights and biases)`: rows in groups, each with its own matrix.
fn grouped<'a>(call: &'a Call<'_>) -> Result<Chain<'a>, NoFormula> {
    let input = call.tensor(0)?;
    let [rows, k] = input.rows_and_columns()?;
    let is_weight = |tensor: &&Tensor| tensor.extents().is_ok_and(|[_, columns]: [f64; 2]| columns == k);
    let weights: Vec<&Tensor> = call.tensors().skip(1).filter(is_weight).collect();
    let [n, _] = weights.first().ok_or("the weights were not recorded")?.extents()?;
    Ok(Chain { macs: rows * n * k, outputs: rows * n, ..Chain::new(input, weights)? })
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{call, check_named};
    use crate::ops::wrapper;

    const BF16: &str = "c10::BFloat16";

    /// 6 rows of 16, weights 8 x 16; inside the block 32 wide.
    #[test]
    fn by_hand() {
        let (x, weight) = (("[2,3,16]", BF16), ("[8,16]", BF16));
        let (scale, none, flag) = (("[16]", BF16), ("", ""), ("True", "Scalar"));
        let product = 6.0 * 16.0 * 8.0;
        let bytes = 2.0 * (96.0 + 128.0 + 48.0);
        check_named(&[
            ("_Linear", &[weight, x, none, flag], 2.0 * product, bytes),
            ("_Linear", &[weight, weight, ("[16,8]", BF16), x, ("[8]", BF16), flag], 2.0 * product, bytes),
            ("_LayerNormLinear", &[x, scale, scale, weight, none], 2.0 * product, bytes),
            (
                "_LayerNormMLP",
                &[x, scale, none, ("[32,16]", BF16), none, ("[16,32]", BF16), none],
                4.0 * 6.0 * 16.0 * 32.0,
                2.0 * (96.0 + 1024.0 + 2.0 * 192.0 + 96.0),
            ),
            // A gate: 64 rows of the first weight, 32 columns of the second.
            (
                "_LayerNormMLP",
                &[x, scale, none, ("[64,16]", BF16), none, ("[16,32]", BF16), none],
                2.0 * 6.0 * 16.0 * 96.0,
                2.0 * (96.0 + 1536.0 + 2.0 * 6.0 * 96.0 + 96.0),
            ),
            (
                "_GroupedLinear",
                &[("[6,16]", BF16), flag, weight, weight, weight, ("[8]", BF16)],
                2.0 * product,
                2.0 * (96.0 + 3.0 * 128.0 + 48.0),
            ),
        ]);
        let backward = wrapper("_Linear").and_then(|found| found.backward).unwrap();
        let work = backward(&call("_Linear", &[weight, x, none, flag])).unwrap();
        assert_eq!(
            (work.flops, work.bytes()),
            (4.0 * product, 2.0 * (2.0 * 48.0 + 2.0 * 128.0 + 2.0 * 96.0))
        );
    }
}
