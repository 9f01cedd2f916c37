//! Scales of eight blocks of 4-bit formats as FP32, and what their codes mean.

use std::arch::x86_64::*;

use crate::formats::NF4_VALUES;

/// The numbers of E2M1.
const FP4: [f32; 16] =
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0];

/// A 4-bit format whose blocks are interleaved.
pub(super) trait Nibble {
    /// Elements of a block.
    const BLOCK: usize;
    /// Bytes of the scales of eight blocks.
    const SCALES: usize;
    /// What scales must be multiplied by.
    const FACTOR: f32;

    /// What codes mean.
    const VALUES: [f32; 16];

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
    const VALUES: [f32; 16] =
        [-8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

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
    const VALUES: [f32; 16] = FP4;

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
    const VALUES: [f32; 16] = FP4;

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
    const VALUES: [f32; 16] = NF4_VALUES;

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

    /// What codes are multiplied as.
    const INTEGERS: [i8; 16];
}

impl Integer for Int4 {
    const DEPTH: usize = 4;
    const LOOKUP: bool = false;
    const SIGNED: bool = false;
    const UNIT: f32 = 1.0;
    const INTEGERS: [i8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
}

/// Twice the value, too large by 12.
const FP4_INTEGERS: [i8; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];

/// The nearest 127ths.
const NF4_INTEGERS: [i8; 16] = [-127, -88, -67, -50, -36, -23, -12, 0, 10, 20, 31, 43, 56, 71, 92, 127];

impl Integer for Mxfp4 {
    const DEPTH: usize = 2;
    const LOOKUP: bool = true;
    const SIGNED: bool = false;
    const UNIT: f32 = 0.5;
    const INTEGERS: [i8; 16] = FP4_INTEGERS;
}

impl Integer for Nvfp4 {
    const DEPTH: usize = 2;
    const LOOKUP: bool = true;
    const SIGNED: bool = false;
    const UNIT: f32 = 0.5;
    const INTEGERS: [i8; 16] = FP4_INTEGERS;
}

impl Integer for Nf4 {
    /// Widened at once.
    const DEPTH: usize = 1;
    const LOOKUP: bool = true;
    const SIGNED: bool = true;
    const UNIT: f32 = 1.0 / 127.0;
    const INTEGERS: [i8; 16] = NF4_INTEGERS;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::gemv::reference::nf4_as_integer;
    use crate::formats::minifloat::E2M1;

    #[test]
    fn tables_are_those_of_the_formats() {
        for code in 0..16 {
            let value = E2M1.decode(code as u32);
            assert_eq!(f64::from(FP4[code]).to_bits(), value.to_bits());
            assert_eq!(f64::from(FP4_INTEGERS[code]), 2.0 * value + 12.0);
            assert_eq!(NF4_INTEGERS[code], nf4_as_integer(code));
        }
    }

    fn never_exceeds<F: Integer>() {
        let largest = F::INTEGERS.iter().map(|integer| i32::from(*integer).abs()).max().unwrap();
        // A signed format is widened after each of the two products of a vector.
        let products = if F::SIGNED { 2 } else { 4 * F::DEPTH as i32 };
        assert!(products * largest * 127 <= i32::from(i16::MAX), "{largest}");
        assert!(F::SIGNED || F::INTEGERS.iter().all(|integer| *integer >= 0));
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
