//! Eight numbers at a time: what the tiles are written in, once for all instructions.

use super::super::exp::exp;
use crate::formats::minifloat::half;

/// Eight FP32 numbers.
///
/// # Safety
/// Functions may use instructions that only some processors have: whoever calls them is compiled for those.
pub(super) unsafe trait Lanes: Copy {
    /// Eight times the same.
    unsafe fn splat(value: f32) -> Self;
    /// Eight from memory.
    unsafe fn load(from: *const f32) -> Self;
    /// Eight to memory.
    unsafe fn store(self, to: *mut f32);
    /// `self * factor + summand`.
    unsafe fn multiply_add(self, factor: Self, summand: Self) -> Self;
    /// The larger of each.
    unsafe fn larger(self, other: Self) -> Self;
    /// `exp(self - other)`.
    unsafe fn exp_less(self, other: Self) -> Self;
    /// Fetches a line that will be read later; it need not exist.
    unsafe fn fetch(address: *const u8);
}

/// Numbers in memory that become eight FP32 numbers.
///
/// # Safety
/// As [`Lanes`].
pub(super) unsafe trait Element<L: Lanes> {
    /// Bytes of one.
    const BYTES: usize;
    /// What eight must be multiplied by to be what they mean, but for the scale of the tensor.
    const FACTOR: f32 = 1.0;
    /// Eight from memory.
    unsafe fn load(from: *const u8) -> L;
}

/// FP32.
pub(super) struct Fp32;
/// FP16.
pub(super) struct Fp16;
/// BF16.
pub(super) struct Bf16;
/// INT8.
pub(super) struct Int8;
/// FP8 E4M3.
pub(super) struct E4m3;
/// FP8 E5M2.
pub(super) struct E5m2;

/// In plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; 8]);

// SAFETY: no instructions but those that every processor has.
unsafe impl Lanes for Portable {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 8])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises eight numbers.
        Self(unsafe { from.cast::<[f32; 8]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises room for eight numbers.
        unsafe { to.cast::<[f32; 8]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn multiply_add(mut self, factor: Self, summand: Self) -> Self {
        for ((value, factor), summand) in self.0.iter_mut().zip(factor.0).zip(summand.0) {
            *value = *value * factor + summand;
        }
        self
    }

    #[inline(always)]
    unsafe fn larger(mut self, other: Self) -> Self {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = if other > *value { other } else { *value };
        }
        self
    }

    #[inline(always)]
    unsafe fn exp_less(mut self, other: Self) -> Self {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = exp(*value - other);
        }
        self
    }

    #[inline(always)]
    unsafe fn fetch(_address: *const u8) {}
}

macro_rules! portable {
    ($($type:ident, $bytes:literal, $factor:literal, $decode:expr;)*) => {
        $(
            // SAFETY: no instructions but those that every processor has.
            unsafe impl Element<Portable> for $type {
                const BYTES: usize = $bytes;
                const FACTOR: f32 = $factor;

                #[inline(always)]
                unsafe fn load(from: *const u8) -> Portable {
                    // SAFETY: the caller promises eight elements.
                    let elements = unsafe { from.cast::<[[u8; $bytes]; 8]>().read_unaligned() };
                    Portable(elements.map($decode))
                }
            }
        )*
    };
}
portable!(
    Fp32, 4, 1.0, f32::from_le_bytes;
    Fp16, 2, 1.0, |bytes| half(u16::from_le_bytes(bytes));
    Bf16, 2, 1.0, |bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16);
    Int8, 1, 1.0, |[byte]| f32::from(byte.cast_signed());
    // An FP16 number of smaller exponent, by the difference of the biases.
    E4m3, 1, 256.0, |[byte]| half((i16::from(byte.cast_signed()) << 7).cast_unsigned() & 0xBFFF);
    E5m2, 1, 1.0, |[byte]| half(u16::from(byte) << 8);
);
