//! The innermost of many slices around each of some instants, without the call tree: building that for the memory alone
//! would take longer than everything else here.

use eaves_model::{Interval, Ns, SliceId, TrackId};

/// How far inside a slice is: its start, what it is shorter than the longest, its row.
type Depth = (Ns, Ns, u32);

/// Instants of threads with the innermost slice around each so far. Slices may come in any order; taking one in
/// costs the logarithm of the number of instants.
pub(super) struct Innermost<'a> {
    /// Sorted.
    instants: &'a [(TrackId, Ns)],
    /// A tree over the instants: the leaves are its second half, the parent of a node is at half its index. Each
    /// node has the innermost slice around all instants below.
    nodes: Vec<Option<Depth>>,
    /// For each track the first instant not before the start of the slice that came last. That of the next one is
    /// nearly always the same.
    near: Vec<usize>,
}

impl<'a> Innermost<'a> {
    /// Nothing around the instants yet, which must be sorted.
    pub(super) fn new(instants: &'a [(TrackId, Ns)]) -> Self {
        Self { instants, nodes: vec![None; 2 * instants.len()], near: Vec::new() }
    }

    /// Takes in a slice.
    pub(super) fn add(&mut self, track: TrackId, interval: Interval, slice: SliceId) {
        let first = self.first_from(track, interval.start);
        // Most slices are around no instant.
        if self.instants.get(first).is_none_or(|instant| *instant >= (track, interval.end)) {
            return;
        }
        let depth = Some((interval.start, Ns::ZERO - interval.length(), slice.0));
        let inside = self.instants[first..].partition_point(|instant| *instant < (track, interval.end));
        let (mut from, mut to) = (first + self.instants.len(), first + inside + self.instants.len());
        while from < to {
            if from % 2 == 1 {
                self.nodes[from] = self.nodes[from].max(depth);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                self.nodes[to] = self.nodes[to].max(depth);
            }
            (from, to) = (from / 2, to / 2);
        }
    }

    /// Index of the first instant that is not before another one.
    #[inline]
    fn first_from(&mut self, track: TrackId, time: Ns) -> usize {
        if self.near.len() <= track.index() {
            self.near.resize(track.index() + 1, 0);
        }
        let near = &mut self.near[track.index()];
        let is_before = |instant: &(TrackId, Ns)| *instant < (track, time);
        let stays = self.instants[..*near].last().is_none_or(is_before)
            && !self.instants.get(*near).is_some_and(is_before);
        if !stays {
            *near = self.instants.partition_point(is_before);
        }
        *near
    }

    /// The slice around an instant of an index that began last, of several the shortest.
    pub(super) fn innermost(&self, index: usize) -> Option<SliceId> {
        let leaf = index + self.instants.len();
        let path = std::iter::successors(Some(leaf), |&node| (node > 1).then_some(node / 2));
        path.filter_map(|node| self.nodes[node]).max().map(|(_, _, row)| SliceId(row))
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Twin: among all slices that hold the instant, the one that begins last; of several the shortest.
        #[test]
        fn the_innermost_slice_is_found(
            slices in prop::collection::vec((0u32..2, 0i64..60, 0i64..40), 0..20),
            mut instants in prop::collection::vec((0u32..3, 0i64..100), 1..20),
        ) {
            instants.sort_unstable();
            let instants: Vec<(TrackId, Ns)> =
                instants.iter().map(|&(track, time)| (TrackId(track), Ns(time))).collect();
            let mut around = Innermost::new(&instants);
            for (row, &(track, start, length)) in slices.iter().enumerate() {
                let interval = Interval::new(Ns(start), Ns(start + length));
                around.add(TrackId(track), interval, SliceId::from(row));
            }
            for (index, &(track, time)) in instants.iter().enumerate() {
                let holds = |row: &usize| {
                    let (of, start, length) = slices[*row];
                    of == track.0 && start <= time.0 && time.0 < start + length
                };
                let depth = |row: &usize| (slices[*row].1, Reverse(slices[*row].2), *row);
                let expected = (0..slices.len()).filter(holds).max_by_key(depth);
                prop_assert_eq!(around.innermost(index).map(SliceId::index), expected);
            }
        }
    }
}
