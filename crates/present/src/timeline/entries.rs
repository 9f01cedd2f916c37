//! What of a row goes into a page: its slices one by one, or the short ones in groups where there are too many.

use std::ops::Range;

use eaves_model::{Interval, Ns, Pieces, Row, SliceId};
use eaves_section::timeline::Chart;

/// A slice, or several short ones that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// From the first start to the last end.
    pub(super) interval: Interval,
    /// The slice, or the longest of them.
    pub(super) slice: SliceId,
    /// How many there are.
    pub(super) count: u32,
    /// Their summed duration.
    pub(super) busy: Ns,
}

/// Selection of recordings and level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The part, in the time of the picture.
    pub window: Interval,
    /// Slices shorter than this that begin in the same piece of this length are one entry; none are if it is 0.
    pub width: Ns,
}

impl Scope {
    /// Everything, slice by slice, also what begins before or ends after what is drawn.
    pub const WHOLE: Self =
        Self { window: Interval { start: Ns(i64::MIN / 4), end: Ns(i64::MAX / 4) }, width: Ns::ZERO };

    /// A part on this many pixels, of which each is a piece.
    pub fn of_pixels(window: Interval, pixels: u32) -> Self {
        let length = window.length().0.max(0);
        Self { window, width: Ns(length / i64::from(pixels.max(1))) }
    }
}

/// The entries of a row in a part of it. A slice that is as long as a piece is always its own entry. With each
/// entry come the places of its slices.
pub(super) fn entries(
    chart: &Chart<'_>,
    row: &Row,
    scope: Scope,
    mut visit: impl FnMut(Range<usize>, Entry),
) {
    let window = Interval::new(scope.window.start - chart.offset, scope.window.end - chart.offset);
    let pieces = Pieces { origin: chart.window.start, width: scope.width };
    chart.slices.groups(row, window, pieces, |group| {
        let count = u32::try_from(group.places.len()).unwrap_or(u32::MAX);
        let entry = Entry { interval: group.interval, slice: group.longest, count, busy: group.busy };
        visit(group.places, entry);
    });
}

#[cfg(test)]
mod tests {
    use eaves_analyze::Options;
    use eaves_model::{Ident, RankSource, Recording, Slice, SliceKind, Trace};
    use proptest::prelude::*;

    use super::*;

    fn recording(spans: &[(i64, i64)]) -> Recording {
        let mut trace = Trace::default();
        let track = trace.tracks.get_or_add(Ident::number(1), Ident::number(1));
        let mut time = 0;
        for &(gap, length) in spans {
            trace.slices.push(Slice {
                start: Ns(time + gap),
                duration: Ns(length),
                track,
                kind: SliceKind::Op,
                ..Slice::default()
            });
            time += gap + length;
        }
        let (path, format, container) = ("trace.json".to_owned(), "kineto", "plain");
        let rank_source = RankSource::Assumed;
        Recording { path, format, container, bytes: 0, rank: 0, rank_source, trace }
    }

    proptest! {
        /// Every slice is in one entry, in order; those of a group are short and begin in one piece; and no two
        /// neighbors could have been one.
        #[test]
        fn groups_hold_neighbours_of_one_piece(
            spans in prop::collection::vec((0i64..20, 0i64..20), 1..200), width in 0i64..30,
        ) {
            let recordings = [recording(&spans)];
            let charts = eaves_analyze::timeline::charts(&recordings, &Options::default());
            let chart = &charts.charts[0];
            let slices = &chart.trace.slices;
            let piece = |slice: SliceId| (slices.start[slice.index()] - chart.window.start).0 / width.max(1);
            let is_short = |slice: SliceId| slices.duration[slice.index()] < Ns(width);
            for row in chart.slices.rows() {
                let mut found: Vec<(Vec<SliceId>, Entry)> = Vec::new();
                let scope = Scope { width: Ns(width), ..Scope::WHOLE };
                entries(chart, row, scope, |places, entry| {
                    found.push((chart.slices.slices_at(places).to_vec(), entry));
                });
                let members: Vec<SliceId> = found.iter().flat_map(|(members, _)| members.clone()).collect();
                prop_assert_eq!(members.as_slice(), chart.slices.slices(row));
                for (members, entry) in &found {
                    let intervals = || members.iter().map(|slice| slices.interval(slice.index()));
                    prop_assert_eq!(entry.count as usize, members.len());
                    prop_assert_eq!(Some(entry.interval.start), intervals().map(|interval| interval.start).min());
                    prop_assert_eq!(Some(entry.interval.end), intervals().map(|interval| interval.end).max());
                    prop_assert_eq!(entry.busy, intervals().map(Interval::length).sum());
                    let longest = intervals().map(Interval::length).max();
                    prop_assert_eq!(Some(slices.duration[entry.slice.index()]), longest);
                    let alike = |slice: &SliceId| is_short(*slice) && piece(*slice) == piece(members[0]);
                    prop_assert!(members.len() == 1 || members.iter().all(alike));
                }
                for pair in found.windows(2) {
                    let (before, after) = (pair[0].0[0], pair[1].0[0]);
                    prop_assert!(!is_short(before) || !is_short(after) || piece(before) != piece(after));
                }
            }
        }
    }
}
