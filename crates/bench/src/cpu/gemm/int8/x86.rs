//! Micro-kernels for x86-64.

use std::arch::x86_64::*;

use super::DEPTH;
use crate::cpu::gemm::tile::{AHEAD, Tile};

/// The loops of a micro-kernel around its instruction for one row and one vector.
macro_rules! integer_tile {
    (
        $name:literal, $feature:literal, $left:ty, $right:ty, $vector:ty, $lanes:literal, $group:literal, $tail:literal,
        [$($row:literal)*], $zero:expr, $load:expr, $store:expr, $splat:expr, $add:expr, $multiply:expr
    ) => {
        const VECTORS: usize = 2;
        const COLUMNS: usize = $lanes * VECTORS;
        /// An odd number of cache lines.
        const REACH: usize = DEPTH + 64 / size_of::<$left>();

        /// The micro-kernel.
        pub(in crate::cpu::gemm::int8) static TILE: Tile<$left, $right, i32> = Tile {
            name: $name,
            columns: COLUMNS,
            group: $group,
            reach: REACH,
            tail: $tail * COLUMNS,
            run: &[$(run::<$row>),*],
        };

        /// # Safety
        /// The instructions must be there; A must have `R` rows at a distance of `REACH`, B `depth` groups of all columns
        /// and its tail, the result `R` rows of `COLUMNS`.
        #[target_feature(enable = $feature)]
        unsafe fn run<const R: usize>(
            depth: usize,
            mut a: *const $left,
            mut b: *const $right,
            c: *mut i32,
            stride: usize,
            accumulate: bool,
        ) {
            // SAFETY: as the caller promises.
            unsafe {
                // The result is needed at the end only, and comes from far meanwhile, also where it is only written.
                for row in 0..R {
                    for line in 0..COLUMNS * 4 / 64 {
                        _mm_prefetch::<_MM_HINT_T0>(c.wrapping_add(row * stride + 16 * line).cast());
                    }
                }
                let mut sums: [[$vector; VECTORS]; R] = [[$zero; VECTORS]; R];
                macro_rules! step {
                    ($at:literal) => {
                        let mut right = [$zero; VECTORS];
                        for (vector, right) in right.iter_mut().enumerate() {
                            let at = b.add(($at * COLUMNS + vector * $lanes) * $group);
                            // Past the end it asks for nothing.
                            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD * $group * COLUMNS).cast());
                            *right = $load(at.cast());
                        }
                        for (row, sums) in sums.iter_mut().enumerate() {
                            let left = $splat(a.add(row * REACH + $at * $group).cast::<i32>().read_unaligned());
                            for (sum, right) in sums.iter_mut().zip(right) {
                                *sum = $multiply(*sum, left, right);
                            }
                        }
                    };
                }
                for _ in 0..depth / 4 {
                    step!(0);
                    step!(1);
                    step!(2);
                    step!(3);
                    a = a.add(4 * $group);
                    b = b.add(4 * $group * COLUMNS);
                }
                for _ in 0..depth % 4 {
                    step!(0);
                    a = a.add($group);
                    b = b.add($group * COLUMNS);
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (vector, sum) in sums.iter().enumerate() {
                        let at = c.add(row * stride + vector * $lanes);
                        let mut sum = *sum;
                        if $tail > 0 {
                            sum = $add(sum, $load(b.cast::<i32>().add(vector * $lanes).cast()));
                        }
                        if accumulate {
                            sum = $add(sum, $load(at.cast()));
                        }
                        $store(at.cast(), sum);
                    }
                }
            }
        }
    };
}

/// Writes four rows as the columns from `first` on of a panel of `width`, four bytes of depth together. Rows are whole
/// vectors of 16 bytes; what is beyond that is skipped.
pub(super) fn transpose_fours(rows: [&[i8]; 4], panel: &mut [i8], width: usize, first: usize) {
    let [one, two, three, four] = rows.map(|row| row.as_chunks::<16>().0);
    let vectors = one.iter().zip(two).zip(three).zip(four);
    for ((((one, two), three), four), out) in vectors.zip(panel.chunks_exact_mut(16 * width)) {
        // SAFETY: a vector is 16 bytes, and these instructions are part of every x86-64.
        let columns: [[i8; 16]; 4] = unsafe {
            let [one, two, three, four] =
                [one, two, three, four].map(|row| _mm_loadu_si128(row.as_ptr().cast()));
            let (low, high) = (_mm_unpacklo_epi32(one, two), _mm_unpackhi_epi32(one, two));
            let (other_low, other_high) = (_mm_unpacklo_epi32(three, four), _mm_unpackhi_epi32(three, four));
            std::mem::transmute::<[__m128i; 4], [[i8; 16]; 4]>([
                _mm_unpacklo_epi64(low, other_low),
                _mm_unpackhi_epi64(low, other_low),
                _mm_unpacklo_epi64(high, other_high),
                _mm_unpackhi_epi64(high, other_high),
            ])
        };
        for (group, column) in out.chunks_exact_mut(4 * width).zip(columns) {
            if let Some(to) = group.get_mut(4 * first..4 * first + 16) {
                to.copy_from_slice(&column);
            }
        }
    }
}

/// Pairs of 16-bit products.
pub(super) mod avx2 {
    use super::*;

    integer_tile!(
        "avx2 5x16 int16 vpmaddwd", "avx2", i16, i16, __m256i, 8, 2, 0, [1 2 3 4 5],
        _mm256_setzero_si256(), _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_add_epi32,
        multiply_add
    );

    /// Adds the pairs of products. As assembly, since the compiler adds sums of several steps together first, which is the
    /// same for integers, and runs out of registers.
    ///
    /// # Safety
    /// The instructions must be there.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn multiply_add(mut sum: __m256i, left: __m256i, right: __m256i) -> __m256i {
        // SAFETY: it reads and writes registers.
        unsafe {
            std::arch::asm!(
                "vpmaddwd {product}, {left}, {right}",
                "vpaddd {sum}, {sum}, {product}",
                product = out(ymm_reg) _, left = in(ymm_reg) left, right = in(ymm_reg) right, sum = inout(ymm_reg) sum,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        sum
    }
}

/// Fours of products of bytes.
pub(super) mod vnni {
    use super::*;

    integer_tile!(
        "avx512 12x32 vpdpbusd", "avx512f,avx512vnni", u8, i8, __m512i, 16, 4, 4, [1 2 3 4 5 6 7 8 9 10 11 12],
        _mm512_setzero_si512(), _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32, _mm512_add_epi32,
        |sum, left, right| _mm512_dpbusd_epi32(sum, left, right)
    );

    /// Writes -128 times the sum of each column of a panel, as 32-bit integers.
    pub(in crate::cpu::gemm::int8) fn corrections(panel: &[i8], out: &mut [i8]) {
        let groups = panel.len() / (4 * COLUMNS);
        if out.len() == 4 * COLUMNS && std::arch::is_x86_feature_detected!("avx512vnni") {
            // SAFETY: the instructions are there, the panel is this many groups long and the room was checked.
            unsafe { sums(groups, panel.as_ptr(), out.as_mut_ptr().cast()) }
        }
    }

    /// # Safety
    /// The instructions must be there, the panel must have this many groups, and there must be room for all columns.
    #[target_feature(enable = "avx512f,avx512vnni")]
    unsafe fn sums(groups: usize, panel: *const i8, out: *mut i32) {
        let mut sums = [_mm512_setzero_si512(); VECTORS];
        let factor = _mm512_set1_epi8(-128);
        // SAFETY: as the caller promises.
        unsafe {
            for group in 0..groups {
                for (vector, sum) in sums.iter_mut().enumerate() {
                    let bytes = _mm512_loadu_si512(panel.add((group * COLUMNS + vector * 16) * 4).cast());
                    // As an unsigned byte the factor is 128.
                    *sum = _mm512_dpbusd_epi32(*sum, factor, bytes);
                }
            }
            for (vector, sum) in sums.iter().enumerate() {
                let negative = _mm512_sub_epi32(_mm512_setzero_si512(), *sum);
                _mm512_storeu_si512(out.add(vector * 16).cast(), negative);
            }
        }
    }
}
