//! Count, sum, extremes and spread of durations, exact in integers.

use eaves_model::Ns;
use serde::{Deserialize, Serialize};

use crate::{Column, Unit, Value};

/// Durations summed up. Sums are integers, so order and grouping change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Statistics {
    count: u64,
    total: i128,
    squares: u128,
    min: Ns,
    max: Ns,
}

impl Default for Statistics {
    fn default() -> Self {
        Self { count: 0, total: 0, squares: 0, min: Ns::MAX, max: Ns::MIN }
    }
}

impl Statistics {
    /// The columns of durations that are summed up: how many, their sum, mean, extremes and spread.
    pub const COLUMNS: [Column; 6] = [
        Column::new("calls", "Calls", Unit::Count),
        Column::new("total_ns", "Total", Unit::Nanoseconds),
        Column::new("mean_ns", "Mean", Unit::Nanoseconds),
        Column::new("min_ns", "Min", Unit::Nanoseconds),
        Column::new("max_ns", "Max", Unit::Nanoseconds),
        Column::new("std_ns", "Std dev", Unit::Nanoseconds),
    ];

    /// The cells for these columns. `none` says why there is no mean without durations, `alone` why one duration has no
    /// spread.
    pub fn cells(&self, none: &'static str, alone: &'static str) -> [Value; 6] {
        let time = |time: Option<Ns>| time.map_or(Value::Missing(none), Value::from);
        [
            self.count.into(),
            self.total().into(),
            self.mean().map_or(Value::Missing(none), Value::Float),
            time(self.min()),
            time(self.max()),
            self.standard_deviation().map_or(Value::Missing(alone), Value::Float),
        ]
    }

    /// Takes in one duration.
    #[inline]
    pub fn add(&mut self, duration: Ns) {
        self.count += 1;
        self.total += i128::from(duration.0);
        let size = u128::from(duration.0.unsigned_abs());
        self.squares = self.squares.saturating_add(size * size);
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
    }

    /// Takes in the durations of another.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.squares = self.squares.saturating_add(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many durations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    pub fn total(&self) -> Ns {
        Ns(i64::try_from(self.total).unwrap_or(i64::MAX))
    }

    /// The shortest.
    pub fn min(&self) -> Option<Ns> {
        (self.count > 0).then_some(self.min)
    }

    /// The longest.
    pub fn max(&self) -> Option<Ns> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean in nanoseconds.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total as f64 / self.count as f64)
    }

    /// The standard deviation of a sample (divisor n - 1) in nanoseconds. One duration has none.
    pub fn standard_deviation(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        // n Σx² - (Σx)² is exact in integers, where subtracting two floats would lose the small difference
        // of large sums. It overflows only beyond 10^19 ns of total time.
        let count = u128::from(self.count);
        let total = self.total.unsigned_abs();
        let scatter = count.saturating_mul(self.squares).saturating_sub(total.saturating_mul(total));
        Some((scatter as f64 / (count as f64 * (count - 1) as f64)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: &[i64]) -> Statistics {
        let mut statistics = Statistics::default();
        durations.iter().for_each(|&duration| statistics.add(Ns(duration)));
        statistics
    }

    #[test]
    fn a_sample_by_hand() {
        // Mean 5, squared differences 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7.
        let sample = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!((sample.count(), sample.total()), (8, Ns(40)));
        assert_eq!((sample.min(), sample.max(), sample.mean()), (Some(Ns(2)), Some(Ns(9)), Some(5.0)));
        assert_eq!(sample.standard_deviation(), Some((32.0f64 / 7.0).sqrt()));
    }

    #[test]
    fn small_spread_of_large_values_is_not_lost() {
        let sample = of(&[1_000_000_000_000, 1_000_000_000_001, 1_000_000_000_002]);
        assert_eq!(sample.standard_deviation(), Some(1.0));
    }

    #[test]
    fn one_or_none_has_no_deviation() {
        assert_eq!(of(&[7]).standard_deviation(), None);
        assert_eq!(of(&[]).mean(), None);
        assert_eq!((of(&[]).min(), of(&[]).max()), (None, None));
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let mut left = of(&[3, 9]);
        left.merge(&of(&[]));
        left.merge(&of(&[1, 27, 5]));
        assert_eq!(left, of(&[3, 9, 1, 27, 5]));
    }
}
