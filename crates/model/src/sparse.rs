//! Columns that few recordings fill.

use std::iter::{Chain, RepeatN, repeat_n};
use std::ops::{Index, IndexMut};
use std::slice::Iter;

use crate::column::{Store, keep};
use crate::{Element, MaybeF64, MaybeI64, MaybeU32, Relocation, StringId, Values};

/// A value that may be missing.
pub trait Missing: Element + 'static {
    /// What stands for it then.
    const MISSING: &'static Self;
}

macro_rules! missing {
    ($($type:ty),*) => {$(
        impl Missing for $type {
            const MISSING: &'static Self = &Self::NONE;
        }
    )*};
}
missing!(MaybeF64, MaybeI64, MaybeU32, StringId);

/// A column whose values are mostly missing in all rows of a recording: behind the last row that has one it takes no
/// memory, so a column that a format never fills takes none at all.
#[derive(Clone, Debug)]
pub struct Sparse<T> {
    rows: usize,
    /// The values of the first rows; those of all others are missing.
    values: Vec<T>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { rows: 0, values: Vec::new() }
    }
}

impl<T: Missing> Sparse<T> {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        if value != *T::MISSING {
            self.fill(self.rows);
            self.values.push(value);
        }
        self.rows += 1;
    }

    /// The value of a row, if there is such a row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&T> {
        (row < self.rows).then(|| &self[row])
    }

    /// Changes the value of a row that must exist. Taking a value from a row that has none costs nothing.
    pub fn set(&mut self, row: usize, value: T) {
        if row < self.values.len() || value != *T::MISSING {
            self[row] = value;
        }
    }

    /// The last row.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        let last = self.rows.checked_sub(1)?;
        Some(&mut self[last])
    }

    /// Every row.
    pub fn iter(&self) -> Chain<Iter<'_, T>, RepeatN<&'_ T>> {
        self.values.iter().chain(repeat_n(T::MISSING, self.rows - self.values.len()))
    }

    /// Makes the first rows take memory.
    #[inline]
    fn fill(&mut self, rows: usize) {
        if self.values.len() < rows {
            self.values.resize(rows, *T::MISSING);
        }
    }
}

impl<T: Missing> Index<usize> for Sparse<T> {
    type Output = T;

    #[inline]
    fn index(&self, row: usize) -> &T {
        debug_assert!(row < self.rows);
        self.values.get(row).unwrap_or(T::MISSING)
    }
}

impl<T: Missing> IndexMut<usize> for Sparse<T> {
    fn index_mut(&mut self, row: usize) -> &mut T {
        self.fill(self.rows.min(row + 1));
        &mut self.values[row]
    }
}

impl<'a, T: Missing> IntoIterator for &'a Sparse<T> {
    type Item = &'a T;
    type IntoIter = Chain<Iter<'a, T>, RepeatN<&'a T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Missing> PartialEq for Sparse<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.iter().eq(other.iter())
    }
}

impl<T: Missing> Store<T> for Sparse<T> {
    #[inline]
    fn put(&mut self, value: T) {
        self.push(value);
    }

    fn make_room(&mut self, rows: usize) {
        self.values.reserve(rows);
    }

    fn relocated(&mut self, other: Self, relocation: &Relocation) {
        if !other.values.is_empty() {
            self.fill(self.rows);
            self.values.relocated(other.values, relocation);
        }
        self.rows += other.rows;
    }

    fn keep(&mut self, kept: &[bool]) {
        keep(&mut self.values, kept);
        self.rows = kept.iter().filter(|kept| **kept).count();
    }

    fn values(&self) -> Values<'_, T> {
        Values::Sparse(&self.values, T::MISSING)
    }

    fn extend_with(&mut self, mut values: Vec<T>) {
        let (rows, last) = (values.len(), values.iter().rposition(|value| value != T::MISSING));
        if let Some(last) = last {
            self.fill(self.rows);
            values.truncate(last + 1);
            self.values.append(&mut values);
        }
        self.rows += rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with gaps before, between and behind them, against a plain list.
    #[test]
    fn a_sparse_column_reads_as_a_list_does() {
        let lists: [&[Option<u32>]; 5] = [
            &[],
            &[None, None, None],
            &[Some(1), None, None],
            &[None, None, Some(2), None, Some(3)],
            &[Some(1), Some(2), Some(3)],
        ];
        for first in lists {
            for second in lists {
                let column = |list: &[Option<u32>]| {
                    let mut column = Sparse::default();
                    list.iter().for_each(|&value| column.push(MaybeU32::from(value)));
                    column
                };
                let read = |column: &Sparse<MaybeU32>| -> Vec<Option<u32>> {
                    column.iter().map(|value| value.get()).collect()
                };
                let (mut both, mut expected) = (column(first), first.to_vec());
                both.relocated(column(second), &Relocation::default());
                expected.extend(second);
                assert_eq!((both.len(), read(&both)), (expected.len(), expected.clone()));
                let each: Vec<_> = (0..both.len()).map(|row| both[row].get()).collect();
                assert_eq!(each, expected);
                assert_eq!(both.get(both.len()), None);
                assert_eq!(both, column(&expected));
                assert_eq!(first == second, column(first) == column(second));

                let kept: Vec<bool> = (0..both.len()).map(|row| row % 2 == 0).collect();
                let mut fewer = both.clone();
                fewer.keep(&kept);
                let every_other: Vec<_> = expected.iter().step_by(2).copied().collect();
                assert_eq!((fewer.len(), read(&fewer)), (every_other.len(), every_other));

                for row in 0..both.len() {
                    both.set(row, MaybeU32::NONE);
                }
                assert_eq!(read(&both), vec![None; expected.len()]);
                for (row, value) in expected.iter().enumerate().rev() {
                    both.set(row, MaybeU32::from(*value));
                }
                assert_eq!(read(&both), expected);
            }
        }
    }

    #[test]
    fn what_no_row_has_takes_no_memory() {
        let mut column = Sparse::default();
        for _ in 0..1_000 {
            column.push(StringId::NONE);
        }
        column.set(7, StringId::NONE);
        column.relocated(column.clone(), &Relocation::default());
        assert_eq!((column.len(), column.values.capacity()), (2_000, 0));
        *column.last_mut().unwrap() = StringId(3);
        assert_eq!((column.len(), column[1_999], column[1_998]), (2_000, StringId(3), StringId::NONE));
    }
}
