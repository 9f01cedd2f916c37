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
