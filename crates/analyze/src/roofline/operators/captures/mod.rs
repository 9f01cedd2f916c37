//! Replays of graphs, with the operators they were captured from.
//!
//! The kernels of a replay have one launch, that of the graph, inside which nothing was recorded. Where a recording of the
//! capture is at hand, its operators are put where they would have run: each replay gets, on threads of their own, the
//! operators and launches of the graph that fits it, at the time of its launch. All else then follows the rules that hold
//! for recorded launches. What a replay does beyond its graph stays a replay.

mod align;
mod choose;

use eaves_model::{
    GpuActivities, Ident, MaybeI64, Ns, Op, RuntimeCall, Slice, SliceId, SliceKind, StringId, Trace, TrackId,
};

use super::matching::MatchedBy;
use crate::RankView;
use choose::Replayed;

/// A trace with the operators of its replays.
pub(super) struct WithOperators {
    pub(super) trace: Trace,
    /// For each activity what its launch is known by.
    by: Vec<Option<MatchedBy>>,
}

impl WithOperators {
    /// Nothing if no replay fits a graph whose capture was recorded.
    pub(super) fn of(rank: &RankView<'_>) -> Option<Self> {
        if rank.trace.captured.is_empty() {
            return None;
        }
        let replayed = choose::replayed(rank);
        (!replayed.is_empty()).then(|| Self::with(rank.trace, &replayed))
    }

    /// What the launch of an activity is known by, if it is one of a replay.
    pub(super) fn by(&self, activity: usize) -> Option<MatchedBy> {
        self.by.get(activity).copied().flatten()
    }

    fn with(recorded: &Trace, replayed: &[Replayed<'_>]) -> Self {
        let mut trace = recorded.clone();
        let numbers = recorded.gpu.correlation.iter().chain(&recorded.runtime.correlation);
        let highest = numbers.filter_map(|number| number.get()).max().unwrap_or(0).max(0);
        let mut placed = Placed {
            next: highest.saturating_add(1),
            launched: vec![None; trace.gpu.len()],
            tracks: Vec::new(),
        };
        let mut by = vec![None; trace.gpu.len()];
        for one in replayed {
            placed.add(&mut trace, one);
            for (activity, matched) in one.activities.iter().zip(&one.alignment.of) {
                by[activity.index()] = matched.map(|(_, how)| how);
            }
        }
        let mut gpu = GpuActivities::default();
        gpu.reserve(trace.gpu.len());
        for (row, launched) in placed.launched.iter().enumerate() {
            let mut activity = trace.gpu.row(row);
            if let Some((correlation, launch)) = launched {
                activity.correlation = MaybeI64::new(*correlation);
                // Replays on AMD devices do not record the size of launches.
                if activity.grid.get().is_none() {
                    (activity.grid, activity.block) = (launch.grid, launch.block);
                }
            }
            gpu.push(activity);
        }
        trace.gpu = gpu;
        Self { trace, by }
    }
}

/// The operators of replays as they are put into a trace.
struct Placed {
    /// The next number that links a launch with its activity.
    next: i64,
    launched: Vec<Option<(i64, eaves_model::CapturedLaunch)>>,
    /// Threads of their own, and how far each is taken.
    tracks: Vec<(TrackId, Ns)>,
}

impl Placed {
    /// Puts the operators around the launches that a replay shows at the time of its launch, a nanosecond apart: their
    /// order is recorded, their times are not.
    fn add(&mut self, trace: &mut Trace, replayed: &Replayed<'_>) {
        let graph = replayed.graph;
        let mut launched: Vec<(u32, usize)> = Vec::new();
        for (activity, matched) in replayed.activities.iter().zip(&replayed.alignment.of) {
            launched.extend(matched.map(|(launch, _)| (launch, activity.index())));
        }
        launched.sort_unstable();
        let start = trace.slices.start[replayed.launch.index()];
        let place = self.tracks.iter().position(|&(_, taken)| taken < start).unwrap_or_else(|| {
            let process = trace.strings.intern("captured graphs");
            let number = Ident::number(self.tracks.len() as i64);
            self.tracks.push((trace.tracks.get_or_add(Ident::text(process), number), Ns::MIN));
            self.tracks.len() - 1
        });
        let track = self.tracks[place].0;
        let mut now = start;
        let mut tick = || {
            now += Ns(1);
            now
        };
        // The operators that are open, outermost first: their number in the graph and their slice.
        let mut open: Vec<(u32, SliceId)> = Vec::new();
        for (number, activity) in launched {
            let Some(&launch) = graph.launches.get(number as usize) else { continue };
            let mut around: Vec<u32> = Vec::new();
            let mut next = launch.operator;
            while let Some(operator) = next {
                around.push(operator);
                // Operators stand before those inside them, so this ends.
                next = graph.operators.get(operator as usize).and_then(|known| known.parent);
            }
            around.reverse();
            let kept = open.iter().zip(&around).take_while(|((open, _), around)| open == *around).count();
            for (_, slice) in open.drain(kept..).rev() {
                close(trace, slice, tick());
            }
            for &operator in &around[kept..] {
                let Some(&known) = graph.operators.get(operator as usize) else { continue };
                let slice = begin(trace, known.name, track, SliceKind::Op, tick());
                let [input_dims, input_types, input_strides, concrete_inputs] = known.arguments;
                let sequence_number = known.sequence_number;
                trace.ops.push(Op {
                    slice,
                    sequence_number,
                    input_dims,
                    input_types,
                    input_strides,
                    concrete_inputs,
                    ..Op::default()
                });
                open.push((operator, slice));
            }
            let slice = begin(trace, launch.call, track, SliceKind::Runtime, tick());
            close(trace, slice, tick());
            let correlation = MaybeI64::new(self.next);
            trace.runtime.push(RuntimeCall { slice, correlation, ..RuntimeCall::default() });
            self.launched[activity] = Some((self.next, launch));
            self.next += 1;
        }
        for (_, slice) in open.drain(..).rev() {
            close(trace, slice, tick());
        }
        self.tracks[place].1 = now;
    }
}

fn begin(trace: &mut Trace, name: StringId, track: TrackId, kind: SliceKind, start: Ns) -> SliceId {
    let slice = SliceId::from(trace.slices.len());
    let category = StringId::NONE;
    trace.slices.push(Slice { start, duration: Ns::ZERO, name, category, track, kind, position: -1 });
    slice
}

fn close(trace: &mut Trace, slice: SliceId, end: Ns) {
    trace.slices.duration[slice.index()] = end - trace.slices.start[slice.index()];
}
