//! 4-bit codes widened to FP32 by looking up the bytes of the value.
//!
//! Values of INT4 and E2M1 have only two bytes that are not zero, those of a BF16 number: two tables of 16 bytes give them
//! for 32 codes at once, and the halves of 32-bit lanes are used in place. NF4 values need all four bytes.

use std::arch::x86_64::*;

use super::super::activations::Prepared;
use super::super::rows::Rows;
use super::scales::{Int4, Mxfp4, Nf4, Nibble, Nvfp4};
use super::{by_rows, fetch, starts, sum};

by_rows!(
    /// INT4 weights.
    int4, f32, 2, pair_rows::<Int4>
);
by_rows!(
    /// MXFP4 weights.
    mxfp4, f32, 2, pair_rows::<Mxfp4>
);
by_rows!(
    /// NVFP4 weights.
    nvfp4, f32, 2, pair_rows::<Nvfp4>
);
by_rows!(
    /// NF4 weights.
    nf4, f32, 1, quad_rows::<Nf4>
);

/// The table of one byte of every value, in both halves of a vector.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn table<F: Nibble, const BYTE: usize>() -> __m256i {
    let bytes = const {
        let (mut bytes, mut code) = ([0; 16], 0);
        while code < 16 {
            bytes[code] = F::VALUES[code].to_le_bytes()[BYTE];
            code += 1;
        }
        bytes
    };
    // SAFETY: the table has 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128((&raw const bytes).cast()) })
}

/// The codes of a vector of bytes: low halves, then high ones.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn split(bytes: __m256i) -> [__m256i; 2] {
    let low = _mm256_set1_epi8(15);
    [_mm256_and_si256(bytes, low), _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low)]
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn pair_rows<F: Nibble, const R: usize>(
    rows: &Rows<'_>,
    indices: [usize; R],
    x: &Prepared,
) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let scales: [*const u8; R] = starts(rows.scales, rows.scale_stride, indices);
    let tables = [table::<F, 2>(), table::<F, 3>()];
    let upper = _mm256_set1_epi32(0xFFFF_0000_u32.cast_signed());
    // Blocks that lanes belong to after unpacking.
    let owners = [_mm256_setr_epi32(0, 0, 1, 1, 4, 4, 5, 5), _mm256_setr_epi32(2, 2, 3, 3, 6, 6, 7, 7)];
    // If the compiler knows how many there are, it unrolls them all and runs out of registers.
    let vectors = std::hint::black_box(F::BLOCK / 8);
    let mut totals = [_mm256_setzero_ps(); R];
    for group in 0..rows.stride / (8 * F::BLOCK) {
        let start = group * 4 * F::BLOCK;
        let mut sums = [[_mm256_setzero_ps(); 2]; R];
        // SAFETY: rows have `stride` codes and activations, a multiple of eight blocks, and each block has a scale.
        unsafe {
            for vector in 0..vectors {
                let vector = start + 32 * vector;
                let activations = x.floats.as_ptr().add(2 * vector);
                for (codes, sums) in codes.iter().zip(&mut sums) {
                    let bytes = codes.add(vector);
                    if vector % 64 == 0 {
                        fetch(bytes);
                    }
                    for (half, indices) in split(_mm256_loadu_si256(bytes.cast())).into_iter().enumerate() {
                        let bytes = tables.map(|table| _mm256_shuffle_epi8(table, indices));
                        let pairs = [
                            _mm256_unpacklo_epi8(bytes[0], bytes[1]),
                            _mm256_unpackhi_epi8(bytes[0], bytes[1]),
                        ];
                        for (index, pairs) in pairs.into_iter().enumerate() {
                            let activations = activations.add(32 * half + 16 * index);
                            let even = _mm256_castsi256_ps(_mm256_slli_epi32::<16>(pairs));
                            let odd = _mm256_castsi256_ps(_mm256_and_si256(pairs, upper));
                            sums[index] = _mm256_fmadd_ps(even, _mm256_loadu_ps(activations), sums[index]);
                            sums[index] =
                                _mm256_fmadd_ps(odd, _mm256_loadu_ps(activations.add(8)), sums[index]);
                        }
                    }
                }
            }
            for ((total, sums), scales) in totals.iter_mut().zip(sums).zip(scales) {
                let scales = F::scales(scales.add(F::SCALES * group));
                for (sum, owners) in sums.into_iter().zip(owners) {
                    *total = _mm256_fmadd_ps(sum, _mm256_permutevar8x32_ps(scales, owners), *total);
                }
            }
        }
    }
    totals.map(|lanes| rows.tensor * F::FACTOR * sum(lanes))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn quad_rows<F: Nibble, const R: usize>(
    rows: &Rows<'_>,
    indices: [usize; R],
    x: &Prepared,
) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let scales: [*const u8; R] = starts(rows.scales, rows.scale_stride, indices);
    let tables = [table::<F, 0>(), table::<F, 1>(), table::<F, 2>(), table::<F, 3>()];
    // If the compiler knows how many there are, it unrolls them all and runs out of registers.
    let vectors = std::hint::black_box(F::BLOCK / 8);
    let mut totals = [_mm256_setzero_ps(); R];
    for group in 0..rows.stride / (8 * F::BLOCK) {
        let start = group * 4 * F::BLOCK;
        let mut sums = [[_mm256_setzero_ps(); 4]; R];
        // SAFETY: as above.
        unsafe {
            for vector in 0..vectors {
                let vector = start + 32 * vector;
                let activations = x.floats.as_ptr().add(2 * vector);
                for (codes, sums) in codes.iter().zip(&mut sums) {
                    let bytes = codes.add(vector);
                    if vector % 64 == 0 {
                        fetch(bytes);
                    }
                    for (half, indices) in split(_mm256_loadu_si256(bytes.cast())).into_iter().enumerate() {
                        let bytes = tables.map(|table| _mm256_shuffle_epi8(table, indices));
                        let low = [
                            _mm256_unpacklo_epi8(bytes[0], bytes[1]),
                            _mm256_unpackhi_epi8(bytes[0], bytes[1]),
                        ];
                        let high = [
                            _mm256_unpacklo_epi8(bytes[2], bytes[3]),
                            _mm256_unpackhi_epi8(bytes[2], bytes[3]),
                        ];
                        let values = [
                            _mm256_unpacklo_epi16(low[0], high[0]),
                            _mm256_unpackhi_epi16(low[0], high[0]),
                            _mm256_unpacklo_epi16(low[1], high[1]),
                            _mm256_unpackhi_epi16(low[1], high[1]),
                        ];
                        for (index, value) in values.into_iter().enumerate() {
                            let activations = _mm256_loadu_ps(activations.add(32 * half + 8 * index));
                            sums[index] =
                                _mm256_fmadd_ps(_mm256_castsi256_ps(value), activations, sums[index]);
                        }
                    }
                }
            }
            for ((total, sums), scales) in totals.iter_mut().zip(sums).zip(scales) {
                let scales = F::scales(scales.add(F::SCALES * group));
                // Vector `i` has blocks `i` and `4 + i`, one in each half.
                *total = _mm256_fmadd_ps(sums[0], _mm256_permute_ps::<0x00>(scales), *total);
                *total = _mm256_fmadd_ps(sums[1], _mm256_permute_ps::<0x55>(scales), *total);
                *total = _mm256_fmadd_ps(sums[2], _mm256_permute_ps::<0xAA>(scales), *total);
                *total = _mm256_fmadd_ps(sums[3], _mm256_permute_ps::<0xFF>(scales), *total);
            }
        }
    }
    totals.map(|lanes| rows.tensor * F::FACTOR * sum(lanes))
}
