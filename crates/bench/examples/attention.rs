//! Fused attention in every precision, in alternation: a line of JSON for each.
//!
//! `attention [--shape 1,32,8,1,4096,128] [--state cold] [--threads 1] [--instructions avx2] [--only fp32,...] [--seconds 2]`
//!
//! A shape is sequences, heads, heads of keys and values, new tokens, tokens, elements of a head.

#![expect(clippy::print_stdout, reason = "this is what it is for")]

mod shared;
#[path = "shared/turns.rs"]
mod turns;

use eaves_bench::{Attend, Spec};

use self::shared::{numbers, option};

fn main() {
    let shape = numbers(&option("--shape", "1,32,8,1,4096,128"), ',');
    let &[batch, heads, kv_heads, queries, context, dimension] = shape.as_slice() else { return };
    let shape = Attend { batch, heads, kv_heads, queries, context, dimension, causal: true };
    let only = option("--only", "fp32,fp16,bf16,int8,fp8_e4m3,fp8_e5m2");
    let specs = only
        .split(',')
        .filter_map(|precision| Some(Spec::Attention { shape, precision: precision.parse().ok()? }));
    turns::print("attention", specs, 40);
}
