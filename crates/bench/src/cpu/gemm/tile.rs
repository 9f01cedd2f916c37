//! Micro-kernels: a tile of the result is kept in registers while a panel of each operand streams past.

/// Adds (or stores, unless it accumulates) the product of two panels to a tile of the result. `depth` is in groups,
/// `stride` in elements of a row of the result.
pub(super) type Run<A, B, C> =
    unsafe fn(depth: usize, a: *const A, b: *const B, c: *mut C, stride: usize, accumulate: bool);

/// A micro-kernel for a processor.
///
/// Panels are packed as BLIS does it (Van Zee and van de Geijn, 2015): for each group of depth, the elements of all lines
/// of the panel, so that both are read in order.
pub(super) struct Tile<A: 'static, B: 'static, C: 'static> {
    /// Which one: `avx512 14x32`.
    pub(super) name: &'static str,
    /// Columns of a tile; always all of them are computed.
    pub(super) columns: usize,
    /// Elements of the depth that lie together.
    pub(super) group: usize,
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

    /// Elements of a panel of A of so much depth.
    pub(super) fn a_panel(&self, depth: usize) -> usize {
        depth.next_multiple_of(self.group) * self.rows()
    }

    /// Elements of a panel of B of so much depth.
    pub(super) fn b_panel(&self, depth: usize) -> usize {
        depth.next_multiple_of(self.group) * self.columns + self.tail
    }
}

/// A micro-kernel of floats by the instructions that it is made of. Each row of the tile takes one element of A, copied to
/// all lanes, times the vectors of B.
macro_rules! float_tile {
    (
        $module:ident, $name:literal, $($feature:literal)?, $element:ty, $vector:ty, $lanes:literal x $vectors:literal,
        $rows:literal: [$($row:literal)*], $zero:expr, $load:expr, $store:expr, $splat:expr, $add:expr, $fma:expr
    ) => {
        pub(in crate::cpu::gemm) mod $module {
            use crate::cpu::gemm::tile::Tile;
            #[allow(clippy::wildcard_imports, clippy::allow_attributes, unused_imports, reason = "each takes others of them")]
            use super::*;

            const ROWS: usize = $rows;
            const COLUMNS: usize = $lanes * $vectors;

            /// The micro-kernel.
            pub(in crate::cpu::gemm) static TILE: Tile<$element, $element, $element> =
                Tile { name: $name, columns: COLUMNS, group: 1, tail: 0, run: &[$(run::<$row>),*] };

            /// # Safety
            /// The instructions must be there; the panels must hold `depth` times `ROWS` and `COLUMNS` elements, the
            /// result `R` rows of `COLUMNS`.
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
                                super::prefetch(c.add(row * stride).cast::<u8>().add(64 * line));
                            }
                        }
                    }
                    let mut sums: [[$vector; $vectors]; R] = [[$zero; $vectors]; R];
                    macro_rules! step {
                        ($at:literal) => {
                            let mut right = [$zero; $vectors];
                            for (vector, right) in right.iter_mut().enumerate() {
                                *right = $load(b.add($at * COLUMNS + vector * $lanes));
                            }
                            for (row, sums) in sums.iter_mut().enumerate() {
                                let left = $splat(*a.add($at * ROWS + row));
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
                        a = a.add(4 * ROWS);
                        b = b.add(4 * COLUMNS);
                    }
                    for _ in 0..depth % 4 {
                        step!(0);
                        a = a.add(ROWS);
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
