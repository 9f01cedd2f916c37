//! The trees of one recording: one pass over the host calls, one over the GPU activities.

use std::collections::HashSet;

use eaves_model::{Interval, Ns, SliceId, SliceKind, StringId, Trace, TrackId, ident_text};

use super::clock::Clock;
use super::frame_names::{merged_name, without_numbers};
use super::{Builder, FlameOptions, FrameKind, Grouping, Metric, NOT_LAUNCHED, Names, NodeId, Tree};
use crate::{KernelType, RankView};

/// Summary of a recording; its size grows with the number of distinct stacks, not calls.
#[derive(Debug)]
pub struct RankFlame {
    pub(super) names: Vec<String>,
    pub(super) merged: Tree,
    pub(super) chart: Option<Tree>,
    pub(super) steps: Vec<u64>,
    pub(super) extent: Option<Interval>,
}

impl RankFlame {
    /// The names by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Every call by itself, in time order, if it was asked for.
    pub fn chart(&self) -> Option<&Tree> {
        self.chart.as_ref()
    }
}

/// Makes the trees of a recording. Its rows are not needed any more after that.
pub fn measure(rank: &RankView<'_>, flame: &FlameOptions) -> RankFlame {
    let mut walk = Walk::new(rank, flame);
    walk.host();
    walk.device();
    let everything = rank.options.selection.keeps_all_activities();
    let tree = |builder: Builder, in_time| {
        let tree = builder.finish(in_time);
        if everything { tree } else { tree.without_nothing() }
    };
    let chart = walk.chart.map(|builder| {
        let grouping = Grouping { most_nodes: flame.chart, ..Grouping::default() };
        tree(builder, true).group(&grouping)
    });
    RankFlame {
        names: walk.names.into_texts(),
        merged: tree(walk.merged, false),
        chart,
        steps: rank.steps.iter().map(|(number, _)| number).collect(),
        extent: rank.extent,
    }
}

/// The frames of a call: in the merged tree, and in that in time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    merged: NodeId,
    chart: NodeId,
}

impl Place {
    const NONE: Self = Self { merged: NodeId::MAX, chart: NodeId::MAX };
    const ROOT: Self = Self { merged: Tree::ROOT, chart: Tree::ROOT };
}

/// A call that has begun and, as far as one knows, not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    slice: SliceId,
    place: Place,
    end: Ns,
    /// When it began, by the clock of selected time.
    begin: Ns,
    /// The time of the calls directly inside so far.
    inside: Ns,
}

struct Walk<'a> {
    rank: &'a RankView<'a>,
    flame: &'a FlameOptions,
    clock: Clock,
    names: Names,
    /// Numbers of the names by string: as recorded, and as calls are merged.
    numbers: Vec<Option<(u32, u32)>>,
    merged: Builder,
    chart: Option<Builder>,
    threads: Vec<Option<Place>>,
    labels: HashSet<String>,
    /// The frames of every slice.
    places: Vec<Place>,
    open: Vec<Open>,
    /// Track, time and size of what was allocated, in this order.
    allocations: Vec<(TrackId, Ns, i64)>,
    allocated: usize,
}

impl<'a> Walk<'a> {
    fn new(rank: &'a RankView<'a>, flame: &'a FlameOptions) -> Self {
        let trace = rank.trace;
        let clock = Clock::new(rank);
        Self {
            rank,
            flame,
            names: Names::new(),
            numbers: vec![None; trace.strings.len()],
            merged: Builder::new(),
            chart: flame.chart.map(|_| Builder::new()),
            threads: vec![None; trace.tracks.len()],
            labels: HashSet::new(),
            places: vec![Place::NONE; trace.slices.len()],
            open: Vec::new(),
            allocations: allocations(trace, &clock),
            allocated: 0,
            clock,
        }
    }

    /// Every call of every thread.
    fn host(&mut self) {
        let (slices, tree) = (&self.rank.trace.slices, self.rank.tree());
        let mut current = None;
        for &slice in tree.in_order() {
            let row = slice.index();
            let (track, start) = (slices.track[row], slices.start[row]);
            if current != Some(track) {
                self.leave_track(current);
                current = Some(track);
            }
            self.allocate_before(current, (track, start));
            let parent = tree.parent(slice);
            while self.open.last().is_some_and(|open| Some(open.slice) != parent) {
                self.close_last(start);
            }
            let begin = self.clock.at(start);
            let around = match self.open.last() {
                Some(open) => open.place,
                None => self.thread(track, begin),
            };
            let place = self.call(around, slice, begin);
            self.places[row] = place;
            self.open.push(Open { slice, place, end: tree.end(slices, slice), begin, inside: Ns::ZERO });
        }
        self.leave_track(current);
        self.allocate_before(None, (TrackId::NONE, Ns::MAX));
    }

    fn leave_track(&mut self, track: Option<TrackId>) {
        if let Some(track) = track {
            self.allocate_before(Some(track), (track, Ns::MAX));
        }
        while !self.open.is_empty() {
            self.close_last(Ns::MAX);
        }
    }

    /// Ends the innermost call, at the latest when the next one begins that is not inside of it.
    fn close_last(&mut self, next: Ns) {
        let Some(closed) = self.open.pop() else { return };
        let time = self.clock.at(closed.end.min(next)) - closed.begin;
        // Time beyond what fits is cut off, so what is inside may add up to more.
        let own = (time - closed.inside).max(Ns::ZERO);
        self.count(closed.place, Metric::Cpu, own.0);
        let start = self.rank.trace.slices.start[closed.slice.index()];
        if time > Ns::ZERO || self.clock.selects(start) {
            self.count(closed.place, Metric::Calls, 1);
        }
        if let Some(around) = self.open.last_mut() {
            around.inside += time;
        }
    }

    /// Gives what was allocated before an instant of a track to the innermost call then, or to the thread.
    fn allocate_before(&mut self, current: Option<TrackId>, until: (TrackId, Ns)) {
        while let Some(&(track, time, bytes)) = self.allocations.get(self.allocated) {
            if (track, time) >= until {
                return;
            }
            self.allocated += 1;
            let mut place = None;
            if current == Some(track) {
                while self.open.last().is_some_and(|open| open.end <= time) {
                    self.close_last(Ns::MAX);
                }
                place = self.open.last().map(|open| open.place);
            }
            let place = place.unwrap_or_else(|| self.thread(track, self.clock.at(time)));
            self.count(place, Metric::Bytes, bytes);
        }
    }

    /// The frames of a call in those around it.
    fn call(&mut self, around: Place, slice: SliceId, begin: Ns) -> Place {
        let slices = &self.rank.trace.slices;
        let kind = match slices.kind[slice.index()] {
            SliceKind::Annotation => FrameKind::Annotation,
            SliceKind::Python => FrameKind::Python,
            SliceKind::Op => FrameKind::Op,
            SliceKind::Runtime => FrameKind::Runtime,
            _ => FrameKind::Other,
        };
        let (name, merged) = self.number(slices.name[slice.index()]);
        Place {
            merged: self.merged.find(around.merged, merged, kind, begin),
            chart: self.chart.as_mut().map_or(0, |chart| chart.add(around.chart, name, kind, begin)),
        }
    }

    /// The frames of a thread.
    fn thread(&mut self, track: TrackId, begin: Ns) -> Place {
        if let Some(Some(place)) = self.threads.get(track.index()) {
            return *place;
        }
        let label = self.label(track);
        let name = self.names.intern(&label);
        let place = self.root(name, begin);
        if let Some(known) = self.threads.get_mut(track.index()) {
            *known = Some(place);
        }
        place
    }

    fn label(&mut self, track: TrackId) -> String {
        let trace = self.rank.trace;
        let Some(row) = (track.index() < trace.tracks.len()).then(|| trace.tracks.threads.row(track.index()))
        else {
            return String::new();
        };
        let text = |ident| ident_text(ident, &trace.strings).unwrap_or("?".into());
        let name = trace.strings.get(row.name).trim();
        let label = if name.is_empty() { format!("thread {}", text(row.thread)) } else { name.to_owned() };
        if self.flame.merge_threads {
            return without_numbers(&label);
        }
        if self.labels.insert(label.clone()) {
            return label;
        }
        format!("{label} [process {}, thread {}]", text(row.process), text(row.thread))
    }

    /// A frame directly in the root. Those of one name are one if threads are merged.
    fn root(&mut self, name: u32, begin: Ns) -> Place {
        let (root, kind, merge) = (Place::ROOT, FrameKind::Root, self.flame.merge_threads);
        let frame = |tree: &mut Builder, root| match merge {
            true => tree.find(root, name, kind, begin),
            false => tree.add(root, name, kind, begin),
        };
        Place {
            merged: frame(&mut self.merged, root.merged),
            chart: self.chart.as_mut().map_or(0, |chart| frame(chart, root.chart)),
        }
    }

    /// Every selected activity, below the call that launched it.
    fn device(&mut self) {
        let (gpu, links) = (&self.rank.gpu, self.rank.links());
        let mut order: Vec<usize> = (0..gpu.len()).collect();
        if self.chart.is_some() {
            order.sort_by_key(|&index| gpu.interval[index].start);
        }
        let mut not_launched = None;
        for index in order {
            let begin = self.clock.at(gpu.interval[index].start);
            let launch = links.launch(gpu.row[index]).map(|slice| self.places[slice.index()]);
            let around = match launch.filter(|&place| place != Place::NONE) {
                Some(place) => place,
                None => *not_launched.get_or_insert_with(|| {
                    let name = self.names.intern(NOT_LAUNCHED);
                    self.root(name, begin)
                }),
            };
            let kind = match gpu.kernel_type[index] {
                KernelType::Compute => FrameKind::Kernel,
                KernelType::Communication => FrameKind::Communication,
                KernelType::Memory => FrameKind::Memory,
            };
            let (name, _) = self.number(gpu.name[index]);
            let place = Place {
                merged: self.merged.find(around.merged, name, kind, begin),
                chart: self.chart.as_mut().map_or(0, |chart| chart.add(around.chart, name, kind, begin)),
            };
            self.count(place, Metric::Gpu, gpu.duration(index).0);
            self.count(place, Metric::Calls, 1);
        }
    }

    #[inline]
    fn number(&mut self, name: StringId) -> (u32, u32) {
        let (strings, names) = (&self.rank.trace.strings, &mut self.names);
        let mut intern = || {
            let text = strings.get(name);
            (names.intern(text), names.intern(&merged_name(text)))
        };
        match self.numbers.get_mut(name.index()) {
            Some(known) => *known.get_or_insert_with(intern),
            None => intern(),
        }
    }

    #[inline]
    fn count(&mut self, place: Place, metric: Metric, amount: i64) {
        self.merged.count(place.merged, metric, amount);
        if let Some(chart) = &mut self.chart {
            chart.count(place.chart, metric, amount);
        }
    }
}

/// What was allocated in the selected time, by track and time.
fn allocations(trace: &Trace, clock: &Clock) -> Vec<(TrackId, Ns, i64)> {
    let events = &trace.allocations;
    let mut allocations: Vec<(TrackId, Ns, i64)> = (0..events.len())
        .filter_map(|row| {
            let bytes = events.bytes[row].get().filter(|&bytes| bytes > 0)?;
            clock.selects(events.time[row]).then(|| (events.track[row], events.time[row], bytes))
        })
        .collect();
    allocations.sort_unstable();
    allocations
}
