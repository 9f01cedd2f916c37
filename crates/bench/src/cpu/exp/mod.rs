//! The exponential of single precision: the one that attention uses, and the rate of it.
//!
//! `exp(x) = 2^n exp(r)` with `n` the nearest integer to `x / ln 2` and `|r| <= ln 2 / 2`, where a polynomial of degree seven
//! is good to a few parts in 10^8 (coefficients of Cephes' `expf`, Moshier 1987). Subnormal results are zero.

mod rate;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

pub(super) use rate::kernel;

use super::InstructionSet;

/// Below, the result is subnormal: `ln 2^-126`.
const LEAST: f32 = -87.336_54;

/// Above, `n` would be 128 or more, which no exponent holds: `127.5 ln 2`.
const MOST: f32 = 88.376_26;

/// `ln 2` in two parts, the first with so few bits that `n` times it is exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// `(exp(r) - 1 - r) / r^2`, highest power first.
const COEFFICIENTS: [f32; 6] =
    [1.987_569_2e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5e-1];

/// The largest error, relative to the result: 2^-23 is one unit in the last place of a number just above a power of two.
pub(super) const RELATIVE_ERROR: f64 = 2.0 / 8_388_608.0;

/// Numbers from 1.5 * 2^23 on are whole, so that adding it rounds to the nearest integer, also where there is no instruction
/// for that.
const WHOLE: f32 = 12_582_912.0;

/// The exponential of one number. Twin of the vectors, and what is left at ends of rows.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    let clamped = x.clamp(LEAST, MOST);
    let n = (clamped * std::f32::consts::LOG2_E + WHOLE) - WHOLE;
    let r = (clamped - n * LN_2[0]) - n * LN_2[1];
    let polynomial = COEFFICIENTS.iter().fold(0.0, |sum, coefficient| sum * r + coefficient);
    let y = polynomial * r * r + r + 1.0;
    let scaled = y * f32::from_bits(((n as i32 + 127) << 23) as u32);
    if x < LEAST {
        0.0
    } else if x > MOST {
        f32::INFINITY
    } else {
        // What is not a number is clamped to itself.
        scaled
    }
}

/// Writes the exponential of each number of `from` to `to`.
pub(super) type Exponentials = unsafe fn(from: &[f32], to: &mut [f32]);

/// The code for these instructions; safe to call where the processor has them.
pub(super) fn exponentials(instructions: InstructionSet) -> Exponentials {
    #[cfg(target_arch = "x86_64")]
    match instructions {
        InstructionSet::Avx2 => return x86::exponentials_256,
        InstructionSet::Avx512 => return x86::exponentials_512,
        InstructionSet::Portable | InstructionSet::Neon => {}
    }
    let _ = instructions;
    |from, to| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = exp(*from);
        }
    }
}
