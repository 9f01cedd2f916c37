//! The bandwidth of all copies of a kind together, over time.

use eaves_model::{Interval, IntervalSet, Ns};

use super::copies::{Copy, CopyKind};

/// A copy at its rate in bytes per second.
pub(super) type Rated = (Interval, u64);

/// The copies of a kind whose rate is known, sorted by start. One of no length has no time to have a rate in.
pub(crate) fn rated(copies: &[Copy], kind: CopyKind) -> Vec<Rated> {
    let of_kind = copies.iter().filter(|copy| copy.kind == kind);
    let mut rated: Vec<Rated> = of_kind
        .filter(|copy| copy.interval.start < copy.interval.end)
        .filter_map(|copy| Some((copy.interval, copy.rate?)))
        .collect();
    rated.sort_by_key(|(interval, _)| interval.start);
    rated
}

/// Calls `visit` with the time of every start and end and the bytes per second moved after it. At one instant ends
/// come first. Rates are integers, so nothing is left when the last copy ends.
pub(crate) fn visit_changes(rated: &[Rated], mut visit: impl FnMut(Ns, i64)) {
    let mut ends: Vec<(Ns, u64)> = rated.iter().map(|&(interval, rate)| (interval.end, rate)).collect();
    ends.sort_unstable();
    let (mut starting, mut sum) = (rated.iter().peekable(), 0i128);
    let mut at = |time, sum: i128| visit(time, i64::try_from(sum).unwrap_or(i64::MAX));
    for (end, rate) in ends {
        while let Some((interval, rate)) = starting.next_if(|(interval, _)| interval.start < end) {
            sum += i128::from(*rate);
            at(interval.start, sum);
        }
        sum -= i128::from(rate);
        at(end, sum);
    }
}

/// Bytes per second on average over the time in which anything was moved; nothing if nothing was.
pub(super) fn time_mean(rated: &[Rated]) -> Option<f64> {
    let active = IntervalSet::union_of(rated.iter().map(|&(interval, _)| interval).collect()).measure();
    let product = |&(interval, rate): &Rated| i128::from(interval.length().0) * i128::from(rate);
    let area: i128 = rated.iter().map(product).fold(0, i128::saturating_add);
    (active > Ns::ZERO).then(|| area as f64 / active.as_f64())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(start: i64, end: i64, rate: u64) -> Rated {
        (Interval::new(Ns(start), Ns(end)), rate)
    }

    fn changes(rated: &[Rated]) -> Vec<(i64, i64)> {
        let mut changes = Vec::new();
        visit_changes(rated, |time, rate| changes.push((time.0, rate)));
        changes
    }

    #[test]
    fn copies_side_by_side_add_up_and_ends_come_first() {
        let rated = [at(0, 10, 5), at(4, 8, 3), at(10, 20, 7)];
        assert_eq!(changes(&rated), [(0, 5), (4, 8), (8, 5), (10, 0), (10, 7), (20, 0)]);
        // 50 + 12 + 70 over 20.
        assert_eq!(time_mean(&rated), Some(6.6));
        assert_eq!(time_mean(&[]), None);
    }

    #[test]
    fn absurd_rates_do_not_overflow() {
        let rated = [at(0, i64::MAX, u64::MAX), at(1, i64::MAX, u64::MAX)];
        assert_eq!(changes(&rated)[1], (1, i64::MAX));
        assert!(time_mean(&rated).unwrap() > 0.0);
    }

    proptest! {
        /// Twin: the sum of the rates at every instant.
        #[test]
        fn agrees_with_a_sum_at_every_instant(
            mut copies in prop::collection::vec((0i64..50, 1i64..20, 0u64..9), 0..25)
        ) {
            copies.sort_unstable();
            let rated: Vec<Rated> =
                copies.iter().map(|&(start, length, rate)| at(start, start + length, rate)).collect();
            let changes = changes(&rated);
            prop_assert_eq!(changes.len(), 2 * copies.len());
            prop_assert!(changes.is_sorted_by_key(|change| change.0));
            prop_assert!(changes.iter().all(|&(_, rate)| rate >= 0));
            let (mut area, mut active) = (0, 0);
            for t in 0..80 {
                let running = || copies.iter().filter(|copy| copy.0 <= t && t < copy.0 + copy.1);
                let expected = running().map(|copy| copy.2).sum::<u64>().cast_signed();
                let last = changes.iter().rev().find(|change| change.0 <= t).map_or(0, |change| change.1);
                prop_assert_eq!(last, expected, "at {}", t);
                area += expected;
                active += i64::from(running().count() > 0);
            }
            let mean = (active > 0).then(|| area as f64 / active as f64);
            prop_assert_eq!(time_mean(&rated), mean);
        }
    }
}
