//! The slices of the host that take part in the path, by thread.

use std::cmp::Reverse;
use std::ops::Range;

use eaves_model::{SliceId, SliceKind, TrackId};

use super::activities::Activities;
use super::calls::{CallKind, CallKinds};
use super::scope::Scope;
use crate::RankView;

/// The threads of the window.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// Slices, thread by thread: by start, the longer first, then as in the file.
    slices: Vec<SliceId>,
    /// Where the slices of each thread are, the main thread first.
    threads: Vec<Thread>,
}

/// One thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    range: Range<usize>,
    /// True if the program's own code runs here, so that time outside operators is time of the program.
    pub(super) is_main: bool,
    /// True if the backward pass runs here while the main thread waits.
    pub(super) is_backward: bool,
}

#[derive(Clone, Default)]
struct Count {
    slices: Range<usize>,
    backward: usize,
    launches: usize,
}

impl Threads {
    /// The operators and runtime calls that begin in the window. A recording that has neither is of another
    /// program: there everything on the host counts.
    pub(super) fn new(
        rank: &RankView<'_>,
        activities: &Activities,
        scope: Scope,
        kinds: &mut CallKinds<'_>,
    ) -> Self {
        let mut kept = Kept::new(rank, scope, kinds, false);
        if kept.slices.is_empty() {
            kept = Kept::new(rank, scope, kinds, true);
        }
        for &launch in activities.launch.iter().filter(|&&launch| launch != SliceId::NONE) {
            kept.counts[rank.trace.slices.track[launch.index()].index()].launches += 1;
        }
        let main = main_thread(rank, &kept.counts);
        let others = (0..kept.counts.len()).filter(|&track| Some(track) != main);
        let thread = |track: usize| {
            let (count, is_main) = (&kept.counts[track], Some(track) == main);
            let is_backward = !is_main && main.is_some() && count.backward > 0;
            Thread { range: count.slices.clone(), is_main, is_backward }
        };
        let threads = main.into_iter().chain(others).map(thread).filter(|thread| !thread.range.is_empty());
        Self { threads: threads.collect(), slices: kept.slices }
    }

    /// The threads with their slices, the main thread first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Thread, &[SliceId])> {
        self.threads.iter().map(|thread| (thread, &self.slices[thread.range.clone()]))
    }

    /// Number of slices.
    pub(super) fn len(&self) -> usize {
        self.slices.len()
    }
}

/// The slices of the window, and where those of each track are.
struct Kept {
    slices: Vec<SliceId>,
    counts: Vec<Count>,
}

impl Kept {
    fn new(rank: &RankView<'_>, scope: Scope, kinds: &mut CallKinds<'_>, any: bool) -> Self {
        let trace = rank.trace;
        let mut kept = Self {
            slices: Vec::with_capacity(trace.ops.len() + trace.runtime.len()),
            counts: vec![Count::default(); trace.tracks.len()],
        };
        for &slice in rank.tree().in_order() {
            let row = slice.index();
            let kind = trace.slices.kind[row];
            let mut is = |wanted: CallKind| kinds.of(trace.slices.name[row]) == wanted;
            let wanted = match kind {
                SliceKind::Op | SliceKind::Runtime => true,
                SliceKind::Annotation => is(CallKind::DataLoader),
                SliceKind::Other => any,
                _ => false,
            };
            if !wanted || !scope.holds(trace.slices.start[row]) {
                continue;
            }
            let count = &mut kept.counts[trace.slices.track[row].index()];
            if count.slices.is_empty() {
                count.slices = kept.slices.len()..kept.slices.len();
            }
            kept.slices.push(slice);
            count.slices.end = kept.slices.len();
            count.backward += usize::from(kind == SliceKind::Op && is(CallKind::Backward));
        }
        kept
    }
}

/// The thread that the profiler steps are on; without steps the one that launches most, and of those that launch
/// nothing the busiest. A thread of the backward pass is it only if there is no other.
fn main_thread(rank: &RankView<'_>, counts: &[Count]) -> Option<usize> {
    let stepping = rank.trace.steps().first().map(|&(_, slice)| rank.trace.slices.track[slice.index()]);
    let has_slices = |track: usize| !counts[track].slices.is_empty();
    if let Some(track) = stepping.map(TrackId::index)
        && has_slices(track)
    {
        return Some(track);
    }
    (0..counts.len()).filter(|&track| has_slices(track)).max_by_key(|&track| {
        let count = &counts[track];
        (count.backward == 0, count.launches, count.slices.len(), Reverse(track))
    })
}
