//! Every kernel on a device that is there: PoCL, which is a processor. Without a device, the tests are skipped.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eaves_roofline::device::{Confidence, parse, to_yaml};
use eaves_roofline::measured::{Attend, CacheState, Execution, Spec, Store, Stream, Summary, Violation};
use eaves_roofline::{Arithmetic, Engine, Precision};
use eaves_testing::skip;

use super::backend::OpenCl;
use super::devices::{Kind, platforms};
use super::roofs::{described, roofs};
use crate::backend::{Backend, BenchError, Options};
use crate::formats::Format;
use crate::timing::Protocol;

/// Drivers for processors are not all safe to be opened, and to compile, on several threads at once.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first device. Without one, the test is skipped.
fn device() -> Option<OpenCl> {
    let found =
        platforms().map(|platforms| platforms.into_iter().flat_map(|platform| platform.devices).next());
    match found {
        Ok(Some(info)) => Some(OpenCl::open(&info).unwrap()),
        Ok(None) => {
            skip("no OpenCL device");
            None
        }
        Err(error) => {
            skip(error);
            None
        }
    }
}

/// The device twice: kernels as they are for it, and as they would be for a graphics processor.
fn both() -> Vec<OpenCl> {
    let one = device();
    let other = device().map(|mut device| {
        device.shared_groups = true;
        device
    });
    one.into_iter().chain(other).collect()
}

fn quick(state: CacheState) -> Options {
    let protocol = Protocol {
        warm_up: Duration::from_millis(1),
        limit: Duration::from_millis(20),
        clean: 5,
        ..Protocol::default()
    };
    Options { threads: 1, state, protocol }
}

/// Runs kernels once and compares each with its reference.
fn hold(device: &OpenCl, specs: &[Spec]) {
    hold_in(device, specs, 1);
}

fn hold_in(device: &OpenCl, specs: &[Spec], pieces: usize) {
    for spec in specs {
        let mut kernel = device.prepare(spec, &quick(CacheState::Hot)).unwrap();
        kernel.cut(pieces);
        for piece in 0..kernel.pieces() {
            kernel.run(device.driver(), piece, 0).unwrap();
        }
        device.driver().finish().unwrap();
        let verification = (kernel.check)(device.driver()).unwrap();
        assert!(verification.holds(), "{spec:?} in {pieces}: {verification:?}");
        assert!(device.driver().is_intact(), "{spec:?} writes where nothing is");
    }
}

fn precision(name: &str) -> Precision {
    name.parse().unwrap()
}

#[test]
fn devices_say_what_they_are() {
    let _alone = alone();
    let Ok(platforms) = platforms() else { return skip("no OpenCL library") };
    for platform in &platforms {
        assert!(!platform.name.is_empty() && platform.version.starts_with("OpenCL"), "{platform:?}");
        for device in &platform.devices {
            assert!(!device.name.is_empty() && !device.name.contains('\0'), "{device:?}");
            assert!(device.units > 0 && device.memory > 0 && device.local_memory > 0, "{device:?}");
            assert!(device.largest_group > 0 && device.largest_buffer <= device.memory, "{device:?}");
            assert_eq!(device.fp64, device.extensions.iter().any(|name| name == "cl_khr_fp64"));
        }
    }
}

/// The library looks for devices where this variable says; its own program, for it does so once.
#[test]
fn without_a_device_nothing_panics() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opencl::tests::cold_operands_exceed_the_last_cache", "--nocapture"])
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .env_remove(eaves_testing::SKIPPED)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("is skipped: no OpenCL"), "{said}");
}

#[test]
fn streams_are_exact_on_odd_lengths() {
    let _alone = alone();
    for device in both() {
        let streams = [
            Stream::Read { streams: 1 },
            Stream::Read { streams: 4 },
            Stream::Write(Store::Normal),
            Stream::Copy(Store::Normal),
            Stream::Triad(Store::Normal),
        ];
        for stream in streams {
            let specs = [4, 12, 1000, 12 * 12_345, 1 << 20].map(|bytes| Spec::Stream { stream, bytes });
            hold(&device, &specs);
        }
        let past = Spec::Stream { stream: Stream::Write(Store::NonTemporal), bytes: 1 << 20 };
        let refused = device.prepare(&past, &quick(CacheState::Hot));
        assert!(matches!(refused.err(), Some(BenchError::Unsupported { .. })));
    }
}

#[test]
fn exponentials_are_as_good_as_the_standard_says() {
    let _alone = alone();
    for device in both() {
        hold(&device, &[Spec::Exp]);
    }
}

#[test]
fn chains_are_exact_in_every_type_that_the_device_has() {
    let _alone = alone();
    for device in both() {
        hold(&device, &[Arithmetic::Fp32, Arithmetic::Int8].map(|arithmetic| Spec::Fma { arithmetic }));
        let info = device.info().clone();
        for (arithmetic, has) in
            [(Arithmetic::Fp64, info.fp64), (Arithmetic::Fp16, info.fp16), (Arithmetic::Bf16, false)]
        {
            let spec = Spec::Fma { arithmetic };
            if has {
                hold(&device, &[spec]);
            } else {
                let refused = device.prepare(&spec, &quick(CacheState::Hot));
                assert!(matches!(refused.err(), Some(BenchError::Unsupported { .. })), "{arithmetic}");
            }
        }
    }
}

/// Weights in every format, with activations of full precision and of eight bits.
fn pairs(device: &OpenCl) -> Vec<(Precision, Precision)> {
    let formats = Format::ALL.into_iter().filter(|format| *format != Format::Fp64 || device.info().fp64);
    let mut pairs: Vec<_> = formats
        .map(|format| {
            let activations = if format == Format::Fp64 { "fp64" } else { "fp32" };
            (precision(format.name()), precision(activations))
        })
        .collect();
    for (weights, activations) in [("int8", "int8"), ("mxfp4", "int8"), ("fp16", "fp16"), ("bf16", "bf16")] {
        pairs.push((precision(weights), precision(activations)));
    }
    pairs
}

#[test]
fn matrix_times_vector_is_right_in_every_format_on_odd_shapes() {
    let _alone = alone();
    for device in both() {
        for (weights, activations) in pairs(&device) {
            let spec = |(n, k)| Spec::Gemv { n, k, weights, activations };
            hold(&device, &[(0, 5), (1, 1), (7, 33), (129, 1000), (64, 4096), (3, 0)].map(spec));
        }
    }
}

#[test]
fn matrix_times_matrix_is_right_in_every_format_on_odd_shapes() {
    let _alone = alone();
    for device in both() {
        for (weights, activations) in pairs(&device) {
            // Formats differ in how they are read, shapes in everything else.
            let shapes = [(97, 130, 300), (1, 1, 1), (5, 0, 7), (13, 257, 64), (128, 256, 128)];
            let shapes = if weights == Precision::FP32 { &shapes[..] } else { &shapes[..1] };
            for &(m, n, k) in shapes {
                hold(&device, &[Spec::Gemm { m, n, k, weights, activations }]);
            }
        }
    }
}

#[test]
fn attention_is_right_decoding_and_not() {
    let _alone = alone();
    let shape = |heads, kv_heads, queries, context, dimension, causal| Attend {
        batch: 2,
        heads,
        kv_heads,
        queries,
        context,
        dimension,
        causal,
    };
    let shapes = [
        // Decoding: one query, keys shared by several heads, and this many keys that they are split.
        shape(8, 2, 1, 333, 128, false),
        shape(2, 1, 1, 1100, 64, true),
        // New tokens behind others and by themselves; lengths that divide by nothing.
        shape(3, 3, 5, 37, 20, true),
        shape(4, 2, 33, 33, 40, true),
        shape(2, 1, 17, 65, 8, false),
        shape(1, 1, 1, 1, 1, true),
    ];
    for device in both() {
        for name in ["fp64", "fp32", "fp16", "bf16", "int8", "fp8_e4m3"] {
            if name == "fp64" && !device.info().fp64 {
                continue;
            }
            let precision = precision(name);
            // Formats differ in how they are read, shapes in everything else.
            let shapes = if name == "fp32" { &shapes[..] } else { &shapes[2..4] };
            for shape in shapes {
                hold(&device, &[Spec::Attention { shape: *shape, precision }]);
            }
        }
        let odd = Spec::Attention { shape: shape(3, 2, 1, 8, 8, false), precision: Precision::FP32 };
        let refused = device.prepare(&odd, &quick(CacheState::Hot));
        assert!(matches!(refused.err(), Some(BenchError::Unsupported { .. })));
    }
}

/// A driver may compile pieces otherwise than whole kernels, for their places begin elsewhere.
#[test]
fn pieces_are_the_whole() {
    let _alone = alone();
    let fp32 = Precision::FP32;
    let shape =
        Attend { batch: 2, heads: 4, kv_heads: 2, queries: 33, context: 33, dimension: 40, causal: true };
    for device in both() {
        let specs = [
            Spec::Stream { stream: Stream::Copy(Store::Normal), bytes: 4 * 12_345 },
            Spec::Gemv { n: 129, k: 300, weights: precision("mxfp4"), activations: fp32 },
            Spec::Gemm { m: 300, n: 130, k: 70, weights: fp32, activations: fp32 },
            Spec::Attention { shape, precision: fp32 },
        ];
        hold_in(&device, &specs, 3);
    }
}

/// Each of these texts, changed like this, is an error that somebody might make.
#[test]
fn a_wrong_kernel_is_caught() {
    let _alone = alone();
    let weights = precision("mxfp4");
    let fp32 = Precision::FP32;
    let attend =
        Attend { batch: 1, heads: 2, kv_heads: 1, queries: 9, context: 50, dimension: 24, causal: true };
    let faults = [
        (
            ("(uint)scales[first / 32] << 23", "(uint)scales[first / 64] << 23"),
            Spec::Gemv { n: 9, k: 500, weights, activations: fp32 },
        ),
        (
            ("i < stride; i += 32", "i < stride - 32; i += 32"),
            Spec::Gemv { n: 9, k: 512, weights: fp32, activations: fp32 },
        ),
        (
            ("a_line[d * PANEL_M + r]", "a_line[d * PANEL_M + r / 2]"),
            Spec::Gemm { m: 20, n: 20, k: 20, weights: fp32, activations: fp32 },
        ),
        (
            ("if (first_n + line < n && k", "if (first_n + line < n - 1 && k"),
            Spec::Gemm { m: 20, n: 20, k: 20, weights: fp32, activations: fp32 },
        ),
        (
            ("key + other + b <= position", "key + other + b < position"),
            Spec::Attention { shape: attend, precision: fp32 },
        ),
        (("sum += exp(x);", "sum += exp(x) * 1.001f;"), Spec::Exp),
        (
            ("* shrink[row + a];", ";"),
            Spec::Attention { shape: Attend { context: 500, ..attend }, precision: fp32 },
        ),
        (("a7 = fma(a7, xs, ys);", ""), Spec::Fma { arithmetic: Arithmetic::Fp32 }),
        (
            ("i = part * STREAMS * WIDTH; i < count", "i = part * STREAMS * WIDTH; i < count - 1"),
            Spec::Stream { stream: Stream::Read { streams: 1 }, bytes: 4004 },
        ),
        (
            ("fma((reals)(scale), right[i], left[i])", "right[i] + left[i]"),
            Spec::Stream { stream: Stream::Triad(Store::Normal), bytes: 1 << 16 },
        ),
    ];
    for (patch, spec) in faults {
        let Some(mut device) = device() else { return };
        device.patch = Some(patch);
        let measured = device.measure(&[spec], &quick(CacheState::Hot)).pop();
        let measurement = measured.unwrap().unwrap_or_else(|error| panic!("{patch:?} does not run: {error}"));
        assert!(
            measurement.violations.iter().any(|violation| matches!(violation, Violation::WrongResult { .. })),
            "{patch:?}: {:?}",
            measurement.verification
        );
        assert!(!measurement.is_sound());
    }
}

#[test]
fn what_the_compiler_says_is_in_the_error() {
    let _alone = alone();
    let Some(mut device) = device() else { return };
    device.patch = Some(("out[item] = a0", "out[item] = nothing_of_this_name"));
    let spec = Spec::Fma { arithmetic: Arithmetic::Fp32 };
    let Err(BenchError::Device { cause, .. }) = device.prepare(&spec, &quick(CacheState::Hot)) else {
        panic!("it compiles");
    };
    assert!(cause.contains("nothing_of_this_name"), "{cause}");
}

#[test]
fn measurements_have_times_of_both_clocks() {
    let _alone = alone();
    let Some(device) = device() else { return };
    let specs = [
        Spec::Stream { stream: Stream::Triad(Store::Normal), bytes: 3 << 20 },
        Spec::Fma { arithmetic: Arithmetic::Bf16 },
        Spec::Gemv { n: 300, k: 512, weights: precision("int4"), activations: Precision::FP32 },
        Spec::Gemm { m: 400, n: 400, k: 400, weights: Precision::FP32, activations: Precision::FP32 },
    ];
    let measured = device.measure(&specs, &quick(CacheState::Cold));
    assert_eq!(measured.len(), specs.len());
    assert!(matches!(measured[1], Err(BenchError::Unsupported { .. })));
    for (measurement, spec) in measured.iter().zip(specs) {
        let Ok(measurement) = measurement else {
            assert_eq!(spec, specs[1], "{measurement:?}");
            continue;
        };
        assert_eq!(measurement.spec, spec);
        assert_eq!(measurement.violations, [], "{measurement:?}");
        assert_eq!(measurement.execution, Execution::Executed);
        assert_eq!(
            (measurement.conditions.backend.as_str(), measurement.conditions.state),
            ("opencl", CacheState::Cold)
        );
        assert_eq!(measurement.conditions.device, device.device());
        assert!(!measurement.samples.is_empty() && !measurement.conditions.implementation.is_empty());
        for sample in &measurement.samples {
            let host = sample.other_ns.unwrap();
            assert!(sample.wall_ns > 0 && sample.wall_ns <= host + host / 500 + 1, "{sample:?}");
            assert_eq!(
                sample.switches.is_some(),
                device.info().kind == Kind::Cpu && cfg!(target_os = "linux")
            );
        }
    }
}

#[test]
fn cold_operands_exceed_the_last_cache() {
    let _alone = alone();
    let Some(device) = device() else { return };
    let cache = device.info().cache.unwrap_or(32 << 20) as usize;
    for bytes in [1, 1000, 1 << 20, 1 << 30] {
        let copies = device.copies(CacheState::Cold, bytes).unwrap();
        assert!(copies * bytes >= 4 * cache && (copies - 1) * bytes < 4 * cache);
        assert_eq!(device.copies(CacheState::Hot, bytes), Ok(1));
    }
    assert_eq!(device.copies(CacheState::LastLevel, cache / 2), Ok(1));
    assert!(device.copies(CacheState::LastLevel, cache).is_err());
}

#[test]
fn roofs_are_a_device_with_what_was_measured() {
    let _alone = alone();
    let Some(device) = device() else { return };
    let (found, mut measured) = roofs(&device, &quick(CacheState::Cold).protocol).unwrap();
    assert!(measured.iter().all(|measurement| measurement.violations.is_empty()), "{measured:?}");
    let sound =
        |family: &str| measured.iter().filter(|one| one.is_sound() && one.spec.family() == family).count();
    assert_eq!(found.peaks.len(), sound("fma"));
    assert_eq!(found.main_memory().unwrap().bandwidth.is_some(), sound("stream") > 0);
    // Whatever the machine was busy with: had each call taken a second, rates would be what it did.
    for measurement in &mut measured {
        let (clean, samples) = (9, measurement.samples.len());
        let time = Summary { min: 1.0, median: 2.0, low: 1.5, high: 2.5, mad: 0.1, clean, samples };
        measurement.time = Some(time);
    }
    let found = described(&device, &measured);
    let work = |arithmetic| {
        measured.iter().find(|one| one.spec == Spec::Fma { arithmetic }).map(|one| one.work.flops)
    };
    let peak = |arithmetic| found.peak(arithmetic, Engine::Vector).map(|peak| peak.dense.value);
    assert_eq!(peak(Arithmetic::Fp32), work(Arithmetic::Fp32));
    assert_eq!(peak(Arithmetic::Int8), work(Arithmetic::Int8));
    let bandwidth = found.main_memory().unwrap().bandwidth.as_ref().unwrap();
    assert_eq!((bandwidth.value, bandwidth.source.confidence), ((48 << 20) as f64, Confidence::Measured));
    assert!(found.clock.is_none(), "a reported clock is no measurement");
    let text = to_yaml(std::slice::from_ref(&found));
    assert_eq!(parse(&text, Path::new("measured.yaml")).unwrap(), [found], "{text}");
}
