//! Columns of few distinct values.

use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::column::{Store, keep};
use crate::{Element, Relocation, Values};

/// A column most of whose rows repeat a value that was there before, as sizes of blocks, numbers of streams and registers
/// do: each row is a number of one or two bytes in a list of the values, and none as long as all rows are equal. A column
/// that turns out otherwise becomes a plain list.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    rows: usize,
    /// Rows that room was asked for.
    expected: usize,
    /// The values in the order they were met.
    distinct: Vec<T>,
    places: HashMap<T, u16, FixedState>,
    /// For each value, the place of the one that came behind it last time: what programs do comes in rounds.
    behind: Vec<u16>,
    /// The place of the last row's value.
    last: u16,
    form: Form<T>,
}

/// How rows are held.
#[derive(Clone, Debug)]
enum Form<T> {
    /// All have the only value.
    Equal,
    /// Places in the list.
    Bytes(Vec<u8>),
    Words(Vec<u16>),
    /// The values themselves.
    Plain(Vec<T>),
}

/// The most values of a list. It is searched and kept next to the rows, so it must stay small.
const MOST: usize = 1 << 14;

impl<T> Default for Packed<T> {
    fn default() -> Self {
        Self {
            rows: 0,
            expected: 0,
            distinct: Vec::new(),
            places: HashMap::default(),
            behind: Vec::new(),
            last: 0,
            form: Form::Equal,
        }
    }
}

impl<T> Packed<T> {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The value of a row, if there is such a row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&T> {
        let place = match &self.form {
            Form::Equal if row < self.rows => 0,
            Form::Equal => return None,
            Form::Bytes(places) => usize::from(*places.get(row)?),
            Form::Words(places) => usize::from(*places.get(row)?),
            Form::Plain(values) => return values.get(row),
        };
        self.distinct.get(place)
    }

    /// Every row.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        (0..self.rows).map(|row| &self[row])
    }
}

impl<T: Element + Eq + Hash> Packed<T> {
    /// Appends a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        let last = usize::from(self.last);
        let is_at = |place: u16| self.distinct.get(usize::from(place)).is_some_and(|its| *its == value);
        if !is_at(self.last) {
            let behind = self.behind.get(last).copied().unwrap_or(0);
            let place = if is_at(behind) { behind } else { self.place(value) };
            if let Some(behind) = self.behind.get_mut(last) {
                *behind = place;
            }
            self.last = place;
        }
        let place = self.last;
        match &mut self.form {
            Form::Equal => {}
            // A list of bytes has no place that needs more.
            Form::Bytes(places) => places.push(place as u8),
            Form::Words(places) => places.push(place),
            Form::Plain(values) => values.push(value),
        }
        self.rows += 1;
    }

    /// Changes the value of a row; nothing if there is no such row.
    pub fn set(&mut self, row: usize, value: T) {
        if self.get(row).is_none_or(|old| *old == value) {
            return;
        }
        let place = self.place(value);
        match &mut self.form {
            Form::Equal => {}
            Form::Bytes(places) => places[row] = place as u8,
            Form::Words(places) => places[row] = place,
            Form::Plain(values) => values[row] = value,
        }
    }

    /// The place of a value, which is added if new; any place in a plain list.
    fn place(&mut self, value: T) -> u16 {
        if matches!(self.form, Form::Plain(_)) {
            return 0;
        }
        if let Some(&place) = self.places.get(&value) {
            return place;
        }
        let place = self.distinct.len();
        if place == MOST {
            self.unpack();
            return 0;
        }
        self.distinct.push(value);
        self.behind.push(0);
        self.places.insert(value, place as u16);
        match &mut self.form {
            Form::Equal if place == 1 => {
                let mut places = Vec::with_capacity(self.expected.max(self.rows));
                places.resize(self.rows, 0);
                self.form = Form::Bytes(places);
            }
            Form::Bytes(bytes) if place > usize::from(u8::MAX) => {
                let mut places = Vec::with_capacity(self.expected.max(self.rows));
                places.extend(bytes.iter().map(|&place| u16::from(place)));
                self.form = Form::Words(places);
            }
            _ => {}
        }
        place as u16
    }

    /// Makes it a plain list.
    #[cold]
    fn unpack(&mut self) {
        let mut values = Vec::with_capacity(self.expected.max(self.rows));
        values.extend(self.iter().copied());
        self.distinct = Vec::new();
        self.behind = Vec::new();
        self.places = HashMap::default();
        self.last = 0;
        self.form = Form::Plain(values);
    }
}

impl<T> std::ops::Index<usize> for Packed<T> {
    type Output = T;

    #[inline]
    fn index(&self, row: usize) -> &T {
        match self.get(row) {
            Some(value) => value,
            // Fails as a list does that has no such row.
            None => &self.distinct[self.distinct.len() + row],
        }
    }
}

impl<'a, T> IntoIterator for &'a Packed<T> {
    type Item = &'a T;
    type IntoIter = Rows<'a, T>;

    fn into_iter(self) -> Rows<'a, T> {
        Rows { column: self, row: 0 }
    }
}

/// Every row of a [`Packed`] column.
#[derive(Clone, Debug)]
pub struct Rows<'a, T> {
    column: &'a Packed<T>,
    row: usize,
}

impl<'a, T> Iterator for Rows<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        let value = self.column.get(self.row)?;
        self.row += 1;
        Some(value)
    }
}

impl<T: Element + Eq + Hash> FromIterator<T> for Packed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut column = Self::default();
        values.into_iter().for_each(|value| column.push(value));
        column
    }
}

impl<T: PartialEq> PartialEq for Packed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Packed<T> {}

impl<T: Element + Eq + Hash> Store<T> for Packed<T> {
    #[inline]
    fn put(&mut self, value: T) {
        self.push(value);
    }

    fn make_room(&mut self, rows: usize) {
        self.expected = self.rows + rows;
        match &mut self.form {
            Form::Equal => {}
            Form::Bytes(places) => places.reserve(rows),
            Form::Words(places) => places.reserve(rows),
            Form::Plain(values) => values.reserve(rows),
        }
    }

    fn relocated(&mut self, mut other: Self, relocation: &Relocation) {
        // Values are changed once, not once a row. Two may become equal, which does no harm while they are read only.
        other.distinct.iter_mut().for_each(|value| *value = value.relocate(relocation));
        if let Form::Plain(values) = &mut other.form {
            values.iter_mut().for_each(|value| *value = value.relocate(relocation));
        }
        self.make_room(other.rows);
        for row in 0..other.rows {
            self.push(other[row]);
        }
    }

    fn keep(&mut self, kept: &[bool]) {
        match &mut self.form {
            Form::Equal => {}
            Form::Bytes(places) => keep(places, kept),
            Form::Words(places) => keep(places, kept),
            Form::Plain(values) => keep(values, kept),
        }
        self.rows = kept.iter().filter(|kept| **kept).count();
    }

    fn values(&self) -> Values<'_, T> {
        Values::Packed(self)
    }

    fn extend_with(&mut self, values: Vec<T>) {
        self.make_room(values.len());
        values.into_iter().for_each(|value| self.push(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MaybeU32;

    /// Columns of every form, against plain lists.
    #[test]
    fn a_packed_column_reads_as_a_list_does() {
        let list = |rows: u32, distinct: u32| -> Vec<MaybeU32> {
            let value = |row: u32| if row % distinct == 5 { None } else { Some(row * 7919 % distinct) };
            (0..rows).map(|row| MaybeU32::from(value(row))).collect()
        };
        let lists = [
            list(0, 1),
            list(1, 1),
            list(300, 1),
            list(300, 3),
            list(2_000, 256),
            list(2_000, 258),
            list(40_000, 40_000),
            [list(300, 1), list(20_000, 20_000), list(300, 2)].concat(),
        ];
        for first in &lists {
            for second in &lists {
                let column = |list: &[MaybeU32]| list.iter().copied().collect::<Packed<MaybeU32>>();
                let mut both = column(first);
                both.relocated(column(second), &Relocation::default());
                let mut expected = first.clone();
                expected.extend(second);
                assert_eq!((both.len(), both.is_empty()), (expected.len(), expected.is_empty()));
                assert!(both.iter().eq(&expected) && (&both).into_iter().eq(&expected));
                assert!((0..both.len()).all(|row| both[row] == expected[row]));
                assert_eq!((both.get(both.len()), both == column(&expected)), (None, true));
                assert_eq!(column(first) == column(second), first == second);

                let kept: Vec<bool> = (0..both.len()).map(|row| row % 3 == 0).collect();
                let mut fewer = both.clone();
                fewer.keep(&kept);
                assert!(fewer.iter().eq(expected.iter().step_by(3)));

                for row in (0..both.len()).step_by(101) {
                    let value = MaybeU32::new(row as u32 % 700);
                    both.set(row, value);
                    expected[row] = value;
                }
                both.set(both.len(), MaybeU32::NONE);
                assert!(both.iter().eq(&expected));
            }
        }
    }

    #[test]
    fn equal_rows_take_no_memory_and_few_values_a_byte() {
        let mut column: Packed<MaybeU32> = std::iter::repeat_n(MaybeU32::new(7), 1_000).collect();
        assert!(matches!(column.form, Form::Equal));
        column.push(MaybeU32::NONE);
        assert!(matches!(&column.form, Form::Bytes(places) if places.len() == 1_001));
        (0..300).for_each(|value| column.push(MaybeU32::new(value)));
        assert!(matches!(&column.form, Form::Words(places) if places.len() == 1_301));
    }
}
