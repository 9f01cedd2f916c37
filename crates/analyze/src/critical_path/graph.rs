//! The graph whose longest path is the critical path.
//!
//! A *lane* is a thread or a stream: points in time order, and between two neighbors a stretch that has a cause.
//! *Edges* lead from a point of one lane to a point of another. A stretch or an edge weighs the time it takes, except
//! where its cause is [`Cause::Unexplained`]: there something waited that has better reasons elsewhere, and the weight
//! is 0. So no path weighs more than the time it takes, and of several reasons to wait the last one wins.
//!
//! Points are ordered by time and, at one instant, by [`Place`]. Every edge follows this order, which makes it a
//! topological one.

use eaves_model::{Interval, Ns, SliceId};

use super::Cause;

/// Order of points at one instant: what ends on the device before what starts there, both before the host, so that a
/// call may return when the activity it waits for ends. Lanes that take over from the main thread begin after it and
/// hand back before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Place {
    Source,
    ActivityEnd,
    ActivityStart,
    HandBack,
    Host,
    TakeOver,
    Sink,
}

/// The number of a point.
pub(super) type PointId = u32;

/// The first point: the beginning of the window.
pub(super) const SOURCE: PointId = 0;

/// Consecutive points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) first: PointId,
    pub(super) last: PointId,
}

/// From a point of one lane to a point of another, later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: PointId,
    pub(super) to: PointId,
    pub(super) cause: Cause,
    /// What the time is counted under.
    pub(super) slice: SliceId,
}

/// Points, lanes and edges as columns.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// When a point is.
    pub(super) time: Vec<Ns>,
    /// Order at one instant.
    pub(super) place: Vec<Place>,
    /// Why the stretch from a point to the next one of its lane took its time.
    pub(super) cause: Vec<Cause>,
    /// What that stretch is part of.
    pub(super) slice: Vec<SliceId>,
    /// Lanes, in the order of their points.
    pub(super) lanes: Vec<Lane>,
    /// Edges in any order.
    pub(super) edges: Vec<Edge>,
}

impl Graph {
    /// Nothing but the beginning of the window.
    pub(super) fn new(start: Ns, room: usize) -> Self {
        let mut graph = Self::default();
        graph.time.reserve(room);
        graph.place.reserve(room);
        graph.cause.reserve(room);
        graph.slice.reserve(room);
        graph.push(start, Place::Source, Cause::Unexplained, SliceId::NONE);
        graph.lanes.push(Lane { first: SOURCE, last: SOURCE });
        graph
    }

    /// Number of the next point.
    pub(super) fn next_point(&self) -> PointId {
        u32::try_from(self.time.len()).unwrap_or(u32::MAX)
    }

    /// Adds a point.
    #[inline]
    pub(super) fn push(&mut self, time: Ns, place: Place, cause: Cause, slice: SliceId) -> PointId {
        let point = self.next_point();
        self.time.push(time);
        self.place.push(place);
        self.cause.push(cause);
        self.slice.push(slice);
        point
    }

    /// Says why the stretch behind a point takes its time.
    #[inline]
    pub(super) fn label(&mut self, point: PointId, cause: Cause, slice: SliceId) {
        self.cause[point as usize] = cause;
        self.slice[point as usize] = slice;
    }

    /// Makes a lane of all points from `first` on. It hangs on the source, without an explanation.
    pub(super) fn close_lane(&mut self, first: PointId) -> Lane {
        let last = self.next_point() - 1;
        self.cause[last as usize] = Cause::Unexplained;
        self.slice[last as usize] = SliceId::NONE;
        let lane = Lane { first, last };
        self.lanes.push(lane);
        self.connect(SOURCE, first, Cause::Unexplained, SliceId::NONE);
        lane
    }

    /// Adds an edge if it follows the order of points.
    pub(super) fn connect(&mut self, from: PointId, to: PointId, cause: Cause, slice: SliceId) {
        if self.key(from) < self.key(to) {
            self.edges.push(Edge { from, to, cause, slice });
        }
    }

    /// Adds the end of the window, to which every lane leads. Nothing can be added afterwards.
    pub(super) fn finish(&mut self, end: Ns) {
        let sink = self.push(end, Place::Sink, Cause::Unexplained, SliceId::NONE);
        for lane in 0..self.lanes.len() {
            let last = self.lanes[lane].last;
            self.connect(last, sink, Cause::Unexplained, SliceId::NONE);
        }
        self.lanes.push(Lane { first: sink, last: sink });
    }

    /// The last point in the lane of a point that is not later than an instant.
    pub(super) fn latest_until(&self, point: PointId, time: Ns) -> Option<PointId> {
        let lane = self.lanes.partition_point(|lane| lane.first <= point).checked_sub(1)?;
        let Lane { first, last } = self.lanes[lane];
        let at = |point: PointId| self.time[point as usize];
        // Nearly always it is the point itself or the next one.
        if at(point) <= time && (point == last || time < at(point + 1)) {
            return Some(point);
        }
        let earlier = self.time[first as usize..=last as usize].partition_point(|&point| point <= time);
        Some(first + u32::try_from(earlier).ok()?.checked_sub(1)?)
    }

    /// The position of a point in the order.
    #[inline]
    pub(super) fn key(&self, point: PointId) -> (Ns, Place, PointId) {
        (self.time[point as usize], self.place[point as usize], point)
    }

    /// The time between two points.
    #[inline]
    pub(super) fn between(&self, from: PointId, to: PointId) -> Ns {
        self.time[to as usize] - self.time[from as usize]
    }

    /// From the source to the sink.
    pub(super) fn window(&self) -> Interval {
        let start = self.time.first().copied().unwrap_or(Ns::ZERO);
        Interval::new(start, self.time.last().copied().unwrap_or(start))
    }
}

/// What time with a cause weighs.
#[inline]
pub(super) fn weight(cause: Cause, time: Ns) -> Ns {
    if cause == Cause::Unexplained { Ns::ZERO } else { time }
}
