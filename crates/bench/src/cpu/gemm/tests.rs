use super::*;
use crate::kernel::Worker;

fn making(instructions: InstructionSet, threads: usize) -> Making {
    Making { instructions, threads, state: CacheState::Hot, last_cache: 1 << 20 }
}

fn spec(m: usize, n: usize, k: usize, weights: &str, activations: &str) -> Spec {
    let precision = |name: &str| name.parse::<Precision>().unwrap();
    Spec::Gemm { m, n, k, weights: precision(weights), activations: precision(activations) }
}

/// Does one whole call, a thread after the other: they share nothing.
fn call(kernel: &mut dyn Kernel, threads: usize) {
    let pieces = kernel.pieces();
    let mut workers: Vec<Box<dyn Worker + '_>> = kernel.workers(threads);
    assert_eq!(workers.len(), threads);
    for worker in &mut workers {
        for piece in 0..pieces {
            worker.run(piece, 0);
        }
    }
}

#[test]
fn every_instruction_set_is_right_on_every_shape() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut shapes = vec![(0, 5, 7), (5, 0, 7), (5, 7, 0), (1, 1, 1), (14, 32, 4), (300, 70, 600)];
    shapes.extend((0..40).map(|_| (random.usize(1..80), random.usize(1..80), random.usize(1..80))));
    for &instructions in InstructionSet::all() {
        for precision in ["fp32", "fp64"] {
            for &(m, n, k) in &shapes {
                for threads in [1, 3] {
                    let spec = spec(m, n, k, precision, precision);
                    let mut kernel = kernel(&spec, &making(instructions, threads)).unwrap().unwrap();
                    call(&mut *kernel, threads);
                    let verification = kernel.verify();
                    assert!(
                        verification.holds(),
                        "{instructions} {spec:?} {threads} threads: {verification:?}"
                    );
                }
            }
        }
    }
}

/// Weights of every format with activations of every one, against what the formats say of themselves.
#[test]
fn weights_of_every_format_are_dequantised_as_they_are_packed() {
    let mut random = fastrand::Rng::with_seed(19);
    let mut shapes = vec![(7, 300, 600), (5, 7, 0), (3, 0, 4), (1, 1, 1)];
    shapes.extend((0..6).map(|_| (random.usize(1..20), random.usize(1..80), random.usize(1..300))));
    for &instructions in InstructionSet::all() {
        for format in crate::formats::Format::ALL.into_iter().skip(1) {
            for activations in ["fp32", "fp16", "bf16"] {
                for &(m, n, k) in &shapes {
                    let spec = spec(m, n, k, format.name(), activations);
                    let mut kernel = kernel(&spec, &making(instructions, 2)).unwrap().unwrap();
                    call(&mut *kernel, 2);
                    let verification = kernel.verify();
                    assert!(verification.holds(), "{instructions} {spec:?}: {verification:?}");
                }
            }
        }
    }
}

/// Bytes by hand: 64 rows of 256 weights, 16 of 256 activations, 16 of 64 results.
#[test]
fn bytes_are_those_that_are_stored() {
    for (weights, activations, bytes) in [
        ("fp32", "fp32", 64.0 * 256.0 * 4.0 + 16.0 * 256.0 * 4.0 + 16.0 * 64.0 * 4.0),
        ("fp64", "fp64", 64.0 * 256.0 * 8.0 + 16.0 * 256.0 * 8.0 + 16.0 * 64.0 * 8.0),
        ("int8", "int8", 64.0 * 256.0 + 16.0 * 256.0 + 16.0 * 64.0 * 4.0),
        ("bf16", "bf16", 64.0 * 256.0 * 2.0 + 16.0 * 256.0 * 2.0 + 16.0 * 64.0 * 4.0),
        ("mxfp4", "fp32", 64.0 * 256.0 * 17.0 / 32.0 + 16.0 * 256.0 * 4.0 + 16.0 * 64.0 * 4.0),
    ] {
        let spec = spec(16, 64, 256, weights, activations);
        let work = kernel(&spec, &making(InstructionSet::best(), 1)).unwrap().unwrap().work();
        assert_eq!(work.bytes(), bytes, "{weights}/{activations}");
        assert_eq!(work.flops, 2.0 * 16.0 * 64.0 * 256.0);
    }
}

#[test]
fn what_there_is_not_is_said() {
    let best = making(InstructionSet::best(), 1);
    for (weights, activations) in
        [("fp64", "fp32"), ("int2", "fp32"), ("fp32", "int8"), ("int4@7:fp16", "fp32")]
    {
        let made = kernel(&spec(4, 4, 4, weights, activations), &best).unwrap();
        assert!(matches!(made, Err(BenchError::Unsupported { .. })), "{weights}/{activations}");
    }
    assert!(kernel(&Spec::Fma { arithmetic: eaves_roofline::Arithmetic::Fp32 }, &best).is_none());
    let deep = spec(1, 1, 131_072, "int8", "int8");
    assert!(matches!(kernel(&deep, &best).unwrap(), Err(BenchError::Unsupported { .. })));
}

/// Calls take one copy after the other, and the first is the one that is verified.
#[test]
fn cold_weights_are_copies_of_four_times_the_cache() {
    for (weights, activations) in [("fp32", "fp32"), ("int8", "int8"), ("nf4", "fp32")] {
        let spec = spec(6, 64, 256, weights, activations);
        let cold = Making { state: CacheState::Cold, ..making(InstructionSet::best(), 1) };
        let mut kernel = kernel(&spec, &cold).unwrap().unwrap();
        {
            let mut workers = kernel.workers(1);
            for turn in [3, 1000, 0] {
                workers[0].run(0, turn);
            }
        }
        assert_eq!(kernel.state(), CacheState::Cold);
        assert!(kernel.verify().holds());
    }
    let cold = Making { state: CacheState::Cold, ..making(InstructionSet::best(), 1) };
    // 1 MiB of cache, 64 KiB of weights.
    assert_eq!(copies(&cold, 64 << 10), 64);
}

#[test]
fn a_product_that_was_not_computed_is_not_right() {
    for (weights, activations) in [("fp32", "fp32"), ("fp64", "fp64"), ("int8", "int8"), ("mxfp4", "bf16")] {
        let kernel = kernel(&spec(9, 9, 9, weights, activations), &making(InstructionSet::best(), 1));
        assert!(!kernel.unwrap().unwrap().verify().holds());
    }
}

/// The code of others gives what ours does.
fn check_implementation(implementation: Implementation) -> Result<(), BenchError> {
    assert_eq!(Implementation::from_id(implementation.id()), Some(implementation));
    for precision in ["fp32", "fp64"] {
        for (m, n, k) in [(37, 53, 29), (64, 64, 64), (1, 1, 1), (0, 3, 2), (3, 2, 0)] {
            for threads in [1, 3] {
                let spec = spec(m, n, k, precision, precision);
                let mut kernel = make(&spec, &making(InstructionSet::best(), threads), implementation)?;
                call(&mut *kernel, threads);
                let verification = kernel.verify();
                assert!(verification.holds(), "{implementation:?} {spec:?}: {verification:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn our_implementation_is_right() {
    check_implementation(Implementation::Own).unwrap();
}

#[test]
fn the_gemm_crate_is_right() {
    check_implementation(Implementation::Crate).unwrap();
}

#[test]
fn openblas_is_right() {
    if let Err(error) = check_implementation(Implementation::OpenBlas) {
        return eaves_testing::skip(error);
    }
    check_implementation(Implementation::OpenBlasPool).unwrap();
}

#[test]
fn blis_is_right() {
    if let Err(error) = check_implementation(Implementation::Blis) {
        return eaves_testing::skip(error);
    }
    check_implementation(Implementation::BlisPool).unwrap();
}

/// A product skipped of a sum is about one part in `k` of it, which must be more than is allowed.
#[test]
fn a_product_left_out_exceeds_the_tolerance() {
    for k in [512_usize, 4096, 14_336] {
        assert!(tolerance(k, 0.5_f64.powi(24)) < 1.0 / k as f64, "{k}");
    }
}
