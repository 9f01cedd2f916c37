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
    far: Map<(usize, i64), [u32; TOGETHER]>,
}

/// Where a number is among those far away.
fn far(number: i64) -> (i64, usize) {
    let size = TOGETHER as i64;
    (number.div_euclid(size), number.rem_euclid(size) as usize)
}

impl Calls {
    /// The row that a number has, if it has one.
    pub(super) fn find(&self, process: usize, number: i64) -> Option<usize> {
        let place = usize::try_from(number).ok();
        let dense = place.and_then(|place| self.dense.get(process)?.get(place)).copied();
        let row = dense.filter(|row| *row > 0).or_else(|| {
            let (group, place) = far(number);
            self.far.get(&(process, group))?.get(place).copied()
        });
        row.filter(|row| *row > 0).map(|row| row as usize - 1)
    }

    /// Keeps a row.
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
            _ => {
                let (group, place) = far(number);
                self.far.entry((process, group)).or_insert([0; TOGETHER])[place] = kept;
            }
        }
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
}
