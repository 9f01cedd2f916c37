//! What chains must come to, one number after the other.

use crate::cpu::fma::{Operands, Results, WORDS, by_word};

/// The chaotic map with one rounding a step, as many words as `LANES` vectors of twelve chains have.
pub(super) fn singles<const LANES: usize>(operands: &Operands, rounds: usize) -> Results {
    by_word(12 * LANES, |index| {
        let c = operands.single[index % LANES];
        let start = operands.singles[index];
        (0..rounds).fold(start, |x, _| (-x).mul_add(x, c)).to_bits()
    })
}

/// As [`singles`], in double precision: each number is two words, the low one first.
pub(super) fn doubles<const LANES: usize>(operands: &Operands, rounds: usize) -> Results {
    let mut words = [0; WORDS];
    for (index, pair) in words.chunks_exact_mut(2).take(12 * LANES).enumerate() {
        let c = operands.double[index % LANES];
        let bits = (0..rounds).fold(operands.doubles[index], |x, _| (-x).mul_add(x, c)).to_bits();
        pair.copy_from_slice(&[bits as u32, (bits >> 32) as u32]);
    }
    Results(words)
}

/// `rounds` times the dot product of each four bytes, in `CHAINS` equal vectors of `LANES`.
pub(super) fn bytes<const CHAINS: usize, const LANES: usize>(operands: &Operands, rounds: usize) -> Results {
    by_word(CHAINS * LANES, |index| {
        let four = index % LANES * 4..index % LANES * 4 + 4;
        let products = operands.unsigned[four.clone()].iter().zip(&operands.signed[four]);
        let dot: i32 = products.map(|(one, other)| i32::from(*one) * i32::from(*other)).sum();
        (dot as u32).wrapping_mul(rounds as u32)
    })
}

/// `rounds` times the dot product of each two 16-bit integers, in `CHAINS` equal vectors of `LANES`.
pub(super) fn shorts<const CHAINS: usize, const LANES: usize>(operands: &Operands, rounds: usize) -> Results {
    let [first, second] = &operands.shorts;
    by_word(CHAINS * LANES, |index| {
        let two = index % LANES * 2..index % LANES * 2 + 2;
        let products = first[two.clone()].iter().zip(&second[two]);
        let dot: i32 = products.map(|(one, other)| i32::from(*one) * i32::from(*other)).sum();
        (dot as u32).wrapping_mul(rounds as u32)
    })
}
