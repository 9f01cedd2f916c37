//! Kernels of one shape in turns: a line of JSON for each.

use std::time::Duration;

use eaves_bench::cpu::Cpu;
use eaves_bench::{CacheState, Kernel, Options, Protocol, Spec, measure};

use crate::shared::{instructions, option};

/// Measures kernels on this processor as the options say, until so many samples of each are clean, and prints a line for
/// each. The first is what others are compared with.
pub(crate) fn print(family: &str, specs: impl IntoIterator<Item = Spec>, clean: usize) {
    let seconds: u64 = option("--seconds", "2").parse().unwrap_or(2);
    let options = Options {
        threads: option("--threads", "1").parse().unwrap_or(1),
        state: CacheState::from_id(&option("--state", "cold")).unwrap_or(CacheState::Cold),
        protocol: Protocol { limit: Duration::from_secs(seconds), clean, ..Protocol::default() },
    };
    let cpu = Cpu { name: "this".to_owned(), instructions: instructions("avx2"), last_cache: 32 << 20 };
    let mut kernels: Vec<Box<dyn Kernel>> =
        specs.into_iter().flat_map(|spec| cpu.kernel(&spec, &options)).collect();
    let mut running: Vec<&mut dyn Kernel> = kernels.iter_mut().map(|kernel| &mut **kernel as _).collect();
    let measured = measure(&mut running, options.threads, &cpu.name, &options.protocol);
    let first = measured.first().and_then(|measurement| measurement.time);
    for measurement in &measured {
        let time = measurement.time;
        let weights = match measurement.spec {
            Spec::Gemv { n, k, .. } => Some((n * k) as f64),
            _ => None,
        };
        let verification = measurement.verification.as_ref();
        let line = serde_json::json!({
            "family": family,
            "precision": measurement.spec.precision(),
            "shape": measurement.spec.shape(),
            "state": measurement.conditions.state.id(),
            "threads": options.threads,
            "code": measurement.conditions.implementation,
            "huge_pages": measurement.conditions.huge_pages,
            "weights_per_second": weights.zip(time).map(|(weights, time)| weights / time.median),
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
