//! Products of a matrix and a vector in every format, in alternation: a line of JSON for each.
//!
//! `gemv [--shape 4096x4096] [--state cold] [--threads 1] [--instructions avx2] [--only mxfp4/int8,...] [--seconds 2]`

#![expect(clippy::print_stdout, reason = "this is what it is for")]

mod shared;
#[path = "shared/turns.rs"]
mod turns;

use eaves_bench::Spec;

use self::shared::{numbers, option};

/// What is measured: weights and activations. The first is what others are compared with.
const ALL: &str = "fp32/fp32,fp64/fp64,fp16/fp32,bf16/fp32,fp8_e4m3/fp32,fp8_e5m2/fp32,int8/fp32,int8/int8,\
                   int4/fp32,int4/int8,mxfp4/fp32,mxfp4/int8,nvfp4/fp32,nvfp4/int8,nf4/fp32,nf4/int8";

fn main() {
    let shape = numbers(&option("--shape", "4096x4096"), 'x');
    let &[n, k] = shape.as_slice() else { return };
    let only = option("--only", ALL);
    let specs = only.split(',').filter_map(|pair| {
        let (weights, activations) = pair.split_once('/')?;
        Some(Spec::Gemv { n, k, weights: weights.parse().ok()?, activations: activations.parse().ok()? })
    });
    turns::print("gemv", specs, 60);
}
