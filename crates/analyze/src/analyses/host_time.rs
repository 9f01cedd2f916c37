//! What the main thread did at every instant: what the sections of recordings without GPU activity are made of.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use eaves_model::{Interval, IntervalSet, Ns, SliceId, SliceKind, StringId, Trace, TrackId, ident_text};
use serde::{Deserialize, Serialize};

use super::idle_causes::cause::Cause;
use super::idle_causes::measure::without_address;
use super::idle_causes::threads::{Segment, Stretch, walk};
use super::{Analyse, Rank, Shown, missing};
use crate::{Job, Outcome, RankView, critical_path};

/// Names kept of each cause: more than anybody reads.
const KEPT: usize = 50;

/// What the main thread of a rank did. Causes, communication included, add up to the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct HostTime {
    /// The thread, by name and number.
    pub(super) thread: String,
    /// From the first selected step to the last, or from the first operator to the last.
    pub(super) window: Ns,
    times: [Ns; Cause::ALL.len()],
    /// In nothing finer than Python while another thread was in a collective.
    pub(super) communication: Ns,
    /// The longest names of each cause, longest first.
    pub(super) names: Vec<NameTime>,
    /// Who fetches batches, most time first.
    pub(super) loaders: Vec<Loader>,
    /// True if Python frames were recorded.
    pub(super) has_frames: bool,
}

/// The time of one name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct NameTime {
    pub(super) cause: Cause,
    pub(super) name: String,
    /// The innermost line of Python around it, if it is another; empty otherwise.
    pub(super) line: String,
    pub(super) time: Ns,
}

/// What fetches batches.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Loader {
    pub(super) name: String,
    /// The time of each batch, in order.
    pub(super) batches: Vec<Ns>,
}

impl Loader {
    pub(super) fn total(&self) -> Ns {
        self.batches.iter().copied().sum()
    }
}

impl HostTime {
    /// The time of a cause.
    pub(super) fn time(&self, cause: Cause) -> Ns {
        self.times[cause as usize]
    }

    /// What the main thread did; nothing if the recording is of a GPU, or has no operators.
    pub(crate) fn of(rank: &RankView<'_>) -> Option<Self> {
        if !rank.trace.gpu.is_empty() {
            return None;
        }
        let track = main_thread(rank)?;
        let window = window(rank)?;
        let mut tally = Tally::new(rank, track);
        walk(rank, &mut [Stretch { track, interval: window, gap: 0 }], |segment| tally.add(&segment));
        Some(tally.finish(track, window))
    }
}

/// True if a job has ranks whose main thread is looked at: a job with GPU activity is looked at from the GPU.
pub(super) fn is_of_host(job: &Job) -> bool {
    !job.recorded_gpu
}

/// A rank, with what its main thread did.
pub(super) type HostRank<'a, 'b> = (&'a Rank<'b, Option<Arc<HostTime>>>, &'a HostTime);

/// A section about the main thread of programs without GPU activity.
pub(super) trait OfHost {
    /// [`Analyse::ID`].
    const ID: &'static str;
    /// The sections that say it of programs with GPU activity.
    const WITH_GPU: &'static str;

    /// True of ranks that the section is about.
    fn is_about(_: &HostTime) -> bool {
        true
    }

    /// The section of these ranks.
    fn section(job: &Job, ranks: &[HostRank<'_, '_>]) -> Outcome;
}

impl<T: OfHost> Analyse for T {
    const ID: &'static str = <T as OfHost>::ID;
    const SHOWN: Shown = Shown::WithoutGpu;
    type Part = Option<Arc<HostTime>>;

    fn measure(rank: &RankView<'_>) -> Self::Part {
        rank.host_time()
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Self::Part>]) -> Outcome {
        if !is_of_host(job) {
            return missing::only_without_gpu(<T as OfHost>::ID, T::WITH_GPU);
        }
        let with_host = ranks.iter().filter_map(|rank| Some((rank, rank.part.as_deref()?)));
        let ranks: Vec<HostRank<'_, '_>> = with_host.filter(|(_, host)| T::is_about(host)).collect();
        T::section(job, &ranks)
    }
}

/// The rank with the largest share of its window in something; of equals the first.
pub(super) fn largest<'a, 'b, 'r>(
    ranks: &'r [HostRank<'a, 'b>],
    share: impl Fn(&HostTime) -> f64,
) -> Option<&'r HostRank<'a, 'b>> {
    ranks
        .iter()
        .max_by(|(a, one), (b, other)| share(one).total_cmp(&share(other)).then_with(|| b.rank.cmp(&a.rank)))
}

/// How a claim about the worst of several ranks begins.
pub(super) fn worst(ranks: &[HostRank<'_, '_>], rank: i64) -> String {
    if ranks.len() > 1 { format!("rank {rank} is worst: ") } else { String::new() }
}

/// The thread of the profiler steps; without steps the one that is in operators longest.
pub(super) fn main_thread(rank: &RankView<'_>) -> Option<TrackId> {
    let (trace, tree) = (rank.trace, rank.operators());
    let track_of = |slice: SliceId| trace.slices.track[slice.index()];
    let mut times: HashMap<TrackId, Ns> = HashMap::new();
    for node in (0..tree.len()).filter(|&node| tree.parent(node).is_none()) {
        let slice = tree.slice(node);
        *times.entry(track_of(slice)).or_default() += trace.slices.duration[slice.index()];
    }
    let stepping = trace.steps().first().map(|&(_, slice)| track_of(slice));
    stepping.filter(|track| times.contains_key(track)).or_else(|| {
        times.into_iter().max_by_key(|&(track, time)| (time, Reverse(track))).map(|(track, _)| track)
    })
}

/// The window of the critical path; without steps, from the first operator or named range to the last.
pub(super) fn window(rank: &RankView<'_>) -> Option<Interval> {
    if let Some(window) = critical_path::window(rank)? {
        return Some(window);
    }
    let slices = &rank.trace.slices;
    let counts = |row: &usize| {
        matches!(slices.kind[*row], SliceKind::Annotation | SliceKind::Op)
            && !rank.trace.is_quarantined(SliceId::from(*row))
    };
    let rows = (0..slices.len()).filter(counts).map(|row| slices.interval(row));
    rows.reduce(|hull, next| Interval::new(hull.start.min(next.start), hull.end.max(next.end)))
}

/// A thread as people know it: its name if that has its number, or both.
pub(super) fn thread_name(trace: &Trace, track: TrackId) -> String {
    let threads = &trace.tracks.threads;
    let name = trace.strings.get(threads.name[track.index()]);
    let number = ident_text(threads.thread[track.index()], &trace.strings).unwrap_or_default();
    if name.is_empty() {
        format!("thread {number}")
    } else if name.contains(number.as_ref()) {
        name.to_owned()
    } else {
        format!("{name} {number}")
    }
}

/// Prefixes of what threads of communication libraries record while they wait for other processes.
const COLLECTIVES: [&str; 3] = ["gloo:", "mpi:", "ucc:"];

/// When threads other than this one were in collectives.
fn collectives(trace: &Trace, track: TrackId) -> IntervalSet {
    let is_collective: Vec<bool> =
        trace.strings.iter().map(|name| COLLECTIVES.iter().any(|prefix| name.starts_with(prefix))).collect();
    let slices = &trace.slices;
    let waits = |row: &usize| {
        slices.kind[*row] == SliceKind::Annotation
            && slices.track[*row] != track
            && is_collective.get(slices.name[*row].index()) == Some(&true)
            && !trace.is_quarantined(SliceId::from(*row))
    };
    IntervalSet::union_of((0..slices.len()).filter(waits).map(|row| slices.interval(row)).collect())
}

struct Tally<'a, 'b> {
    rank: &'a RankView<'b>,
    part: HostTime,
    collectives: IntervalSet,
    /// The first collective that may overlap what comes.
    next: usize,
    names: HashMap<(Cause, StringId, StringId), Ns>,
    /// The outermost slice of each fetch, with its time so far.
    batches: Vec<(SliceId, Ns)>,
}

impl<'a, 'b> Tally<'a, 'b> {
    fn new(rank: &'a RankView<'b>, track: TrackId) -> Self {
        Self {
            rank,
            part: HostTime::default(),
            collectives: collectives(rank.trace, track),
            next: 0,
            names: HashMap::new(),
            batches: Vec::new(),
        }
    }

    fn add(&mut self, segment: &Segment) {
        let mut time = segment.interval.length();
        // There is no device to wait for: `aten::item` is an operator like any other.
        let cause = match segment.cause {
            Cause::Synchronisation => Cause::Operators,
            cause => cause,
        };
        if matches!(cause, Cause::Python | Cause::Ranges | Cause::Nothing) {
            let waited = self.in_collectives(segment.interval);
            self.part.communication += waited;
            time -= waited;
        }
        self.part.times[cause as usize] += time;
        let name = |slice: Option<SliceId>| slice.map(|slice| self.rank.trace.slices.name[slice.index()]);
        if let Some(what) = name(segment.what) {
            let line = name(segment.line).filter(|&line| line != what && cause != Cause::Operators);
            let line = line.unwrap_or(StringId::NONE);
            *self.names.entry((cause, what, line)).or_default() += time;
        }
        if let Some(root) = segment.root.filter(|_| cause == Cause::DataLoading) {
            match self.batches.last_mut() {
                Some((last, sum)) if *last == root => *sum += time,
                _ => self.batches.push((root, time)),
            }
        }
    }

    /// How much of an interval another thread was in a collective. Intervals come in time order.
    fn in_collectives(&mut self, interval: Interval) -> Ns {
        let sets = self.collectives.as_slice();
        while sets.get(self.next).is_some_and(|set| set.end <= interval.start) {
            self.next += 1;
        }
        let over = sets[self.next..].iter().take_while(|set| set.start < interval.end);
        over.filter_map(|set| set.clip(interval)).map(Interval::length).sum()
    }

    fn finish(mut self, track: TrackId, window: Interval) -> HostTime {
        let trace = self.rank.trace;
        self.part.thread = thread_name(trace, track);
        self.part.window = window.length();
        self.part.has_frames = trace.slices.kind.contains(&SliceKind::Python);
        self.part.names = names(trace, &self.names);
        self.part.loaders = loaders(trace, track, &self.batches);
        self.part
    }
}

/// The longest names of each cause. Names that differ by an address are one.
fn names(trace: &Trace, times: &HashMap<(Cause, StringId, StringId), Ns>) -> Vec<NameTime> {
    let mut merged: HashMap<(Cause, String, String), Ns> = HashMap::new();
    let text = |name: StringId| without_address(trace.strings.get(name));
    for (&(cause, name, line), &time) in times.iter().filter(|(_, time)| **time > Ns::ZERO) {
        *merged.entry((cause, text(name), text(line))).or_default() += time;
    }
    let row = |((cause, name, line), time)| NameTime { cause, name, line, time };
    let mut names: Vec<NameTime> = merged.into_iter().map(row).collect();
    names.sort_unstable_by(|a, b| {
        let key = |row: &NameTime| (Reverse(row.time), row.cause);
        key(a).cmp(&key(b)).then_with(|| (&a.name, &a.line).cmp(&(&b.name, &b.line)))
    });
    let mut kept = [0; Cause::ALL.len()];
    names.retain(|row| {
        kept[row.cause as usize] += 1;
        kept[row.cause as usize] <= KEPT
    });
    names
}

/// What PyTorch records around the fetch of a batch, with the class of the iterator behind it.
const FETCH: &str = "enumerate(DataLoader)#";

/// Fetches by the class of the loader where it was recorded, or by the name of their outermost slice.
fn loaders(trace: &Trace, track: TrackId, batches: &[(SliceId, Ns)]) -> Vec<Loader> {
    let slices = &trace.slices;
    let is_fetch: Vec<bool> = trace.strings.iter().map(|name| name.starts_with(FETCH)).collect();
    let on_track =
        |row: &usize| slices.track[*row] == track && is_fetch.get(slices.name[*row].index()) == Some(&true);
    let mut fetches: Vec<(Ns, SliceId)> =
        (0..slices.len()).filter(on_track).map(|row| (slices.start[row], SliceId::from(row))).collect();
    fetches.sort_unstable();
    let mut loaders: Vec<Loader> = Vec::new();
    for &(slice, time) in batches {
        let Interval { start, end } = slices.interval(slice.index());
        let first = fetches.partition_point(|&(from, _)| from < start);
        let fetch = fetches.get(first).filter(|&&(from, _)| from < end).map(|&(_, fetch)| fetch);
        let name = without_address(trace.slice_name(fetch.unwrap_or(slice)));
        let name = name.strip_prefix(FETCH).unwrap_or(&name).trim_end_matches(".__next__").to_owned();
        match loaders.iter_mut().find(|loader| loader.name == name) {
            Some(loader) => loader.batches.push(time),
            None => loaders.push(Loader { name, batches: vec![time] }),
        }
    }
    loaders.sort_by(|a, b| b.total().cmp(&a.total()).then_with(|| a.name.cmp(&b.name)));
    loaders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Options;
    use crate::test_threads::ThreadTrace;

    fn measured(test: &ThreadTrace) -> HostTime {
        let options = Options::default();
        HostTime::of(&RankView::new(&test.trace, &options)).unwrap()
    }

    #[test]
    fn causes_by_hand() {
        let mut test = ThreadTrace::default();
        let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
        test.annotation(1, "ProfilerStep#1", (0, 100))
            .host(1, SliceKind::Python, "train.py(3): main", (0, 80))
            .annotation(1, loader, (10, 40))
            .op(1, "aten::stack", (20, 30))
            .op(1, "aten::mm", (50, 60))
            .host(1, SliceKind::Python, "<built-in method wait of Work object at 0x7f>", (60, 70))
            .annotation(2, "gloo:all_reduce", (65, 90));
        let host = measured(&test);
        let times = [Cause::DataLoading, Cause::Operators, Cause::Python, Cause::Ranges, Cause::Nothing];
        // Python: 0..10, 40..50, 60..65; nothing: 90..100, for a step is no more than nothing.
        assert_eq!(times.map(|cause| host.time(cause).0), [30, 10, 25, 0, 10]);
        assert_eq!((host.communication, host.window), (Ns(25), Ns(100)));
        let name = "_SingleProcessDataLoaderIter".to_owned();
        assert_eq!(host.loaders, [Loader { name, batches: vec![Ns(30)] }]);
        let wait = host.names.iter().find(|name| name.name.starts_with("<built-in")).unwrap();
        assert_eq!((wait.line.as_str(), wait.time), ("train.py(3): main", Ns(5)));
    }

    #[test]
    fn a_loader_is_known_by_its_class_inside_frames_of_python() {
        let mut test = ThreadTrace::default();
        test.op(1, "aten::mm", (0, 10))
            .host(1, SliceKind::Python, "torch/utils/data/dataloader.py(7): __next__", (10, 30))
            .annotation(1, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", (11, 30));
        let name = "_MultiProcessingDataLoaderIter".to_owned();
        assert_eq!(measured(&test).loaders, [Loader { name, batches: vec![Ns(20)] }]);
    }

    #[test]
    fn every_fetch_is_a_batch() {
        let mut test = ThreadTrace::default();
        test.op(1, "aten::mm", (0, 10));
        for (start, length) in [(10, 50), (70, 5), (80, 6)] {
            test.host(
                1,
                SliceKind::Python,
                "torch/utils/data/dataloader.py(7): __next__",
                (start, start + length),
            )
            .op(1, "aten::mm", (start + length, start + length + 2));
        }
        let host = measured(&test);
        assert_eq!(host.loaders.len(), 1);
        assert_eq!(host.loaders[0].batches, [Ns(50), Ns(5), Ns(6)]);
    }

    proptest! {
        /// Twin: instant by instant, whatever nests or overlaps.
        #[test]
        fn causes_add_up_to_the_window(
            slices in prop::collection::vec((0i64..2, 0usize..5, 0i64..60, 1i64..30), 1..30)
        ) {
            let kinds = [
                (SliceKind::Op, "aten::mm"),
                (SliceKind::Python, "train.py(1): main"),
                (SliceKind::Annotation, "enumerate(DataLoader)#Loader.__next__"),
                (SliceKind::Annotation, "## forward ##"),
                (SliceKind::Annotation, "gloo:all_reduce"),
            ];
            let mut test = ThreadTrace::default();
            test.op(0, "aten::mm", (0, 100));
            test.trace.slices.duration[0] = Ns(1);
            test.annotation(0, "ProfilerStep#1", (0, 100));
            for &(thread, kind, start, length) in &slices {
                test.host(thread, kinds[kind].0, kinds[kind].1, (start, start + length));
            }
            let host = measured(&test);
            let open = |thread, kind, at| slices.iter().any(|slice| {
                slice.0 == thread && slice.1 == kind && slice.2 <= at && at < slice.2 + slice.3
            });
            let mut expected = [0i64; 6];
            for at in 0..100 {
                let cause = if open(0, 2, at) {
                    2
                } else if at == 0 || open(0, 0, at) {
                    0
                } else if open(1, 4, at) {
                    5
                } else if open(0, 1, at) {
                    1
                } else if open(0, 3, at) || open(0, 4, at) {
                    3
                } else {
                    4
                };
                expected[cause] += 1;
            }
            let causes = [Cause::Operators, Cause::Python, Cause::DataLoading, Cause::Ranges, Cause::Nothing];
            let mut found = causes.map(|cause| host.time(cause).0).to_vec();
            found.push(host.communication.0);
            prop_assert_eq!(found, expected);
        }
    }
}
