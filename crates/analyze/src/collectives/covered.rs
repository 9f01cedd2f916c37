//! How much of an interval a set covers, for many intervals.

use eaves_model::{Interval, IntervalSet, Ns};

/// The time that a set covers up to any instant, for many questions.
pub(super) struct Covered<'a> {
    intervals: &'a [Interval],
    /// Length of all intervals before each.
    before: Vec<Ns>,
}

impl<'a> Covered<'a> {
    pub(super) fn new(set: &'a IntervalSet) -> Self {
        let mut sum = Ns::ZERO;
        let before = |interval: &Interval| {
            sum += interval.length();
            sum - interval.length()
        };
        Self { intervals: set.as_slice(), before: set.as_slice().iter().map(before).collect() }
    }

    /// How much of the time before an instant is covered.
    fn until(&self, time: Ns) -> Ns {
        let begun = self.intervals.partition_point(|interval| interval.start < time);
        let Some(last) = begun.checked_sub(1) else { return Ns::ZERO };
        self.before[last] + (time.min(self.intervals[last].end) - self.intervals[last].start)
    }

    /// How much of an interval is not covered.
    pub(super) fn uncovered(&self, interval: Interval) -> Ns {
        interval.length() - (self.until(interval.end) - self.until(interval.start))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Twin: one flag a nanosecond.
        #[test]
        fn uncovered_time_is_counted(
            set in prop::collection::vec((0i64..100, 0i64..30), 0..20), start in 0i64..120, length in 0i64..40
        ) {
            let intervals = set.iter().map(|&(start, length)| Interval::new(Ns(start), Ns(start + length)));
            let union = IntervalSet::union_of(intervals.collect());
            let inside = |t: i64| set.iter().any(|&(start, length)| start <= t && t < start + length);
            let expected = (start..start + length).filter(|&t| !inside(t)).count() as i64;
            let interval = Interval::new(Ns(start), Ns(start + length));
            prop_assert_eq!(Covered::new(&union).uncovered(interval), Ns(expected));
        }
    }
}
