//! Manifold-constrained hyper-connections, as `aiter` has them: `n` residual streams of width `c` for each of `m` tokens
//! are mixed into a layer's input and its output back into them. Operations are TraceLens'; operands are as recorded.

use super::operands::stored;
use super::{Call, Formula, NoFormula};
use crate::{Engine, Precision, Work};

const CATEGORY: &str = "hyper-connection";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: &["aiter::mhc_post"], category: CATEGORY, work: post, backward: None },
    Formula { names: &["aiter::mhc_pre_gemm_sqrsum"], category: CATEGORY, work: project, backward: None },
    Formula { names: &["aiter::mhc_pre_big_fuse_rmsnorm"], category: CATEGORY, work: pre, backward: None },
    Formula {
        names: &["aiter::mhc_fused_post_pre_gemm_sqrsum"],
        category: CATEGORY,
        work: post_and_project,
        backward: None,
    },
];

/// Tokens, streams and width of the tensor of streams at this place.
fn streams(call: &Call<'_>, index: usize) -> Result<([f64; 3], Precision), NoFormula> {
    let tensor = call.tensor(index)?;
    Ok((tensor.extents()?, tensor.precision()?))
}

/// `(out, x, residual, post_mix, res_mix, ...)`: each stream is a sum of all streams and of the layer's output.
fn post(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([tokens, count, width], _) = streams(call, 0)?;
    let precision = call.tensor(1)?.precision()?;
    let all = tokens * count * width;
    Ok(Work::vector(2.0 * all * (count + 1.0), all, precision)
        .reads("layer output", tokens * width, precision)
        .reads("streams", all, precision)
        .reads("mixes", tokens * count * (1.0 + count), stored("fp32")?)
        .writes("new streams", all, precision))
}

/// `(out, sqrsum, x, fn, ...)`: a product with the matrix that gives the mixes, in parts that are summed up later.
fn project(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([tokens, count, width], precision) = streams(call, 2)?;
    let matrix: [f64; 2] = call.tensor(3)?.extents()?;
    let [parts, ..]: [f64; 3] = call.tensor(0)?.extents()?;
    Ok(projected(Work::matrix(tokens * matrix[0] * matrix[1], precision), tokens, parts, matrix)?.reads(
        "streams",
        tokens * count * width,
        precision,
    ))
}

/// With the matrix read and the parts of the product and of the sum of squares written, all FP32.
fn projected(work: Work, tokens: f64, parts: f64, [rows, columns]: [f64; 2]) -> Result<Work, NoFormula> {
    let single = stored("fp32")?;
    Ok(work.reads("matrix", rows * columns, single).writes("products", parts * tokens * rows, single).writes(
        "squares",
        parts * tokens,
        single,
    ))
}

/// `(post_mix, comb_mix, out, products, squares, scale, base, residual, weight, ...)`: streams are mixed and normalized,
/// five operations for an element of the result.
fn pre(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([tokens, count, width], precision) = streams(call, 7)?;
    let products = call.tensor(3)?.elements();
    let single = stored("fp32")?;
    let input = tokens * width;
    Ok(Work::vector(2.0 * input * count + 5.0 * input, input, precision)
        .reads("streams", input * count, precision)
        .reads("products", products, single)
        .reads("scale", width, precision)
        .writes("layer input", input, precision)
        .writes("mixes", tokens * count * (1.0 + count), single))
}

/// `(products, squares, next_residual, x, residual, post_mix, res_mix, fn, ...)`: both in one; the new streams are read
/// again for the product.
fn post_and_project(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([tokens, count, width], precision) = streams(call, 2)?;
    let matrix: [f64; 2] = call.tensor(7)?.extents()?;
    let [parts, ..]: [f64; 3] = call.tensor(0)?.extents()?;
    let all = tokens * count * width;
    let macs = tokens * matrix[0] * matrix[1] + all * (count + 1.0);
    let work = Work { engine: Engine::Matrix, ..Work::matrix(macs, precision) };
    Ok(projected(work, tokens, parts, matrix)?
        .reads("layer output", tokens * width, precision)
        .reads("streams", all, precision)
        .reads("mixes", tokens * count * (1.0 + count), stored("fp32")?)
        .writes("new streams", all, precision)
        .reads("new streams", all, precision))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, check};
    use super::*;

    /// Two tokens, four streams of width 8; the matrix has 4 * 4 + 2 * 4 rows, the product is in three parts.
    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let (all, one) = (("[2,4,8]", bf16), ("[2,8]", bf16));
        let (mix, square, matrix) = (("[2,4,1]", "float"), ("[2,4,4]", "float"), ("[24,32]", "float"));
        let (products, squares) = (("[3,2,24]", "float"), ("[3,2]", "float"));
        let (line, weight) = (("[24]", "float"), ("[8]", bf16));
        let mixes = 4.0 * (8.0 + 32.0);
        let written = 4.0 * (3.0 * 2.0 * 24.0 + 3.0 * 2.0);
        let table: &[Example<'_>] = &[
            (post, &[all, one, all, mix, square], 2.0 * 64.0 * 5.0, 2.0 * (16.0 + 128.0) + mixes),
            (project, &[products, squares, all, matrix], 2.0 * 2.0 * 24.0 * 32.0, 128.0 + 3072.0 + written),
            (
                pre,
                &[mix, square, one, products, squares, line, line, all, weight],
                2.0 * 16.0 * 4.0 + 5.0 * 16.0,
                2.0 * (64.0 + 8.0 + 16.0) + 4.0 * 144.0 + mixes,
            ),
            (
                post_and_project,
                &[products, squares, all, one, all, mix, square, matrix],
                2.0 * 64.0 * 5.0 + 2.0 * 2.0 * 24.0 * 32.0,
                2.0 * (16.0 + 3.0 * 64.0) + mixes + 3072.0 + written,
            ),
        ];
        check(table);
    }
}
