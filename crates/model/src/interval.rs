//! Interval algebra on integer nanoseconds.
//!
//! Busy time is the measure of a union, never a sum of durations: concurrent work would count
//! twice. Sets are kept as sorted, disjoint, non-empty intervals, so every operation is one linear pass.

use serde::{Deserialize, Serialize};

use crate::Ns;

/// The time from `start` up to, but not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Interval {
    /// First instant inside.
    pub start: Ns,
    /// First instant outside.
    pub end: Ns,
}

impl Interval {
    /// An interval; one that ends before it starts is empty.
    #[inline]
    pub fn new(start: Ns, end: Ns) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Its length.
    #[inline]
    pub fn length(self) -> Ns {
        self.end - self.start
    }

    /// The part inside another interval, if any.
    #[inline]
    pub fn clip(self, window: Interval) -> Option<Self> {
        let (start, end) = (self.start.max(window.start), self.end.min(window.end));
        (start < end).then_some(Self { start, end })
    }
}

/// A set of instants as sorted, disjoint, non-touching, non-empty intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalSet(Vec<Interval>);

impl IntervalSet {
    /// The union of any intervals. Sorted input is merged in one pass; other input is sorted first, by a sort
    /// that takes advantage of ordered runs (streams and ranks one after the other are such runs).
    pub fn union_of(mut intervals: Vec<Interval>) -> Self {
        intervals.retain(|interval| interval.start < interval.end);
        if !intervals.is_sorted_by_key(|interval| interval.start) {
            intervals.sort_by_key(|interval| interval.start);
        }
        intervals.dedup_by(|next, kept| {
            let touches = next.start <= kept.end;
            if touches {
                kept.end = kept.end.max(next.end);
            }
            touches
        });
        Self(intervals)
    }

    /// The intervals, sorted and disjoint.
    pub fn as_slice(&self) -> &[Interval] {
        &self.0
    }

    /// True without any instant.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Total length.
    pub fn measure(&self) -> Ns {
        self.0.iter().map(|interval| interval.length()).sum()
    }

    /// From the first instant to the last, holes included.
    pub fn span(&self) -> Option<Interval> {
        Some(Interval { start: self.0.first()?.start, end: self.0.last()?.end })
    }

    /// Instants in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a || b)
    }

    /// Instants in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a && b)
    }

    /// Instants in this set but not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a && !b)
    }

    /// Instants of the window that are not in this set.
    #[must_use]
    pub fn gaps(&self, window: Interval) -> Self {
        Self::union_of(vec![window]).difference(self)
    }

    fn combine(&self, other: &Self, inside: impl Fn(bool, bool) -> bool) -> Self {
        let mut result: Vec<Interval> = Vec::new();
        sweep([self, other], |segment, mask| {
            if inside(mask & 1 != 0, mask & 2 != 0) {
                match result.last_mut() {
                    Some(last) if last.end == segment.start => last.end = segment.end,
                    _ => result.push(segment),
                }
            }
        });
        Self(result)
    }
}

/// Walks the sets together. Between any two neighboring boundaries `visit` gets the segment and a mask that
/// has bit `i` set if the segment is inside set `i`. Segments outside all sets are not visited.
pub fn sweep<const N: usize>(sets: [&IntervalSet; N], mut visit: impl FnMut(Interval, u32)) {
    let mut next = [0usize; N];
    let mut now = Ns::MIN;
    loop {
        let (mut mask, mut boundary) = (0u32, Ns::MAX);
        let mut left = false;
        for (bit, set) in sets.iter().enumerate() {
            while next[bit] < set.0.len() && set.0[next[bit]].end <= now {
                next[bit] += 1;
            }
            let Some(interval) = set.0.get(next[bit]) else { continue };
            left = true;
            if interval.start <= now {
                mask |= 1 << bit;
                boundary = boundary.min(interval.end);
            } else {
                boundary = boundary.min(interval.start);
            }
        }
        if !left {
            return;
        }
        if mask != 0 {
            visit(Interval { start: now, end: boundary }, mask);
        }
        now = boundary;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(pairs: &[(i64, i64)]) -> IntervalSet {
        IntervalSet::union_of(pairs.iter().map(|&(a, b)| Interval::new(Ns(a), Ns(b))).collect())
    }

    /// The brute-force twin: one flag per instant.
    fn instants(pairs: &[(i64, i64)]) -> Vec<bool> {
        (0..128).map(|t| pairs.iter().any(|&(a, b)| a <= t && t < b)).collect()
    }

    fn flags(set: &IntervalSet) -> Vec<bool> {
        (0..128).map(|t| set.0.iter().any(|i| i.start.0 <= t && t < i.end.0)).collect()
    }

    fn count(flags: &[bool]) -> i64 {
        flags.iter().filter(|&&flag| flag).count() as i64
    }

    #[test]
    fn touching_intervals_merge_and_empty_ones_vanish() {
        let merged = set(&[(5, 9), (0, 5), (20, 20), (12, 10)]);
        assert_eq!(merged.as_slice(), [Interval::new(Ns(0), Ns(9))]);
        assert_eq!(merged.span(), Some(Interval::new(Ns(0), Ns(9))));
        assert_eq!(set(&[]).span(), None);
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        let all = set(&[(i64::MIN, i64::MAX)]);
        assert_eq!(all.measure(), Ns::MAX);
        assert!(all.difference(&all).is_empty());
    }

    proptest! {
        #[test]
        fn agrees_with_one_flag_per_instant(
            a in prop::collection::vec((0i64..120, 0i64..120), 0..24),
            b in prop::collection::vec((0i64..120, 0i64..120), 0..24),
            c in prop::collection::vec((0i64..120, 0i64..120), 0..24),
        ) {
            let (x, y, z) = (set(&a), set(&b), set(&c));
            let (fx, fy, fz) = (instants(&a), instants(&b), instants(&c));
            let zip = |f: fn(bool, bool) -> bool| fx.iter().zip(&fy).map(|(&p, &q)| f(p, q)).collect::<Vec<_>>();
            prop_assert_eq!(flags(&x), fx.clone());
            prop_assert_eq!(x.measure().0, count(&fx));
            prop_assert_eq!(flags(&x.union(&y)), zip(|p, q| p || q));
            prop_assert_eq!(flags(&x.intersection(&y)), zip(|p, q| p && q));
            prop_assert_eq!(flags(&x.difference(&y)), zip(|p, q| p && !q));
            prop_assert_eq!(x.union(&y), set(&[a.clone(), b.clone()].concat()));
            let window = Interval::new(Ns(10), Ns(90));
            let outside: Vec<bool> = (0..128).map(|t| (10..90).contains(&t) && !fx[t as usize]).collect();
            prop_assert_eq!(flags(&x.gaps(window)), outside);
            for result in [x.union(&y), x.intersection(&y), x.difference(&y)] {
                prop_assert!(result.0.windows(2).all(|w| w[0].end < w[1].start));
            }
            let mut by_mask = [0i64; 8];
            sweep([&x, &y, &z], |segment, mask| by_mask[mask as usize] += segment.length().0);
            let mut expected = [0i64; 8];
            for t in 0..128 {
                let mask = usize::from(fx[t]) | usize::from(fy[t]) << 1 | usize::from(fz[t]) << 2;
                expected[mask] += 1;
            }
            expected[0] = 0;
            prop_assert_eq!(by_mask, expected);
        }
    }
}
