//! Chains as the compiler vectorizes them: a multiplication and an addition, each rounded.

use eaves_roofline::Arithmetic;

use super::{Code, Operands, Results, WORDS, by_word};

/// Twelve vectors of 128 bits, which every 64-bit processor has.
const SINGLES: usize = 48;
const DOUBLES: usize = 24;

pub(super) fn code(arithmetic: Arithmetic) -> Option<Code> {
    Some(match arithmetic {
        Arithmetic::Fp64 => Code {
            name: "portable, 24 chains",
            macs: DOUBLES,
            run: doubles,
            expected: |operands, rounds| {
                let mut words = [0; WORDS];
                for (index, pair) in words.chunks_exact_mut(2).take(DOUBLES).enumerate() {
                    let c = operands.double[index % 8];
                    let x = (0..rounds).fold(operands.doubles[index], |x, _| c - x * x).to_bits();
                    pair.copy_from_slice(&[x as u32, (x >> 32) as u32]);
                }
                Results(words)
            },
        },
        Arithmetic::Fp32 => Code {
            name: "portable, 48 chains",
            macs: SINGLES,
            run: singles,
            expected: |operands, rounds| {
                by_word(SINGLES, |index| {
                    let c = operands.single[index % 16];
                    (0..rounds).fold(operands.singles[index], |x, _| c - x * x).to_bits()
                })
            },
        },
        Arithmetic::Int16 => Code {
            name: "portable, 48 chains of 32-bit products",
            macs: SINGLES,
            run: shorts,
            expected: |operands, rounds| {
                by_word(SINGLES, |index| {
                    let weight = i32::from(operands.shorts[0][index % 32]);
                    (0..rounds).fold(index as i32, |x, _| step(x, i32::from(x as i16), weight)) as u32
                })
            },
        },
        Arithmetic::Int8 => Code {
            name: "portable, 48 chains of 32-bit products",
            macs: SINGLES,
            run: bytes,
            expected: |operands, rounds| {
                by_word(SINGLES, |index| {
                    let weight = i32::from(operands.signed[index]);
                    (0..rounds).fold(index as i32, |x, _| step(x, i32::from(x as i8), weight)) as u32
                })
            },
        },
        _ => return None,
    })
}

/// A multiply-add whose factor is a part of the sum, or the compiler would multiply once for all rounds. What is added
/// next to it (2^31 over the golden ratio) keeps sums from settling.
fn step(sum: i32, factor: i32, weight: i32) -> i32 {
    sum.wrapping_add(factor * weight).wrapping_add(0x4F1B_BCDD)
}

fn singles(operands: &Operands, rounds: usize, results: &mut Results) {
    let mut chains: [f32; SINGLES] = std::array::from_fn(|index| operands.singles[index]);
    let c: [f32; SINGLES] = std::array::from_fn(|index| operands.single[index % 16]);
    for _ in 0..rounds {
        for (x, c) in chains.iter_mut().zip(&c) {
            *x = c - *x * *x;
        }
    }
    for (result, x) in results.0.iter_mut().zip(chains) {
        *result = x.to_bits();
    }
}

fn doubles(operands: &Operands, rounds: usize, results: &mut Results) {
    let mut chains: [f64; DOUBLES] = std::array::from_fn(|index| operands.doubles[index]);
    let c: [f64; DOUBLES] = std::array::from_fn(|index| operands.double[index % 8]);
    for _ in 0..rounds {
        for (x, c) in chains.iter_mut().zip(&c) {
            *x = c - *x * *x;
        }
    }
    for (pair, x) in results.0.chunks_exact_mut(2).zip(chains) {
        pair.copy_from_slice(&[x.to_bits() as u32, (x.to_bits() >> 32) as u32]);
    }
}

fn shorts(operands: &Operands, rounds: usize, results: &mut Results) {
    let mut chains: [i32; SINGLES] = std::array::from_fn(|index| index as i32);
    let weights: [i32; SINGLES] = std::array::from_fn(|index| i32::from(operands.shorts[0][index % 32]));
    for _ in 0..rounds {
        for (x, weight) in chains.iter_mut().zip(&weights) {
            *x = step(*x, i32::from(*x as i16), *weight);
        }
    }
    for (result, x) in results.0.iter_mut().zip(chains) {
        *result = x as u32;
    }
}

fn bytes(operands: &Operands, rounds: usize, results: &mut Results) {
    let mut chains: [i32; SINGLES] = std::array::from_fn(|index| index as i32);
    let weights: [i32; SINGLES] = std::array::from_fn(|index| i32::from(operands.signed[index]));
    for _ in 0..rounds {
        for (x, weight) in chains.iter_mut().zip(&weights) {
            *x = step(*x, i32::from(*x as i8), *weight);
        }
    }
    for (result, x) in results.0.iter_mut().zip(chains) {
        *result = x as u32;
    }
}
