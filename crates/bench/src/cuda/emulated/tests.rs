//! Every kernel is run and checked as a GPU would run it, and wrong ones are found out.

use eaves_roofline::measured::{Attend, CacheState, Spec, Store, Stream, Verification};
use eaves_roofline::{Arithmetic, Engine, Precision};

use super::Emulated;
use crate::cuda::PROGRAMS;
use crate::cuda::plan::{Operands, Plan, Prepared, Request, plan};
use crate::formats::Format;

/// A device so small that a test does not take long.
fn request(spec: Spec) -> Request {
    Request { spec, engine: None, state: CacheState::Hot, units: 1, last_cache: 4096 }
}

fn verified(device: &Emulated, request: &Request) -> Verification {
    let planned = plan(request).unwrap_or_else(|error| panic!("{error}"));
    let prepared = Prepared::new(&planned, device).unwrap();
    // As when it is measured: other copies first, the first one last.
    for turn in [1, 2, 0] {
        prepared.launch(turn).unwrap_or_else(|error| panic!("{:?}: {error}", request.spec));
    }
    prepared.verify(device).unwrap()
}

#[track_caller]
fn holds(device: &Emulated, request: &Request) {
    let verification = verified(device, request);
    assert!(verification.holds(), "{:?}: {verification:?}", request.spec);
}

#[test]
fn streams() {
    let Some(device) = Emulated::new() else { return };
    let (normal, past) = (Store::Normal, Store::NonTemporal);
    let mut streams = vec![1, 2, 4].into_iter().map(|streams| Stream::Read { streams }).collect::<Vec<_>>();
    streams.extend(
        [normal, past]
            .into_iter()
            .flat_map(|store| [Stream::Write(store), Stream::Copy(store), Stream::Triad(store)]),
    );
    for stream in streams {
        for bytes in [1, 5000, 200_000] {
            let spec = Spec::Stream { stream, bytes };
            holds(&device, &request(spec));
            holds(&device, &Request { state: CacheState::Cold, ..request(spec) });
        }
    }
}

#[test]
fn peaks_of_vector_units() {
    let Some(device) = Emulated::new() else { return };
    for arithmetic in [Arithmetic::Fp32, Arithmetic::Fp64, Arithmetic::Fp16, Arithmetic::Int8] {
        let request = Request { engine: Some(Engine::Vector), ..request(Spec::Fma { arithmetic }) };
        holds(&device, &request);
        let work = plan(&request).unwrap().work;
        assert!(work.flops / work.bytes() > 1000.0, "{arithmetic} is bound by memory");
    }
}

#[test]
fn rate_of_exponentials() {
    let Some(device) = Emulated::new() else { return };
    holds(&device, &request(Spec::Exp));
}

#[test]
fn peaks_of_matrix_units() {
    let Some(device) = Emulated::new() else { return };
    for arithmetic in [
        Arithmetic::Fp64,
        Arithmetic::Tf32,
        Arithmetic::Fp16,
        Arithmetic::Bf16,
        Arithmetic::Int8,
        Arithmetic::Fp8,
        Arithmetic::Fp4,
    ] {
        let request = request(Spec::Fma { arithmetic });
        let planned = plan(&request).unwrap();
        assert_eq!(planned.work.engine, Engine::Matrix);
        assert!(planned.work.flops / planned.work.bytes() > 1000.0, "{arithmetic} is bound by memory");
        // As many products as the real thing would take minutes.
        let prepared = shortened(&device, planned, 3);
        prepared.launch(0).unwrap();
        let verification = prepared.verify(&device).unwrap();
        assert!(verification.holds(), "{arithmetic}: {verification:?}");
    }
}

/// The same with one block, of which the check sees every warp, and fewer pairs of products.
fn shortened(device: &Emulated, planned: Plan, pairs: u64) -> Prepared {
    let prepare = planned.prepare;
    let shorter = move |device: &dyn crate::cuda::device::Device| -> Result<Operands, crate::BenchError> {
        let mut operands = prepare(device)?;
        for stage in &mut operands.stages {
            if let Some(last) = stage.arguments.last_mut() {
                *last = crate::cuda::plan::Argument::Number(pairs);
            }
        }
        Ok(operands)
    };
    Prepared::new(&Plan { prepare: Box::new(shorter), ..planned }, device).unwrap()
}

#[test]
fn products_of_matrices() {
    let Some(device) = Emulated::new() else { return };
    let types = [
        Precision::FP32,
        Precision::FP16,
        Precision::BF16,
        Precision::INT8,
        Precision::FP8_E4M3,
        Precision::FP8_E5M2,
        "tf32".parse().unwrap(),
    ];
    for precision in types {
        // One element, edges of tiles on either side, k of one step, of none and a half, and of several.
        for (m, n, k) in [(1, 1, 1), (3, 130, 33), (129, 17, 200), (128, 128, 64)] {
            holds(&device, &request(Spec::Gemm { m, n, k, weights: precision, activations: precision }));
        }
        let spec = Spec::Gemm { m: 2, n: 5, k: 70, weights: precision, activations: precision };
        holds(&device, &Request { state: CacheState::Cold, ..request(spec) });
    }
}

#[test]
fn products_with_vectors_in_every_format() {
    let Some(device) = Emulated::new() else { return };
    for format in Format::ALL {
        let vectors = match format {
            Format::Fp64 => vec![Format::Fp64],
            Format::Mxfp4 => vec![Format::Fp32, Format::Fp16, Format::Bf16, Format::Int8],
            _ => vec![Format::Fp32, Format::Int8],
        };
        for vector in vectors {
            let (weights, activations) = (format.precision(1), vector.precision(1));
            for (n, k) in [(1, 1), (9, 300), (16, 512)] {
                holds(&device, &request(Spec::Gemv { n, k, weights, activations }));
            }
            let spec = Spec::Gemv { n: 5, k: 100, weights, activations };
            holds(&device, &Request { state: CacheState::Cold, ..request(spec) });
        }
    }
}

#[test]
fn attention() {
    let Some(device) = Emulated::new() else { return };
    let shapes = [
        // Decoding: one token, no whole part, several parts, and queries that share keys.
        (1, 1, 1, 1, 1, 64, false),
        (2, 4, 2, 1, 70, 128, true),
        (1, 8, 1, 1, 300, 128, false),
        (1, 2, 2, 1, 257, 256, false),
        // Many tokens: less than a tile, a whole one, more, with and without a past.
        (1, 2, 1, 5, 5, 64, true),
        (1, 1, 1, 64, 64, 128, true),
        (2, 4, 2, 9, 140, 64, true),
        (1, 2, 2, 70, 130, 128, false),
    ];
    for (batch, heads, kv_heads, queries, context, dimension, causal) in shapes {
        let shape = Attend { batch, heads, kv_heads, queries, context, dimension, causal };
        for precision in [Precision::FP32, Precision::FP16, Precision::BF16] {
            holds(&device, &request(Spec::Attention { shape, precision }));
        }
    }
}

/// One change to each source that makes a kernel wrong.
#[test]
fn a_wrong_kernel_is_caught() {
    let Some(device) = Emulated::new() else { return };
    let (weights, activations) = (Precision::MXFP4, Precision::FP32);
    let decode =
        Attend { batch: 1, heads: 2, kv_heads: 1, queries: 1, context: 90, dimension: 64, causal: true };
    let prefill = Attend { queries: 20, ..decode };
    let fp16 = Precision::FP16;
    let product = Spec::Gemm { m: 20, n: 20, k: 100, weights: fp16, activations: fp16 };
    for (spec, right, wrong) in [
        (
            Spec::Stream { stream: Stream::Triad(Store::Normal), bytes: 9000 },
            "fmaf(s, __uint_as_float(y.w)",
            "fmaf(s, __uint_as_float(y.z)",
        ),
        (Spec::Stream { stream: Stream::Read { streams: 4 }, bytes: 9000 }, "s * part + i", "i"),
        (Spec::Fma { arithmetic: Arithmetic::Fp32 }, "step < 16", "step < 15"),
        (Spec::Exp, "pass < passes", "pass + 1 < passes"),
        (product, "step + 1 < steps", "false"),
        (product, "copy_async_wait<1>", "copy_async_wait<2>"),
        (product, "row < m && column < n", "row + 1 < m && column < n"),
        (Spec::Gemv { n: 9, k: 300, weights, activations }, "scales[index / 32] << 23", "scales[0] << 23"),
        (Spec::Attention { shape: decode, precision: fp16 }, "weight[g] *= shrink;", ""),
        (Spec::Attention { shape: prefill, precision: fp16 }, "own + 1 : context", "own + 2 : context"),
        (Spec::Attention { shape: prefill, precision: fp16 }, "lane % 16", "lane % 8"),
    ] {
        let request = request(spec);
        let planned = plan(&request).unwrap();
        let body = planned.program.body();
        assert!(body.contains(right), "{right} is not in {}", planned.program.file);
        let own = planned.program.defines.iter().map(|define| (*define).to_owned());
        let defines: Vec<String> = own.chain(planned.defines.iter().cloned()).collect();
        let functions = device.functions(&body.replace(right, wrong), &defines, planned.program.functions);
        let prepared = Prepared::of(functions, (planned.prepare)(&device).unwrap());
        // One that waits forever is as wrong.
        if prepared.launch(0).is_ok() {
            let verification = prepared.verify(&device).unwrap();
            assert!(!verification.holds(), "{wrong} instead of {right}: {verification:?}");
        }
    }
}

/// What is not there is said, and nothing panics.
#[test]
fn shapes_and_types_that_there_are_no_kernels_for() {
    let fp4 = Precision::FP4;
    let shape =
        Attend { batch: 1, heads: 3, kv_heads: 2, queries: 1, context: 10, dimension: 64, causal: false };
    for spec in [
        Spec::Stream { stream: Stream::Read { streams: 3 }, bytes: 100 },
        Spec::Fma { arithmetic: Arithmetic::Int4 },
        Spec::Gemm { m: 0, n: 1, k: 1, weights: Precision::FP16, activations: Precision::FP16 },
        Spec::Gemm { m: 1, n: 1, k: 1, weights: Precision::MXFP4, activations: Precision::FP16 },
        Spec::Gemv { n: 1, k: usize::MAX, weights: Precision::FP16, activations: Precision::FP16 },
        Spec::Gemv { n: 1, k: 1, weights: Precision::FP16, activations: fp4 },
        Spec::Attention { shape, precision: Precision::FP16 },
        Spec::Attention { shape: Attend { heads: 4, dimension: 80, ..shape }, precision: Precision::FP16 },
        Spec::Attention { shape: Attend { heads: 4, queries: 11, ..shape }, precision: Precision::FP16 },
        Spec::Attention { shape: Attend { heads: 4, kv_heads: 0, ..shape }, precision: Precision::FP16 },
        Spec::Attention { shape: Attend { heads: 4, ..shape }, precision: fp4 },
    ] {
        let error = plan(&request(spec)).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.starts_with("cuda has no kernel for")), "{spec:?}");
    }
    let vector =
        Request { engine: Some(Engine::Vector), ..request(Spec::Fma { arithmetic: Arithmetic::Fp4 }) };
    assert!(plan(&vector).is_err());
    assert!(PROGRAMS.iter().all(|program| !program.functions.is_empty()));
}
