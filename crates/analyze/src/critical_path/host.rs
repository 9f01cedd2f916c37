//! The lanes of the host: every thread as the stretches of its innermost calls.

use eaves_model::{Interval, Ns, SliceId, SliceKind, Trace};

use super::Cause;
use super::activities::{Activities, ActivityId};
use super::calls::{CallKind, CallKinds};
use super::graph::{Graph, Lane, Place, PointId};
use super::scope::Scope;
use super::threads::{Thread, Threads};
use super::waits::Waits;

/// What the lanes of the host are to the device.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// The calls that launched activities.
    launches: Launches,
    /// When a stream is told to wait for an event, sorted.
    pub(super) stream_waits: Vec<Ns>,
    /// The main thread.
    pub(super) main: Option<Lane>,
    /// The threads of the backward pass.
    pub(super) backward: Vec<Lane>,
    /// The last end of anything on the host.
    pub(super) end: Option<Ns>,
}

impl Host {
    /// The point at which a call that launched something starts, if it is in the window.
    #[inline]
    pub(super) fn start_point(&self, call: SliceId) -> Option<PointId> {
        let place = self.launches.calls.binary_search(&call).ok()?;
        Some(self.launches.start_points[place]).filter(|&point| point != NO_POINT)
    }
}

const NO_POINT: PointId = PointId::MAX;

/// The calls that launched activities, as columns.
#[derive(Debug, Default)]
struct Launches {
    /// The calls, sorted.
    calls: Vec<SliceId>,
    /// The last activity of each.
    activities: Vec<ActivityId>,
    /// The point at which each starts; none outside the window.
    start_points: Vec<PointId>,
    /// The place of the call that was looked for last. The next one is nearly always the next.
    near: usize,
}

impl Launches {
    fn new(activities: &Activities) -> Self {
        let launch = |(&call, activity): (&SliceId, ActivityId)| Some((call.some()?, activity));
        let mut pairs: Vec<(SliceId, ActivityId)> =
            activities.launch.iter().zip(0..).filter_map(launch).collect();
        // Streams are ordered runs.
        pairs.sort();
        let mut launches = Self::default();
        for group in pairs.chunk_by(|one, next| one.0 == next.0) {
            launches.calls.push(group[0].0);
            launches.activities.push(group[group.len() - 1].1);
        }
        launches.start_points = vec![NO_POINT; launches.calls.len()];
        launches
    }

    /// The place of a call, if it launched anything.
    #[inline]
    fn find(&mut self, call: SliceId) -> Option<usize> {
        let is_before = |other: &SliceId| *other < call;
        let is_at = |place: usize| {
            self.calls[..place].last().is_none_or(is_before) && !self.calls.get(place).is_some_and(is_before)
        };
        self.near = (self.near..self.calls.len().min(self.near + 1) + 1)
            .find(|&place| is_at(place))
            .unwrap_or_else(|| self.calls.partition_point(is_before));
        (self.calls.get(self.near) == Some(&call)).then_some(self.near)
    }
}

/// What building the lanes needs to know.
pub(super) struct Builder<'a, 't> {
    pub(super) trace: &'a Trace,
    pub(super) scope: Scope,
    pub(super) activities: &'a Activities,
    pub(super) waits: &'a Waits,
    pub(super) kinds: &'a mut CallKinds<'t>,
}

/// A call that has begun and not ended.
struct Open {
    end: Ns,
    cause: Cause,
    slice: SliceId,
    /// What is waited for until `end`.
    awaited: Option<Awaited>,
}

/// What leads out of a wait: from a point, with a cause.
#[derive(Clone, Copy)]
struct Awaited {
    from: PointId,
    cause: Cause,
    slice: SliceId,
}

impl Builder<'_, '_> {
    /// Adds a lane for each thread.
    pub(super) fn push_lanes(&mut self, threads: &Threads, graph: &mut Graph) -> Host {
        let mut host = Host { launches: Launches::new(self.activities), ..Host::default() };
        for (thread, slices) in threads.iter() {
            let lane = self.push_lane(thread, slices, graph, &mut host);
            if thread.is_main {
                host.main = Some(lane);
            } else if thread.is_backward {
                host.backward.push(lane);
            }
        }
        host.stream_waits.sort();
        host
    }

    fn push_lane(&mut self, thread: &Thread, slices: &[SliceId], graph: &mut Graph, host: &mut Host) -> Lane {
        let idle = if thread.is_main { Cause::Outside } else { Cause::Unexplained };
        let mut stack = Stack { graph, first: 0, idle, open: Vec::new() };
        stack.first = stack.graph.next_point();
        if thread.is_main {
            let start = stack.graph.window().start;
            stack.point(start, idle, SliceId::NONE);
        }
        let mut latest = None;
        for &slice in slices {
            let row = slice.index();
            let Interval { start, end } = self.scope.part_of_own(self.trace.slices.interval(row));
            host.end = host.end.max(Some(end));
            stack.close_until(start);
            let kind = match self.trace.slices.kind[row] {
                SliceKind::Runtime => self.kinds.of(self.trace.slices.name[row]),
                _ => Some(self.kinds.of(self.trace.slices.name[row]))
                    .filter(|&kind| kind == CallKind::DataLoader)
                    .unwrap_or(CallKind::Plain),
            };
            let is_call = self.trace.slices.kind[row] == SliceKind::Runtime;
            let launch = if is_call { host.launches.find(slice) } else { None };
            let own = launch.map(|place| host.launches.activities[place]);
            let candidate = if kind == CallKind::WaitForStream { latest } else { own };
            let call = (slice, kind, Interval { start, end });
            let awaited =
                self.is_blocking(kind, own).then(|| self.waits.of_call(self.activities, call, candidate));
            let cause = match self.trace.slices.kind[row] {
                _ if kind == CallKind::DataLoader => Cause::DataLoading,
                _ if awaited.is_some() => Cause::Synchronisation,
                SliceKind::Runtime => Cause::RuntimeCall,
                _ => Cause::Operator,
            };
            let point = stack.open(end, cause, slice, start);
            if let Some(place) = launch {
                host.launches.start_points[place] = point;
            }
            if let Some(activity) = awaited.flatten() {
                self.wait(&mut stack, activity, point, (slice, end));
            }
            if kind == CallKind::StreamWait {
                host.stream_waits.push(start);
            }
            latest = own.or(latest);
        }
        stack.close_until(Ns::MAX);
        if thread.is_main
            && let Some(span) = self.scope.span
        {
            stack.point(span.end, Cause::Unexplained, SliceId::NONE);
        }
        let first = stack.first;
        graph.close_lane(first)
    }

    /// Makes a call, which began at `start`, wait for an activity, which bears the time. If the activity ended before,
    /// the call could at least not have returned earlier. If it ends later, the call is a copy that returned when the
    /// device had nearly done.
    fn wait(
        &self,
        stack: &mut Stack<'_>,
        activity: ActivityId,
        start: PointId,
        (call, call_end): (SliceId, Ns),
    ) {
        let row = activity as usize;
        let end = self.activities.interval[row].end;
        if end <= stack.graph.time[start as usize] {
            let from = Activities::end_point(activity);
            stack.graph.connect(from, start, Cause::Unexplained, SliceId::NONE);
        } else if end <= call_end {
            let from = Activities::end_point(activity);
            stack.wait(end, start, Awaited { from, cause: Cause::Synchronisation, slice: call });
        } else if self.activities.interval[row].start < call_end {
            let (cause, slice) = (self.activities.cause[row], self.activities.slice[row]);
            stack.wait(call_end, start, Awaited { from: Activities::start_point(activity), cause, slice });
        }
    }

    /// True if a call returns only when something on the device is done.
    fn is_blocking(&self, kind: CallKind, own: Option<ActivityId>) -> bool {
        match kind {
            CallKind::Wait | CallKind::WaitForStream | CallKind::Copy => true,
            // Pageable memory cannot be copied behind the program's back.
            CallKind::CopyAsync => own.is_some_and(|activity| {
                self.trace.slice_name(self.activities.slice[activity as usize]).contains("Pageable")
            }),
            _ => false,
        }
    }
}

/// The open calls of a thread, innermost last.
struct Stack<'a> {
    graph: &'a mut Graph,
    /// First point of the lane.
    first: PointId,
    /// What time outside every call is counted under.
    idle: Cause,
    open: Vec<Open>,
}

impl Stack<'_> {
    /// A point at which another call becomes the innermost one. Points of a lane differ in time: where several
    /// calls begin or end at one instant, the last of them decides. Times before the last point are that point.
    fn point(&mut self, time: Ns, cause: Cause, slice: SliceId) -> PointId {
        let next = self.graph.next_point();
        if next > self.first && time <= self.graph.time[next as usize - 1] {
            self.graph.label(next - 1, cause, slice);
            return next - 1;
        }
        self.graph.push(time, Place::Host, cause, slice)
    }

    /// Begins a call. What the data loader calls counts as loading.
    fn open(&mut self, end: Ns, cause: Cause, slice: SliceId, start: Ns) -> PointId {
        let (cause, slice) = match self.open.last() {
            Some(around) if around.cause == Cause::DataLoading && cause != Cause::Synchronisation => {
                (around.cause, around.slice)
            }
            _ => (cause, slice),
        };
        let point = self.point(start, cause, slice);
        self.open.push(Open { end, cause, slice, awaited: None });
        point
    }

    /// Makes the innermost call wait from its start to an instant.
    fn wait(&mut self, end: Ns, start: PointId, awaited: Awaited) {
        let slice = self.graph.slice[start as usize];
        self.graph.label(start, Cause::Unexplained, slice);
        self.open.push(Open { end, cause: Cause::Unexplained, slice, awaited: Some(awaited) });
    }

    /// Ends every call that ends up to an instant.
    fn close_until(&mut self, time: Ns) {
        while let Some(ended) = self.open.pop_if(|innermost| innermost.end <= time) {
            // Calls that overlap without nesting end inside a later one, unnoticed.
            let mut awaited = ended.awaited;
            while let Some(hidden) = self.open.pop_if(|hidden| hidden.end <= ended.end) {
                awaited = awaited.or(hidden.awaited);
            }
            let (cause, slice) =
                self.open.last().map_or((self.idle, SliceId::NONE), |open| (open.cause, open.slice));
            let point = self.point(ended.end, cause, slice);
            if let Some(Awaited { from, cause, slice }) = awaited {
                self.graph.connect(from, point, cause, slice);
            }
        }
    }
}
