//! When the threads of the host and the streams of the devices worked.

use eaves_model::{Interval, IntervalSet, SliceId, SliceKind, TrackId};

use crate::RankView;

/// True for slices that say that a thread worked: operators, runtime and driver calls, Python frames, and the slices
/// of recorders that tell no kinds apart. Named ranges do not: a profiler step covers its waiting, too.
pub fn is_host_work(kind: SliceKind) -> bool {
    kind.is_host_call() && kind != SliceKind::Annotation
}

/// When one thread or stream worked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackActivity {
    /// The track.
    pub track: TrackId,
    /// Selected calls or activities.
    pub slices: u64,
    /// When any of them ran.
    pub busy: IntervalSet,
}

/// Host and device active times of the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The time that is looked at: the recording, or of it the selected window, or the selected steps and what they
    /// launched.
    pub span: Option<Interval>,
    /// When any thread worked.
    pub cpu: IntervalSet,
    /// When any device worked.
    pub gpu: IntervalSet,
    /// The threads that worked, by track.
    pub threads: Vec<TrackActivity>,
    /// The streams that worked, by track.
    pub streams: Vec<TrackActivity>,
}

impl Activity {
    /// Measures a recording. What counts as work of a thread is [`is_host_work`].
    pub fn of(rank: &RankView<'_>) -> Self {
        Self::with(rank, is_host_work)
    }

    /// The same with another idea of what is work of a thread.
    pub fn with(rank: &RankView<'_>, is_work: impl Fn(SliceKind) -> bool) -> Self {
        let windows = host_windows(rank);
        let streams = streams(rank);
        let threads = threads(rank, windows.as_ref(), is_work);
        let cpu = threads.iter().flat_map(|thread| thread.busy.as_slice()).copied().collect();
        Self {
            span: span(rank, windows.as_ref()),
            cpu: IntervalSet::union_of(cpu),
            gpu: rank.sets.busy(),
            threads,
            streams,
        }
    }
}

/// The time in which the host is looked at; everything without a selection. Calls are cut at the edges of steps as
/// they are at those of a window: a frame around all steps works in each of them.
pub(super) fn host_windows(rank: &RankView<'_>) -> Option<IntervalSet> {
    let selection = &rank.options.selection;
    let window = selection.window(rank.extent);
    let Some(steps) = &selection.steps else {
        return window.map(|window| IntervalSet::union_of(vec![window]));
    };
    let selected = rank.steps.iter().filter(|(number, _)| steps.contains(number));
    let cut = |(_, step): (u64, Interval)| window.map_or(Some(step), |window| step.clip(window));
    Some(IntervalSet::union_of(selected.filter_map(cut).collect()))
}

fn span(rank: &RankView<'_>, windows: Option<&IntervalSet>) -> Option<Interval> {
    let Some(windows) = windows else { return rank.extent };
    let host = windows.span().zip(rank.extent).and_then(|(windows, extent)| windows.clip(extent));
    match (host, rank.sets.span()) {
        (Some(host), Some(gpu)) => Some(Interval::new(host.start.min(gpu.start), host.end.max(gpu.end))),
        (host, gpu) => host.or(gpu),
    }
}

/// True for tracks of a device.
pub(super) fn device_tracks(rank: &RankView<'_>) -> Vec<bool> {
    let (trace, mut device) = (rank.trace, vec![false; rank.trace.tracks.len()]);
    for slice in &trace.gpu.slice {
        device[trace.slices.track[slice.index()].index()] = true;
    }
    device
}

fn streams(rank: &RankView<'_>) -> Vec<TrackActivity> {
    let trace = rank.trace;
    let mut tracks = Tracks::new(trace.tracks.len());
    for (index, activity) in rank.gpu.row.iter().enumerate() {
        let slice = trace.gpu.slice[activity.index()].index();
        tracks.add(trace.slices.track[slice], rank.gpu.interval[index]);
    }
    tracks.finish(None)
}

fn threads(
    rank: &RankView<'_>,
    windows: Option<&IntervalSet>,
    is_work: impl Fn(SliceKind) -> bool,
) -> Vec<TrackActivity> {
    let (trace, device) = (rank.trace, device_tracks(rank));
    let mut tracks = Tracks::new(trace.tracks.len());
    for (row, &kind) in trace.slices.kind.iter().enumerate() {
        let track = trace.slices.track[row];
        if !is_work(kind) || device[track.index()] || trace.is_quarantined(SliceId::from(row)) {
            continue;
        }
        let interval = trace.slices.interval(row);
        if windows.is_none_or(|windows| touches(windows, interval)) {
            tracks.add(track, interval);
        }
    }
    tracks.finish(windows)
}

/// True if a slice is inside a set for any time, or happens in it without taking time.
pub(super) fn touches(set: &IntervalSet, slice: Interval) -> bool {
    let intervals = set.as_slice();
    let first = intervals.partition_point(|interval| interval.end <= slice.start);
    intervals.get(first).is_some_and(|interval| {
        interval.start < slice.end || (slice.start == slice.end && interval.start <= slice.start)
    })
}

/// The slices of every track, merged as they come.
struct Tracks(Vec<(u64, Vec<Interval>)>);

impl Tracks {
    fn new(tracks: usize) -> Self {
        Self(vec![(0, Vec::new()); tracks])
    }

    #[inline]
    fn add(&mut self, track: TrackId, interval: Interval) {
        let (slices, intervals) = &mut self.0[track.index()];
        *slices += 1;
        match intervals.last_mut() {
            // Callees follow their caller in the file, so nearly all of them end here.
            Some(last) if last.start <= interval.start && interval.end <= last.end => {}
            _ => intervals.push(interval),
        }
    }

    fn finish(self, windows: Option<&IntervalSet>) -> Vec<TrackActivity> {
        let tracks = self.0.into_iter().enumerate().filter(|(_, (slices, _))| *slices > 0);
        tracks
            .map(|(track, (slices, intervals))| {
                let whole = IntervalSet::union_of(intervals);
                let busy = windows.map_or_else(|| whole.clone(), |windows| whole.intersection(windows));
                TrackActivity { track: TrackId::from(track), slices, busy }
            })
            .collect()
    }
}
