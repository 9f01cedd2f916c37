//! What was in use at the peak: which operators and modules asked for it, and in what sizes.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Ns, SliceId, SliceKind, StringId, TrackId};

use super::levels::Event;
use crate::RankView;

/// Memory in use by one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Operator, module or class of sizes; nothing if none stands around the allocation.
    pub(super) name: Option<String>,
    pub(super) bytes: i64,
    pub(super) allocations: u64,
}

/// What was in use at the peak of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Alive {
    /// Largest first, the smaller ones put together in the last.
    pub(super) by_operator: Vec<Share>,
    /// The same; empty without modules.
    pub(super) by_module: Vec<Share>,
    /// From small to large.
    pub(super) by_size: Vec<Share>,
    /// Bytes that were in use already when the recording began.
    pub(super) before: i64,
}

/// Rows of a table; the rest is one more.
const TOP: usize = 20;

/// Name of the rest.
pub(super) const OTHERS: &str = "(others)";

/// Upper ends of the classes of sizes with their names. PyTorch's allocator serves up to 1 MiB from small blocks and
/// up to 10 MiB from blocks of 20 MiB (`kSmallSize`, `kMinLargeAlloc` in `c10/cuda/CUDACachingAllocator.cpp`).
const SIZES: [(i64, &str); 6] = [
    (4 << 10, "up to 4 KiB"),
    (64 << 10, "up to 64 KiB"),
    (1 << 20, "up to 1 MiB"),
    (10 << 20, "up to 10 MiB"),
    (100 << 20, "up to 100 MiB"),
    (i64::MAX, "more than 100 MiB"),
];

/// Operators that do nothing but allocate for the one around them.
const ALLOCATORS: [&str; 8] = [
    "aten::empty",
    "aten::empty_like",
    "aten::empty_strided",
    "aten::new_empty",
    "aten::new_empty_strided",
    "aten::resize_",
    "aten::set_",
    "aten::empty_quantized",
];

/// Looks at what the events up to the peak left in use.
pub(super) fn alive(rank: &RankView<'_>, events: &[Event], peak: i64) -> Alive {
    let kept = still_in_use(rank, events);
    let recorded = kept.iter().fold(0i64, |sum, event| sum.saturating_add(event.bytes));
    let allocations = &rank.trace.allocations;
    let instants: Vec<(TrackId, Ns)> =
        kept.iter().map(|event| (allocations.track[event.row as usize], event.time)).collect();
    let around = innermost(rank, &instants);
    let names = |name: &dyn Fn(SliceId, Ns) -> Option<StringId>| {
        let named = kept
            .iter()
            .zip(&around)
            .map(|(event, slice)| (event, slice.and_then(|slice| name(slice, event.time))));
        top(rank, named)
    };
    let has_modules = rank.trace.python.module.iter().any(|module| module.is_some());
    Alive {
        by_operator: names(&|slice, time| operator(rank, slice, time)),
        by_module: if has_modules { names(&|slice, time| module(rank, slice, time)) } else { Vec::new() },
        by_size: by_size(&kept),
        // Totals and bytes of a damaged recording may contradict each other.
        before: peak.saturating_sub(recorded).max(0),
    }
}

/// Allocations without a release, by address.
fn still_in_use(rank: &RankView<'_>, events: &[Event]) -> Vec<Event> {
    let address = |event: &Event| rank.trace.allocations.address[event.row as usize];
    let mut open: HashMap<i64, Event> = HashMap::new();
    for event in events {
        let Some(address) = address(event).get() else { continue };
        if event.bytes > 0 {
            open.insert(address, *event);
        } else {
            open.remove(&address);
        }
    }
    let mut kept: Vec<Event> = open.into_values().collect();
    kept.sort_unstable_by_key(|event| (event.time, event.row));
    kept
}

fn by_size(kept: &[Event]) -> Vec<Share> {
    let mut classes = SIZES.map(|(_, name)| Share { name: Some(name.to_owned()), bytes: 0, allocations: 0 });
    for event in kept {
        let class = SIZES.partition_point(|&(end, _)| end < event.bytes).min(SIZES.len() - 1);
        classes[class].bytes = classes[class].bytes.saturating_add(event.bytes);
        classes[class].allocations += 1;
    }
    classes.into_iter().filter(|share| share.allocations > 0).collect()
}

fn top<'e>(rank: &RankView<'_>, named: impl Iterator<Item = (&'e Event, Option<StringId>)>) -> Vec<Share> {
    let mut sums: HashMap<Option<StringId>, (i64, u64)> = HashMap::new();
    for (event, name) in named {
        let sum = sums.entry(name).or_default();
        sum.0 = sum.0.saturating_add(event.bytes);
        sum.1 += 1;
    }
    let share = |(name, (bytes, allocations)): (Option<StringId>, (i64, u64))| Share {
        name: name.map(|name| rank.trace.strings.get(name).to_owned()),
        bytes,
        allocations,
    };
    let mut shares: Vec<Share> = sums.into_iter().map(share).collect();
    shares.sort_by(|one, other| {
        Reverse(one.bytes).cmp(&Reverse(other.bytes)).then_with(|| one.name.cmp(&other.name))
    });
    if shares.len() > TOP {
        let rest = shares.split_off(TOP);
        shares.push(Share {
            name: Some(OTHERS.to_owned()),
            bytes: rest.iter().fold(0, |sum, share| sum.saturating_add(share.bytes)),
            allocations: rest.iter().map(|share| share.allocations).sum(),
        });
    }
    shares
}

/// The slices around an instant, from a slice around it outwards.
fn outwards<'r>(rank: &'r RankView<'_>, slice: SliceId) -> impl Iterator<Item = SliceId> + 'r {
    std::iter::once(slice).chain(rank.tree().ancestors(slice))
}

/// The innermost operator that does more than allocate; if there is none, the outermost that allocates.
fn operator(rank: &RankView<'_>, slice: SliceId, time: Ns) -> Option<StringId> {
    let slices = &rank.trace.slices;
    let mut found = None;
    for around in outwards(rank, slice) {
        if slices.kind[around.index()] != SliceKind::Op || slices.end(around.index()) <= time {
            continue;
        }
        found = Some(slices.name[around.index()]);
        if !ALLOCATORS.contains(&rank.trace.slice_name(around)) {
            break;
        }
    }
    found
}

/// The innermost call of a module.
fn module(rank: &RankView<'_>, slice: SliceId, time: Ns) -> Option<StringId> {
    let slices = &rank.trace.slices;
    let is_module = |around: &SliceId| {
        slices.kind[around.index()] == SliceKind::Python
            && slices.end(around.index()) > time
            && rank.trace.slice_name(*around).starts_with("nn.Module: ")
    };
    outwards(rank, slice).find(is_module).map(|around| slices.name[around.index()])
}

/// For each instant of a thread the innermost call that holds it. One pass over the slices: each is looked up among
/// the instants, which are few.
fn innermost(rank: &RankView<'_>, instants: &[(TrackId, Ns)]) -> Vec<Option<SliceId>> {
    let slices = &rank.trace.slices;
    let mut order: Vec<usize> = (0..instants.len()).collect();
    order.sort_by_key(|&index| instants[index]);
    let sorted: Vec<(TrackId, Ns)> = order.iter().map(|&index| instants[index]).collect();
    // The last call that begins up to each instant and after the one before.
    let mut last: Vec<Option<SliceId>> = vec![None; sorted.len()];
    let later =
        |slice: SliceId| (slices.start[slice.index()], Reverse(slices.duration[slice.index()]), slice);
    for row in 0..slices.len() {
        if !slices.kind[row].is_host_call() {
            continue;
        }
        let begin = (slices.track[row], slices.start[row]);
        let at = sorted.partition_point(|instant| *instant < begin);
        if sorted.get(at).is_some_and(|instant| instant.0 == begin.0) {
            let slice = SliceId::from(row);
            if last[at].is_none_or(|kept| later(kept) < later(slice)) {
                last[at] = Some(slice);
            }
        }
    }
    let mut answers = vec![None; instants.len()];
    let mut latest: Option<(TrackId, SliceId)> = None;
    for (position, &(track, time)) in sorted.iter().enumerate() {
        if let Some(slice) = last[position] {
            latest = Some((track, slice));
        }
        // What began last holds the instant, or one of those around it does.
        let begun = latest.filter(|&(of, _)| of == track).map(|(_, slice)| slice);
        answers[order[position]] =
            begun.and_then(|slice| outwards(rank, slice).find(|around| slices.end(around.index()) > time));
    }
    answers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Options;
    use crate::test_trace::TestTrace;

    proptest! {
        /// Twin: among nested calls that hold the instant, the one that begins last.
        #[test]
        fn the_innermost_call_is_found(
            cuts in prop::collection::vec((0i64..60, 0i64..40), 0..20),
            instants in prop::collection::vec((0u32..3, 0i64..100), 0..20),
        ) {
            let mut test = TestTrace::default();
            // Calls that overlap without nesting are left out: what contains what is then in doubt.
            let mut spans: Vec<(i64, i64)> = Vec::new();
            for &(start, length) in &cuts {
                let end = start + length;
                let nests = |&(a, b): &(i64, i64)| end <= a || b <= start || (a <= start && end <= b) || (start <= a && b <= end);
                if spans.iter().all(nests) {
                    spans.push((start, end));
                    test.detailed_op("op", start, end);
                }
            }
            let options = Options::default();
            let rank = RankView::new(&test.trace, &options);
            let track = test.trace.slices.track.first().map_or(0, |track| track.0);
            let asked: Vec<(TrackId, Ns)> =
                instants.iter().map(|&(other, time)| (TrackId(track + other), Ns(time))).collect();
            for (answer, &(of, time)) in innermost(&rank, &asked).into_iter().zip(&asked) {
                let key = |row: &usize| (spans[*row].0, Reverse(spans[*row].1), *row);
                let expected = (0..spans.len())
                    .filter(|&row| of.0 == track && spans[row].0 <= time.0 && time.0 < spans[row].1)
                    .max_by_key(key);
                prop_assert_eq!(answer.map(SliceId::index), expected);
            }
        }
    }
}
