//! The GPU activities of the window, by stream and by end.

use std::collections::HashMap;
use std::ops::Range;

use eaves_model::{Interval, MaybeI64, MaybeU32, Ns, SliceId};

use super::Cause;
use super::graph::{Graph, Place, PointId, SOURCE};
use super::scope::Scope;
use crate::{GpuView, RankView};

/// The number of an activity. Its two points follow the source in this order.
pub(super) type ActivityId = u32;

/// A stream by what the trace calls it.
pub(super) type StreamKey = (MaybeU32, MaybeI64);

/// Activities as columns: stream by stream, those that run one after the other by start, then those that run next to
/// them.
#[derive(Debug, Default)]
pub(super) struct Activities {
    /// When each runs, cut to the window. Never empty: what takes no time delays nothing.
    pub(super) interval: Vec<Interval>,
    /// The slice.
    pub(super) slice: Vec<SliceId>,
    /// The launching call, or none.
    pub(super) launch: Vec<SliceId>,
    /// When it was launched; its own start if that is not known.
    pub(super) launched: Vec<Ns>,
    /// What it is for.
    pub(super) cause: Vec<Cause>,
    /// Index of its stream.
    pub(super) stream: Vec<u32>,
    /// Streams, sorted.
    pub(super) streams: Vec<Stream>,
    /// All activities by end.
    by_end: Vec<ActivityId>,
}

/// One stream.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    key: StreamKey,
    /// Activities one after the other.
    pub(super) chain: Range<ActivityId>,
    /// Activities that begin while the chain is busy.
    pub(super) beside: Range<ActivityId>,
}

impl Activities {
    /// The activities that were launched in the window, and the parts inside it of those launched before.
    pub(super) fn new(rank: &RankView<'_>, gpu: &GpuView, scope: Scope) -> Self {
        let (trace, links) = (rank.trace, rank.links());
        let mut numbers: HashMap<StreamKey, u32> = HashMap::new();
        let mut keys: Vec<StreamKey> = Vec::new();
        let mut last: Option<(StreamKey, u32)> = None;
        let mut found: Vec<(u32, Interval, usize)> = Vec::with_capacity(gpu.len());
        for index in 0..gpu.len() {
            let slice = trace.gpu.slice[gpu.row[index].index()].index();
            let launched = links.launch(gpu.row[index]).map_or(slice, SliceId::index);
            let whole = trace.slices.interval(slice);
            let part = if scope.holds(trace.slices.start[launched]) {
                Some(scope.part_of_own(whole))
            } else {
                scope.part_of_other(whole)
            };
            let Some(part) = part.filter(|part| part.start < part.end) else { continue };
            let key = (gpu.device[index], gpu.stream[index]);
            let stream = match last {
                Some((known, stream)) if known == key => stream,
                _ => *numbers.entry(key).or_insert_with(|| {
                    keys.push(key);
                    keys.len() as u32 - 1
                }),
            };
            last = Some((key, stream));
            found.push((stream, part, index));
        }
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&stream| keys[stream as usize]);
        let mut place = vec![0; keys.len()];
        for (sorted, &stream) in order.iter().enumerate() {
            place[stream as usize] = sorted as u32;
        }
        for (stream, ..) in &mut found {
            *stream = place[*stream as usize];
        }
        // Streams come in ordered runs, which a stable sort takes advantage of.
        found.sort_by_key(|&(stream, part, _)| (stream, part));

        let mut activities = Self::default();
        activities.reserve(found.len());
        let mut beside = Vec::new();
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let first = activities.next();
            let mut busy_until = Ns::MIN;
            for &(stream, part, index) in group {
                if part.start < busy_until {
                    beside.push((stream, part, index));
                } else {
                    busy_until = part.end;
                    activities.push(rank, gpu, stream, part, index);
                }
            }
            let middle = activities.next();
            for (stream, part, index) in beside.drain(..) {
                activities.push(rank, gpu, stream, part, index);
            }
            let key = keys[order[activities.streams.len()] as usize];
            let beside = middle..activities.next();
            activities.streams.push(Stream { key, chain: first..middle, beside });
        }
        let mut by_end: Vec<ActivityId> = (0..activities.next()).collect();
        by_end.sort_by_key(|&activity| activities.interval[activity as usize].end);
        activities.by_end = by_end;
        activities
    }

    fn reserve(&mut self, rows: usize) {
        self.interval.reserve(rows);
        self.slice.reserve(rows);
        self.launch.reserve(rows);
        self.launched.reserve(rows);
        self.cause.reserve(rows);
        self.stream.reserve(rows);
    }

    fn push(&mut self, rank: &RankView<'_>, gpu: &GpuView, stream: u32, part: Interval, index: usize) {
        let row = gpu.row[index];
        let launch = rank.links().launch(row);
        self.interval.push(part);
        self.slice.push(rank.trace.gpu.slice[row.index()]);
        self.launch.push(launch.unwrap_or(SliceId::NONE));
        self.launched.push(launch.map_or(part.start, |launch| rank.trace.slices.start[launch.index()]));
        self.cause.push(gpu.kernel_type[index].into());
        self.stream.push(stream);
    }

    fn next(&self) -> ActivityId {
        u32::try_from(self.interval.len()).unwrap_or(u32::MAX)
    }

    /// Number of activities.
    pub(super) fn len(&self) -> usize {
        self.interval.len()
    }

    /// Adds the points of all activities: right behind the source, two each. What leads to the starts is added later,
    /// when the host is known.
    pub(super) fn push_lanes(&self, graph: &mut Graph) {
        let mut push = |range: Range<ActivityId>| {
            let first = graph.next_point();
            for activity in range {
                let row = activity as usize;
                let Interval { start, end } = self.interval[row];
                graph.push(start, Place::ActivityStart, self.cause[row], self.slice[row]);
                graph.push(end, Place::ActivityEnd, Cause::Unexplained, SliceId::NONE);
            }
            if first < graph.next_point() {
                graph.close_lane(first);
            }
        };
        for stream in &self.streams {
            push(stream.chain.clone());
            for activity in stream.beside.clone() {
                push(activity..activity + 1);
            }
        }
    }

    /// The point at which an activity starts.
    pub(super) fn start_point(activity: ActivityId) -> PointId {
        SOURCE + 1 + 2 * activity
    }

    /// The point at which an activity ends.
    pub(super) fn end_point(activity: ActivityId) -> PointId {
        SOURCE + 2 + 2 * activity
    }

    /// The activities that end up to an instant, latest first.
    pub(super) fn ended_by(&self, time: Ns) -> impl Iterator<Item = ActivityId> + '_ {
        let count = self.by_end.partition_point(|&activity| self.interval[activity as usize].end <= time);
        self.by_end[..count].iter().rev().copied()
    }

    fn stream(&self, key: StreamKey) -> Option<&Stream> {
        let index = self.streams.binary_search_by_key(&key, |stream| stream.key).ok()?;
        Some(&self.streams[index])
    }

    /// The last activity of a stream that was launched before an instant.
    pub(super) fn last_launched(&self, key: StreamKey, before: Ns) -> Option<ActivityId> {
        let chain = &self.stream(key)?.chain;
        let launched = &self.launched[chain.start as usize..chain.end as usize];
        let count = launched.partition_point(|&launched| launched < before);
        Some(chain.start + u32::try_from(count).ok()?.checked_sub(1)?)
    }

    /// The first activity of a stream that was launched after an instant.
    pub(super) fn first_launched(&self, key: StreamKey, after: Ns) -> Option<ActivityId> {
        let chain = &self.stream(key)?.chain;
        let launched = &self.launched[chain.start as usize..chain.end as usize];
        let count = launched.partition_point(|&launched| launched <= after);
        Some(chain.start + u32::try_from(count).ok()?).filter(|&activity| activity < chain.end)
    }
}
