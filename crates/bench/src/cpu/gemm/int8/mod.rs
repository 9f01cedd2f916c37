//! Products of 8-bit integers, exact for all of them, with 32-bit results.
//!
//! `vpmaddubsw`, which AVX2 code multiplies bytes with, saturates: 255 * 127 + 255 * 127 is beyond 16 bits. So bytes are
//! widened to 16 bits while they are packed, and `vpmaddwd` adds pairs of products in 32, which always fit. VNNI adds four
//! products in 32 bits, of unsigned bytes of A with signed ones of B: 128 is added to A, and 128 times the sum of each
//! column of B, which lies behind its panel, is taken from the result.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::Range;

use eaves_roofline::Precision;
use eaves_roofline::measured::Spec;

use super::pack::{Left, Matrix, Operand, Right};
use super::plan::Blocking;
use super::product::{Description, Product};
use super::tile::Tile;
use super::{copies, memory, panels, work};
use crate::backend::BenchError;
#[cfg(target_arch = "x86_64")]
use crate::cpu::InstructionSet;
use crate::cpu::Making;
use crate::kernel::Kernel;

/// The depth of a block at most: as many bytes as of FP32. Bytes are multiplied four times as quickly, so what is spent on
/// the result, which is read and written once for each block of depth, weighs four times as much.
const DEPTH: usize = 2048;

/// A second cache holds 200 kB of bytes of A, and twice that widened; a step lasts about a millisecond.
const BLOCKING: Blocking = Blocking { rows: 96, depth: DEPTH, columns: 1024 };

/// Depth that no sum of products overflows 32 bits with: `(-128)^2 * 131071 < 2^31`.
const DEEPEST: usize = 131_071;

/// The kernel for a product of bytes.
pub(super) fn make(spec: &Spec, making: &Making) -> Result<Box<dyn Kernel>, BenchError> {
    let Spec::Gemm { m, n, k, .. } = *spec else { return Err(memory(spec)) };
    if k > DEEPEST {
        return Err(BenchError::Unsupported {
            backend: "cpu".to_owned(),
            what: format!("gemm {} of int8", spec.shape()),
            why: format!("sums of more than {DEEPEST} products do not fit 32 bits"),
        });
    }
    let mut random = fastrand::Rng::with_seed(5);
    let bytes = n.saturating_mul(k);
    let mut draw = || random.i8(..);
    let a = Matrix::filled(m, k, 1, &mut draw).ok_or_else(|| memory(spec))?;
    let b = Matrix::filled(n, k, copies(making, bytes), &mut draw).ok_or_else(|| memory(spec))?;
    product(spec, making, Bytes(a), Bytes(b)).ok_or_else(|| memory(spec))
}

/// The product of these operands.
pub(super) fn product(spec: &Spec, making: &Making, a: Bytes, b: Bytes) -> Option<Box<dyn Kernel>> {
    let Spec::Gemm { m, n, k, .. } = *spec else { return None };
    let mut description = Description {
        spec: *spec,
        shape: (m, n, k),
        note: ", exact in int32".to_owned(),
        work: work((m, n, k), Precision::INT8, Precision::INT8, Precision::INT32),
        chores: Vec::new(),
        state: making.state,
        blocking: BLOCKING,
        piece: 300e6,
        threads: making.threads,
        tolerance: 0.0,
    };
    let (a, b) = (Box::new(a), Box::new(b));
    #[cfg(target_arch = "x86_64")]
    if making.instructions == InstructionSet::Avx512 && std::arch::is_x86_feature_detected!("avx512vnni") {
        let tile = &x86::vnni::TILE;
        description.chores = panels((m, n, k), (tile.rows(), tile.columns), 1);
        return Some(Box::new(Product::new(description, tile, a, b)?));
    }
    let tile: &'static Tile<i16, i16, i32> = match making.instructions {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => &x86::avx2::TILE,
        _ => &portable::TILE,
    };
    // Bytes are widened when they are packed.
    description.chores = panels((m, n, k), (tile.rows(), tile.columns), size_of::<i16>());
    Some(Box::new(Product::new(description, tile, a, b)?))
}

/// A matrix of bytes whose rows are lines, of A and of B: weights as layers store them.
pub(super) struct Bytes(pub(super) Matrix<i8>);

impl Operand for Bytes {
    fn line(&self, line: usize, out: &mut [f64]) {
        for (to, from) in out.iter_mut().zip(self.0.row(0, line, 0..self.0.stride())) {
            *to = f64::from(*from);
        }
    }

    fn copies(&self) -> usize {
        self.0.copies()
    }

    fn huge_pages(&self) -> Option<bool> {
        self.0.huge_pages()
    }
}

impl Left<i16> for Bytes {
    fn pack(&self, copy: usize, rows: Range<usize>, depth: Range<usize>, reach: usize, out: &mut [i16]) {
        for (to, row) in out.chunks_exact_mut(reach).zip(rows) {
            for (to, from) in to.iter_mut().zip(self.0.row(copy, row, depth.clone())) {
                *to = i16::from(*from);
            }
        }
    }
}

impl Right<i16> for Bytes {
    fn pack(&self, copy: usize, columns: Range<usize>, depth: Range<usize>, width: usize, out: &mut [i16]) {
        let panel = (depth.len().next_multiple_of(2) * width).max(1);
        for (panel, first) in out.chunks_exact_mut(panel).zip(columns.clone().step_by(width)) {
            let inside = first..columns.end.min(first + width);
            self.transpose::<2, i16>(copy, inside, depth.clone(), width, panel);
        }
    }
}

/// Groups of depth that are transposed at once: rows whose length is a power of two fall on the same few places of a cache,
/// so the two or four lines that were fetched of one are used up before the next is looked at.
const TRANSPOSED: usize = 32;

impl Bytes {
    /// Writes rows as the columns of a panel of `width`, `GROUP` elements of the depth together.
    fn transpose<const GROUP: usize, T: Copy + Default + From<i8>>(
        &self,
        copy: usize,
        rows: Range<usize>,
        depth: Range<usize>,
        width: usize,
        panel: &mut [T],
    ) {
        if rows.len() < width {
            panel.fill(T::default());
        }
        let blocks = panel.chunks_mut(TRANSPOSED * width * GROUP);
        for (block, start) in blocks.zip(depth.clone().step_by(TRANSPOSED * GROUP)) {
            let part = start..depth.end.min(start + TRANSPOSED * GROUP);
            let block = block.as_chunks_mut::<GROUP>().0;
            for (column, row) in rows.clone().enumerate() {
                let (whole, rest) = self.0.row(copy, row, part.clone()).as_chunks::<GROUP>();
                for (to, from) in block.chunks_exact_mut(width).zip(whole) {
                    if let Some(to) = to.get_mut(column) {
                        *to = from.map(T::from);
                    }
                }
                let last = block.chunks_exact_mut(width).nth(whole.len()).and_then(|to| to.get_mut(column));
                if let (false, Some(to)) = (rest.is_empty(), last) {
                    *to = std::array::from_fn(|at| rest.get(at).copied().map_or(T::default(), T::from));
                }
            }
        }
    }
}

impl Left<u8> for Bytes {
    fn pack(&self, copy: usize, rows: Range<usize>, depth: Range<usize>, reach: usize, out: &mut [u8]) {
        for (to, row) in out.chunks_exact_mut(reach).zip(rows) {
            for (to, from) in to.iter_mut().zip(self.0.row(copy, row, depth.clone())) {
                *to = from.cast_unsigned() ^ 0x80;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Right<i8> for Bytes {
    fn pack(&self, copy: usize, columns: Range<usize>, depth: Range<usize>, width: usize, out: &mut [i8]) {
        let tail = 4 * width;
        let panel = (depth.len().next_multiple_of(4) * width + tail).max(1);
        for (panel, first) in out.chunks_exact_mut(panel).zip(columns.clone().step_by(width)) {
            let Some((body, tail)) = panel.split_at_mut_checked(panel.len() - tail) else { continue };
            let inside = first..columns.end.min(first + width);
            // Four rows at a time by vectors, if they are four and whole.
            if inside.len() == width && width.is_multiple_of(4) && depth.len().is_multiple_of(16) {
                for (quarter, row) in inside.clone().step_by(4).enumerate() {
                    let rows = std::array::from_fn(|at| self.0.row(copy, row + at, depth.clone()));
                    x86::transpose_fours(rows, body, width, 4 * quarter);
                }
            } else {
                self.transpose::<4, i8>(copy, inside, depth.clone(), width, body);
            }
            x86::vnni::corrections(body, tail);
        }
    }
}

#[cfg(test)]
mod tests;
