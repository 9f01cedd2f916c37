//! The exponential of eight and of sixteen numbers.
#![expect(unsafe_code, reason = "vectors are loaded and stored by pointers")]

use std::arch::x86_64::*;

use super::{COEFFICIENTS, LEAST, LN_2, MOST, exp};

/// Of eight numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(in crate::cpu) fn exp_256(x: __m256) -> __m256 {
    let splat = |value: f32| _mm256_set1_ps(value);
    let [first, rest @ ..] = COEFFICIENTS;
    // The second operand is kept where one is not a number.
    let clamped = _mm256_min_ps(splat(MOST), _mm256_max_ps(splat(LEAST), x));
    let n = _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm256_mul_ps(
        clamped,
        splat(std::f32::consts::LOG2_E),
    ));
    let r = _mm256_fnmadd_ps(n, splat(LN_2[1]), _mm256_fnmadd_ps(n, splat(LN_2[0]), clamped));
    let mut polynomial = splat(first);
    for coefficient in rest {
        polynomial = _mm256_fmadd_ps(polynomial, r, splat(coefficient));
    }
    let y = _mm256_fmadd_ps(polynomial, _mm256_mul_ps(r, r), _mm256_add_ps(r, splat(1.0)));
    // 2^n is added to the exponent: y is from 0.7 to 1.42 and n from -126 to 127.
    let power = _mm256_slli_epi32::<23>(_mm256_cvtps_epi32(n));
    let scaled = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(y), power));
    let not_low = _mm256_cmp_ps::<_CMP_NLT_UQ>(x, splat(LEAST));
    let high = _mm256_cmp_ps::<_CMP_GT_OQ>(x, splat(MOST));
    _mm256_blendv_ps(_mm256_and_ps(scaled, not_low), splat(f32::INFINITY), high)
}

/// Of sixteen numbers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::cpu) fn exp_512(x: __m512) -> __m512 {
    let splat = |value: f32| _mm512_set1_ps(value);
    let [first, rest @ ..] = COEFFICIENTS;
    let clamped = _mm512_min_ps(splat(MOST), _mm512_max_ps(splat(LEAST), x));
    let n = _mm512_roundscale_ps::<0>(_mm512_mul_ps(clamped, splat(std::f32::consts::LOG2_E)));
    let r = _mm512_fnmadd_ps(n, splat(LN_2[1]), _mm512_fnmadd_ps(n, splat(LN_2[0]), clamped));
    let mut polynomial = splat(first);
    for coefficient in rest {
        polynomial = _mm512_fmadd_ps(polynomial, r, splat(coefficient));
    }
    let y = _mm512_fmadd_ps(polynomial, _mm512_mul_ps(r, r), _mm512_add_ps(r, splat(1.0)));
    let scaled = _mm512_scalef_ps(y, n);
    let not_low = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x, splat(LEAST));
    let high = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, splat(MOST));
    _mm512_mask_mov_ps(_mm512_maskz_mov_ps(not_low, scaled), high, splat(f32::INFINITY))
}

macro_rules! exponentials {
    ($name:ident, $features:literal, $lanes:literal, $load:ident, $exp:ident, $store:ident) => {
        #[target_feature(enable = $features)]
        pub(super) fn $name(from: &[f32], to: &mut [f32]) {
            let (vectors, rest) = from.as_chunks::<$lanes>();
            let (results, last) = to.as_chunks_mut::<$lanes>();
            for (result, vector) in results.iter_mut().zip(vectors) {
                // SAFETY: this many numbers, at any address.
                unsafe { $store(result.as_mut_ptr(), $exp($load(vector.as_ptr()))) };
            }
            for (to, from) in last.iter_mut().zip(rest) {
                *to = exp(*from);
            }
        }
    };
}

exponentials!(exponentials_256, "avx2,fma", 8, _mm256_loadu_ps, exp_256, _mm256_storeu_ps);
exponentials!(exponentials_512, "avx512f", 16, _mm512_loadu_ps, exp_512, _mm512_storeu_ps);
