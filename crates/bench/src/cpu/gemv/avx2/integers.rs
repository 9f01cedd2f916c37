//! INT8 activations: products of bytes are added in pairs (`maddubs`), exactly.

use std::arch::x86_64::*;

use super::super::activations::Prepared;
use super::super::rows::Rows;
use super::scales::{Int4, Integer, Mxfp4, Nf4, Nvfp4};
use super::{by_rows, fetch, starts, sum};

by_rows!(
    /// INT8 weights: the magnitude of the weight times the activation with the sign of both. At most 2 * 127 * 127, so
    /// that pairs never saturate.
    int8, f32, 4, int8_rows
);
by_rows!(
    /// INT4 weights.
    int4, f32, 4, nibble_rows::<Int4>
);
by_rows!(
    /// MXFP4 weights.
    mxfp4, f32, 4, nibble_rows::<Mxfp4>
);
by_rows!(
    /// NVFP4 weights.
    nvfp4, f32, 4, nibble_rows::<Nvfp4>
);
by_rows!(
    /// NF4 weights, as 127ths.
    nf4, f32, 4, nibble_rows::<Nf4>
);

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn int8_rows<const R: usize>(rows: &Rows<'_>, indices: [usize; R], x: &Prepared) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_ps(); R];
    for block in 0..rows.stride / 32 {
        // SAFETY: rows and activations are at least `stride` long, which is a multiple of 32; each block has a scale.
        unsafe {
            let activations = _mm256_loadu_si256(x.codes.as_ptr().add(32 * block).cast());
            let scale = _mm256_set1_ps(*x.scales.as_ptr().add(block));
            for (codes, sum) in codes.iter().zip(&mut sums) {
                let weights = codes.add(32 * block);
                let weights = _mm256_loadu_si256(weights.cast());
                let pairs =
                    _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(activations, weights));
                let products = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
                *sum = _mm256_fmadd_ps(products, scale, *sum);
            }
        }
    }
    let mut indices = indices.into_iter();
    sums.map(|lanes| {
        let row = indices.next().unwrap_or_default();
        // SAFETY: every row has one scale.
        let scale =
            unsafe { rows.scales.as_ptr().add(row * rows.scale_stride).cast::<f32>().read_unaligned() };
        scale * sum(lanes)
    })
}

/// Lane `j` of every vector belongs to block `j` of eight, so that products are added up to the end of the blocks and only
/// then multiplied by eight scales.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn nibble_rows<F: Integer, const R: usize>(
    rows: &Rows<'_>,
    indices: [usize; R],
    x: &Prepared,
) -> [f32; R] {
    let codes: [*const u8; R] = starts(rows.codes, rows.code_stride, indices);
    let scales: [*const u8; R] = starts(rows.scales, rows.scale_stride, indices);
    // SAFETY: the table has 16 bytes.
    let table = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(F::INTEGERS.as_ptr().cast()) });
    let (ones, low) = (_mm256_set1_epi16(1), _mm256_set1_epi8(15));
    let mut totals = [_mm256_setzero_ps(); R];
    for group in 0..rows.stride / (8 * F::BLOCK) {
        // SAFETY: rows have `stride` codes and activations, a multiple of eight blocks; each block has a scale, also of the
        // activations, and a correction.
        unsafe {
            let mut sums = [_mm256_loadu_si256(x.corrections.as_ptr().add(8 * group).cast()); R];
            let start = group * 4 * F::BLOCK;
            for part in 0..F::BLOCK / 8 / F::DEPTH {
                let mut pairs = [_mm256_setzero_si256(); R];
                for depth in 0..F::DEPTH {
                    let vector = start + 32 * (part * F::DEPTH + depth);
                    let activations = x.codes.as_ptr().add(2 * vector);
                    let activations = [
                        _mm256_loadu_si256(activations.cast()),
                        _mm256_loadu_si256(activations.add(32).cast()),
                    ];
                    for row in 0..R {
                        let bytes = codes[row].add(vector);
                        if vector % 64 == 0 {
                            fetch(bytes);
                        }
                        let bytes = _mm256_loadu_si256(bytes.cast());
                        let halves = [
                            _mm256_and_si256(bytes, low),
                            _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low),
                        ];
                        for (half, activations) in halves.into_iter().zip(activations) {
                            let weights = if F::LOOKUP { _mm256_shuffle_epi8(table, half) } else { half };
                            if F::SIGNED {
                                let products = _mm256_maddubs_epi16(
                                    _mm256_abs_epi8(weights),
                                    _mm256_sign_epi8(activations, weights),
                                );
                                sums[row] = _mm256_add_epi32(sums[row], _mm256_madd_epi16(products, ones));
                            } else {
                                let products = _mm256_maddubs_epi16(weights, activations);
                                pairs[row] = _mm256_add_epi16(pairs[row], products);
                            }
                        }
                    }
                }
                if !F::SIGNED {
                    for (sum, pairs) in sums.iter_mut().zip(pairs) {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                    }
                }
            }
            let activation_scales = _mm256_loadu_ps(x.scales.as_ptr().add(8 * group));
            for ((total, sum), scales) in totals.iter_mut().zip(sums).zip(scales) {
                let products = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), activation_scales);
                *total = _mm256_fmadd_ps(products, F::scales(scales.add(F::SCALES * group)), *total);
            }
        }
    }
    totals.map(|lanes| rows.tensor * (F::FACTOR * F::UNIT) * sum(lanes))
}
