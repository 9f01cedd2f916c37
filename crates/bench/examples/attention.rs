//! Fused attention in every precision, in alternation: a line of JSON for each.
//!
//! `attention [--shape 1,32,8,1,4096,128] [--state cold] [--threads 1] [--instructions avx2] [--only fp32,...] [--seconds 2]`
//!
//! A shape is sequences, heads, heads of keys and values, new tokens, tokens, elements of a head.

#![expect(clippy::print_stdout, reason = "this is what it is for")]

use std::time::Duration;

use eaves_bench::cpu::{Cpu, InstructionSet};
use eaves_bench::{Attend, CacheState, Kernel, Options, Protocol, Spec, measure};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, default: &str| -> String {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).map_or(default, String::as_str).to_owned()
    };
    let shape: Vec<usize> =
        option("--shape", "1,32,8,1,4096,128").split(',').filter_map(|text| text.parse().ok()).collect();
    let &[batch, heads, kv_heads, queries, context, dimension] = shape.as_slice() else { return };
    let shape = Attend { batch, heads, kv_heads, queries, context, dimension, causal: true };
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
        protocol: Protocol { limit: Duration::from_secs(seconds), clean: 40, ..Protocol::default() },
    };
    let cpu = Cpu { name: "this".to_owned(), instructions, last_cache: 32 << 20 };
    let mut kernels: Vec<Box<dyn Kernel>> = Vec::new();
    for precision in option("--only", "fp32,fp16,bf16,int8,fp8_e4m3,fp8_e5m2").split(',') {
        let Ok(precision) = precision.parse() else { continue };
        kernels.extend(cpu.kernel(&Spec::Attention { shape, precision }, &options));
    }
    let mut running: Vec<&mut dyn Kernel> = kernels.iter_mut().map(|kernel| &mut **kernel as _).collect();
    let measured = measure(&mut running, options.threads, &cpu.name, &options.protocol);
    let first = measured.first().and_then(|measurement| measurement.time);
    for measurement in &measured {
        let time = measurement.time;
        let verification = measurement.verification.as_ref();
        let line = serde_json::json!({
            "family": "attention",
            "precision": measurement.spec.precision(),
            "shape": measurement.spec.shape(),
            "state": measurement.conditions.state.id(),
            "threads": options.threads,
            "code": measurement.conditions.implementation,
            "huge_pages": measurement.conditions.huge_pages,
            "flops_per_second": measurement.flops_per_second(false),
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
