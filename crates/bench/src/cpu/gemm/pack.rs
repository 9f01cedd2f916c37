//! Operands, and how they are packed into panels.
//!
//! A *line* is a row of A or a column of B: what is multiplied along the depth.

use std::ops::Range;

use crate::buffer::{Buffer, Plain};

/// An operand.
pub(super) trait Operand: Send + Sync {
    /// One line of the first copy as what it stands for.
    fn line(&self, line: usize, out: &mut [f64]);

    /// Copies, of which calls take one after the other.
    fn copies(&self) -> usize;

    /// Whether the system gave huge pages, if it says.
    fn huge_pages(&self) -> Option<bool>;
}

/// A, which is packed row by row.
pub(super) trait Left<T>: Operand {
    /// Packs rows, each `reach` elements behind the one before.
    fn pack(&self, copy: usize, rows: Range<usize>, depth: Range<usize>, reach: usize, out: &mut [T]);
}

/// B, which is packed into panels.
pub(super) trait Right<T>: Operand {
    /// Packs columns into panels of `width` of them, one behind the other; columns that are missing in the last panel are
    /// zero.
    fn pack(&self, copy: usize, columns: Range<usize>, depth: Range<usize>, width: usize, out: &mut [T]);
}

/// A matrix of plain numbers: `copies` of it, each with rows of `stride` elements.
pub(super) struct Matrix<T: Plain> {
    elements: Buffer<T>,
    rows: usize,
    stride: usize,
}

impl<T: Plain> Matrix<T> {
    /// That many copies of a matrix, each element made by `make`; `None` if there is not that much memory.
    pub(super) fn filled(
        rows: usize,
        columns: usize,
        copies: usize,
        mut make: impl FnMut() -> T,
    ) -> Option<Self> {
        let length = rows.checked_mul(columns)?.checked_mul(copies)?;
        Some(Self { elements: Buffer::filled(length, |_| make())?, rows, stride: columns })
    }

    /// Part of a row.
    pub(super) fn row(&self, copy: usize, row: usize, columns: Range<usize>) -> &[T] {
        let start = (copy * self.rows + row) * self.stride;
        self.elements.get(start + columns.start..start + columns.end).unwrap_or(&[])
    }

    /// One copy, row by row.
    pub(super) fn copy(&self, copy: usize) -> &[T] {
        let length = self.rows * self.stride;
        self.elements.get(copy * length..(copy + 1) * length).unwrap_or(&[])
    }

    /// Elements of a row.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Whether the system gave huge pages, if it says.
    pub(super) fn huge_pages(&self) -> Option<bool> {
        self.elements.has_huge_pages()
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

impl<T: Plain + Into<f64>> Operand for RowLines<T> {
    fn line(&self, line: usize, out: &mut [f64]) {
        for (to, from) in out.iter_mut().zip(self.0.row(0, line, 0..self.0.stride)) {
            *to = (*from).into();
        }
    }

    fn copies(&self) -> usize {
        self.0.copies()
    }

    fn huge_pages(&self) -> Option<bool> {
        self.0.huge_pages()
    }
}

impl<T: Plain + Into<f64>> Left<T> for RowLines<T> {
    fn pack(&self, copy: usize, rows: Range<usize>, depth: Range<usize>, reach: usize, out: &mut [T]) {
        for (to, row) in out.chunks_exact_mut(reach).zip(rows) {
            let from = self.0.row(copy, row, depth.clone());
            if let Some(to) = to.get_mut(..from.len()) {
                to.copy_from_slice(from);
            }
        }
    }
}

impl<T: Plain + Into<f64>> Operand for ColumnLines<T> {
    fn line(&self, line: usize, out: &mut [f64]) {
        for (to, row) in out.iter_mut().zip(0..self.0.rows) {
            *to = self.0.row(0, row, line..line + 1).first().copied().map_or(f64::NAN, Into::into);
        }
    }

    fn copies(&self) -> usize {
        self.0.copies()
    }

    fn huge_pages(&self) -> Option<bool> {
        self.0.huge_pages()
    }
}

impl<T: Plain + Default + Into<f64>> Right<T> for ColumnLines<T> {
    fn pack(&self, copy: usize, columns: Range<usize>, depth: Range<usize>, width: usize, out: &mut [T]) {
        match width {
            4 => self.panels::<4>(copy, columns, depth, out),
            6 => self.panels::<6>(copy, columns, depth, out),
            8 => self.panels::<8>(copy, columns, depth, out),
            12 => self.panels::<12>(copy, columns, depth, out),
            16 => self.panels::<16>(copy, columns, depth, out),
            _ => self.panels::<32>(copy, columns, depth, out),
        }
    }
}

/// Panels that are packed at once, so that a few cache lines in a row are read of each row of B.
const TOGETHER: usize = 4;

impl<T: Plain + Default> ColumnLines<T> {
    /// Whole panels of a width that the compiler knows; then the rest.
    fn panels<const WIDTH: usize>(
        &self,
        copy: usize,
        columns: Range<usize>,
        depth: Range<usize>,
        out: &mut [T],
    ) {
        let panel = (depth.len() * WIDTH).max(1);
        for (panels, start) in out.chunks_mut(TOGETHER * panel).zip(columns.clone().step_by(TOGETHER * WIDTH))
        {
            let columns = start..columns.end.min(start + TOGETHER * WIDTH);
            for (step, row) in depth.clone().enumerate() {
                let (whole, rest) = self.0.row(copy, row, columns.clone()).as_chunks::<WIDTH>();
                let mut to = panels.chunks_exact_mut(panel);
                for (to, from) in to.by_ref().zip(whole) {
                    if let Some(to) = to.as_chunks_mut::<WIDTH>().0.get_mut(step) {
                        *to = *from;
                    }
                }
                let last = panels.chunks_exact_mut(panel).nth(whole.len());
                if let (false, Some(to)) =
                    (rest.is_empty(), last.and_then(|to| to.as_chunks_mut::<WIDTH>().0.get_mut(step)))
                {
                    *to = std::array::from_fn(|column| rest.get(column).copied().unwrap_or_default());
                }
            }
        }
    }
}
