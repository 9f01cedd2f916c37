//! Which range on the host an activity was launched in.

use eaves_model::{Ns, SliceKind, TrackId};

use crate::{HostTree, RankView};

/// The ranges on the host, and the activities launched in them.
pub(super) struct HostRanges {
    /// The ranges.
    pub(super) tree: HostTree,
    /// For each activity the innermost range around its launch.
    pub(super) innermost: Vec<Option<u32>>,
}

/// Matches activities with ranges. The autograd engine launches the backward pass on threads of its own, where the
/// program named nothing, while the thread that called it waits; so what such a thread launches outside any range of
/// its own belongs to the range that the calling thread is in.
pub(super) fn match_ranges(rank: &RankView<'_>) -> HostRanges {
    let (slices, gpu) = (&rank.trace.slices, &rank.gpu);
    let tree = HostTree::build(rank.trace, rank.tree(), |kind| kind == SliceKind::Annotation);
    let mut innermost = vec![None; gpu.len()];
    if tree.is_empty() {
        return HostRanges { tree, innermost };
    }
    let (backward, links) = (backward_threads(rank), rank.links());
    let mut orphans: Vec<(Ns, u32)> = Vec::new();
    for (index, &activity) in gpu.row.iter().enumerate() {
        let Some(launch) = links.launch(activity) else { continue };
        innermost[index] = tree.around(launch).map(|node| node as u32);
        if innermost[index].is_none() && backward[slices.track[launch.index()].index()] {
            orphans.push((slices.start[launch.index()], index as u32));
        }
    }
    if let Some(caller) = calling_thread(rank, &tree) {
        orphans.sort_unstable();
        let mut walk = tree.walk(slices);
        for (time, index) in orphans {
            innermost[index as usize] = walk.at(caller, time).map(|node| node as u32);
        }
    }
    HostRanges { tree, innermost }
}

/// The threads that run operators for the forward pass of another thread.
fn backward_threads(rank: &RankView<'_>) -> Vec<bool> {
    let (ops, slices) = (&rank.trace.ops, &rank.trace.slices);
    let mut backward = vec![false; rank.trace.tracks.len()];
    for (slice, thread) in ops.slice.iter().zip(&ops.forward_thread) {
        // Forward operators have 0 or nothing here.
        if thread.get().is_some_and(|thread| thread != 0) {
            backward[slices.track[slice.index()].index()] = true;
        }
    }
    backward
}

/// The thread that is in named ranges for the longest time: the one that runs the program.
fn calling_thread(rank: &RankView<'_>, tree: &HostTree) -> Option<TrackId> {
    let slices = &rank.trace.slices;
    let mut times = vec![Ns::ZERO; rank.trace.tracks.len()];
    for node in (0..tree.len()).filter(|&node| tree.parent(node).is_none()) {
        let row = tree.slice(node).index();
        times[slices.track[row].index()] += slices.duration[row];
    }
    let longest = times.iter().copied().max()?;
    times.iter().position(|&time| time == longest).map(TrackId::from)
}
