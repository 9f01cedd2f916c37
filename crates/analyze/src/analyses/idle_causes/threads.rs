//! What a thread did at each instant of some stretches of time.

use std::cmp::Reverse;

use eaves_model::{Interval, Ns, SliceId, SliceKind, Trace, TrackId};

use super::cause::Cause;
use super::classes::{Class, Classes};
use crate::RankView;

/// A stretch of time in which the GPU waited for a thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::analyses) struct Stretch {
    pub(in crate::analyses) track: TrackId,
    pub(in crate::analyses) interval: Interval,
    /// The gap it belongs to.
    pub(in crate::analyses) gap: usize,
}

/// A part of a stretch in which the thread did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyses) struct Segment {
    pub(in crate::analyses) gap: usize,
    pub(in crate::analyses) interval: Interval,
    pub(in crate::analyses) cause: Cause,
    /// What exactly: the innermost slice that stands for the cause; of loading data, the innermost line of Python.
    pub(in crate::analyses) what: Option<SliceId>,
    /// Of loading data, synchronizing and Python also the outermost operator around it.
    pub(in crate::analyses) operator: Option<SliceId>,
    /// The innermost line of Python around it.
    pub(in crate::analyses) line: Option<SliceId>,
    /// And the outermost slice that stands for the cause.
    pub(in crate::analyses) root: Option<SliceId>,
}

/// Cuts stretches into segments. Stretches of one track must not overlap; all segments of a stretch follow each
/// other, in time order. Slices may nest or overlap in any way.
pub(in crate::analyses) fn walk(
    rank: &RankView<'_>,
    stretches: &mut [Stretch],
    mut visit: impl FnMut(Segment),
) {
    if stretches.is_empty() {
        return;
    }
    stretches.sort_unstable_by_key(|stretch| (stretch.track, stretch.interval.start));
    let lanes: Vec<&[Stretch]> = stretches.chunk_by(|one, next| one.track == next.track).collect();
    let tracks: Vec<TrackId> = lanes.iter().map(|lane| lane[0].track).collect();
    let mut classes = Classes::new(rank.trace);
    let overhead = overhead(rank.trace, &tracks, &mut classes);
    for ((stretches, track), overhead) in lanes.into_iter().zip(tracks).zip(overhead) {
        let calls = calls(rank, track, stretches, &mut classes);
        if overhead.is_empty() {
            cut(rank.trace, stretches, calls, &mut visit);
        } else {
            cut(rank.trace, stretches, merge(calls, overhead.into_iter()), &mut visit);
        }
    }
}

/// Cuts the stretches of one thread, whose rows are in the order of a call stack.
fn cut(
    trace: &Trace,
    stretches: &[Stretch],
    rows: impl Iterator<Item = Row>,
    visit: &mut impl FnMut(Segment),
) {
    let mut stacks = Stacks::default();
    let mut rows = rows.peekable();
    for stretch in stretches {
        let mut now = stretch.interval.start;
        while now < stretch.interval.end {
            while let Some(row) = rows.next_if(|row| row.interval.start <= now) {
                stacks.push(trace, &row);
            }
            let next = rows.peek().map_or(Ns::MAX, |row| row.interval.start);
            let limit = stretch.interval.end.min(next);
            let segment = stacks.segment(Interval::new(now, limit), stretch.gap);
            now = segment.interval.end;
            visit(segment);
        }
    }
}

/// A slice with what the walk needs of it.
#[derive(Clone, Copy)]
struct Row {
    interval: Interval,
    slice: SliceId,
    class: Class,
}

impl Row {
    /// Its place in the order of a call stack: by start, the longer first, then as in the file.
    #[inline]
    fn key(&self) -> (Ns, Reverse<Ns>, SliceId) {
        (self.interval.start, Reverse(self.interval.end), self.slice)
    }
}

/// The calls of a thread that touch any of the stretches, in the order of a call stack.
fn calls<'a>(
    rank: &'a RankView<'_>,
    track: TrackId,
    stretches: &'a [Stretch],
    classes: &'a mut Classes<'_>,
) -> impl Iterator<Item = Row> + 'a {
    let slices = &rank.trace.slices;
    let mut ahead = stretches;
    rank.tree().of_track(slices, track).iter().filter_map(move |&slice| {
        let interval = slices.interval(slice.index());
        while let Some((stretch, rest)) = ahead.split_first()
            && stretch.interval.end <= interval.start
        {
            ahead = rest;
        }
        let touches = ahead.first().is_some_and(|stretch| stretch.interval.start < interval.end);
        if !touches || interval.start == interval.end {
            return None;
        }
        Some(Row { interval, slice, class: classes.of(slice)? })
    })
}

/// The overhead of each thread, in the order of a call stack. Kineto draws it in its own process, on the thread it
/// happened on if CUPTI knew it. Otherwise all threads may have waited.
fn overhead(trace: &Trace, tracks: &[TrackId], classes: &mut Classes<'_>) -> Vec<Vec<Row>> {
    let (slices, threads) = (&trace.slices, &trace.tracks.threads.thread);
    let mut rows = vec![Vec::new(); tracks.len()];
    for (row, _) in slices.kind.iter().enumerate().filter(|&(_, &kind)| kind == SliceKind::Overhead) {
        let (interval, slice) = (slices.interval(row), SliceId::from(row));
        if interval.start == interval.end || trace.is_quarantined(slice) {
            continue;
        }
        let Some(class) = classes.of(slice) else { continue };
        let thread = threads[slices.track[row].index()];
        let own = tracks.iter().position(|track| threads[track.index()] == thread);
        for rows in &mut rows[own.map_or(0..tracks.len(), |own| own..own + 1)] {
            rows.push(Row { interval, slice, class });
        }
    }
    for rows in &mut rows {
        rows.sort_unstable_by_key(Row::key);
    }
    rows
}

/// Two ordered sequences as one.
fn merge(one: impl Iterator<Item = Row>, other: impl Iterator<Item = Row>) -> impl Iterator<Item = Row> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if second.key() < first.key() => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    })
}

/// Slices that are open, by what they stand for. The last to begin is the innermost; those that have ended are taken
/// away when they come to the top.
#[derive(Debug, Default)]
struct Stacks {
    by_cause: [Vec<Open>; Cause::OF_SLICES],
    /// A bit for each cause whose stack has anything.
    filled: u32,
    operators: Vec<Open>,
    lines: Vec<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    end: Ns,
    slice: SliceId,
}

/// The innermost of the slices that are open at an instant.
#[inline]
fn top(stack: &mut Vec<Open>, now: Ns) -> Option<Open> {
    while let Some(open) = stack.last() {
        if open.end > now {
            return Some(*open);
        }
        stack.pop();
    }
    None
}

/// The outermost of them.
fn outermost(stack: &[Open], now: Ns) -> Option<SliceId> {
    stack.iter().find(|open| open.end > now).map(|open| open.slice)
}

impl Stacks {
    #[inline]
    fn push(&mut self, trace: &Trace, row: &Row) {
        let Row { interval, slice, class } = *row;
        let open = Open { end: interval.end, slice };
        self.by_cause[class.cause as usize].push(open);
        self.filled |= 1 << class.cause as u32;
        if trace.slices.kind[slice.index()] == SliceKind::Op {
            self.operators.push(open);
        }
        if class.is_line {
            self.lines.push(open);
        }
    }

    /// The first cause that anything open stands for, and the innermost slice of it.
    #[inline]
    fn cause(&mut self, now: Ns) -> Option<(Cause, Open)> {
        while self.filled != 0 {
            let first = self.filled.trailing_zeros() as usize;
            if let Some(open) = top(&mut self.by_cause[first], now) {
                return Some((Cause::ALL[first], open));
            }
            self.filled &= self.filled - 1;
        }
        None
    }

    /// What is done from the start of an interval until something begins or ends, at most until its end. Nothing
    /// begins inside the interval.
    fn segment(&mut self, interval: Interval, gap: usize) -> Segment {
        let now = interval.start;
        let mut segment = Segment {
            gap,
            interval,
            cause: Cause::Nothing,
            what: None,
            operator: None,
            line: None,
            root: None,
        };
        let Some((cause, what)) = self.cause(now) else { return segment };
        (segment.cause, segment.what) = (cause, Some(what.slice));
        let mut end = what.end;
        if matches!(cause, Cause::DataLoading | Cause::Python | Cause::Synchronisation) {
            let (line, operator) = (top(&mut self.lines, now), top(&mut self.operators, now));
            for open in [line, operator].into_iter().flatten() {
                end = end.min(open.end);
            }
            segment.line = line.map(|open| open.slice);
            segment.operator = outermost(&self.operators, now);
            segment.root = outermost(&self.by_cause[cause as usize], now);
        }
        if cause == Cause::DataLoading {
            segment.what = segment.line.or(segment.what);
        }
        segment.interval.end = interval.end.min(end);
        segment
    }
}
