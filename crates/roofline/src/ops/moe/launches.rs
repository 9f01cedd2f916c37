//! Layers of experts whose weights are not among their arguments: vLLM's `moe_forward` is given tokens and the scores of
//! experts (`fused_moe/layer.py`). The products inside say the rest: their names have the types and the size of a block,
//! and of blocks as many were launched as cover the columns of the weights and, at most, the rows of all experts.
//!
//! - Triton's kernels for experts, `_matmul_ogs_<layouts>_<output>x<rows>x<weights>_<rows>x<columns>x<k>x<splits>...`, have all
//!   blocks in one dimension (`triton_kernels/matmul_ogs.py`; `RoutingData.n_blocks` is how many there are for rows).
//! - Those of TensorRT-LLM, `bmm_<output>_<a><b>_<sum>_t<m>x<n>x<k>...`, have them in two (`BatchedGemmInterface.h`;
//!   `getMaxNumCtasInBatchDim`). With `transOut` the weights are the first operand.
//!
//! The width of the layer between is thus known to a block, which is what the kernel works on.

use super::MixtureOfExperts;
use crate::ops::{Call, Formula, Launch, NoFormula};
use crate::{Basis, Precision, Work};

/// Shared experts are operators or kernels of their own inside.
pub(in crate::ops) const WRAPPERS: &[Formula] = &[Formula {
    names: &["vllm::moe_forward", "vllm::moe_forward_shared"],
    category: "experts",
    work: forward,
    backward: None,
}];

const FROM_BLOCKS: Basis = Basis::Estimated(
    "expert width and number inferred from launched blocks; assumes experts to be equally likely",
);

/// Experts that a token is taken to go through at most.
const MOST_CHOSEN: u32 = 64;

/// A product of rows with the weights of their experts, as launched.
#[derive(Debug, PartialEq)]
struct Product {
    /// Rows and columns of a block.
    block: [f64; 2],
    blocks: Blocks,
    rows: Precision,
    weights: Precision,
    gated: bool,
}

/// How blocks were launched.
#[derive(Debug, PartialEq)]
enum Blocks {
    /// Those of rows and of columns.
    Apart([f64; 2]),
    /// Their product.
    Together(f64),
}

impl Product {
    fn parse(launch: &Launch<'_>) -> Option<Self> {
        triton(launch).or_else(|| tensorrt(launch))
    }

    /// Blocks of rows, if the weights have this many columns.
    fn row_blocks(&self, columns: f64) -> Option<f64> {
        let across = (columns / self.block[1]).ceil();
        match self.blocks {
            Blocks::Apart([rows, found]) => (found == across).then_some(rows),
            Blocks::Together(all) => whole(all / across),
        }
    }

    /// Columns of the weights, up to a block, if there are this many blocks of rows.
    fn columns(&self, row_blocks: f64) -> Option<f64> {
        let across = match self.blocks {
            Blocks::Apart([rows, found]) => (rows == row_blocks).then_some(found),
            Blocks::Together(all) => whole(all / row_blocks),
        };
        across.map(|across| across * self.block[1])
    }

    /// Blocks of rows that are launched for this many rows of this many experts, wherever they go.
    fn row_blocks_for(&self, rows: f64, experts: f64) -> f64 {
        match self.blocks {
            _ if rows <= experts => rows,
            Blocks::Apart(_) => experts + ((rows - experts) / self.block[0]).floor(),
            Blocks::Together(_) => experts - 1.0 + ((rows - experts + 1.0) / self.block[0]).ceil(),
        }
    }
}

fn whole(number: f64) -> Option<f64> {
    (number.fract() == 0.0 && number > 0.0).then_some(number)
}

/// The numbers of `16x128x256`.
fn numbers<const COUNT: usize>(text: &str) -> Option<[f64; COUNT]> {
    let found: Option<Vec<f64>> =
        text.split('x').map(|number| number.parse::<u32>().ok().map(f64::from)).collect();
    found?.try_into().ok()
}

/// `_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu`. Those that stay on the device (`_p_matmul_ogs`) are launched as
/// often as there are units.
fn triton(launch: &Launch<'_>) -> Option<Product> {
    let mut words = launch.name.strip_prefix("_matmul_ogs_")?.split('_');
    let (_, types, sizes) = (words.next()?, words.next()?, words.next()?);
    let [rows, columns, _, splits] = numbers(sizes)?;
    // Microscaling formats have the separator in their names.
    let types = types.replace("mxfp", "m-fp");
    let mut types = types.split('x').skip(1).map(|name| name.replace("m-fp", "mxfp").parse().ok());
    Some(Product {
        block: [rows, columns],
        blocks: Blocks::Together(launch.blocks() / splits.max(1.0)),
        rows: types.next()??,
        weights: types.next()??,
        gated: words.any(|word| word.starts_with("swiglu")),
    })
}

/// `bmm_E2m1_E2m1E2m1_Fp32_t128x8x512u2_s5_..._transOut_..._swiGlu_dynBatch_sm100f`.
fn tensorrt(launch: &Launch<'_>) -> Option<Product> {
    let mut words = launch.name.strip_prefix("bmm_")?.split('_');
    let (_, types, _, sizes) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let (first, rest) = tensorrt_type(types)?;
    let (second, _) = tensorrt_type(rest)?;
    let sizes = sizes.strip_prefix('t')?;
    // Loop unrolling may follow the last number.
    let sizes = sizes.split_once('u').map_or(sizes, |(sizes, _)| sizes);
    let [m, n, _] = numbers(sizes)?;
    let [x, y, splits] = launch.grid.map(|blocks| blocks as f64);
    let has = |word: &str| launch.name.split('_').any(|found| found == word);
    let gated = has("swiGlu") || has("geGlu");
    if splits != 1.0 {
        return None;
    }
    Some(if has("transOut") {
        Product { block: [n, m], blocks: Blocks::Apart([y, x]), rows: second, weights: first, gated }
    } else {
        Product { block: [m, n], blocks: Blocks::Apart([x, y]), rows: first, weights: second, gated }
    })
}

/// The type that a text begins with, and what is left. `Mx` are microscaling formats; E2M1 alone is NVFP4.
fn tensorrt_type(text: &str) -> Option<(Precision, &str)> {
    const TYPES: [(&str, &str); 7] = [
        ("Bfloat16", "bf16"),
        ("E2m1", "nvfp4"),
        ("E4m3", "fp8"),
        ("E5m2", "fp8_e5m2"),
        ("Fp16", "fp16"),
        ("MxE2m1", "mxfp4"),
        ("MxE4m3", "mxfp8"),
    ];
    TYPES.into_iter().find_map(|(written, name)| Some((name.parse().ok()?, text.strip_prefix(written)?)))
}

/// `(tokens (tokens, extent), scores (tokens, experts), ...)`.
fn forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (x, scores) = (call.tensor(0)?, call.tensor(1)?);
    let ([tokens, hidden], [_, experts]) = (x.rows_and_columns()?, scores.rows_and_columns()?);
    let products: Vec<Product> = call.launches.iter().filter_map(Product::parse).collect();
    let [up, down] = products.as_slice() else { return Err(UNKNOWN.to_owned()) };
    let found = down.row_blocks(hidden).and_then(|row_blocks| {
        let (local, top_k) = chosen(down, row_blocks, tokens, experts)?;
        // Both products work on the same rows, unless their blocks differ.
        let row_blocks = up.row_blocks_for(tokens * top_k, local);
        Some((local, top_k, up.columns(row_blocks)?))
    });
    let (local, top_k, columns) =
        found.ok_or("the blocks of its products do not fit its tokens and experts")?;
    let stored = x.precision()?;
    let layer = MixtureOfExperts {
        tokens,
        hidden,
        intermediate: if up.gated { columns / 2.0 } else { columns },
        experts: local,
        // Of the experts that a token chooses, those that are here.
        top_k: top_k * local / experts,
        gated: up.gated,
        weights: up.weights,
        activations: stored,
        output: stored,
        compute: up.rows.product_arithmetic(&up.weights),
    };
    Ok(layer.fused().on(FROM_BLOCKS))
}

const UNKNOWN: &str = "expert width and number are neither arguments nor known from its kernels: define a formula \
    with --ops";

/// How many experts are here, and how many a token chooses: the one number for which as many blocks are launched. All
/// experts are here if that fits; TensorRT-LLM's kernels are also launched for a part of them, the largest half, quarter,
/// ... that fits. With a single choice that would fit by chance too often.
fn chosen(product: &Product, row_blocks: f64, tokens: f64, experts: f64) -> Option<(f64, f64)> {
    let mut local = experts;
    while local >= 1.0 && local.fract() == 0.0 {
        let most = local.min(f64::from(MOST_CHOSEN));
        let mut fitting = (1..=MOST_CHOSEN)
            .map(f64::from)
            .take_while(|top_k| *top_k <= most)
            .filter(|top_k| product.row_blocks_for(tokens * top_k, local) == row_blocks);
        if let Some(top_k) = fitting.next() {
            return (fitting.next().is_none() && (local == experts || top_k > 1.0)).then_some((local, top_k));
        }
        if matches!(product.blocks, Blocks::Together(_)) {
            return None;
        }
        local /= 2.0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arithmetic;
    use crate::ops::operands::testing::call;

    const BF16: &str = "c10::BFloat16";

    fn layer(x: &str, scores: &str, launches: Vec<Launch<'static>>) -> Result<Work, NoFormula> {
        let arguments = [(x, BF16), (scores, BF16), ("", ""), ("", "")];
        forward(&Call { launches, ..call("vllm::moe_forward", &arguments) })
    }

    /// A layer of GPT-OSS 20B as vLLM runs it on MI300X: 32 tokens of 3072, four of 32 experts, 2944 wide. 128 rows have at
    /// most 38 blocks of 16, which 46 and 24 blocks of 128 columns multiply.
    #[test]
    fn blocks_in_one_dimension() {
        let up = Launch { name: "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", grid: [1748, 1, 1] };
        let down = Launch { name: "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", grid: [912, 1, 1] };
        let other = Launch { name: "_finalize_matmul_scatter_bf16", grid: [32, 1, 1] };
        let work = layer("[32,3072]", "[32,32]", vec![up.clone(), down.clone(), other]).unwrap();
        assert_eq!(work.macs, 3.0 * 4.0 * 32.0 * 3072.0 * 2944.0);
        assert_eq!(work.arithmetic, Some(Arithmetic::Bf16));
        let active = 32.0 * (1.0 - (28.0_f64 / 32.0).powi(32));
        // 4.25 bits for each weight, one scale for each whole 32.
        let weights = 3.0 * active * 3072.0 * 2944.0;
        let bytes = 2.0 * 2.0 * 32.0 * 3072.0 + weights / 2.0 + (weights / 32.0).ceil();
        assert!((work.bytes() - bytes).abs() < 1.0, "{} {bytes}", work.bytes());
        assert_eq!(work.basis, FROM_BLOCKS);
        assert!(layer("[32,3072]", "[32,32]", vec![up.clone()]).is_err());
        // Blocks that do not cover the tokens' extent.
        let wrong = Launch { grid: [913, 1, 1], ..down };
        assert!(layer("[32,3072]", "[32,32]", vec![up, wrong]).is_err());
    }

    /// A layer of DeepSeek R1 in NVFP4 on one of four B200 as published (InferenceX issue 863): 64 tokens of 7168, eight of
    /// 256 experts of which 64 are here, 2048 wide. Blocks of 128 columns and, here, 8 rows: 64 + (512 - 64) / 8.
    #[test]
    fn blocks_in_two_dimensions() {
        let up = Launch {
            name: "bmm_E2m1_E2m1E2m1_Fp32_t128x8x512u2_s5_et64x8_cga1x1x1_TN_transOut_schedS_bN_swiGlu_dynBatch_sm100f",
            grid: [32, 120, 1],
        };
        let down = Launch {
            name: "bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512u2_s5_et64x8_cga1x1x1_TN_transOut_schedS_bN_dynBatch_sm100f",
            grid: [56, 120, 1],
        };
        let work = layer("[64,7168]", "[64,256]", vec![up.clone(), down.clone()]).unwrap();
        // A quarter of the eight experts of a token is here.
        assert_eq!(work.macs, 3.0 * 2.0 * 64.0 * 7168.0 * 2048.0);
        assert_eq!(work.arithmetic, Some(Arithmetic::Fp4));
        // All experts here, one token: eight rows, each a block.
        let (up, down) = (Launch { grid: [32, 8, 1], ..up }, Launch { grid: [56, 8, 1], ..down });
        let one = layer("[1,7168]", "[1,256]", vec![up.clone(), down.clone()]).unwrap();
        assert_eq!(one.macs, 3.0 * 8.0 * 7168.0 * 2048.0);
        let weights = 3.0 * 8.0 * 7168.0 * 2048.0;
        assert!((one.bytes() - (4.0 * 7168.0 + weights * 4.5 / 8.0 + 4.0)).abs() < 1.0, "{}", one.bytes());
        // Sums in parts are not distinguished from blocks.
        let split = Launch { grid: [56, 8, 2], ..down };
        assert!(layer("[1,7168]", "[1,256]", vec![up, split]).unwrap_err().contains("--ops"));
    }

    /// The numbers that blocks of rows follow from are found again, or are not unique.
    #[test]
    fn choices_are_found_again() {
        let product = |blocks| Product {
            block: [16.0, 128.0],
            blocks,
            rows: Precision::BF16,
            weights: Precision::BF16,
            gated: true,
        };
        let mut unique = 0;
        for blocks in [Blocks::Together(1.0), Blocks::Apart([1.0, 1.0])] {
            let product = product(blocks);
            for tokens in [1.0, 3.0, 17.0, 256.0, 8192.0] {
                for experts in [8.0, 128.0] {
                    for top_k in [1.0, 2.0, 4.0, 8.0] {
                        let launched = product.row_blocks_for(tokens * top_k, experts);
                        if let Some(found) = chosen(&product, launched, tokens, experts) {
                            assert_eq!(found, (experts, top_k), "{tokens} {experts} {top_k}");
                            unique += 1;
                        }
                    }
                }
            }
        }
        assert!(unique >= 70, "{unique}");
    }
}
