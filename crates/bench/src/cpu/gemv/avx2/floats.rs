//! Formats of 8 bits and more, widened to FP32; FP64 as it is.

use std::arch::x86_64::*;

use super::super::activations::Prepared;
use super::super::rows::Rows;
use super::{by_rows, starts, sum, sum_doubles};

by_rows!(
    /// FP64.
    fp64, f64, 4, fp64_rows
);
by_rows!(
    /// FP32.
    fp32, f32, 4, fp32_rows
);
by_rows!(
    /// FP16: converted by instruction.
    fp16, f32, 4, fp16_rows
);
by_rows!(
    /// BF16: the halves of 32-bit lanes, without moving them, so that activations come even and odd.
    bf16, f32, 6, bf16_rows
);
by_rows!(
    /// INT8 with floating-point activations.
    int8, f32, 4, int8_rows
);
by_rows!(
    /// FP8 E4M3.
    e4m3, f32, 4, fp8_rows::<E4m3>
);
by_rows!(
    /// FP8 E5M2.
    e5m2, f32, 4, fp8_rows::<E5m2>
);

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn fp64_rows<const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f64; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let mut sums = [[_mm256_setzero_pd(); 2]; R];
    for column in (0..rows.stride).step_by(8) {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 16.
        unsafe {
            let x = x.doubles.as_ptr().add(column);
            let x = [_mm256_loadu_pd(x), _mm256_loadu_pd(x.add(4))];
            for (codes, sums) in codes.iter().zip(&mut sums) {
                let weights = codes.add(8 * column).cast::<f64>();
                sums[0] = _mm256_fmadd_pd(_mm256_loadu_pd(weights), x[0], sums[0]);
                sums[1] = _mm256_fmadd_pd(_mm256_loadu_pd(weights.add(4)), x[1], sums[1]);
            }
        }
    }
    sums.map(|sums| sum_doubles(_mm256_add_pd(sums[0], sums[1])))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn fp32_rows<const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    for column in (0..rows.stride).step_by(16) {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 16.
        unsafe {
            let x = x.floats.as_ptr().add(column);
            let x = [_mm256_loadu_ps(x), _mm256_loadu_ps(x.add(8))];
            for (codes, sums) in codes.iter().zip(&mut sums) {
                let weights = codes.add(4 * column).cast::<f32>();
                sums[0] = _mm256_fmadd_ps(_mm256_loadu_ps(weights), x[0], sums[0]);
                sums[1] = _mm256_fmadd_ps(_mm256_loadu_ps(weights.add(8)), x[1], sums[1]);
            }
        }
    }
    sums.map(|sums| sum(_mm256_add_ps(sums[0], sums[1])))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn fp16_rows<const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let mut sums = [_mm256_setzero_ps(); R];
    for column in (0..rows.stride).step_by(16) {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 16.
        unsafe {
            let x = x.floats.as_ptr().add(column);
            let x = [_mm256_loadu_ps(x), _mm256_loadu_ps(x.add(8))];
            for (codes, sum) in codes.iter().zip(&mut sums) {
                let weights = codes.add(2 * column).cast::<__m128i>();
                *sum = _mm256_fmadd_ps(_mm256_cvtph_ps(_mm_loadu_si128(weights)), x[0], *sum);
                *sum = _mm256_fmadd_ps(_mm256_cvtph_ps(_mm_loadu_si128(weights.add(1))), x[1], *sum);
            }
        }
    }
    sums.map(|lanes| sum(lanes))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn bf16_rows<const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let upper = _mm256_set1_epi32(0xFFFF_0000_u32.cast_signed());
    let mut sums = [_mm256_setzero_ps(); R];
    for column in (0..rows.stride).step_by(16) {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 16.
        unsafe {
            let x = x.floats.as_ptr().add(column);
            let x = [_mm256_loadu_ps(x), _mm256_loadu_ps(x.add(8))];
            for (codes, sum) in codes.iter().zip(&mut sums) {
                let weights = codes.add(2 * column);
                let weights = _mm256_loadu_si256(weights.cast());
                let even = _mm256_castsi256_ps(_mm256_slli_epi32::<16>(weights));
                let odd = _mm256_castsi256_ps(_mm256_and_si256(weights, upper));
                *sum = _mm256_fmadd_ps(even, x[0], *sum);
                *sum = _mm256_fmadd_ps(odd, x[1], *sum);
            }
        }
    }
    sums.map(|lanes| sum(lanes))
}

/// Each byte of a 32-bit lane is brought to the top, what is below it cleared, and the whole converted: the value times 2^24,
/// exactly.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn int8_rows<const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let top = _mm256_set1_epi32(0xFF00_0000_u32.cast_signed());
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    for column in (0..rows.stride).step_by(32) {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 32.
        unsafe {
            let x = x.floats.as_ptr().add(column);
            for (codes, sums) in codes.iter().zip(&mut sums) {
                let weights = codes.add(column);
                let weights = _mm256_loadu_si256(weights.cast());
                let planes = [
                    _mm256_slli_epi32::<24>(weights),
                    _mm256_and_si256(_mm256_slli_epi32::<16>(weights), top),
                    _mm256_and_si256(_mm256_slli_epi32::<8>(weights), top),
                    _mm256_and_si256(weights, top),
                ];
                for (index, plane) in planes.into_iter().enumerate() {
                    let x = _mm256_loadu_ps(x.add(8 * index));
                    sums[index % 2] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(plane), x, sums[index % 2]);
                }
            }
        }
    }
    let mut indices = indices.into_iter();
    sums.map(|sums| {
        let row = indices.next().unwrap_or_default();
        // SAFETY: every row has one scale.
        let scale =
            unsafe { rows.scales.as_ptr().add(row * rows.scale_stride).cast::<f32>().read_unaligned() };
        /// 2^-24.
        const PLACE: f32 = f32::from_bits((127 - 24) << 23);
        scale * (PLACE * sum(_mm256_add_ps(sums[0], sums[1])))
    })
}

/// How FP8 becomes FP32: the byte at the top of a lane is shifted right with its sign, so that exponent and mantissa are
/// where FP32 has them; what the sign left between is cleared. The result is too small by the difference of the biases, which
/// the result is multiplied by; subnormal numbers stay right. Codes of infinity and NaN are not weights.
trait Fp8 {
    /// Mantissa bits less than FP32's: by how much to shift.
    const SHIFT: i32;
    /// Sign, exponent and mantissa.
    const MASK: u32;
    /// Difference of the biases.
    const BIAS: u32;
}

struct E4m3;

impl Fp8 for E4m3 {
    const SHIFT: i32 = 4;
    const MASK: u32 = 0x87F0_0000;
    const BIAS: u32 = 127 - 7;
}

struct E5m2;

impl Fp8 for E5m2 {
    const SHIFT: i32 = 3;
    const MASK: u32 = 0x8FE0_0000;
    const BIAS: u32 = 127 - 15;
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn fp8_rows<F: Fp8, const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let mask = _mm256_set1_epi32(F::MASK.cast_signed());
    // Activations take half of what is missing and results the other, so that no product is lost below FP32.
    let half = _mm256_set1_ps(f32::from_bits((127 + F::BIAS / 2) << 23));
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    for column in (0..rows.stride).step_by(32) {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 32.
        unsafe {
            let x = x.floats.as_ptr().add(column);
            let x: [__m256; 4] =
                std::array::from_fn(|plane| _mm256_mul_ps(half, _mm256_loadu_ps(x.add(8 * plane))));
            for (codes, sums) in codes.iter().zip(&mut sums) {
                let weights = codes.add(column);
                let weights = _mm256_loadu_si256(weights.cast());
                let planes = [
                    _mm256_slli_epi32::<24>(weights),
                    _mm256_slli_epi32::<16>(weights),
                    _mm256_slli_epi32::<8>(weights),
                    weights,
                ];
                for (index, plane) in planes.into_iter().enumerate() {
                    let shifted = match F::SHIFT {
                        4 => _mm256_srai_epi32::<4>(plane),
                        _ => _mm256_srai_epi32::<3>(plane),
                    };
                    let value = _mm256_and_si256(shifted, mask);
                    sums[index % 2] = _mm256_fmadd_ps(_mm256_castsi256_ps(value), x[index], sums[index % 2]);
                }
            }
        }
    }
    let rest = f32::from_bits((127 + F::BIAS - F::BIAS / 2) << 23);
    sums.map(|sums| rows.tensor * (rest * sum(_mm256_add_ps(sums[0], sums[1]))))
}
