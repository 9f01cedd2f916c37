//! The call tree of each thread, by containment.

use crate::{Ns, SliceId, Slices};

/// For every slice the innermost slice of the same track that contains it.
///
/// Slices that overlap without nesting (clock jitter, broken recorders) are kept: each is the child of the
/// innermost slice that contains it whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTree {
    parents: Vec<SliceId>,
    order: Vec<SliceId>,
}

impl CallTree {
    /// Builds the trees of all tracks at once. Time is that of one sort; the stack is explicit, so nesting may
    /// be of any depth.
    pub fn build(slices: &Slices) -> Self {
        Self::build_without(slices, &[])
    }

    /// The same without some slices, given in order: one whose duration cannot be true would be around everything
    /// that follows it.
    pub fn build_without(slices: &Slices, left_out: &[SliceId]) -> Self {
        let tracks = by_track(slices, left_out);
        let mut tree = Self {
            parents: vec![SliceId::NONE; slices.len()],
            order: Vec::with_capacity(tracks.iter().map(Vec::len).sum()),
        };
        let mut open: Vec<(Ns, Ns, SliceId)> = Vec::new();
        for mut keys in tracks {
            // By start, the longer first, then as in the file. Starts alone nearly always decide.
            keys.sort_by(|&(start, slice), &(other_start, other)| {
                let longer_first = || slices.duration[other.index()].cmp(&slices.duration[slice.index()]);
                start.cmp(&other_start).then_with(longer_first).then(slice.cmp(&other))
            });
            open.clear();
            for (start, slice) in keys {
                let end = slices.end(slice.index());
                // What ended before can contain nothing more. What ends inside this slice can contain nothing more
                // that this slice does not contain too, so it may go as well and the ends on the stack stay sorted.
                while let Some(&(top_start, top_end, _)) = open.last() {
                    let over = top_end <= start && top_start < start;
                    if !over && top_end >= end {
                        break;
                    }
                    open.pop();
                }
                if let Some(&(_, _, top)) = open.last() {
                    tree.parents[slice.index()] = top;
                }
                open.push((start, end, slice));
                tree.order.push(slice);
            }
        }
        tree
    }

    /// Every slice of the trees, track by track in order of time, with what is inside a slice right behind it
    /// (pre-order): parents come before children, and what is inside a slice is one run.
    pub fn in_order(&self) -> &[SliceId] {
        &self.order
    }

    /// The innermost slice around this one.
    #[inline]
    pub fn parent(&self, slice: SliceId) -> Option<SliceId> {
        self.parents[slice.index()].some()
    }

    /// The slices around this one, innermost first.
    pub fn ancestors(&self, slice: SliceId) -> impl Iterator<Item = SliceId> {
        std::iter::successors(self.parent(slice), |&slice| self.parent(slice))
    }
}

/// The start of a slice, and the slice.
type Key = (Ns, SliceId);

/// The starts of host calls by track. They stand beside each other, because looking them up in the columns while sorting
/// costs more than the sort. Recorders write slices of a kind in order, so the sort finds long ordered runs.
fn by_track(slices: &Slices, left_out: &[SliceId]) -> Vec<Vec<Key>> {
    let is_in = |row: &usize| {
        slices.kind[*row].is_host_call()
            && (left_out.is_empty() || left_out.binary_search(&SliceId::from(*row)).is_err())
    };
    let calls = || (0..slices.len()).filter(is_in);
    let mut counts: Vec<usize> = Vec::new();
    for track in calls().map(|row| slices.track[row].index()) {
        if counts.len() <= track {
            counts.resize(track + 1, 0);
        }
        counts[track] += 1;
    }
    let mut tracks: Vec<Vec<Key>> = counts.into_iter().map(Vec::with_capacity).collect();
    for row in calls() {
        tracks[slices.track[row].index()].push((slices.start[row], SliceId::from(row)));
    }
    tracks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Slice, SliceKind, StringId, TrackId};

    fn slices(spans: &[(i64, i64, u32)]) -> Slices {
        let mut slices = Slices::default();
        for &(start, end, track) in spans {
            slices.push(Slice {
                start: Ns(start),
                duration: Ns(end - start),
                name: StringId::NONE,
                category: StringId::NONE,
                track: TrackId(track),
                kind: SliceKind::Op,
                position: 0,
            });
        }
        slices
    }

    #[test]
    fn a_hundred_thousand_levels_do_not_overflow_the_stack() {
        let depth = 100_000;
        let nested: Vec<_> = (0..depth).map(|level| (level, 2 * depth - level, 0)).collect();
        let tree = CallTree::build(&slices(&nested));
        assert_eq!(tree.ancestors(SliceId(depth as u32 - 1)).count(), depth as usize - 1);
    }

    #[test]
    fn overlapping_slices_stay_in_the_tree() {
        // 1 leaves 0 before 0 ends: both are children of 3; 2 lies in both and belongs to the later one.
        let tree = CallTree::build(&slices(&[(0, 10, 0), (5, 15, 0), (6, 8, 0), (0, 20, 0), (5, 15, 1)]));
        let parent = |row| tree.parent(SliceId(row)).map(|slice| slice.0);
        assert_eq!(
            [parent(0), parent(1), parent(2), parent(3), parent(4)],
            [Some(3), Some(3), Some(1), None, None]
        );
    }

    #[test]
    fn what_is_left_out_is_around_nothing() {
        let slices = slices(&[(0, 100, 0), (10, 1_000, 0), (20, 30, 0)]);
        assert_eq!(CallTree::build(&slices).parent(SliceId(2)), Some(SliceId(1)));
        let tree = CallTree::build_without(&slices, &[SliceId(1)]);
        assert_eq!(tree.parent(SliceId(2)), Some(SliceId(0)));
        assert_eq!(tree.in_order(), [SliceId(0), SliceId(2)]);
    }

    proptest! {
        /// Twin: among all that contain a slice, the one that starts last; equal spans nest in file order.
        #[test]
        fn the_parent_is_the_innermost_container(
            spans in prop::collection::vec((0i64..40, 1i64..20, 0u32..2), 0..40)
        ) {
            let spans: Vec<_> = spans.iter().map(|&(start, length, track)| (start, start + length, track)).collect();
            let tree = CallTree::build(&slices(&spans));
            let key = |row: usize| (spans[row].0, -spans[row].1, row);
            for row in 0..spans.len() {
                let (start, end, track) = spans[row];
                let expected = (0..spans.len())
                    .filter(|&other| spans[other].2 == track && key(other) < key(row))
                    .filter(|&other| spans[other].0 <= start && spans[other].1 >= end)
                    .max_by_key(|&other| key(other));
                prop_assert_eq!(tree.parent(SliceId(row as u32)).map(SliceId::index), expected);
            }
            // In pre-order the parent of each is the slice before it or one around that.
            for pair in tree.in_order().windows(2) {
                let around = std::iter::once(pair[0]).chain(tree.ancestors(pair[0])).map(Some);
                prop_assert!(around.chain([None]).any(|slice| slice == tree.parent(pair[1])));
            }
            prop_assert_eq!(tree.in_order().len(), spans.len());
        }
    }
}
