//! The micro-kernel that any processor runs.

use super::DEPTH;
use crate::cpu::gemm::tile::Tile;

const REACH: usize = DEPTH + 32;
const COLUMNS: usize = 8;

/// The micro-kernel.
pub(super) static TILE: Tile<i16, i16, i32> = Tile {
    name: "portable 4x8 int16",
    columns: COLUMNS,
    group: 2,
    reach: REACH,
    tail: 0,
    run: &[run::<1>, run::<2>, run::<3>, run::<4>],
};

/// # Safety
/// A must have `R` rows at a distance of `REACH`, B `depth` times `COLUMNS` pairs, the result `R` rows of `COLUMNS`.
unsafe fn run<const R: usize>(
    depth: usize,
    a: *const i16,
    b: *const i16,
    c: *mut i32,
    stride: usize,
    accumulate: bool,
) {
    let mut sums = [[0_i32; COLUMNS]; R];
    // SAFETY: as the caller promises.
    unsafe {
        for group in 0..depth {
            let right = &*b.add(group * 2 * COLUMNS).cast::<[[i16; 2]; COLUMNS]>();
            for (row, sums) in sums.iter_mut().enumerate() {
                let left = &*a.add(row * REACH + 2 * group).cast::<[i16; 2]>();
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum +=
                        i32::from(left[0]) * i32::from(right[0]) + i32::from(left[1]) * i32::from(right[1]);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (column, sum) in sums.iter().enumerate() {
                let at = c.add(row * stride + column);
                *at = if accumulate { *at + *sum } else { *sum };
            }
        }
    }
}
