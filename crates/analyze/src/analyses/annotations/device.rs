//! Which range drawn on a device track an activity belongs to.

use std::cmp::Reverse;
use std::ops::Range;

use eaves_model::{Interval, Ns, SliceId, SliceKind, TrackId};

use crate::RankView;

/// The ranges on device tracks, and the activities in them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DeviceRanges {
    /// The ranges that are selected: all, or those that selected activities overlap.
    pub(super) selected: Vec<SliceId>,
    /// For each activity the innermost range: the shortest that overlaps it on its track. Of equally short ones the
    /// one that begins last, then the one the file lists last.
    pub(super) innermost: Vec<SliceId>,
}

/// An instant counts as the nanosecond that begins with it: so it is inside a range that begins with it, outside one
/// that ends with it, and nothing of no length is lost. (In HTA it depends on the version of pandas.)
fn solid(interval: Interval) -> Interval {
    Interval { start: interval.start, end: interval.end.max(interval.start + Ns(1)) }
}

/// Matches activities with ranges. Costs one sort of each; ranges may overlap in any way.
pub(super) fn match_ranges(rank: &RankView<'_>) -> DeviceRanges {
    let (slices, gpu) = (&rank.trace.slices, &rank.gpu);
    let mut ranges = ranges(rank);
    let mut matched = DeviceRanges { selected: Vec::new(), innermost: vec![SliceId::NONE; gpu.len()] };
    if ranges.is_empty() {
        return matched;
    }
    // On each track the shortest first: it takes what it overlaps, and what is left is for longer ones.
    ranges.sort_unstable_by_key(|&range| {
        let row = range.index();
        (slices.track[row], slices.duration[row], Reverse((slices.start[row], range)))
    });
    let track_of = |index: u32| {
        let activity = gpu.row[index as usize];
        slices.track[rank.trace.gpu.slice[activity.index()].index()]
    };
    let mut activities: Vec<(TrackId, Ns, u32)> = (0..gpu.len() as u32)
        .map(|index| (track_of(index), gpu.interval[index as usize].start, index))
        .collect();
    activities.sort_unstable();
    let keep_all = rank.options.selection.keeps_all_activities();
    for ranges in ranges.chunk_by(|&a, &b| slices.track[a.index()] == slices.track[b.index()]) {
        let track = slices.track[ranges[0].index()];
        let on_track = &activities[run_of(&activities, track)];
        let starts: Vec<Ns> = on_track.iter().map(|&(_, start, _)| start).collect();
        let mut ends =
            Ends::new(on_track.iter().map(|&(_, _, index)| solid(gpu.interval[index as usize]).end));
        for &range in ranges {
            let Interval { start, end } = solid(slices.interval(range.index()));
            let begun = starts.partition_point(|&activity| activity < end);
            if keep_all || ends.overlaps_before(begun, start) {
                matched.selected.push(range);
            }
            ends.take_after(begun, start, |place| {
                matched.innermost[on_track[place].2 as usize] = range;
            });
        }
    }
    matched
}

/// The ranges whose duration can be true.
fn ranges(rank: &RankView<'_>) -> Vec<SliceId> {
    let kinds = rank.trace.slices.kind.iter().enumerate();
    kinds
        .filter(|&(_, &kind)| kind == SliceKind::GpuAnnotation)
        .map(|(row, _)| SliceId::from(row))
        .filter(|&slice| !rank.trace.is_quarantined(slice))
        .collect()
}

fn run_of(activities: &[(TrackId, Ns, u32)], track: TrackId) -> Range<usize> {
    let start = activities.partition_point(|activity| activity.0 < track);
    let end = activities.partition_point(|activity| activity.0 <= track);
    start..end
}

/// The ends of activities that are sorted by start, as a tree of maxima: it finds those that end after an instant
/// without looking at the others. Taken ones are found no more.
struct Ends {
    /// Level by level: the root is 1, the children of `n` are `2n` and `2n + 1`, the leaves are the second half.
    latest: Vec<Ns>,
    leaves: usize,
    /// Latest end of each activity and all before it, taken or not.
    before: Vec<Ns>,
}

impl Ends {
    fn new(ends: impl ExactSizeIterator<Item = Ns>) -> Self {
        let leaves = ends.len().next_power_of_two();
        let mut latest = vec![Ns::MIN; 2 * leaves];
        let mut before = Vec::with_capacity(ends.len());
        let mut so_far = Ns::MIN;
        for (place, end) in ends.enumerate() {
            latest[leaves + place] = end;
            so_far = so_far.max(end);
            before.push(so_far);
        }
        for node in (1..leaves).rev() {
            latest[node] = latest[2 * node].max(latest[2 * node + 1]);
        }
        Self { latest, leaves, before }
    }

    /// True if one of the first `count` activities ends after an instant.
    fn overlaps_before(&self, count: usize, instant: Ns) -> bool {
        count > 0 && self.before[count - 1] > instant
    }

    /// Takes those among the first `count` that end after an instant.
    fn take_after(&mut self, count: usize, instant: Ns, mut taken: impl FnMut(usize)) {
        self.take(1, 0..self.leaves, count, instant, &mut taken);
    }

    fn take(
        &mut self,
        node: usize,
        places: Range<usize>,
        count: usize,
        instant: Ns,
        taken: &mut impl FnMut(usize),
    ) {
        if places.start >= count || self.latest[node] <= instant {
            return;
        }
        if places.len() == 1 {
            taken(places.start);
            self.latest[node] = Ns::MIN;
            return;
        }
        let middle = places.start + places.len() / 2;
        self.take(2 * node, places.start..middle, count, instant, taken);
        self.take(2 * node + 1, middle..places.end, count, instant, taken);
        self.latest[node] = self.latest[2 * node].max(self.latest[2 * node + 1]);
    }
}
