//! Scales of eight blocks of 4-bit formats as FP32, and what their codes mean.

use std::arch::x86_64::*;

use crate::cpu::gemv::reference::nf4_as_integer;
use crate::formats::NF4_VALUES;
use crate::formats::minifloat::E2M1;

/// A 4-bit format whose blocks are interleaved.
pub(super) trait Nibble {
    /// Elements of a block.
    const BLOCK: usize;
    /// Bytes of the scales of eight blocks.
    const SCALES: usize;
    /// What scales must be multiplied by.
    const FACTOR: f32;

    /// What a code means, for floating-point activations.
    fn value(code: usize) -> f32;

    /// Scales of eight blocks, from this address on.
    ///
    /// # Safety
    /// There must be [`Nibble::SCALES`] bytes.
    unsafe fn scales(address: *const u8) -> __m256;
}

/// INT4 with FP16 scales.
pub(super) struct Int4;

impl Nibble for Int4 {
    const BLOCK: usize = 32;
    const SCALES: usize = 16;
    const FACTOR: f32 = 1.0;

    fn value(code: usize) -> f32 {
        code as f32 - 8.0
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn scales(address: *const u8) -> __m256 {
        // SAFETY: the caller promises 16 bytes.
        _mm256_cvtph_ps(unsafe { _mm_loadu_si128(address.cast()) })
    }
}

/// MXFP4: scales are exponents of FP32.
pub(super) struct Mxfp4;

impl Nibble for Mxfp4 {
    const BLOCK: usize = 32;
    const SCALES: usize = 8;
    const FACTOR: f32 = 1.0;

    fn value(code: usize) -> f32 {
        E2M1.decode(code as u32) as f32
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn scales(address: *const u8) -> __m256 {
        // SAFETY: the caller promises 8 bytes.
        let codes = unsafe { _mm_loadl_epi64(address.cast()) };
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_cvtepu8_epi32(codes)))
    }
}

/// NVFP4: scales are E4M3, which are FP16 numbers with a smaller exponent once they are shifted and what the sign left
/// between is cleared.
pub(super) struct Nvfp4;

impl Nibble for Nvfp4 {
    const BLOCK: usize = 16;
    const SCALES: usize = 8;
    /// Difference of the biases: 2^(15 - 7).
    const FACTOR: f32 = 256.0;

    fn value(code: usize) -> f32 {
        E2M1.decode(code as u32) as f32
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn scales(address: *const u8) -> __m256 {
        // SAFETY: the caller promises 8 bytes.
        let codes = unsafe { _mm_loadl_epi64(address.cast()) };
        let shifted = _mm_slli_epi16::<7>(_mm_cvtepi8_epi16(codes));
        _mm256_cvtph_ps(_mm_and_si128(shifted, _mm_set1_epi16(0xBFFF_u16.cast_signed())))
    }
}

/// NF4: an FP32 scale for two halves of a block.
pub(super) struct Nf4;

impl Nibble for Nf4 {
    const BLOCK: usize = 32;
    const SCALES: usize = 16;
    const FACTOR: f32 = 1.0;

    fn value(code: usize) -> f32 {
        NF4_VALUES.get(code).copied().unwrap_or(f32::NAN)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn scales(address: *const u8) -> __m256 {
        // SAFETY: the caller promises 16 bytes.
        let four = unsafe { _mm_loadu_ps(address.cast()) };
        _mm256_permutevar8x32_ps(_mm256_castps128_ps256(four), _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3))
    }
}

/// How a 4-bit format is multiplied by INT8 activations.
pub(super) trait Integer: Nibble {
    /// Vectors of codes whose products are added in 16 bits before they are widened: each brings `4 * 127 * largest` at
    /// most, and 32767 must not be exceeded.
    const DEPTH: usize;
    /// Whether codes are looked up; else they are what they are.
    const LOOKUP: bool;
    /// Whether what is looked up has a sign; else it is stored too large by the offset.
    const SIGNED: bool;
    /// What results must be multiplied by.
    const UNIT: f32;

    /// What a code is multiplied as.
    fn integer(code: usize) -> i8;
}

impl Integer for Int4 {
    const DEPTH: usize = 4;
    const LOOKUP: bool = false;
    const SIGNED: bool = false;
    const UNIT: f32 = 1.0;

    fn integer(code: usize) -> i8 {
        code as i8
    }
}

/// Twice the value is an integer; it is stored too large by 12.
fn fp4_integer(code: usize) -> i8 {
    (2.0 * E2M1.decode(code as u32) + 12.0) as i8
}

impl Integer for Mxfp4 {
    const DEPTH: usize = 2;
    const LOOKUP: bool = true;
    const SIGNED: bool = false;
    const UNIT: f32 = 0.5;

    fn integer(code: usize) -> i8 {
        fp4_integer(code)
    }
}

impl Integer for Nvfp4 {
    const DEPTH: usize = 2;
    const LOOKUP: bool = true;
    const SIGNED: bool = false;
    const UNIT: f32 = 0.5;

    fn integer(code: usize) -> i8 {
        fp4_integer(code)
    }
}

impl Integer for Nf4 {
    /// Widened at once.
    const DEPTH: usize = 1;
    const LOOKUP: bool = true;
    const SIGNED: bool = true;
    const UNIT: f32 = 1.0 / 127.0;

    fn integer(code: usize) -> i8 {
        nf4_as_integer(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never_exceeds<F: Integer>() {
        let largest = (0..16).map(|code| i32::from(F::integer(code)).abs()).max().unwrap();
        // A signed format is widened after each of the two products of a vector.
        let products = if F::SIGNED { 2 } else { 4 * F::DEPTH as i32 };
        assert!(products * largest * 127 <= i32::from(i16::MAX), "{largest}");
        assert!(F::SIGNED || (0..16).all(|code| F::integer(code) >= 0));
        assert_eq!((F::BLOCK / 8) % F::DEPTH, 0);
    }

    #[test]
    fn sums_of_16_bits_never_saturate() {
        never_exceeds::<Int4>();
        never_exceeds::<Mxfp4>();
        never_exceeds::<Nvfp4>();
        never_exceeds::<Nf4>();
    }
}
