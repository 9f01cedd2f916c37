use eaves_roofline::measured::CacheState;

use super::*;
use crate::cpu::InstructionSet;

/// Holds the product of drawn bytes against dot products of them, none of which may differ.
fn check(instructions: InstructionSet, shape: (usize, usize, usize), mut draw: impl FnMut() -> i8) {
    let (m, n, k) = shape;
    let precision = Precision::INT8;
    let spec = Spec::Gemm { m, n, k, weights: precision, activations: precision };
    let making = Making { instructions, threads: 2, state: CacheState::Hot, last_cache: 1 << 20 };
    let a = Matrix::filled(m, k, 1, &mut draw).unwrap();
    let b = Matrix::filled(n, k, 1, &mut draw).unwrap();
    let mut kernel = product(&spec, &making, Bytes(a), Bytes(b)).unwrap();
    let pieces = kernel.pieces();
    for mut worker in kernel.workers(2) {
        for piece in 0..pieces {
            worker.run(piece, 0);
        }
    }
    let verification = kernel.verify();
    assert_eq!(verification.tolerance, 0.0);
    assert_eq!(verification.error, 0.0, "{instructions} {shape:?}");
}

#[test]
fn bytes_of_the_whole_range_are_exact() {
    let mut random = fastrand::Rng::with_seed(23);
    for &instructions in InstructionSet::all() {
        for _ in 0..30 {
            let shape = (random.usize(1..60), random.usize(1..80), random.usize(1..100));
            check(instructions, shape, || random.i8(..));
        }
        for shape in [(12, 32, 4), (13, 33, 2053), (14, 70, 2064), (7, 64, 48), (5, 7, 0), (0, 3, 4)] {
            check(instructions, shape, || random.i8(..));
        }
    }
}

/// Where saturating instructions are wrong: pairs of the largest products.
#[test]
fn extremes_do_not_saturate() {
    for &instructions in InstructionSet::all() {
        for value in [-128, 127, -127, 1] {
            check(instructions, (7, 40, 1030), || value);
        }
        let mut random = fastrand::Rng::with_seed(29);
        check(instructions, (14, 65, 300), || if random.bool() { -128 } else { 127 });
    }
}
