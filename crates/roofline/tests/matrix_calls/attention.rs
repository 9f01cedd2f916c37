//! Attention.

use eaves_roofline::ops::{Step, Tokens, formula};

use super::{Absent, Argument, BF16, FP8, FP32, INT, Scalar, Tensor, call, check, work};

/// 2 sequences, 4 and 2 heads, 3 queries, 5 keys, extents 6 and 7.
const QUERY: [f64; 4] =
    [2.0 * 4.0 * 3.0 * 6.0, 2.0 * 2.0 * 5.0 * 6.0, 2.0 * 2.0 * 5.0 * 7.0, 2.0 * 4.0 * 3.0 * 7.0];

fn heads_first() -> [Argument; 3] {
    [Tensor("2,4,3,6", BF16), Tensor("2,2,5,6", BF16), Tensor("2,2,5,7", BF16)]
}

fn tokens_first() -> [Argument; 3] {
    [Tensor("2,3,4,6", BF16), Tensor("2,5,2,6", BF16), Tensor("2,5,2,7", BF16)]
}

fn with(before: usize, tensors: [Argument; 3], behind: &[&'static str]) -> Vec<Argument> {
    let before = (0..before).map(|_| Tensor("2,4,3,7", BF16));
    before
        .chain(tensors)
        .chain(behind.iter().map(|text| if text.is_empty() { Absent } else { Scalar(text) }))
        .collect()
}

#[test]
fn attention_forward() {
    let bytes = 2.0 * QUERY.iter().sum::<f64>();
    // Pairs: all 15; at the end of the keys 3 + 4 + 5; from their start 1 + 2 + 3.
    let macs = |pairs: f64| 2.0 * 4.0 * pairs * 13.0;
    let flash = "aten::_scaled_dot_product_flash_attention";
    check(flash, &with(0, heads_first(), &["0.", "False"]), macs(15.0), 0.0, bytes);
    check(flash, &with(0, heads_first(), &["0.", "True"]), macs(12.0), 0.0, bytes);
    let efficient = "aten::_scaled_dot_product_efficient_attention";
    check(efficient, &with(0, heads_first(), &["", "True", "0.", "True"]), macs(6.0), 0.0, bytes);
    let mut biased = with(0, heads_first(), &["", "True", "0.", "False"]);
    biased[3] = Tensor("2,4,3,5", FP32);
    check(efficient, &biased, macs(15.0), 0.0, bytes + 4.0 * 120.0);
    let package = "flash_attn::_flash_attn_forward";
    check(package, &with(0, tokens_first(), &["0.", "0.1", "True", "-1", "-1"]), macs(12.0), 0.0, bytes);
    // One key before the place of the query: 2 keys for each of the three.
    check(package, &with(0, tokens_first(), &["0.", "0.1", "True", "1", "0"]), macs(6.0), 0.0, bytes);
    check(
        "aiter::wrapper_fmha_v3_fwd",
        &with(1, tokens_first(), &["0.", "0.1", "True", "-1", "-1"]),
        macs(12.0),
        0.0,
        bytes,
    );
    let inside = "aten::_flash_attention_forward";
    check(inside, &with(0, tokens_first(), &["", "", "3", "5", "0.", "True"]), macs(12.0), 0.0, bytes);
    let numbered = "aten::_efficient_attention_forward";
    check(numbered, &with(0, tokens_first(), &["", "", "", "", "", "0.", "2"]), macs(12.0), 0.0, bytes);
    check(numbered, &with(0, tokens_first(), &["", "", "", "", "", "0.", "1"]), macs(6.0), 0.0, bytes);
    // Not fused: scores are written and read twice.
    let parts = "aten::_scaled_dot_product_attention_math";
    check(parts, &with(0, heads_first(), &["", "0.", "False"]), macs(15.0), 0.0, bytes + 2.0 * 4.0 * 120.0);
}

#[test]
fn attention_backward() {
    // Queries, keys and values with their gradients, the output and its gradient.
    let bytes = 2.0 * 2.0 * QUERY.iter().sum::<f64>();
    let macs = |pairs: f64| 2.0 * 4.0 * pairs * (3.0 * 6.0 + 2.0 * 7.0);
    let flash = "aten::_scaled_dot_product_flash_attention_backward";
    check(flash, &with(1, heads_first(), &["", "", "", "", "3", "5", "0.", "True"]), macs(12.0), 0.0, bytes);
    let efficient = "aten::_scaled_dot_product_efficient_attention_backward";
    let arguments = with(1, heads_first(), &["", "", "", "", "", "0.", "[True, True, True, False]", "True"]);
    check(efficient, &arguments, macs(6.0), 0.0, bytes);
    let cudnn = "aten::_scaled_dot_product_cudnn_attention_backward";
    let arguments = with(1, heads_first(), &["", "", "", "", "", "", "", "3", "5", "0.", "False"]);
    check(cudnn, &arguments, macs(15.0), 0.0, bytes);
    // With and without tensors for the gradients among the arguments.
    let package = "flash_attn::_flash_attn_backward";
    let arguments = with(1, tokens_first(), &["", "", "", "", "", "0.", "0.1", "True", "-1", "-1"]);
    check(package, &arguments, macs(12.0), 0.0, bytes);
    let arguments = with(1, tokens_first(), &["", "", "0.", "0.1", "True", "-1", "-1"]);
    check("aiter::mha_bwd", &arguments, macs(12.0), 0.0, bytes);
    let forward = call("FlashAttnFunc", &with(0, tokens_first(), &["0.", "0.1", "True"]));
    let found = formula("FlashAttnFunc").and_then(|formula| formula.backward).expect("a backward");
    assert_eq!(found(&forward).map(|work| (work.macs, work.bytes())), Ok((macs(12.0), bytes)));
}

#[test]
fn attention_of_different_lengths() {
    // 10 tokens in 3 sequences, the longest of 4: the others have 3 each at best.
    let packed = |causal| {
        let tensors = [Tensor("10,4,6", BF16), Tensor("10,2,6", BF16), Tensor("10,2,7", BF16)];
        let lengths =
            [Tensor("4", INT), Tensor("4", INT), Scalar("4"), Scalar("4"), Scalar("0."), Scalar("0.1")];
        let flags = [Scalar(causal), Scalar("-1"), Scalar("-1")];
        tensors.into_iter().chain(lengths).chain(flags).collect::<Vec<_>>()
    };
    let bytes = 2.0 * 10.0 * (4.0 * 13.0 + 2.0 * 13.0);
    let name = "flash_attn::_flash_attn_varlen_forward";
    check(name, &packed("False"), 4.0 * (16.0 + 9.0 + 9.0) * 13.0, 0.0, bytes);
    check(name, &packed("True"), 4.0 * (10.0 + 6.0 + 6.0) * 13.0, 0.0, bytes);
}

/// A step of a server: a prompt of 8 tokens of which 3 were read before, and two sequences of 7 and 9 that get a token.
#[test]
fn attention_over_a_paged_cache() {
    let step = Step {
        prefill: Tokens { queries: 5.0, keys: 8.0, squares: 25.0, products: 40.0 },
        decode: Tokens { queries: 2.0, keys: 16.0, squares: 2.0, products: 16.0 },
        queries_only: false,
    };
    let arguments = [Tensor("7,4,6", BF16), Tensor("7,2,6", FP8), Tensor("7,2,6", FP8)];
    let mut call = call("vllm::unified_attention_with_output", &arguments);
    let found = formula(call.name).expect("a formula");
    assert!((found.work)(&call).is_err_and(|reason| reason.contains("not recorded")));
    call.step = Some(step);
    let paged = work(&call);
    // The 5 queries see 4 to 8 keys, the others 7 and 9.
    assert_eq!(paged.macs, 4.0 * (30.0 + 16.0) * 12.0);
    // 7 queries, outputs, keys and values of this step; 3 + 14 keys and values from the cache.
    assert_eq!(paged.bytes(), 2.0 * 7.0 * 12.0 * (4.0 + 2.0) + 17.0 * 2.0 * 12.0);
}

#[test]
fn attention_to_chosen_slots() {
    // 3 tokens choose 4 of 9 slots each: 12 pairs, but there are only 9 slots to read.
    let sparse =
        [Tensor("3,2,8", BF16), Tensor("9,1,8", BF16), Tensor("3,1,4", INT), Scalar("0.1"), Scalar("6")];
    let name = "sglang_profiler::tilelang_kernel_tilelang_sparse_fwd";
    check(name, &sparse, 2.0 * 12.0 * 14.0, 0.0, 2.0 * (48.0 + 72.0 + 36.0));
}
