//! Which call has which correlation number.

use super::super::Map;

/// Numbers that are kept together. They follow one another, so few places stay empty; and numbers made to lie far apart
/// cost no more than the rows they are in.
const TOGETHER: usize = 16;

/// Rows of the table of runtime calls by process and correlation number.
#[derive(Default)]
pub(super) struct Calls {
    /// Rows counted from 1, by number, for each process.
    dense: Vec<Vec<u32>>,
    /// The same for numbers that are too large for a list.
    far: Vec<[u32; TOGETHER]>,
    /// Where among these each group of numbers is.
    groups: Map<(usize, i64), usize>,
    /// The group met last.
    last: Option<((usize, i64), usize)>,
    /// The lowest number among these.
    nearest: Option<i64>,
}

/// Where a number is among those far away.
#[inline]
fn far(number: i64) -> (i64, usize) {
    let size = TOGETHER as i64;
    (number.div_euclid(size), number.rem_euclid(size) as usize)
}

impl Calls {
    /// The row that a number has, if it has one.
    #[inline]
    pub(super) fn find(&self, process: usize, number: i64) -> Option<usize> {
        let place = usize::try_from(number).ok();
        let dense = place.and_then(|place| self.dense.get(process)?.get(place)).copied();
        let row = dense.filter(|row| *row > 0).or_else(|| self.find_far(process, number))?;
        (row as usize).checked_sub(1)
    }

    #[inline]
    fn find_far(&self, process: usize, number: i64) -> Option<u32> {
        if self.nearest.is_none_or(|nearest| number < nearest) {
            return None;
        }
        let (group, place) = far(number);
        let group = match self.last {
            Some((last, group_place)) if last == (process, group) => group_place,
            _ => *self.groups.get(&(process, group))?,
        };
        self.far.get(group)?.get(place).copied()
    }

    /// Keeps a row.
    #[inline]
    pub(super) fn keep(&mut self, process: usize, number: i64, row: usize) {
        let kept = u32::try_from(row + 1).unwrap_or(u32::MAX);
        // Several numbers for every row: calls that were not recorded have numbers too.
        let limit = 4_096 + 16 * row;
        match usize::try_from(number) {
            Ok(place) if place < limit && process < 64 => {
                if self.dense.len() <= process {
                    self.dense.resize_with(process + 1, Vec::new);
                }
                let rows = &mut self.dense[process];
                if rows.len() <= place {
                    rows.resize(place + 1, 0);
                }
                rows[place] = kept;
            }
            _ => self.keep_far(process, number, kept),
        }
    }

    #[inline]
    fn keep_far(&mut self, process: usize, number: i64, kept: u32) {
        let (group, place) = far(number);
        let group = match self.last {
            Some((last, group_place)) if last == (process, group) => group_place,
            _ => {
                let far = &mut self.far;
                let found = *self.groups.entry((process, group)).or_insert_with(|| {
                    far.push([0; TOGETHER]);
                    far.len() - 1
                });
                self.last = Some(((process, group), found));
                found
            }
        };
        if let Some(slot) = self.far.get_mut(group).and_then(|rows| rows.get_mut(place)) {
            *slot = kept;
        }
        self.nearest = Some(self.nearest.map_or(number, |nearest| nearest.min(number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_and_far_are_found() {
        let mut calls = Calls::default();
        let numbers = [(0, 1), (0, 5_000_000_000), (3, 1), (900, 7), (0, -4)];
        for (row, (process, number)) in numbers.into_iter().enumerate() {
            calls.keep(process, number, row);
        }
        for (row, (process, number)) in numbers.into_iter().enumerate() {
            assert_eq!(calls.find(process, number), Some(row));
        }
        assert_eq!((calls.find(0, 2), calls.find(1, 1), calls.find(0, 0)), (None, None, None));
    }

    /// Numbers near, far, and far at first but near later on, of several processes by turns, against a map.
    #[test]
    fn rows_are_found_as_in_a_map() {
        let mut calls = Calls::default();
        let mut expected: std::collections::HashMap<(usize, i64), usize> = std::collections::HashMap::new();
        let mut state = 5_u64;
        for row in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 33) as i64;
            let number = match random % 4 {
                0 => row as i64,
                1 => 1_000_000_000 + random % 100,
                2 => random % 100_000,
                _ => -(random % 50),
            };
            let process = [0, 1, 70][(random / 4 % 3) as usize];
            assert_eq!(calls.find(process, number), expected.get(&(process, number)).copied());
            calls.keep(process, number, row);
            expected.insert((process, number), row);
            // What was far stays there; what is near wins, as it was kept later.
            assert_eq!(calls.find(process, number), Some(row), "{process} {number}");
        }
    }
}
