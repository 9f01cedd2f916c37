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
