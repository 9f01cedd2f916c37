//! What all kinds of columns have in common, and a column as writers see it.

use std::borrow::Cow;
use std::ops::{Index, Range};

use crate::{Element, Packed, Relocation};

/// What the tables do with a column, of whichever kind.
pub(crate) trait Store<T> {
    fn put(&mut self, value: T);
    /// Makes room for rows to come.
    fn make_room(&mut self, rows: usize);
    /// Appends the column of another part of the same trace.
    fn relocated(&mut self, other: Self, relocation: &Relocation);
    /// Keeps the rows of which it is said.
    fn keep(&mut self, kept: &[bool]);
    fn values(&self) -> Values<'_, T>;
    /// Appends rows that were read.
    fn extend_with(&mut self, values: Vec<T>);
}

/// Keeps the rows of a list of which it is said.
pub(crate) fn keep<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut answers = kept.iter();
    values.retain(|_| answers.next().copied().unwrap_or(false));
}

impl<T: Element> Store<T> for Vec<T> {
    #[inline]
    fn put(&mut self, value: T) {
        self.push(value);
    }

    fn make_room(&mut self, rows: usize) {
        self.reserve(rows);
    }

    fn relocated(&mut self, other: Self, relocation: &Relocation) {
        self.extend(other.into_iter().map(|value| value.relocate(relocation)));
    }

    fn keep(&mut self, kept: &[bool]) {
        keep(self, kept);
    }

    fn values(&self) -> Values<'_, T> {
        Values::Plain(self)
    }

    fn extend_with(&mut self, mut values: Vec<T>) {
        // The first rows are often all of them.
        if self.capacity() == 0 {
            *self = values;
        } else {
            self.append(&mut values);
        }
    }
}

/// The values of a borrowed column.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a, T> {
    /// A value a row.
    Plain(&'a [T]),
    /// The values of the first rows, and that of all others.
    Sparse(&'a [T], &'a T),
    /// Few distinct values.
    Packed(&'a Packed<T>),
}

impl<T> Index<usize> for Values<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, row: usize) -> &T {
        match self {
            Self::Plain(values) => &values[row],
            Self::Sparse(values, missing) => values.get(row).unwrap_or(missing),
            Self::Packed(values) => &values[row],
        }
    }
}

impl<'a, T: Copy> Values<'a, T> {
    /// The rows that are held each for itself: all, but for those at the end that are missing; none if rows share values.
    pub fn listed(&self) -> &'a [T] {
        match self {
            Self::Plain(values) | Self::Sparse(values, _) => values,
            Self::Packed(_) => &[],
        }
    }

    /// Some rows, which must be there.
    pub fn rows(&self, rows: Range<usize>) -> Cow<'a, [T]> {
        match self {
            Self::Plain(values) => values[rows].into(),
            _ => rows.map(|row| self[row]).collect(),
        }
    }
}
