//! Inner loops with 256-bit vectors.
//!
//! Several rows at once, so that activations are read once for all of them. The rows are far apart: a matrix is read as so
//! many long streams, which the hardware fetches ahead, where neighboring rows of a few kilobytes end before it has seen a
//! stream. From memory that is twice as quick.
#![expect(unsafe_code, reason = "vectors are loaded through pointers")]

mod floats;
mod integers;
mod lookup;
mod scales;

use std::arch::x86_64::*;

use super::activations::{Arrangement, Prepared, Vector};
use super::choice::{Choice, Code};
use crate::cpu::InstructionSet;
use crate::formats::Format;

/// The choice for a format.
pub(super) fn choice(format: Format, quantised: bool) -> Option<Choice> {
    use Arrangement::{EvenOdd, Interleaved, Natural, Pairs, Planes, Quads};
    let (code, arrangement, offset, how) = match (format, quantised) {
        (Format::Fp64, false) => (Code::Double(floats::fp64), Natural, 0, "4 rows"),
        (Format::Fp32, false) => (Code::Single(floats::fp32), Natural, 0, "4 rows"),
        (Format::Fp16, false) => (Code::Single(floats::fp16), Natural, 0, "4 rows f16c"),
        (Format::Bf16, false) => (Code::Single(floats::bf16), EvenOdd, 0, "6 rows even/odd"),
        (Format::Int8, false) => (Code::Single(floats::int8), Planes, 0, "4 rows bytes in place"),
        (Format::Fp8E4m3, false) => (Code::Single(floats::e4m3), Planes, 0, "4 rows bytes in place"),
        (Format::Fp8E5m2, false) => (Code::Single(floats::e5m2), Planes, 0, "4 rows bytes in place"),
        (Format::Int4, false) => (Code::Single(lookup::int4), Pairs(32), 0, "2 rows 16-bit lookup"),
        (Format::Mxfp4, false) => (Code::Single(lookup::mxfp4), Pairs(32), 0, "2 rows 16-bit lookup"),
        (Format::Nvfp4, false) => (Code::Single(lookup::nvfp4), Pairs(16), 0, "2 rows 16-bit lookup"),
        (Format::Nf4, false) => (Code::Single(lookup::nf4), Quads(32), 0, "1 row 32-bit lookup"),
        (Format::Int8, true) => (Code::Single(integers::int8), Natural, 0, "4 rows maddubs"),
        (Format::Int4, true) => (Code::Single(integers::int4), Interleaved(32), 8, "4 rows maddubs"),
        (Format::Mxfp4, true) => {
            (Code::Single(integers::mxfp4), Interleaved(32), 12, "4 rows lookup maddubs")
        }
        (Format::Nvfp4, true) => {
            (Code::Single(integers::nvfp4), Interleaved(16), 12, "4 rows lookup maddubs")
        }
        (Format::Nf4, true) => {
            (Code::Single(integers::nf4), Interleaved(32), 0, "4 rows 8-bit lookup maddubs")
        }
        (_, true) => return None,
    };
    Some(Choice { instructions: InstructionSet::Avx2, code, arrangement, offset, how })
}

/// Prepares activations; only called where these instructions are.
pub(super) fn prepare(prepared: &mut Prepared, vector: &Vector) {
    #[target_feature(enable = "avx2,fma,f16c")]
    fn inner(prepared: &mut Prepared, vector: &Vector) {
        prepared.prepare(vector);
    }
    // SAFETY: a choice with these instructions is only made where they are.
    unsafe { inner(prepared, vector) }
}

/// Defines an inner loop that does `$rows` rows at a time, and what is left one by one, with a function for a fixed number
/// of rows.
macro_rules! by_rows {
    ($(#[$doc:meta])* $name:ident, $type:ty, $rows:literal, $dot:ident $(::<$($generic:ty),+>)?) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As [`super::super::choice::Code`] says.
        #[target_feature(enable = "avx2,fma,f16c")]
        pub(in super::super) unsafe fn $name(rows: &Rows<'_>, x: &Prepared, y: &mut [$type]) {
            let part = y.len() / $rows;
            for index in 0..part {
                let indices = std::array::from_fn(|row| index + row * part);
                // SAFETY: these rows are there, as the caller promises.
                let results: [$type; $rows] = unsafe { $dot::<$($($generic,)+)? $rows>(rows, indices, x) };
                for (index, result) in indices.into_iter().zip(results) {
                    if let Some(slot) = y.get_mut(index) {
                        *slot = result;
                    }
                }
            }
            for (index, slot) in y.iter_mut().enumerate().skip(part * $rows) {
                // SAFETY: as above.
                [*slot] = unsafe { $dot::<$($($generic,)+)? 1>(rows, [index], x) };
            }
        }
    };
}
use by_rows;

/// Where each of some rows begins.
#[inline(always)]
fn starts<const R: usize>(bytes: &[u8], stride: usize, indices: [usize; R]) -> [*const u8; R] {
    indices.map(|index| bytes.as_ptr().wrapping_add(index * stride))
}

/// Fetches what will be read some lines later. It need not exist.
///
/// Rows of 4-bit codes are read so quickly that the hardware does not run far enough ahead; longer distances cost more than
/// they bring.
#[inline(always)]
fn fetch(address: *const u8) {
    const AHEAD: usize = 512;
    // SAFETY: fetching ahead never fails, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(AHEAD).cast()) }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn sum(lanes: __m256) -> f32 {
    let halves = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
    let pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
    _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn sum_doubles(lanes: __m256d) -> f64 {
    let halves = _mm_add_pd(_mm256_castpd256_pd128(lanes), _mm256_extractf128_pd::<1>(lanes));
    _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)))
}
