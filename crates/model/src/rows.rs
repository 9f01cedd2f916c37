//! The rows of a timeline: which slices of a track can be drawn side by side.

use std::cmp::Reverse;
use std::ops::Range;

use crate::{Ns, SliceId, SliceKind, Slices, Trace, TrackId};

/// What shares rows inside a track, from top to bottom. A named range on a device contains kernels without having
/// called them, so it must not push them to another row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Band {
    /// Named ranges as they appear on the device.
    Ranges,
    /// Calls of a thread or activities of a device, nested by containment.
    Work,
    /// What was recorded next to the work: synchronization, ranges of hardware counters, time of the profiler.
    Records,
}

impl Band {
    /// Every band, from top to bottom.
    const ALL: [Self; 3] = [Self::Ranges, Self::Work, Self::Records];

    /// The band of a kind of slice.
    #[inline]
    pub fn of(kind: SliceKind) -> Self {
        match kind {
            SliceKind::GpuAnnotation => Self::Ranges,
            SliceKind::Sync | SliceKind::CounterRange | SliceKind::Overhead | SliceKind::Span => {
                Self::Records
            }
            _ => Self::Work,
        }
    }
}

/// Slices of one track that do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The track.
    pub track: TrackId,
    /// The part of the track.
    pub band: Band,
    /// 0 for the outermost. Slices that overlap without nesting are one below the other, too.
    pub depth: u32,
    /// Its slices among [`Rows::slices`].
    pub range: Range<usize>,
}

/// The rows of a trace by track, band and depth, with their slices in time order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The rows.
    pub rows: Vec<Row>,
    /// The slices, row by row. Each slice that was kept is here once.
    pub slices: Vec<SliceId>,
}

impl Rows {
    /// Gives every slice that is kept the first row below what contains it that is free. Properly nested calls land
    /// at their depth; what overlaps without nesting gets rows of its own, and nothing is dropped.
    pub fn assign(trace: &Trace, keep: impl Fn(SliceId) -> bool) -> Self {
        let slices = &trace.slices;
        let mut assigned = Self::default();
        for (key, mut members) in by_band(trace, keep).into_iter().enumerate() {
            let order = |&row: &u32| {
                let row = row as usize;
                (slices.start[row], Reverse(slices.duration[row]))
            };
            // Stable, so equal slices stay as in the file; and traces consist of sorted runs.
            if !members.is_sorted_by_key(order) {
                members.sort_by_key(order);
            }
            let track = TrackId::from(key / Band::ALL.len());
            assigned.append(track, Band::ALL[key % Band::ALL.len()], &members, &depths(slices, &members));
        }
        assigned
    }

    fn append(&mut self, track: TrackId, band: Band, members: &[u32], depths: &[u32]) {
        let mut next: Vec<usize> = vec![0; depths.iter().max().map_or(0, |&depth| depth as usize + 1)];
        for &depth in depths {
            next[depth as usize] += 1;
        }
        let mut end = self.slices.len();
        self.slices.resize(end + members.len(), SliceId::NONE);
        for (depth, count) in next.iter_mut().enumerate() {
            let range = end..end + *count;
            *count = range.start;
            end = range.end;
            self.rows.push(Row { track, band, depth: depth as u32, range });
        }
        for (&member, &depth) in members.iter().zip(depths) {
            let place = &mut next[depth as usize];
            self.slices[*place] = SliceId(member);
            *place += 1;
        }
    }
}

/// The kept slices of every band of every track, in the order of the file.
fn by_band(trace: &Trace, keep: impl Fn(SliceId) -> bool) -> Vec<Vec<u32>> {
    let slices = &trace.slices;
    let key = |row: usize| {
        let kept = keep(SliceId::from(row));
        kept.then(|| slices.track[row].index() * Band::ALL.len() + Band::of(slices.kind[row]) as usize)
    };
    let mut bands: Vec<Vec<u32>> = vec![Vec::new(); trace.tracks.len() * Band::ALL.len()];
    for row in 0..slices.len() {
        if let Some(band) = key(row).and_then(|key| bands.get_mut(key)) {
            band.push(row as u32);
        }
    }
    bands
}

/// The depth of each of the slices of a band, which are sorted by start, outermost first.
fn depths(slices: &Slices, members: &[u32]) -> Vec<u32> {
    let mut occupied = Occupied::default();
    // What contains the next slice, if it ends late enough: ends never grow towards the top.
    let mut open: Vec<(Ns, u32)> = Vec::new();
    let mut depths = Vec::with_capacity(members.len());
    for &member in members {
        let (start, end) = (slices.start[member as usize], slices.end(member as usize));
        while open.last().is_some_and(|&(open_end, _)| open_end <= start || open_end < end) {
            open.pop();
        }
        let above = open.last().map_or(0, |&(_, depth)| depth as usize + 1);
        let depth = occupied.take(above, start, end) as u32;
        open.push((end, depth));
        depths.push(depth);
    }
    depths
}

/// Rows per block of [`Occupied`].
const BLOCK: usize = 64;

/// Until when each row is occupied. Above [`BLOCK`] rows there are levels with the earliest end of each block, so
/// that a million slices that all overlap do not take a million steps each.
#[derive(Default)]
struct Occupied {
    levels: Vec<Vec<Ns>>,
}

impl Occupied {
    /// Takes the first row from `above` on that is free at `start`.
    fn take(&mut self, above: usize, start: Ns, end: Ns) -> usize {
        let row = self.first_free(above, start);
        self.set(0, row, end);
        row
    }

    /// The first free row, or the number of rows if none is free.
    fn first_free(&self, above: usize, start: Ns) -> usize {
        let Some(rows) = self.levels.first() else { return 0 };
        let (mut level, mut at) = (0, above);
        loop {
            let Some(values) = self.levels.get(level) else { return rows.len() };
            let block_end = ((at / BLOCK + 1) * BLOCK).min(values.len());
            let found =
                values.get(at..block_end).and_then(|block| block.iter().position(|&end| end <= start));
            match found {
                Some(offset) if level == 0 => return at + offset,
                Some(offset) => {
                    // There is one in the block below.
                    at = (at + offset) * BLOCK;
                    level -= 1;
                }
                None if block_end == values.len() => return rows.len(),
                None => {
                    at = block_end / BLOCK;
                    level += 1;
                }
            }
        }
    }

    fn set(&mut self, level: usize, at: usize, end: Ns) {
        if level == self.levels.len() {
            self.levels.push(Vec::new());
        }
        let values = &mut self.levels[level];
        let old = if at < values.len() {
            Some(std::mem::replace(&mut values[at], end))
        } else {
            values.push(end);
            None
        };
        if values.len() <= BLOCK {
            return;
        }
        if self.levels.len() == level + 1 {
            // The first block was full before there was a level above it.
            let first = self.least(level, 0);
            self.levels.push(vec![first]);
        }
        let block = at / BLOCK;
        let known = self.levels[level + 1].get(block).copied();
        // Ends only grow, so only the earliest of a block changes what is known of it.
        if known.is_none() || old.is_none() || old == known {
            let least = self.least(level, block);
            self.set(level + 1, block, least);
        }
    }

    fn least(&self, level: usize, block: usize) -> Ns {
        let values = &self.levels[level];
        let block = &values[block * BLOCK..values.len().min((block + 1) * BLOCK)];
        block.iter().copied().min().unwrap_or(Ns::MIN)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Ident, Interval, Slice};

    /// Slices `(start, end, track, kind)`.
    fn trace(spans: &[(i64, i64, i64, SliceKind)]) -> Trace {
        let mut trace = Trace::default();
        for &(start, end, thread, kind) in spans {
            let track = trace.tracks.get_or_add(Ident::number(1), Ident::number(thread));
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(end - start),
                track,
                kind,
                ..Slice::default()
            });
        }
        trace
    }

    /// Band and depth of every slice.
    fn places(rows: &Rows, slices: usize) -> Vec<Option<(Band, u32)>> {
        let mut places = vec![None; slices];
        for row in &rows.rows {
            for slice in &rows.slices[row.range.clone()] {
                assert_eq!(places[slice.index()].replace((row.band, row.depth)), None, "twice");
            }
        }
        places
    }

    fn depths_of(spans: &[(i64, i64)]) -> Vec<u32> {
        let spans: Vec<_> = spans.iter().map(|&(start, end)| (start, end, 1, SliceKind::Op)).collect();
        let rows = Rows::assign(&trace(&spans), |_| true);
        places(&rows, spans.len()).into_iter().map(|place| place.unwrap().1).collect()
    }

    #[test]
    fn nested_calls_are_at_their_depth() {
        assert_eq!(depths_of(&[(0, 10), (0, 4), (1, 3), (4, 10), (10, 12)]), [0, 1, 2, 1, 0]);
        // In any order of the file; equal slices nest as they are listed.
        assert_eq!(depths_of(&[(1, 3), (0, 10), (0, 10)]), [2, 0, 1]);
    }

    #[test]
    fn overlap_without_nesting_gets_rows_and_children_stay_below() {
        // The second leaves the first; the third is in the second alone, though the first row is free again.
        assert_eq!(depths_of(&[(0, 10), (5, 15), (12, 14), (16, 17)]), [0, 1, 2, 0]);
        // Slices of no length take no room, but stay inside what they begin in.
        assert_eq!(depths_of(&[(0, 5), (5, 5), (5, 5), (7, 9), (7, 7)]), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn ranges_on_a_device_do_not_move_kernels() {
        use SliceKind::{GpuAnnotation, Kernel, Sync};
        let trace =
            trace(&[(0, 10, 7, GpuAnnotation), (1, 5, 7, Kernel), (12, 14, 7, Kernel), (2, 4, 7, Sync)]);
        let rows = Rows::assign(&trace, |slice| slice.0 != 2);
        let expected = [Some((Band::Ranges, 0)), Some((Band::Work, 0)), None, Some((Band::Records, 0))];
        assert_eq!(places(&rows, 4), expected);
    }

    #[test]
    fn thousands_that_all_overlap_are_quick() {
        let count = 200_000;
        let spans: Vec<_> = (0..count).map(|start| (start, 10 * count)).rev().collect();
        assert_eq!(depths_of(&spans)[0], count as u32 - 1);
        // Never nested: each ends after the one before it.
        let spans: Vec<_> = (0..count).map(|start| (start, start + 5_000)).collect();
        assert_eq!(depths_of(&spans).into_iter().max(), Some(4_999));
    }

    proptest! {
        /// Twin: below the innermost container, the first depth at which nothing runs.
        #[test]
        fn agrees_with_looking_at_all_slices(
            spans in prop::collection::vec((0i64..60, 0i64..40, 1i64..3), 0..80)
        ) {
            let spans: Vec<_> = spans.iter().map(|&(start, length, track)| (start, start + length, track)).collect();
            let with_kind: Vec<_> = spans.iter().map(|&(a, b, track)| (a, b, track, SliceKind::Op)).collect();
            let trace = trace(&with_kind);
            let rows = Rows::assign(&trace, |_| true);
            let mut order: Vec<usize> = (0..spans.len()).collect();
            order.sort_by_key(|&row| (spans[row].0, Reverse(spans[row].1), row));
            let mut expected = vec![0u32; spans.len()];
            for (position, &row) in order.iter().enumerate() {
                let (start, end, track) = spans[row];
                let earlier: Vec<usize> =
                    order[..position].iter().copied().filter(|&other| spans[other].2 == track).collect();
                let contains = |other: &usize| spans[*other].1 > start && spans[*other].1 >= end;
                let above = earlier.iter().copied().rfind(contains).map_or(0, |other| expected[other] + 1);
                expected[row] = (above..)
                    .find(|&depth| !earlier.iter().any(|&other| expected[other] == depth && spans[other].1 > start))
                    .unwrap();
            }
            let found: Vec<u32> =
                places(&rows, spans.len()).into_iter().map(|place| place.unwrap().1).collect();
            prop_assert_eq!(found, expected);
            for row in &rows.rows {
                let intervals: Vec<Interval> = rows.slices[row.range.clone()]
                    .iter()
                    .map(|slice| trace.slices.interval(slice.index()))
                    .collect();
                prop_assert!(intervals.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
        }

        /// Twin: the first row from `above` on whose end has passed.
        #[test]
        fn free_rows_are_found_among_many(
            uses in prop::collection::vec((0usize..400, 0i64..300, 0i64..9000), 1..700)
        ) {
            let mut uses = uses;
            uses.sort_by_key(|&(_, start, _)| start);
            let (mut occupied, mut twin) = (Occupied::default(), Vec::<i64>::new());
            for (above, start, length) in uses {
                let above = above.min(twin.len());
                let expected = (above..twin.len()).find(|&row| twin[row] <= start).unwrap_or(twin.len());
                prop_assert_eq!(occupied.take(above, Ns(start), Ns(start + length)), expected);
                if expected == twin.len() {
                    twin.push(0);
                }
                twin[expected] = start + length;
            }
        }
    }
}
