//! What of a row goes into a page: its slices one by one, or the short ones in groups where there are too many.

use eaves_analyze::timeline::Chart;
use eaves_model::{Interval, Ns, Row, SliceId};

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

/// The entries of a row. Slices shorter than `width` that begin in the same piece of that width are one entry; none
/// are if it is 0. A slice that is as long as a piece is always an entry of its own.
pub(super) fn entries(chart: &Chart<'_>, row: &Row, width: Ns, mut visit: impl FnMut(&[SliceId], Entry)) {
    let (slices, origin) = (&chart.trace.slices, chart.window.start);
    let piece = |start: Ns| (start - origin).0.checked_div_euclid(width.0);
    let members = chart.slices.slices(row);
    let mut from = 0;
    while let Some(&first) = members.get(from) {
        let mut entry = Entry {
            interval: slices.interval(first.index()),
            slice: first,
            count: 1,
            busy: slices.duration[first.index()],
        };
        let mut to = from + 1;
        if entry.busy < width {
            let piece_of_first = piece(entry.interval.start);
            while let Some(&next) = members.get(to) {
                let (interval, duration) = (slices.interval(next.index()), slices.duration[next.index()]);
                if duration >= width || piece(interval.start) != piece_of_first {
                    break;
                }
                if duration > slices.duration[entry.slice.index()] {
                    entry.slice = next;
                }
                entry.interval.end = interval.end;
                entry.count += 1;
                entry.busy += duration;
                to += 1;
            }
        }
        visit(&members[from..to], entry);
        from = to;
    }
}

#[cfg(test)]
mod tests {
    use eaves_analyze::Options;
    use eaves_analyze::timeline::Charts;
    use eaves_model::{Ident, RankSource, Recording, Slice, SliceKind, StringId, Trace};
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
                name: StringId::NONE,
                category: StringId::NONE,
                track,
                kind: SliceKind::Op,
                position: 0,
            });
            time += gap + length;
        }
        let (path, format, container) = ("trace.json".to_owned(), "kineto", "plain");
        let rank_source = RankSource::Assumed;
        Recording { path, format, container, bytes: 0, rank: 0, rank_source, trace }
    }

    proptest! {
        /// Every slice is in one entry, in order; those of a group are short and begin in one piece; and no two
        /// neighbours could have been one.
        #[test]
        fn groups_hold_neighbours_of_one_piece(
            spans in prop::collection::vec((0i64..20, 0i64..20), 1..200), width in 0i64..30,
        ) {
            let recordings = [recording(&spans)];
            let charts = Charts::new(&recordings, &Options::default());
            let chart = &charts.charts[0];
            let slices = &chart.trace.slices;
            let piece = |slice: SliceId| (slices.start[slice.index()] - chart.window.start).0 / width.max(1);
            let is_short = |slice: SliceId| slices.duration[slice.index()] < Ns(width);
            for row in chart.slices.rows() {
                let mut found: Vec<(Vec<SliceId>, Entry)> = Vec::new();
                entries(chart, row, Ns(width), |members, entry| found.push((members.to_vec(), entry)));
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
