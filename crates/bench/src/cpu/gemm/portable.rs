//! Micro-kernels that any processor runs, and that the others are tested against.

use super::tile::float_tile;

#[inline(always)]
unsafe fn prefetch(_address: *const u8) {}

float_tile!(
    portable_f32, "portable 4x8", , f32, f32, 1 x 8, [1 2 3 4],
    0.0_f32, |at: *const f32| *at, |at: *mut f32, value: f32| *at = value, |value: f32| value,
    |one: f32, other: f32| one + other, |left: f32, right: f32, sum: f32| left * right + sum
);
float_tile!(
    portable_f64, "portable 4x4", , f64, f64, 1 x 4, [1 2 3 4],
    0.0_f64, |at: *const f64| *at, |at: *mut f64, value: f64| *at = value, |value: f64| value,
    |one: f64, other: f64| one + other, |left: f64, right: f64, sum: f64| left * right + sum
);
