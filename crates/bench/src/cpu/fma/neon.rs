//! Chains in vectors of 128 bits. The instruction adds to the register that it changes, so the map would need a copy a step;
//! these chains are sums instead. Four units of four cycles need sixteen.
#![expect(unsafe_code, reason = "vectors are loaded by pointers")]

use std::arch::aarch64::*;

use eaves_roofline::Arithmetic;

use super::{Code, InstructionSet, Operands, Results, WORDS, by_word};

const CHAINS: usize = 20;

pub(super) fn code(arithmetic: Arithmetic, instructions: InstructionSet) -> Option<Code> {
    if instructions != InstructionSet::Neon {
        return None;
    }
    match arithmetic {
        Arithmetic::Fp32 => Some(Code {
            name: "neon, 20 chains of fmla",
            macs: CHAINS * 4,
            run: singles,
            expected: |operands, rounds| {
                by_word(CHAINS * 4, |index| {
                    let c = operands.single[index % 4];
                    (0..rounds).fold(operands.singles[index], |sum, _| c.mul_add(c, sum)).to_bits()
                })
            },
        }),
        Arithmetic::Fp64 => Some(Code {
            name: "neon, 20 chains of fmla",
            macs: CHAINS * 2,
            run: doubles,
            expected: |operands, rounds| {
                let mut words = [0; WORDS];
                for (index, pair) in words.chunks_exact_mut(2).take(CHAINS * 2).enumerate() {
                    let c = operands.double[index % 2];
                    let sum = (0..rounds).fold(operands.doubles[index], |sum, _| c.mul_add(c, sum)).to_bits();
                    pair.copy_from_slice(&[sum as u32, (sum >> 32) as u32]);
                }
                Results(words)
            },
        }),
        _ => None,
    }
}

#[target_feature(enable = "neon")]
fn singles(operands: &Operands, rounds: usize, results: &mut Results) {
    // SAFETY: there are more than twenty vectors of four.
    let mut sums: [float32x4_t; CHAINS] =
        std::array::from_fn(|chain| unsafe { vld1q_f32(operands.singles[4 * chain..].as_ptr()) });
    // SAFETY: there are sixteen numbers.
    let c = unsafe { vld1q_f32(operands.single.as_ptr()) };
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = vfmaq_f32(*sum, c, c);
        }
    }
    // SAFETY: there is room for twenty vectors of four words, aligned.
    unsafe { results.0.as_mut_ptr().cast::<[float32x4_t; CHAINS]>().write(sums) };
}

#[target_feature(enable = "neon")]
fn doubles(operands: &Operands, rounds: usize, results: &mut Results) {
    // SAFETY: there are more than twenty vectors of two.
    let mut sums: [float64x2_t; CHAINS] =
        std::array::from_fn(|chain| unsafe { vld1q_f64(operands.doubles[2 * chain..].as_ptr()) });
    // SAFETY: there are eight numbers.
    let c = unsafe { vld1q_f64(operands.double.as_ptr()) };
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = vfmaq_f64(*sum, c, c);
        }
    }
    // SAFETY: there is room for twenty vectors of four words, aligned.
    unsafe { results.0.as_mut_ptr().cast::<[float64x2_t; CHAINS]>().write(sums) };
}
