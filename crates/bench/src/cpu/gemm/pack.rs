//! Operands, and how they are packed into panels.
//!
//! A *line* is a row of A or a column of B: what is multiplied along the depth.

use std::ops::Range;

use crate::buffer::{Buffer, Plain};

/// An operand that can be packed.
pub(super) trait Lines<T>: Send + Sync {
    /// Packs lines of copy `copy` into panels of `width` of them, one behind the other; what is missing in the last
    /// panel is zero.
    fn pack(&self, copy: usize, lines: Range<usize>, depth: Range<usize>, width: usize, out: &mut [T]);

    /// One line of the first copy as what it stands for.
    fn line(&self, line: usize, out: &mut [f64]);

    /// Copies, of which calls take one after the other.
    fn copies(&self) -> usize;

    /// Whether the system gave huge pages, if it says.
    fn huge_pages(&self) -> Option<bool>;
}

/// A matrix of plain numbers: `copies` of it, each with rows of `stride` elements.
pub(super) struct Matrix<T: Plain> {
    elements: Buffer<T>,
    rows: usize,
    stride: usize,
}

impl<T: Plain> Matrix<T> {
    /// So many copies of a matrix, each element made by `make`; `None` if there is not that much memory.
    pub(super) fn filled(
        rows: usize,
        columns: usize,
        copies: usize,
        mut make: impl FnMut() -> T,
    ) -> Option<Self> {
        let length = rows.checked_mul(columns)?.checked_mul(copies)?;
        Some(Self { elements: Buffer::filled(length, |_| make())?, rows, stride: columns })
    }

    fn row(&self, copy: usize, row: usize, columns: Range<usize>) -> &[T] {
        let start = (copy * self.rows + row) * self.stride;
        self.elements.get(start + columns.start..start + columns.end).unwrap_or(&[])
    }

    /// One copy, row by row.
    pub(super) fn copy(&self, copy: usize) -> &[T] {
        let length = self.rows * self.stride;
        self.elements.get(copy * length..(copy + 1) * length).unwrap_or(&[])
    }

    /// How many there are.
    pub(super) fn copies(&self) -> usize {
        (self.elements.len() / (self.rows * self.stride).max(1)).max(1)
    }
}

/// Rows of the matrix are lines: A, or weights as layers store them.
pub(super) struct RowLines<T: Plain>(pub(super) Matrix<T>);

/// Rows of the matrix are steps of depth: B as BLAS has it.
pub(super) struct ColumnLines<T: Plain>(pub(super) Matrix<T>);

/// Depth that is transposed at once: a cache line of the narrowest float. Rows whose length is a power of two fall on the
/// same few places of a cache, so a line that was fetched is used up before the next row is looked at.
const TRANSPOSED: usize = 16;

impl<T: Plain + Default + Into<f64>> Lines<T> for RowLines<T> {
    fn pack(&self, copy: usize, lines: Range<usize>, depth: Range<usize>, width: usize, out: &mut [T]) {
        let panels = out.chunks_exact_mut((depth.len() * width).max(1));
        for (panel, first) in panels.zip(lines.clone().step_by(width)) {
            let count = width.min(lines.end - first);
            if count < width {
                panel.fill(T::default());
            }
            let blocks = panel.chunks_mut(TRANSPOSED * width);
            for (block, start) in blocks.zip(depth.clone().step_by(TRANSPOSED)) {
                let columns = start..depth.end.min(start + TRANSPOSED);
                for line in 0..count {
                    let row = self.0.row(copy, first + line, columns.clone());
                    for (to, from) in block.chunks_exact_mut(width).zip(row) {
                        if let Some(to) = to.get_mut(line) {
                            *to = *from;
                        }
                    }
                }
            }
        }
    }

    fn line(&self, line: usize, out: &mut [f64]) {
        for (to, from) in out.iter_mut().zip(self.0.row(0, line, 0..self.0.stride)) {
            *to = (*from).into();
        }
    }

    fn copies(&self) -> usize {
        self.0.copies()
    }

    fn huge_pages(&self) -> Option<bool> {
        self.0.elements.has_huge_pages()
    }
}

impl<T: Plain + Default + Into<f64>> Lines<T> for ColumnLines<T> {
    fn pack(&self, copy: usize, lines: Range<usize>, depth: Range<usize>, width: usize, out: &mut [T]) {
        let panels = out.chunks_exact_mut((depth.len() * width).max(1));
        for (panel, first) in panels.zip(lines.clone().step_by(width)) {
            let columns = first..lines.end.min(first + width);
            for (to, row) in panel.chunks_exact_mut(width).zip(depth.clone()) {
                let from = self.0.row(copy, row, columns.clone());
                if let Some(rest) = to.get_mut(from.len()..) {
                    rest.fill(T::default());
                }
                for (to, from) in to.iter_mut().zip(from) {
                    *to = *from;
                }
            }
        }
    }

    fn line(&self, line: usize, out: &mut [f64]) {
        for (to, row) in out.iter_mut().zip(0..self.0.rows) {
            *to = self.0.row(0, row, line..line + 1).first().copied().map_or(f64::NAN, Into::into);
        }
    }

    fn copies(&self) -> usize {
        self.0.copies()
    }

    fn huge_pages(&self) -> Option<bool> {
        self.0.elements.has_huge_pages()
    }
}
