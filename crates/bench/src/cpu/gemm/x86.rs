//! Micro-kernels for x86-64.
//!
//! With 16 registers, 6 rows of 2 vectors leave 4 for the operands; with 32, 12 rows leave 8 (14 would leave 4, which the
//! compiler cannot do without spilling). Both keep more than the 8 to 10 sums in flight that two fused multiply-adds of 4
//! or 5 cycles ask for.

use std::arch::x86_64::*;

use super::tile::float_tile;

#[inline(always)]
unsafe fn prefetch(address: *const u8) {
    // SAFETY: a hint, which no address makes fail.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

float_tile!(
    avx2_f32, "avx2 6x16", "avx2,fma", f32, __m256, 8 x 2, [1 2 3 4 5 6],
    _mm256_setzero_ps(), _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_add_ps, _mm256_fmadd_ps
);
float_tile!(
    avx2_f64, "avx2 6x8", "avx2,fma", f64, __m256d, 4 x 2, [1 2 3 4 5 6],
    _mm256_setzero_pd(), _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_add_pd, _mm256_fmadd_pd
);
float_tile!(
    avx512_f32, "avx512 12x32", "avx512f", f32, __m512, 16 x 2, [1 2 3 4 5 6 7 8 9 10 11 12],
    _mm512_setzero_ps(), _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_add_ps, _mm512_fmadd_ps
);
float_tile!(
    avx512_f64, "avx512 12x16", "avx512f", f64, __m512d, 8 x 2, [1 2 3 4 5 6 7 8 9 10 11 12],
    _mm512_setzero_pd(), _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_add_pd, _mm512_fmadd_pd
);
