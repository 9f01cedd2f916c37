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
    /// The outermost operator around it.
    pub(super) operator: Option<SliceId>,
    /// The innermost line of Python around it.
    pub(super) line: Option<SliceId>,
    /// The outermost slice that stands for the cause.
    pub(super) root: Option<SliceId>,
}

/// Cuts stretches into segments. Stretches of one track must not overlap; all segments of a stretch follow each
/// other, in order of time. Slices may nest or overlap in any way.
pub(super) fn walk(trace: &Trace, stretches: &mut [Stretch], mut visit: impl FnMut(Segment)) {
    stretches.sort_unstable_by_key(|stretch| (stretch.track, stretch.interval.start));
    for lane in lanes(trace, stretches) {
        let mut stacks = Stacks::default();
        let mut rows = lane.rows.iter().peekable();
        for stretch in &stretches[lane.stretches] {
            let mut now = stretch.interval.start;
            while now < stretch.interval.end {
                while let Some(&&(row, class)) = rows.peek()
                    && trace.slices.start[row as usize] <= now
                {
                    stacks.push(trace, SliceId(row), class);
                    rows.next();
                }
                let next = rows.peek().map_or(Ns::MAX, |&&(row, _)| trace.slices.start[row as usize]);
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
    rows: Vec<(u32, Class)>,
}

impl Lane {
    /// Takes in a slice if it is open in any of the stretches.
    fn add(&mut self, row: u32, interval: Interval, class: Class, stretches: &[Stretch]) {
        let own = &stretches[self.stretches.clone()];
        let next = own.partition_point(|stretch| stretch.interval.end <= interval.start);
        if own.get(next).is_some_and(|stretch| stretch.interval.start < interval.end) {
            self.rows.push((row, class));
        }
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
                lanes.push(Lane { track: stretch.track, stretches: index..index + 1, rows: Vec::new() });
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
        let Some(class) = classes.of(slice) else { continue };
        for lane in &mut lanes[found] {
            lane.add(slice.0, slices.interval(row), class, stretches);
        }
    }
    for lane in &mut lanes {
        lane.rows.sort_unstable_by_key(|&(row, _)| {
            let index = row as usize;
            (slices.start[index], Reverse(slices.duration[index]), row)
        });
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
    operators: Vec<Open>,
    lines: Vec<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    end: Ns,
    slice: SliceId,
}

/// The innermost of the slices that are open at an instant.
fn top(stack: &mut Vec<Open>, now: Ns) -> Option<Open> {
    while let Some(open) = stack.last() {
        if open.end > now {
            return Some(*open);
        }
        stack.pop();
    }
    None
}

/// The first to begin of the slices that are open at an instant.
fn outermost(stack: &[Open], now: Ns) -> Option<SliceId> {
    stack.iter().find(|open| open.end > now).map(|open| open.slice)
}

impl Stacks {
    fn push(&mut self, trace: &Trace, slice: SliceId, class: Class) {
        let open = Open { end: trace.slices.end(slice.index()), slice };
        self.by_cause[class.cause as usize].push(open);
        if trace.slices.kind[slice.index()] == SliceKind::Op {
            self.operators.push(open);
        }
        if class.is_line {
            self.lines.push(open);
        }
    }

    /// What is done from the beginning of an interval until something begins or ends, at most until its end. Nothing
    /// begins inside the interval.
    fn segment(&mut self, interval: Interval, gap: usize) -> Segment {
        let now = interval.start;
        let found = Cause::ALL
            .iter()
            .zip(&mut self.by_cause)
            .find_map(|(&cause, stack)| Some((cause, top(stack, now)?)));
        let (cause, what) = match found {
            Some((cause, open)) => (cause, Some(open)),
            None => (Cause::Nothing, None),
        };
        let line = top(&mut self.lines, now);
        let innermost = top(&mut self.operators, now);
        let end = [what, line, innermost].into_iter().flatten().map(|open| open.end).min();
        let what = if cause == Cause::DataLoading { line.or(what) } else { what };
        Segment {
            gap,
            interval: Interval::new(now, end.map_or(interval.end, |end| end.min(interval.end))),
            cause,
            what: what.map(|open| open.slice),
            operator: outermost(&self.operators, now),
            line: line.map(|open| open.slice),
            root: self.by_cause.get(cause as usize).and_then(|stack| outermost(stack, now)),
        }
    }
}
