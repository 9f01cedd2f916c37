//! Level of detail: reduces any number of slices to a limited number of pixels.
//!
//! The slices of a row lie one after the other, so a pixel of a row is a range of them. Above the slices stands an
//! implicit tree of which every node knows the longest slice of its block, as in Perfetto's slice mipmap. A
//! question about a pixel then costs the logarithm of its slices, and a whole view costs pixels, not slices.

use std::ops::Range;

use crate::{Interval, Ns, Row, Rows, SliceId, Trace};

/// Slices or nodes below a node of the tree.
const BLOCK: usize = 16;

/// The rows of a trace, ready to be drawn at any zoom.
#[derive(Clone, Debug, Default)]
pub struct LevelOfDetail {
    rows: Vec<Row>,
    slices: Vec<SliceId>,
    start: Vec<Ns>,
    end: Vec<Ns>,
    /// The place of the longest slice of every block, then of every block of blocks, and so on.
    longest: Vec<Vec<u32>>,
    /// Summed durations before every block.
    busy: Vec<Ns>,
}

/// A window of time cut into pixels. Every pixel is at least a nanosecond.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    edges: Vec<Ns>,
    per_nanosecond: f64,
}

impl Pixels {
    /// A window in `count` pixels, or fewer if it is shorter than that many nanoseconds.
    pub fn new(window: Interval, count: u32) -> Self {
        let length = window.length().0.max(0) as u64;
        let count = u64::from(count).min(length);
        let edge = |pixel: u64| {
            let offset = u128::from(pixel) * u128::from(length) / u128::from(count.max(1));
            // The offset is at most the length, which came from an `i64`.
            window.start + Ns(i64::try_from(offset).unwrap_or(i64::MAX))
        };
        Self {
            edges: (0..=count).map(edge).collect(),
            per_nanosecond: count as f64 / (length as f64).max(1.0),
        }
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.edges.len() - 1
    }

    /// True for an empty window.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The time that some pixels cover.
    pub fn interval(&self, pixels: Range<usize>) -> Interval {
        Interval::new(self.edges[pixels.start], self.edges[pixels.end])
    }

    fn start(&self) -> Ns {
        self.edges[0]
    }

    fn end(&self) -> Ns {
        self.edges[self.len()]
    }

    /// The pixel of an instant inside the window.
    #[inline]
    fn at(&self, time: Ns) -> usize {
        let guess = (time - self.start()).as_f64() * self.per_nanosecond;
        let mut pixel = (guess as usize).min(self.len().saturating_sub(1));
        // The float may be off by one.
        while pixel > 0 && self.edges[pixel] > time {
            pixel -= 1;
        }
        while pixel + 1 < self.len() && self.edges[pixel + 1] <= time {
            pixel += 1;
        }
        pixel
    }
}

/// What there is of a row in some neighboring pixels: in a single one anything, in several one slice that covers
/// them whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The pixels.
    pub pixels: Range<usize>,
    /// The longest slice that reaches into them; of equal ones the first.
    pub longest: SliceId,
    /// How many slices begin in them.
    pub count: usize,
    /// How much of their time slices cover.
    pub busy: Ns,
}

/// A slice, or several short ones of a row that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their places among [`LevelOfDetail::slices_at`].
    pub places: Range<usize>,
    /// From the first start to the last end.
    pub interval: Interval,
    /// The longest of them; of equal ones the first.
    pub longest: SliceId,
    /// Their summed duration.
    pub busy: Ns,
}

/// How short slices are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// Where a piece begins. All others follow from it.
    pub origin: Ns,
    /// How long a piece is; 0 for no groups.
    pub width: Ns,
}

impl LevelOfDetail {
    /// The index of the slices that are kept.
    pub fn build(trace: &Trace, keep: impl Fn(SliceId) -> bool) -> Self {
        Self::of(trace, Rows::assign(trace, keep))
    }

    /// The index of rows that are known already.
    pub fn of(trace: &Trace, rows: Rows) -> Self {
        let Rows { rows, slices } = rows;
        let start: Vec<Ns> = slices.iter().map(|slice| trace.slices.start[slice.index()]).collect();
        let end: Vec<Ns> = slices.iter().map(|slice| trace.slices.end(slice.index())).collect();
        let mut index = Self { rows, slices, start, end, ..Self::default() };
        index.sum_up();
        index.find_longest();
        index
    }

    fn sum_up(&mut self) {
        let mut sum = Ns::ZERO;
        self.busy = vec![sum];
        for (starts, ends) in self.start.chunks(BLOCK).zip(self.end.chunks(BLOCK)) {
            sum += ends.iter().zip(starts).map(|(&end, &start)| length(start, end)).sum();
            self.busy.push(sum);
        }
    }

    fn find_longest(&mut self) {
        let lengths = |(ends, starts): (&[Ns], &[Ns])| {
            first_longest(ends.iter().zip(starts).map(|(&end, &start)| length(start, end)))
        };
        let blocks = self.end.chunks(BLOCK).zip(self.start.chunks(BLOCK)).map(lengths);
        let mut level: Vec<u32> =
            blocks.enumerate().map(|(block, longest)| (block * BLOCK + longest) as u32).collect();
        while level.len() > 1 {
            let longest = |block: &[u32]| {
                block[first_longest(block.iter().map(|&place| self.duration(place as usize)))]
            };
            let above = level.chunks(BLOCK).map(longest).collect();
            self.longest.push(std::mem::replace(&mut level, above));
        }
        self.longest.push(level);
    }

    #[inline]
    fn duration(&self, place: usize) -> Ns {
        length(self.start[place], self.end[place])
    }

    /// The rows by track, band and depth.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The slices of a row in time order.
    pub fn slices(&self, row: &Row) -> &[SliceId] {
        &self.slices[row.range.clone()]
    }

    /// Some slices by their places in the index.
    pub fn slices_at(&self, places: Range<usize>) -> &[SliceId] {
        self.slices.get(places).unwrap_or_default()
    }

    /// Visits what touches a window of a row, in time order. Slices shorter than a piece that begin in the same one
    /// are a group; a slice as long as a piece always stands alone. Costs the logarithm of its slices for each piece
    /// that something begins in, however many slices there are.
    pub fn groups(&self, row: &Row, window: Interval, pieces: Pieces, mut visit: impl FnMut(Group)) {
        let before = |place: usize| self.start[place] < window.start && self.end[place] <= window.start;
        let mut place = gallop(row.range.start, row.range.end, before);
        let end = place + self.start[place..row.range.end].partition_point(|&start| start < window.end);
        while place < end {
            let next = self.group_end(place, end, pieces);
            let longest = if next - place == 1 { place } else { self.longest(place, next) };
            visit(Group {
                places: place..next,
                interval: Interval::new(self.start[place], self.end[next - 1]),
                longest: self.slices[longest],
                busy: self.busy(place, next),
            });
            place = next;
        }
    }

    /// Where the group that begins at a place ends.
    fn group_end(&self, place: usize, end: usize, pieces: Pieces) -> usize {
        let width = pieces.width;
        if self.duration(place) >= width {
            return place + 1;
        }
        // Wide enough for any two times.
        let (start, origin) = (i128::from(self.start[place].0), i128::from(pieces.origin.0));
        let piece_end = origin + ((start - origin).div_euclid(i128::from(width.0)) + 1) * i128::from(width.0);
        let next = gallop(place, end, |place| i128::from(self.start[place].0) < piece_end);
        // Slices of a row do not overlap, so only the last that begins in a piece can be as long as one.
        if next > place + 1 && self.duration(next - 1) >= width { next - 1 } else { next }
    }

    /// Number of slices in all rows.
    pub fn len(&self) -> usize {
        self.slices.len()
    }

    /// True without slices.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }

    /// Visits what a row shows in some pixels, from left to right. Pixels with nothing in them are skipped.
    pub fn query(&self, row: &Row, pixels: &Pixels, mut visit: impl FnMut(Extract)) {
        let (start, end) = (pixels.start(), pixels.end());
        let before = |place: usize| self.start[place] < start && self.end[place] <= start;
        let mut place = row.range.start;
        place = gallop(place, row.range.end, before);
        let mut pixel = 0;
        while place < row.range.end && pixel < pixels.len() && self.start[place] < end {
            pixel = pixel.max(pixels.at(self.start[place].max(start)));
            let Interval { start: from, end: to } = pixels.interval(pixel..pixel + 1);
            if self.start[place] <= from && self.end[place] >= to {
                let ends = self.end[place];
                let last = if ends >= end { pixels.len() } else { pixels.at(ends) };
                let covered = pixels.interval(pixel..last);
                visit(Extract {
                    pixels: pixel..last,
                    longest: self.slices[place],
                    count: usize::from(self.start[place] == from),
                    busy: covered.length(),
                });
                place += usize::from(ends <= covered.end);
                pixel = last;
                continue;
            }
            let next = gallop(place, row.range.end, |place| self.start[place] < to);
            let last = next - 1;
            let outside = (from - self.start[place]).max(Ns::ZERO) + (self.end[last] - to).max(Ns::ZERO);
            visit(Extract {
                pixels: pixel..pixel + 1,
                longest: self.slices[self.longest(place, next)],
                count: next - place - usize::from(self.start[place] < from),
                busy: self.busy(place, next) - outside,
            });
            // The last one may go on.
            place = if self.end[last] > to { last } else { next };
            pixel += 1;
        }
    }

    /// The place of the longest of some slices, at least one.
    fn longest(&self, from: usize, to: usize) -> usize {
        let (mut from, mut to) = (from, to);
        let mut best = from as u32;
        let mut consider = |place: u32| {
            let (length, least) = (self.duration(place as usize), self.duration(best as usize));
            if length > least || length == least && place < best {
                best = place;
            }
        };
        // Level 0 is the slices themselves.
        let mut level: Option<&[u32]> = None;
        for above in &self.longest {
            if to - from <= 2 * BLOCK {
                break;
            }
            let at = |node: usize| level.map_or(node as u32, |level| level[node]);
            let (left, right) = (from.next_multiple_of(BLOCK), to - to % BLOCK);
            (from..left).chain(right..to).for_each(|node| consider(at(node)));
            (from, to) = (left / BLOCK, right / BLOCK);
            level = Some(above);
        }
        (from..to).for_each(|node| consider(level.map_or(node as u32, |level| level[node])));
        best as usize
    }

    /// The summed durations of some slices.
    fn busy(&self, from: usize, to: usize) -> Ns {
        let sum = |range: Range<usize>| -> Ns { range.map(|place| self.duration(place)).sum() };
        let (left, right) = (from.next_multiple_of(BLOCK), to - to % BLOCK);
        if left >= right {
            return sum(from..to);
        }
        sum(from..left) + (self.busy[right / BLOCK] - self.busy[left / BLOCK]) + sum(right..to)
    }
}

/// The length of a slice. Its end is its start plus what fits an `i64`, so this cannot overflow, and without a test
/// for that blocks are searched several at a time.
#[inline]
fn length(start: Ns, end: Ns) -> Ns {
    Ns(end.0.wrapping_sub(start.0))
}

/// The index of the first of the longest.
#[inline]
fn first_longest(lengths: impl Iterator<Item = Ns>) -> usize {
    let (mut best, mut longest) = (0, Ns::MIN);
    for (index, length) in lengths.enumerate() {
        let better = length > longest;
        best = if better { index } else { best };
        longest = if better { length } else { longest };
    }
    best
}

/// The first place from `from` on for which the answer is false, if it is true for all before; `to` if there is
/// none. Costs the logarithm of the distance.
#[inline]
fn gallop(from: usize, to: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= to && holds(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = to.min(low + step - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Ident, Slice, SliceKind};

    fn trace(spans: &[(i64, i64)]) -> Trace {
        let mut trace = Trace::default();
        let track = trace.tracks.get_or_add(Ident::number(1), Ident::number(1));
        for &(start, length) in spans {
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(length),
                track,
                kind: SliceKind::Op,
                ..Slice::default()
            });
        }
        trace
    }

    /// Slices one after the other, each after a gap; and when the last of them ends.
    fn trace_of_lengths(lengths: &[(i64, i64)]) -> (Trace, i64) {
        let mut time = 0;
        let spans: Vec<(i64, i64)> = lengths
            .iter()
            .map(|&(gap, length)| {
                let start = time + gap;
                time = start + length;
                (start, length)
            })
            .collect();
        (trace(&spans), time)
    }

    /// What the index says, pixel by pixel.
    fn by_pixel(index: &LevelOfDetail, row: &Row, pixels: &Pixels) -> Vec<Option<Extract>> {
        let mut found = vec![None; pixels.len()];
        index.query(row, pixels, |extract| {
            for pixel in extract.pixels.clone() {
                let (one, first) = (pixel..pixel + 1, pixel == extract.pixels.start);
                // Several pixels are covered whole by one slice.
                let whole = extract.pixels.len() > 1;
                let busy = if whole { pixels.interval(one.clone()).length() } else { extract.busy };
                let count = if first { extract.count } else { 0 };
                let extract = Extract { pixels: one, longest: extract.longest, count, busy };
                assert_eq!(found[pixel].replace(extract), None, "pixel {pixel} twice");
            }
        });
        found
    }

    /// The same by looking at every slice of the row for every pixel.
    fn twin(trace: &Trace, slices: &[SliceId], pixels: &Pixels) -> Vec<Option<Extract>> {
        (0..pixels.len())
            .map(|pixel| {
                let window = pixels.interval(pixel..pixel + 1);
                let begins = |slice: Interval| window.start <= slice.start && slice.start < window.end;
                let inside: Vec<(SliceId, Interval)> = slices
                    .iter()
                    .map(|&slice| (slice, trace.slices.interval(slice.index())))
                    .filter(|&(_, interval)| interval.clip(window).is_some() || begins(interval))
                    .collect();
                // `max_by_key` gives the last of equal ones.
                let longest = inside.iter().rev().max_by_key(|(_, interval)| interval.length())?;
                let clipped = inside.iter().filter_map(|(_, interval)| interval.clip(window));
                Some(Extract {
                    pixels: pixel..pixel + 1,
                    longest: longest.0,
                    count: inside.iter().filter(|(_, interval)| begins(*interval)).count(),
                    busy: clipped.map(Interval::length).sum(),
                })
            })
            .collect()
    }

    #[test]
    fn by_hand() {
        // Four pixels of ten: one that a slice leaves, one full of small ones, two that one slice covers.
        let trace = trace(&[(-5, 8), (4, 1), (12, 2), (15, 3), (19, 0), (20, 20)]);
        let index = LevelOfDetail::build(&trace, |_| true);
        let pixels = Pixels::new(Interval::new(Ns(0), Ns(40)), 4);
        let mut found = Vec::new();
        index.query(&index.rows()[0], &pixels, |extract| found.push(extract));
        let extract = |pixels, longest, count, busy| Extract {
            pixels,
            longest: SliceId(longest),
            count,
            busy: Ns(busy),
        };
        assert_eq!(found, [extract(0..1, 0, 1, 4), extract(1..2, 3, 3, 5), extract(2..4, 5, 1, 20)]);
    }

    #[test]
    fn windows_of_nothing_show_nothing() {
        let trace = trace(&[(0, 10)]);
        let index = LevelOfDetail::build(&trace, |_| true);
        for window in [(3, 3), (20, 30), (-9, 0)] {
            let pixels = Pixels::new(Interval::new(Ns(window.0), Ns(window.1)), 5);
            index.query(&index.rows()[0], &pixels, |extract| panic!("{window:?}: {extract:?}"));
        }
        assert_eq!(Pixels::new(Interval::new(Ns(0), Ns(3)), 100).len(), 3);
        assert!(LevelOfDetail::build(&Trace::default(), |_| true).rows().is_empty());
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        let trace = trace(&[(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MAX, 0)]);
        let index = LevelOfDetail::build(&trace, |_| true);
        for window in [(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MAX - 1, i64::MAX)] {
            let pixels = Pixels::new(Interval::new(Ns(window.0), Ns(window.1)), 7);
            for row in index.rows() {
                index.query(row, &pixels, |extract| assert!(extract.pixels.end <= pixels.len()));
            }
        }
    }

    /// What touches the window, combined one by one.
    fn groups_by_hand(
        trace: &Trace,
        slices: &[SliceId],
        window: Interval,
        pieces: Pieces,
    ) -> Vec<(usize, Interval, SliceId, Ns)> {
        let touches = |slice: Interval| {
            slice.start < window.end && (slice.end > window.start || slice.start >= window.start)
        };
        let piece = |start: Ns| (start - pieces.origin).0.div_euclid(pieces.width.0.max(1));
        let mut groups: Vec<Vec<SliceId>> = Vec::new();
        let interval = |slice: SliceId| trace.slices.interval(slice.index());
        for &slice in slices.iter().filter(|slice| touches(interval(**slice))) {
            let is_short = |slice: SliceId| interval(slice).length() < pieces.width;
            let fits = |group: &Vec<SliceId>| {
                is_short(slice)
                    && is_short(group[0])
                    && piece(interval(slice).start) == piece(interval(group[0]).start)
            };
            match groups.last_mut().filter(|group| fits(group)) {
                Some(group) => group.push(slice),
                None => groups.push(vec![slice]),
            }
        }
        let sum = |group: &Vec<SliceId>| {
            let longest = group.iter().rev().max_by_key(|slice| interval(**slice).length()).unwrap();
            let whole = Interval::new(interval(group[0]).start, interval(group[group.len() - 1]).end);
            (group.len(), whole, *longest, group.iter().map(|slice| interval(*slice).length()).sum())
        };
        groups.iter().map(sum).collect()
    }

    proptest! {
        /// Twin: the slices of the window, one after the other.
        #[test]
        fn groups_are_those_made_one_by_one(
            lengths in prop::collection::vec((0i64..6, 0i64..30), 1..900),
            window in (-20i64..4000, 0i64..4000), origin in -50i64..50, width in 0i64..200,
        ) {
            let (trace, _) = trace_of_lengths(&lengths);
            let index = LevelOfDetail::build(&trace, |_| true);
            let window = Interval::new(Ns(window.0), Ns(window.0 + window.1));
            let pieces = Pieces { origin: Ns(origin), width: Ns(width) };
            for row in index.rows() {
                let mut found = Vec::new();
                index.groups(row, window, pieces, |group| {
                    found.push((group.places.len(), group.interval, group.longest, group.busy));
                });
                prop_assert_eq!(found, groups_by_hand(&trace, index.slices(row), window, pieces));
            }
        }

        #[test]
        fn agrees_with_looking_at_all_slices(
            spans in prop::collection::vec((0i64..2000, 0i64..60), 0..300),
            (start, length, count) in (-50i64..2000, 0i64..2200, 1u32..90),
        ) {
            let trace = trace(&spans);
            let index = LevelOfDetail::build(&trace, |_| true);
            let pixels = Pixels::new(Interval::new(Ns(start), Ns(start + length)), count);
            for row in index.rows() {
                let found = by_pixel(&index, row, &pixels);
                prop_assert_eq!(found, twin(&trace, index.slices(row), &pixels));
            }
        }

        /// Many slices in a pixel, so that the upper levels are used.
        #[test]
        fn agrees_where_pixels_are_crowded(
            lengths in prop::collection::vec((0i64..4, 0i64..9), 600..5000),
            count in 1u32..5,
            cut in 0i64..9000,
        ) {
            let (trace, time) = trace_of_lengths(&lengths);
            let index = LevelOfDetail::build(&trace, |_| true);
            let pixels = Pixels::new(Interval::new(Ns(cut), Ns(time.max(cut))), count);
            for row in index.rows() {
                prop_assert_eq!(by_pixel(&index, row, &pixels), twin(&trace, index.slices(row), &pixels));
            }
        }
    }
}
