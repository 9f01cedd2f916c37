//! Micro-kernels for AArch64: 8 rows of 3 vectors leave 8 of 32 registers for the operands.

use std::arch::aarch64::*;

use super::tile::float_tile;

#[inline(always)]
unsafe fn prefetch(_address: *const u8) {}

float_tile!(
    neon_f32, "neon 8x12", "neon", f32, float32x4_t, 4 x 3, [1 2 3 4 5 6 7 8],
    vdupq_n_f32(0.0), vld1q_f32, vst1q_f32, vdupq_n_f32, vaddq_f32, |left, right, sum| vfmaq_f32(sum, left, right)
);
float_tile!(
    neon_f64, "neon 8x6", "neon", f64, float64x2_t, 2 x 3, [1 2 3 4 5 6 7 8],
    vdupq_n_f64(0.0), vld1q_f64, vst1q_f64, vdupq_n_f64, vaddq_f64, |left, right, sum| vfmaq_f64(sum, left, right)
);
