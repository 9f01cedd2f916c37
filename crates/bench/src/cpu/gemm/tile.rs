//! Micro-kernels: a tile of the result is kept in registers while a panel of each operand streams past.

/// Adds (or stores, unless it accumulates) the product of two panels to a tile of the result. `depth` is in groups,
/// `stride` in elements of a row of the result.
pub(super) type Run<A, B, C> =
    unsafe fn(depth: usize, a: *const A, b: *const B, c: *mut C, stride: usize, accumulate: bool);

/// A micro-kernel for a processor.
///
/// Panels of B are packed as BLIS does it (Van Zee and van de Geijn, 2015): for each group of depth, the elements of all
/// columns of the panel, so that vectors are read in order. Of A single elements are read and copied to all lanes, so its
/// rows stay rows, but at a distance that is a constant of the micro-kernel, which costs no registers, and that is an odd
/// number of cache lines, so that rows do not compete for the same places of the first cache.
pub(super) struct Tile<A: 'static, B: 'static, C: 'static> {
    /// Which one: `avx512 12x32`.
    pub(super) name: &'static str,
    /// Columns of a tile; always all of them are computed.
    pub(super) columns: usize,
    /// Elements of the depth of B that lie together.
    pub(super) group: usize,
    /// Elements from one packed row of A to the next, more than the depth of any block.
    pub(super) reach: usize,
    /// Elements behind a panel of B that belong to it.
    pub(super) tail: usize,
    /// The function by rows that are wanted, one first. There are as many as a tile has rows.
    pub(super) run: &'static [Run<A, B, C>],
}

impl<A, B, C> Tile<A, B, C> {
    /// Rows of a tile.
    pub(super) fn rows(&self) -> usize {
        self.run.len()
    }

    /// Elements of a panel of B of so much depth.
    pub(super) fn b_panel(&self, depth: usize) -> usize {
        depth.next_multiple_of(self.group) * self.columns + self.tail
    }
}

/// The depth of a block of floats at most.
pub(super) const FLOAT_DEPTH: usize = 512;

/// Steps of depth from where B is read to where it is prefetched. The first tile below a panel takes it from the last
/// cache, which is some hundred cycles away: 32 steps of 24 are more. Measured on Zen 4 in FP64 at 1024: without 89 %
/// of the `gemm` crate, 8 ahead 94 %, 16 ahead 97 %, 24 to 64 ahead 99 to 100 %.
pub(super) const AHEAD: usize = 32;

/// A micro-kernel of floats by the instructions that it is made of. Each row of the tile takes one element of A, copied to
/// all lanes, times the vectors of B.
macro_rules! float_tile {
    (
        $module:ident, $name:literal, $($feature:literal)?, $element:ty, $vector:ty, $lanes:literal x $vectors:literal,
        [$($row:literal)*], $zero:expr, $load:expr, $store:expr, $splat:expr, $add:expr, $fma:expr
    ) => {
        pub(in crate::cpu::gemm) mod $module {
            use crate::cpu::gemm::tile::{AHEAD, FLOAT_DEPTH, Tile};
            #[allow(clippy::wildcard_imports, clippy::allow_attributes, unused_imports, reason = "each takes others of them")]
            use super::*;

            const REACH: usize = FLOAT_DEPTH + 64 / size_of::<$element>();
            const COLUMNS: usize = $lanes * $vectors;

            /// The micro-kernel.
            pub(in crate::cpu::gemm) static TILE: Tile<$element, $element, $element> =
                Tile { name: $name, columns: COLUMNS, group: 1, reach: REACH, tail: 0, run: &[$(run::<$row>),*] };

            /// # Safety
            /// The instructions must be there; A must have `R` rows at a distance of `REACH`, B `depth` times `COLUMNS`
            /// elements, the result `R` rows of `COLUMNS`.
            $(#[target_feature(enable = $feature)])?
            unsafe fn run<const R: usize>(
                depth: usize,
                mut a: *const $element,
                mut b: *const $element,
                c: *mut $element,
                stride: usize,
                accumulate: bool,
            ) {
                // SAFETY: as the caller promises.
                unsafe {
                    // The result is needed at the end only, and comes from far meanwhile.
                    if accumulate {
                        for row in 0..R {
                            for line in 0..(COLUMNS * size_of::<$element>()).div_ceil(64) {
                                super::prefetch(c.wrapping_add(row * stride).cast::<u8>().wrapping_add(64 * line));
                            }
                        }
                    }
                    let mut sums: [[$vector; $vectors]; R] = [[$zero; $vectors]; R];
                    macro_rules! step {
                        ($at:literal) => {
                            let mut right = [$zero; $vectors];
                            for (vector, right) in right.iter_mut().enumerate() {
                                // Past the end it asks for nothing.
                                super::prefetch(b.wrapping_add(($at + AHEAD) * COLUMNS + vector * $lanes).cast());
                                *right = $load(b.add($at * COLUMNS + vector * $lanes));
                            }
                            for (row, sums) in sums.iter_mut().enumerate() {
                                let left = $splat(*a.add(row * REACH + $at));
                                for (sum, right) in sums.iter_mut().zip(right) {
                                    *sum = $fma(left, right, *sum);
                                }
                            }
                        };
                    }
                    for _ in 0..depth / 4 {
                        step!(0);
                        step!(1);
                        step!(2);
                        step!(3);
                        a = a.add(4);
                        b = b.add(4 * COLUMNS);
                    }
                    for _ in 0..depth % 4 {
                        step!(0);
                        a = a.add(1);
                        b = b.add(COLUMNS);
                    }
                    for (row, sums) in sums.iter().enumerate() {
                        for (vector, sum) in sums.iter().enumerate() {
                            let at = c.add(row * stride + vector * $lanes);
                            $store(at, if accumulate { $add($load(at), *sum) } else { *sum });
                        }
                    }
                }
            }
        }
    };
}

pub(super) use float_tile;
