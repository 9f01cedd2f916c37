//! The critical path: the chain of work and waiting from the start of the window to its end that nothing but a
//! change to itself makes shorter.
//!
//! Threads and streams are lanes of a graph (`graph`); what waits for what are edges between them. Threads are
//! in `host` and `threads`, with the backward pass in `handover`; streams in `activities` and `streams`;
//! who waited for whom in `waits`. The longest path (`longest`) is the critical one.
//!
//! The idea and the kinds of edges are those of HTA's critical path analysis. Different here: time of the main thread
//! between operators is time of the program and not free; several profiler steps are one window; waits of streams and
//! of calls are found without synchronization records too.

mod activities;
mod calls;
mod cause;
mod draw;
mod graph;
mod handover;
mod host;
mod longest;
mod names;
mod scope;
mod streams;
#[cfg(test)]
mod tests;
mod threads;
mod waits;

use eaves_model::{Interval, Ns, SliceId};

use self::activities::Activities;
use self::calls::CallKinds;
pub use self::cause::Cause;
pub use self::draw::draw;
use self::graph::Graph;
use self::longest::{Junctions, Piece};
pub(crate) use self::names::NameTime;
use self::names::{Slots, by_name, name_of};
use self::scope::Scope;
use self::streams::Starts;
use self::threads::Threads;
use self::waits::Waits;
use crate::{GpuView, RankView, Selection};

/// How many names are asked what they would gain. Each is one more pass over the graph.
pub(crate) const NAMES_WITH_GAIN: usize = 10;

/// A part of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// When.
    pub interval: Interval,
    /// What it was spent on.
    pub cause: Cause,
    /// The call or activity: the one that runs, or the one that is about to start. [`SliceId::NONE`] outside of all.
    pub slice: SliceId,
}

/// The critical path of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    /// From the beginning of the selected time or steps to the end of the last work in it.
    pub window: Interval,
    /// The path, without holes, in time order. Parts of no length are skipped.
    pub parts: Vec<PathPart>,
}

impl CriticalPath {
    /// The critical path of what is selected. Nothing if nothing ran.
    pub fn of(rank: &RankView<'_>) -> Option<Self> {
        let graph = build(rank)?;
        Some(Self::new(&graph, &Junctions::new(&graph).longest_path()))
    }

    /// The same, with what costs most on it.
    pub(crate) fn with_names(rank: &RankView<'_>) -> Option<(Self, Vec<NameTime>)> {
        let graph = build(rank)?;
        let junctions = Junctions::new(&graph);
        let path = Self::new(&graph, &junctions.longest_path());
        let mut names = by_name(rank.trace, &path.parts);
        let costliest = names.len().min(NAMES_WITH_GAIN);
        let mut groups = Slots::new(rank.trace);
        for (group, row) in names[..costliest].iter().enumerate() {
            groups.put(row.cause, row.name, group);
        }
        let lengths = junctions
            .lengths_without(costliest, |cause, slice| groups.get(cause, name_of(rank.trace, slice)));
        let length = path.length();
        for (row, without) in names.iter_mut().zip(lengths) {
            row.gain = Some(length - without);
        }
        Some((path, names))
    }

    fn new(graph: &Graph, pieces: &[Piece]) -> Self {
        let mut parts: Vec<PathPart> = Vec::new();
        for piece in pieces {
            let interval = Interval::new(graph.time[piece.from as usize], graph.time[piece.to as usize]);
            match parts.last_mut() {
                _ if interval.start == interval.end => {}
                Some(last) if last.cause == piece.cause && last.slice == piece.slice => {
                    last.interval.end = interval.end;
                }
                _ => parts.push(PathPart { interval, cause: piece.cause, slice: piece.slice }),
            }
        }
        Self { window: graph.window(), parts }
    }

    /// The time on the path with a cause.
    pub fn time_of(&self, cause: Cause) -> Ns {
        self.parts.iter().filter(|part| part.cause == cause).map(|part| part.interval.length()).sum()
    }

    /// The explained time on the path. With what is unexplained it makes the window.
    pub fn length(&self) -> Ns {
        self.window.length() - self.time_of(Cause::Unexplained)
    }
}

/// The window on the host of what is selected, if it is not everything. Nothing if what is selected was not recorded.
pub(crate) fn window(rank: &RankView<'_>) -> Option<Option<Interval>> {
    Scope::of(rank).map(|scope| scope.span)
}

/// The graph of what is selected.
fn build(rank: &RankView<'_>) -> Option<Graph> {
    let scope = Scope::of(rank)?;
    // The view of the selection lacks what was launched before and still runs.
    let everything = (!rank.options.selection.keeps_all_activities())
        .then(|| GpuView::new(rank.trace, &Selection::default()));
    let activities = Activities::new(rank, everything.as_ref().unwrap_or(&rank.gpu), scope);
    let mut kinds = CallKinds::new(rank.trace);
    let threads = Threads::new(rank, &activities, scope, &mut kinds);
    let room = 2 * activities.len() + 2 * threads.len();
    // Points are numbered with 32 bits; a slice makes up to three.
    if room == 0 || room > u32::MAX as usize / 2 {
        return None;
    }
    let waits = Waits::new(rank, &activities, &mut kinds);
    let on_host = threads.iter().filter_map(|(_, slices)| slices.first());
    let on_host = on_host.map(|slice| rank.trace.slices.start[slice.index()]);
    let on_device = activities.interval.iter().map(|interval| interval.start);
    let start = scope.span.map(|span| span.start).or_else(|| on_host.chain(on_device).min())?;
    let mut graph = Graph::new(start, room);
    activities.push_lanes(&mut graph);
    let trace = rank.trace;
    let mut builder =
        host::Builder { trace, scope, activities: &activities, waits: &waits, kinds: &mut kinds };
    let host = builder.push_lanes(&threads, &mut graph);
    handover::connect(&mut graph, &host);
    Starts::new(rank, (&activities, &waits, &host), &mut kinds).connect(&mut graph);
    let last = activities.interval.iter().map(|interval| interval.end).max();
    graph.finish(last.max(host.end).max(scope.span.map(|span| span.end))?);
    Some(graph)
}
