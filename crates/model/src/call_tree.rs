//! The call tree of each thread, by containment.

use std::cmp::Reverse;

use crate::{Ns, SliceId, SliceKind, Slices, TrackId};

/// Parent of every slice: the innermost slice of the same track that contains it.
///
/// Slices that overlap without nesting (clock jitter, broken recorders) are kept: each is the child of the
/// innermost slice that contains it whole.
///
/// Python frames are an exception. Kineto closes those that it did not see end with the recording, long after the call
/// that they began in. They cannot have outlived it, so in the tree they end with it. A range of the user may end
/// inside a frame that began in it, so a range cuts only frames that nothing shows to have ended: those that end last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTree {
    parents: Vec<SliceId>,
    order: Vec<SliceId>,
    /// Frames that end earlier than recorded, sorted.
    cut: Vec<(SliceId, Ns)>,
}

impl CallTree {
    /// Builds the trees of all tracks at once. Time is that of one merge or sort; the stack is explicit, so nesting
    /// may be of any depth.
    pub fn build(slices: &Slices) -> Self {
        Self::build_without(slices, &[])
    }

    /// The same without some slices, given in order: one whose duration cannot be true would be around everything
    /// that follows it.
    pub fn build_without(slices: &Slices, left_out: &[SliceId]) -> Self {
        let tracks = by_track(slices, left_out);
        let mut tree = Self {
            parents: vec![SliceId::NONE; slices.len()],
            order: Vec::with_capacity(tracks.iter().map(Calls::len).sum()),
            cut: Vec::new(),
        };
        let mut open: Vec<(Ns, Ns, SliceId)> = Vec::new();
        for calls in tracks {
            open.clear();
            let last_frame = calls.last_frame;
            calls.in_order(slices, |(start, Reverse(duration)), slice| {
                let mut end = start + duration;
                if slices.kind[slice.index()] == SliceKind::Python {
                    let cuts = |&&(_, around_end, around): &&(Ns, Ns, SliceId)| {
                        let is_range = slices.kind[around.index()] == SliceKind::Annotation;
                        around_end > start && (!is_range || end == last_frame)
                    };
                    if let Some(&(_, around_end, _)) = open.iter().rev().find(cuts)
                        && around_end < end
                    {
                        end = around_end;
                        tree.cut.push((slice, end));
                    }
                }
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
            });
        }
        tree.cut.sort_unstable();
        tree
    }

    /// The end of a slice in the tree.
    #[inline]
    pub fn end(&self, slices: &Slices, slice: SliceId) -> Ns {
        match self.cut.binary_search_by_key(&slice, |&(cut, _)| cut) {
            Ok(index) => self.cut[index].1,
            Err(_) => slices.end(slice.index()),
        }
    }

    /// Every slice of the trees, track by track in time order, with what is inside a slice right behind it
    /// (pre-order): parents come before children, and what is inside a slice is one run.
    pub fn in_order(&self) -> &[SliceId] {
        &self.order
    }

    /// The slices of one track.
    pub fn of_track(&self, slices: &Slices, track: TrackId) -> &[SliceId] {
        let track_of = |slice: &SliceId| slices.track[slice.index()];
        let first = self.order.partition_point(|slice| track_of(slice) < track);
        let last = self.order.partition_point(|slice| track_of(slice) <= track);
        &self.order[first..last]
    }

    /// The innermost enclosing slice.
    #[inline]
    pub fn parent(&self, slice: SliceId) -> Option<SliceId> {
        self.parents[slice.index()].some()
    }

    /// All enclosing slices, innermost first.
    pub fn ancestors(&self, slice: SliceId) -> impl Iterator<Item = SliceId> {
        std::iter::successors(self.parent(slice), |&slice| self.parent(slice))
    }
}

/// The host calls of each track.
fn by_track(slices: &Slices, left_out: &[SliceId]) -> Vec<Calls> {
    let mut tracks: Vec<Calls> = Vec::new();
    for row in (0..slices.len()).filter(|&row| slices.kind[row].is_host_call()) {
        let slice = SliceId::from(row);
        if !left_out.is_empty() && left_out.binary_search(&slice).is_ok() {
            continue;
        }
        let track = slices.track[row].index();
        if tracks.len() <= track {
            tracks.resize_with(track + 1, Calls::default);
        }
        tracks[track].push(key(slices, slice), slice);
        if slices.kind[row] == SliceKind::Python {
            tracks[track].last_frame = tracks[track].last_frame.max(slices.end(row));
        }
    }
    tracks
}

/// The order of calls: by start, the longer first. Equal ones are in the order of the file.
type Key = (Ns, Reverse<Ns>);

#[inline]
fn key(slices: &Slices, slice: SliceId) -> Key {
    (slices.start[slice.index()], Reverse(slices.duration[slice.index()]))
}

/// More chains than this are sorted rather than merged.
const MOST_CHAINS: usize = 16;

/// The calls of a track as chains, each of which is in order. Recorders write the slices of a kind in order, so a few
/// are enough, and nothing need be sorted.
#[derive(Default)]
struct Calls {
    chains: Vec<Chain>,
    /// The chain that the last call went to.
    current: usize,
    /// True if there are not enough chains, so that the first is in no order.
    is_unordered: bool,
    /// When the last Python frame ended.
    last_frame: Ns,
}

struct Chain {
    last: Key,
    calls: Vec<SliceId>,
}

impl Calls {
    fn len(&self) -> usize {
        self.chains.iter().map(|chain| chain.calls.len()).sum()
    }

    /// Adds the next call of the file.
    #[inline]
    fn push(&mut self, key: Key, slice: SliceId) {
        if self.chains.get(self.current).is_none_or(|chain| key < chain.last) {
            self.current = self.chain_before(key);
        }
        let chain = &mut self.chains[self.current];
        chain.last = key;
        chain.calls.push(slice);
    }

    /// The first chain that a key may follow.
    fn chain_before(&mut self, key: Key) -> usize {
        let found = self.chains.iter().position(|chain| chain.last <= key);
        found.unwrap_or_else(|| {
            self.is_unordered |= self.chains.len() == MOST_CHAINS;
            if self.is_unordered {
                return 0;
            }
            self.chains.push(Chain { last: key, calls: Vec::new() });
            self.chains.len() - 1
        })
    }

    /// Visits all calls in order.
    fn in_order(self, slices: &Slices, mut visit: impl FnMut(Key, SliceId)) {
        let with_key = |slice: SliceId| (key(slices, slice), slice);
        let chains = self.chains.into_iter().map(|chain| chain.calls.into_iter());
        if self.is_unordered {
            let mut calls: Vec<(Key, SliceId)> = chains.flatten().map(with_key).collect();
            calls.sort_unstable();
            calls.into_iter().for_each(|(key, slice)| visit(key, slice));
            return;
        }
        let mut heads: Vec<_> = chains.filter_map(|mut rest| Some((with_key(rest.next()?), rest))).collect();
        // The chain that goes on is the last.
        heads.sort_unstable_by_key(|&(first, _)| Reverse(first));
        while let Some((mut first, mut rest)) = heads.pop() {
            let other = heads.last().map(|&(other, _)| other);
            loop {
                visit(first.0, first.1);
                let Some(next) = rest.next() else { break };
                first = with_key(next);
                if other.is_some_and(|other| other < first) {
                    let place = heads.partition_point(|&(later, _)| first < later);
                    heads.insert(place, (first, rest));
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Slice, SliceKind};

    fn slices(spans: &[(i64, i64, u32)]) -> Slices {
        let mut slices = Slices::default();
        for &(start, end, track) in spans {
            slices.push(Slice {
                start: Ns(start),
                duration: Ns(end - start),
                track: TrackId(track),
                kind: SliceKind::Op,
                ..Slice::default()
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

    #[test]
    fn frames_end_with_the_call_they_began_in() {
        use SliceKind::{Annotation, Op, Python, Runtime};
        let tree = |kinds: [SliceKind; 3], spans: &[(i64, i64, u32)]| {
            let mut slices = slices(spans);
            slices.kind[..3].copy_from_slice(&kinds);
            let tree = CallTree::build(&slices);
            let parents: Vec<_> = (0..3).map(|row| tree.parent(SliceId(row)).map(|slice| slice.0)).collect();
            (parents, tree.end(&slices, SliceId(1)).0)
        };
        // The launch is inside both; the frame was closed when the recording ended.
        let spans = [(100, 500, 0), (200, 900, 0), (300, 310, 0)];
        assert_eq!(tree([Op, Python, Runtime], &spans), (vec![None, Some(0), Some(1)], 500));
        assert_eq!(tree([Annotation, Python, Runtime], &spans), (vec![None, Some(0), Some(1)], 500));
        // What is not a frame may overlap without nesting.
        assert_eq!(tree([Op, Op, Runtime], &spans), (vec![None, None, Some(1)], 900));
        // A range that ends in the frame that closes it, as a profiler step does.
        let mut slices = slices(&[(100, 500, 0), (490, 510, 0), (502, 504, 0), (505, 900, 0)]);
        slices.kind = vec![Annotation, Python, Op, Python];
        assert_eq!(CallTree::build(&slices).parent(SliceId(2)), Some(SliceId(1)));
    }

    proptest! {
        /// Twin: with frames among them, the innermost operator around a call is that which starts last of those that
        /// contain it, as if there were no frames. Operators and calls nest; frames are anything.
        #[test]
        fn frames_hide_no_operator(
            spans in prop::collection::vec((0i64..40, 1i64..30, 0usize..3), 0..60)
        ) {
            const KINDS: [SliceKind; 3] = [SliceKind::Python, SliceKind::Op, SliceKind::Runtime];
            let mut kept: Vec<(i64, i64, usize)> = Vec::new();
            for (start, length, kind) in spans {
                let end = start + length;
                let nests = |&(other, other_end, _): &(i64, i64, usize)| {
                    end <= other || other_end <= start || (start - other) * (end - other_end) <= 0
                };
                if kind == 0 || kept.iter().filter(|other| other.2 > 0).all(nests) {
                    kept.push((start, end, kind));
                }
            }
            let mut slices = slices(&kept.iter().map(|&(start, end, _)| (start, end, 0)).collect::<Vec<_>>());
            slices.kind = kept.iter().map(|&(_, _, kind)| KINDS[kind]).collect();
            let tree = CallTree::build(&slices);
            let key = |row: usize| (kept[row].0, -kept[row].1, row);
            for row in (0..kept.len()).filter(|&row| kept[row].2 == 2) {
                let above: Vec<usize> = tree.ancestors(SliceId(row as u32)).map(SliceId::index).collect();
                let expected = (0..kept.len())
                    .filter(|&other| kept[other].2 == 1 && key(other) < key(row))
                    .filter(|&other| kept[other].0 <= kept[row].0 && kept[row].1 <= kept[other].1)
                    .max_by_key(|&other| key(other));
                prop_assert_eq!(above.into_iter().find(|&above| kept[above].2 == 1), expected);
            }
        }

        /// Twin: among all that contain a slice, the one that starts last; equal spans nest in file order. There are
        /// few slices and runs to merge, or so many that they are sorted.
        #[test]
        fn the_parent_is_the_innermost_container(
            spans in prop::collection::vec((0i64..40, 1i64..20, 0u32..2), 0..200)
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
            let of_track = |track| tree.of_track(&slices(&spans), TrackId(track)).to_vec();
            prop_assert_eq!([of_track(0), of_track(1), of_track(2)].concat(), tree.in_order());
        }
    }
}
