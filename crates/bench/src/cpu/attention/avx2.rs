//! Eight numbers in a 256-bit vector.

use std::arch::x86_64::*;

use super::super::exp::x86::exp_256;
use super::lanes::{Bf16, E4m3, E5m2, Element, Fp16, Fp32, Int8, Lanes};

/// With AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

// SAFETY: whoever calls is compiled for these instructions, as the trait demands.
unsafe impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the instructions are there.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the instructions are there, and the caller promises eight numbers.
        Self(unsafe { _mm256_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the instructions are there, and the caller promises room for eight numbers.
        unsafe { _mm256_storeu_ps(to, self.0) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, summand: Self) -> Self {
        // SAFETY: the instructions are there.
        Self(unsafe { _mm256_fmadd_ps(self.0, factor.0, summand.0) })
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // SAFETY: the instructions are there.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exp_less(self, other: Self) -> Self {
        // SAFETY: the instructions are there.
        Self(unsafe { exp_256(_mm256_sub_ps(self.0, other.0)) })
    }

    #[inline(always)]
    unsafe fn fetch(address: *const u8) {
        // To the second cache: a block and the next do not fit the first, and fewer lines may be on their way to it. From
        // memory that is up to twice as quick.
        // SAFETY: fetching ahead never fails, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
}

macro_rules! elements {
    ($($type:ident, $bytes:literal, $factor:literal, $from:ident => $load:expr;)*) => {
        $(
            // SAFETY: whoever calls is compiled for these instructions, as the trait demands.
            unsafe impl Element<Avx2> for $type {
                const BYTES: usize = $bytes;
                const FACTOR: f32 = $factor;

                #[inline(always)]
                unsafe fn load($from: *const u8) -> Avx2 {
                    // SAFETY: the instructions are there, and the caller promises eight elements.
                    Avx2(unsafe { $load })
                }
            }
        )*
    };
}
elements!(
    Fp32, 4, 1.0, from => _mm256_loadu_ps(from.cast());
    Fp16, 2, 1.0, from => _mm256_cvtph_ps(_mm_loadu_si128(from.cast()));
    Bf16, 2, 1.0, from =>
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()))));
    Int8, 1, 1.0, from => _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(from.cast())));
    // An FP16 number of smaller exponent, by the difference of the biases.
    E4m3, 1, 256.0, from => _mm256_cvtph_ps(_mm_and_si128(
        _mm_slli_epi16::<7>(_mm_cvtepi8_epi16(_mm_loadl_epi64(from.cast()))),
        _mm_set1_epi16(0xBFFF_u16.cast_signed()),
    ));
    E5m2, 1, 1.0, from =>
        _mm256_cvtph_ps(_mm_unpacklo_epi8(_mm_setzero_si128(), _mm_loadl_epi64(from.cast())));
);
