//! What devices of OpenCL do, in figures: `cargo run -p eaves-bench --example opencl [UNITS]`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is there to print")]

use eaves_bench::opencl::{OpenCl, platforms, roofs};
use eaves_bench::{Attend, Backend, CacheState, Measurement, Options, Protocol, Spec};
use eaves_roofline::Precision;

fn line(measurement: &Measurement) {
    let conditions = &measurement.conditions;
    let rate = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.2}", rate / 1e9));
    println!(
        "{:<10} {:<32} {:<14} {:<5} {:>9} G/s {:>8} GB/s  clean {}/{}  {} {:?}",
        measurement.spec.family(),
        measurement.spec.shape(),
        measurement.spec.precision(),
        conditions.state.id(),
        rate(measurement.flops_per_second(true)),
        rate(measurement.bytes_per_second(true)),
        measurement.clean(),
        measurement.samples.len(),
        conditions.implementation,
        measurement.violations
    );
}

fn main() {
    let platforms = match platforms() {
        Ok(platforms) => platforms,
        Err(error) => return eprintln!("{error}"),
    };
    for info in platforms.iter().flat_map(|platform| &platform.devices) {
        println!("{} ({}, {} units, {})", info.name, info.kind.id(), info.units, info.version);
        if let Err(error) = device(info) {
            eprintln!("{error}");
        }
    }
}

fn device(info: &eaves_bench::opencl::DeviceInfo) -> Result<(), eaves_bench::BenchError> {
    let units = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let device = units.map_or_else(|| OpenCl::open(info), |units| OpenCl::open_units(info, units))?;
    let protocol = Protocol::default();
    let (_, measured) = roofs(&device, &protocol)?;
    measured.iter().for_each(line);
    let fp32 = Precision::FP32;
    let named = |name: &str| name.parse().unwrap_or(fp32);
    let mut specs: Vec<Spec> = [
        ("fp32", "fp32"),
        ("bf16", "fp32"),
        ("int8", "fp32"),
        ("int8", "int8"),
        ("fp8_e4m3", "fp32"),
        ("int4", "fp32"),
        ("mxfp4", "fp32"),
        ("nvfp4", "fp32"),
        ("nf4", "fp32"),
    ]
    .map(|(weights, activations)| Spec::Gemv {
        n: 4096,
        k: 4096,
        weights: named(weights),
        activations: named(activations),
    })
    .into();
    let shape =
        Attend { batch: 1, heads: 32, kv_heads: 8, queries: 1, context: 4096, dimension: 128, causal: true };
    specs.push(Spec::Attention { shape, precision: fp32 });
    specs.push(Spec::Attention { shape: Attend { queries: 512, context: 512, ..shape }, precision: fp32 });
    for (name, size) in [("fp32", 512), ("fp32", 1024), ("fp64", 512), ("fp16", 512), ("int8", 512)] {
        let weights = named(name);
        specs.push(Spec::Gemm { m: size, n: size, k: size, weights, activations: weights });
    }
    for spec in specs {
        let options = Options { threads: 1, state: CacheState::Cold, protocol };
        for answer in device.measure(&[spec], &options) {
            match answer {
                Ok(measurement) => line(&measurement),
                Err(error) => println!("{error}"),
            }
        }
    }
    Ok(())
}
