//! What a thread did at each instant of some stretches of time.

use std::cmp::Reverse;
use std::ops::Range;

use eaves_model::{Interval, Ns, SliceId, SliceKind, Trace, TrackId};

use super::cause::Cause;
use super::classes::{Class, Classes};

/// A stretch of time in which the GPU waited for a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) track: TrackId,
    pub(super) interval: Interval,
    /// The gap it belongs to.
    pub(super) gap: usize,
}

/// A part of a stretch in which the thread did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) gap: usize,
    pub(super) interval: Interval,
    pub(super) cause: Cause,
    /// What exactly: the innermost slice that stands for the cause; of loading data, the innermost line of Python.
    pub(super) what: Option<SliceId>,
    /// Of loading data and synchronising also the outermost operator around it.
    pub(super) operator: Option<SliceId>,
    /// The innermost line of Python around it.
    pub(super) line: Option<SliceId>,
    /// And the outermost slice that stands for the cause.
    pub(super) root: Option<SliceId>,
}

/// Cuts stretches into segments. Stretches of one track must not overlap; all segments of a stretch follow each
/// other, in order of time. Slices may nest or overlap in any way.
pub(super) fn walk(trace: &Trace, stretches: &mut [Stretch], mut visit: impl FnMut(Segment)) {
    if stretches.is_empty() {
        return;
    }
    stretches.sort_unstable_by_key(|stretch| (stretch.track, stretch.interval.start));
    for lane in lanes(trace, stretches) {
        let mut stacks = Stacks::default();
        let mut rows = lane.rows.iter().peekable();
        for stretch in &stretches[lane.stretches] {
            let mut now = stretch.interval.start;
            while now < stretch.interval.end {
                while let Some(row) = rows.next_if(|row| row.interval.start <= now) {
                    stacks.push(trace, row);
                }
                let next = rows.peek().map_or(Ns::MAX, |row| row.interval.start);
                let limit = stretch.interval.end.min(next);
                let segment = stacks.segment(Interval::new(now, limit), stretch.gap);
                now = segment.interval.end;
                visit(segment);
            }
        }
    }
}

/// A thread with its stretches and the slices that touch them.
struct Lane {
    track: TrackId,
    stretches: Range<usize>,
    /// In the order of a call stack: by start, the longer first, then as in the file.
    rows: Vec<Row>,
    /// The stretch that the last slice was held against. The next one is nearly always near it.
    near: usize,
}

/// A slice of a lane, with what the walk needs of it.
#[derive(Clone, Copy)]
struct Row {
    interval: Interval,
    slice: SliceId,
    class: Class,
}

impl Lane {
    /// True if an interval touches any of the stretches.
    #[inline]
    fn touches(&mut self, interval: Interval, stretches: &[Stretch]) -> bool {
        let own = &stretches[self.stretches.clone()];
        let is_over = |stretch: &Stretch| stretch.interval.end <= interval.start;
        // The first stretch that is not over yet is searched for only if it is another one than before.
        let stays = own[..self.near].last().is_none_or(is_over) && !own.get(self.near).is_some_and(is_over);
        if !stays {
            self.near = own.partition_point(is_over);
        }
        own.get(self.near).is_some_and(|stretch| stretch.interval.start < interval.end)
    }
}

const NO_LANE: usize = usize::MAX;

fn lanes(trace: &Trace, stretches: &[Stretch]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = Vec::new();
    let mut lane_of = vec![NO_LANE; trace.tracks.len()];
    for (index, stretch) in stretches.iter().enumerate() {
        match lanes.last_mut() {
            Some(lane) if lane.track == stretch.track => lane.stretches.end = index + 1,
            _ => {
                lane_of[stretch.track.index()] = lanes.len();
                lanes.push(Lane {
                    track: stretch.track,
                    stretches: index..index + 1,
                    rows: Vec::new(),
                    near: 0,
                });
            }
        }
    }
    let slices = &trace.slices;
    let mut classes = Classes::new(trace);
    for row in 0..slices.len() {
        let kind = slices.kind[row];
        let found = match kind {
            SliceKind::Overhead => lanes_of_overhead(trace, row, &lanes),
            _ if !kind.is_host_call() || lane_of[slices.track[row].index()] == NO_LANE => continue,
            _ => lane_of[slices.track[row].index()]..lane_of[slices.track[row].index()] + 1,
        };
        let slice = SliceId::from(row);
        if slices.duration[row] == Ns::ZERO || trace.is_quarantined(slice) {
            continue;
        }
        for lane in &mut lanes[found] {
            let interval = slices.interval(row);
            if lane.touches(interval, stretches)
                && let Some(class) = classes.of(slice)
            {
                lane.rows.push(Row { interval, slice, class });
            }
        }
    }
    for lane in &mut lanes {
        // Kinds of slices follow each other in the file, each in order, and this sort merges such runs.
        lane.rows.sort_by_key(|row| (row.interval.start, Reverse(row.interval.end)));
    }
    lanes
}

/// Kineto draws overhead in a process of its own, on the thread it happened on if CUPTI knew it. Otherwise all threads
/// may have waited.
fn lanes_of_overhead(trace: &Trace, row: usize, lanes: &[Lane]) -> Range<usize> {
    let threads = &trace.tracks.threads.thread;
    let thread = threads[trace.slices.track[row].index()];
    let own = lanes.iter().position(|lane| threads[lane.track.index()] == thread);
    own.map_or(0..lanes.len(), |lane| lane..lane + 1)
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

    /// What is done from the beginning of an interval until something begins or ends, at most until its end. Nothing
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
        if matches!(cause, Cause::DataLoading | Cause::Synchronisation) {
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
