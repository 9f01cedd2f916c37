//! The slices of the host that take part in the path, by thread.

use std::cmp::Reverse;

use eaves_model::{Ns, SliceId, SliceKind, TrackId};

use super::activities::Activities;
use super::calls::{CallKind, CallKinds};
use super::scope::Scope;
use crate::RankView;

/// The threads of the window.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// Slices, thread by thread.
    slices: Vec<SliceId>,
    /// Where the slices of each thread end, the main thread first.
    threads: Vec<Thread>,
}

/// One thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    range: std::ops::Range<usize>,
    /// True if the program's own code runs here, so that time outside operators is time of the program.
    pub(super) is_main: bool,
    /// True if the backward pass runs here while the main thread waits.
    pub(super) is_backward: bool,
}

#[derive(Clone, Copy, Default)]
struct Count {
    slices: usize,
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
        let mut next = 0;
        let mut threads = Vec::new();
        let mut places = vec![0; kept.counts.len()];
        let others = (0..kept.counts.len()).filter(|&track| Some(track) != main);
        for track in main.into_iter().chain(others).filter(|&track| kept.counts[track].slices > 0) {
            let is_main = Some(track) == main;
            let count = kept.counts[track];
            threads.push(Thread {
                range: next..next + count.slices,
                is_main,
                is_backward: !is_main && main.is_some() && count.backward > 0,
            });
            places[track] = next;
            next += count.slices;
        }
        let mut slices = vec![SliceId::NONE; next];
        for slice in kept.slices {
            let place = &mut places[rank.trace.slices.track[slice.index()].index()];
            slices[*place] = slice;
            *place += 1;
        }
        let mut threads = Self { slices, threads };
        threads.sort(rank);
        threads
    }

    /// By start, the longer first, then as in the file.
    fn sort(&mut self, rank: &RankView<'_>) {
        let (start, duration) = (&rank.trace.slices.start, &rank.trace.slices.duration);
        let mut keyed: Vec<(Ns, Reverse<Ns>, SliceId)> = Vec::new();
        for thread in &self.threads {
            let slices = &mut self.slices[thread.range.clone()];
            keyed.clear();
            keyed.extend(slices.iter().map(|&slice| {
                let row = slice.index();
                (start[row], Reverse(duration[row]), slice)
            }));
            if !keyed.is_sorted() {
                // Operators and calls come as two or three ordered runs.
                keyed.sort();
                for (slice, &(.., sorted)) in slices.iter_mut().zip(&keyed) {
                    *slice = sorted;
                }
            }
        }
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

/// The slices of the window in the order of the file.
struct Kept {
    slices: Vec<SliceId>,
    counts: Vec<Count>,
}

impl Kept {
    fn new(rank: &RankView<'_>, scope: Scope, kinds: &mut CallKinds<'_>, any: bool) -> Self {
        let trace = rank.trace;
        let mut kept = Self { slices: Vec::new(), counts: vec![Count::default(); trace.tracks.len()] };
        for row in 0..trace.slices.len() {
            let (kind, name) = (trace.slices.kind[row], trace.slices.name[row]);
            let wanted = match kind {
                SliceKind::Op | SliceKind::Runtime => true,
                SliceKind::Annotation => kinds.of(name) == CallKind::DataLoader,
                SliceKind::Other => any,
                _ => false,
            };
            if !wanted || !scope.holds(trace.slices.start[row]) {
                continue;
            }
            let slice = SliceId::from(row);
            if !trace.quarantined.is_empty() && trace.is_quarantined(slice) {
                continue;
            }
            let count = &mut kept.counts[trace.slices.track[row].index()];
            count.slices += 1;
            count.backward += usize::from(kind == SliceKind::Op && kinds.of(name) == CallKind::Backward);
            kept.slices.push(slice);
        }
        kept
    }
}

/// The thread that the profiler steps are on; without steps the one that launches most, and of those that launch
/// nothing the busiest. A thread of the backward pass is it only if there is no other.
fn main_thread(rank: &RankView<'_>, counts: &[Count]) -> Option<usize> {
    let stepping = rank.trace.steps().first().map(|&(_, slice)| rank.trace.slices.track[slice.index()]);
    if let Some(track) = stepping.map(TrackId::index)
        && counts[track].slices > 0
    {
        return Some(track);
    }
    (0..counts.len()).filter(|&track| counts[track].slices > 0).max_by_key(|&track| {
        let count = counts[track];
        (count.backward == 0, count.launches, count.slices, Reverse(track))
    })
}
