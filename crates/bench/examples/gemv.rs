//! Products of a matrix and a vector in every format, in alternation: a line of JSON for each.
//!
//! `gemv [--shape 4096x4096] [--state cold] [--threads 1] [--instructions avx2] [--only mxfp4/int8,...] [--seconds 2]`

#![expect(clippy::print_stdout, reason = "this is what it is for")]

use std::time::Duration;

use eaves_bench::cpu::{Cpu, InstructionSet};
use eaves_bench::{CacheState, Kernel, Options, Protocol, Spec, measure};

/// What is measured: weights and activations. The first is what others are compared with.
const ALL: &str = "fp32/fp32,fp64/fp64,fp16/fp32,bf16/fp32,fp8_e4m3/fp32,fp8_e5m2/fp32,int8/fp32,int8/int8,\
                   int4/fp32,int4/int8,mxfp4/fp32,mxfp4/int8,nvfp4/fp32,nvfp4/int8,nf4/fp32,nf4/int8";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, default: &str| -> String {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).map_or(default, String::as_str).to_owned()
    };
    let shape: Vec<usize> =
        option("--shape", "4096x4096").split('x').filter_map(|text| text.parse().ok()).collect();
    let &[n, k] = shape.as_slice() else { return };
    let wanted = option("--instructions", "avx2");
    let instructions = InstructionSet::all()
        .iter()
        .copied()
        .find(|instructions| instructions.to_string() == wanted)
        .unwrap_or_else(InstructionSet::best);
    let seconds: u64 = option("--seconds", "2").parse().unwrap_or(2);
    let options = Options {
        threads: option("--threads", "1").parse().unwrap_or(1),
        state: CacheState::from_id(&option("--state", "cold")).unwrap_or(CacheState::Cold),
        protocol: Protocol { limit: Duration::from_secs(seconds), clean: 60, ..Protocol::default() },
    };
    let cpu = Cpu { name: "this".to_owned(), instructions, last_cache: 32 << 20 };
    let mut kernels: Vec<Box<dyn Kernel>> = Vec::new();
    for pair in option("--only", ALL).split(',') {
        let Some((weights, activations)) = pair.split_once('/') else { continue };
        let (Ok(weights), Ok(activations)) = (weights.parse(), activations.parse()) else { continue };
        kernels.extend(cpu.kernel(&Spec::Gemv { n, k, weights, activations }, &options));
    }
    let mut running: Vec<&mut dyn Kernel> = kernels.iter_mut().map(|kernel| &mut **kernel as _).collect();
    let measured = measure(&mut running, options.threads, &cpu.name, &options.protocol);
    let first = measured.first().and_then(|measurement| measurement.time);
    for measurement in &measured {
        let time = measurement.time;
        let weights = (n * k) as f64;
        let verification = measurement.verification.as_ref();
        let line = serde_json::json!({
            "family": "gemv",
            "precision": measurement.spec.precision(),
            "shape": measurement.spec.shape(),
            "state": measurement.conditions.state.id(),
            "threads": options.threads,
            "code": measurement.conditions.implementation,
            "huge_pages": measurement.conditions.huge_pages,
            "weights_per_second": time.map(|time| weights / time.median),
            "bytes_per_second": measurement.bytes_per_second(false),
            "seconds": time.map(|time| time.median),
            "best": time.map(|time| time.min),
            "speedup": time.zip(first).map(|(time, first)| first.median / time.median),
            "clean": measurement.clean(),
            "samples": measurement.samples.len(),
            "error": verification.map(|verification| verification.error),
            "tolerance": verification.map(|verification| verification.tolerance),
            "right": verification.is_some_and(|verification| verification.holds()),
        });
        println!("{line}");
    }
}
