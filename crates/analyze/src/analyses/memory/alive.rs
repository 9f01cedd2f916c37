//! What was in use at the peak: which operators and modules asked for it, and in what sizes.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Ns, SliceId, SliceKind, StringId, TrackId};
use serde::{Deserialize, Serialize};

use super::around::Around;
use super::levels::Event;
use crate::RankView;

/// Memory in use by one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Share {
    /// Operator, module or class of sizes; nothing if none stands around the allocation.
    pub(super) name: Option<String>,
    pub(super) bytes: i64,
    pub(super) allocations: u64,
}

/// What was in use at the peak of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
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
pub(super) const TOP: usize = 20;

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

/// Operator and module that stand around an allocation.
pub(super) type Asked = (Option<StringId>, Option<StringId>);

/// Looks at what the events up to the peak left in use; and at who asked for some others, because looking for both at
/// once costs one walk over the slices.
pub(super) fn alive(
    rank: &RankView<'_>,
    events: &[Event],
    peak: i64,
    others: &[Event],
) -> (Alive, Vec<Asked>) {
    let mut kept = still_in_use(rank, events);
    let recorded = kept.iter().fold(0i64, |sum, event| sum.saturating_add(event.bytes));
    let count = kept.len();
    kept.extend(others);
    let names = Names::of(rank, &kept);
    kept.truncate(count);
    let top = |name: &dyn Fn(usize) -> Option<SliceId>| {
        let name = |index| name(index).map(|slice| rank.trace.slices.name[slice.index()]);
        top(rank, kept.iter().enumerate().map(|(index, event)| (event, name(index))))
    };
    let has_modules = rank.trace.python.module.iter().any(|module| module.is_some());
    let name = |slice: Option<SliceId>| slice.map(|slice| rank.trace.slices.name[slice.index()]);
    let asked = (count..count + others.len())
        .map(|index| (name(names.operators[index]), name(names.modules[index])))
        .collect();
    let alive = Alive {
        by_operator: top(&|index| names.operators[index]),
        by_module: if has_modules { top(&|index| names.modules[index]) } else { Vec::new() },
        by_size: by_size(kept.iter().map(|event| event.bytes)),
        // Totals and bytes of a damaged recording may contradict each other.
        before: peak.saturating_sub(recorded).max(0),
    };
    (alive, asked)
}

/// What stands around each of some events.
struct Names {
    /// The innermost operator that does more than allocate, or else the innermost that allocates.
    operators: Vec<Option<SliceId>>,
    /// The innermost call of a module.
    modules: Vec<Option<SliceId>>,
}

impl Names {
    fn of(rank: &RankView<'_>, events: &[Event]) -> Self {
        let (slices, strings) = (&rank.trace.slices, &rank.trace.strings);
        let instant = |event: &Event| (rank.trace.allocations.track[event.row as usize], event.time);
        let mut order: Vec<usize> = (0..events.len()).collect();
        order.sort_by_key(|&index| instant(&events[index]));
        let instants: Vec<(TrackId, Ns)> = order.iter().map(|&index| instant(&events[index])).collect();
        let [mut workers, mut allocators, mut modules] = [(); 3].map(|()| Around::new(&instants));
        let allocating = ALLOCATORS.map(|name| strings.find(name));
        let is_module: Vec<bool> = strings.iter().map(|name| name.starts_with("nn.Module: ")).collect();
        for row in 0..slices.len() {
            let name = slices.name[row];
            let around = match slices.kind[row] {
                SliceKind::Op if allocating.contains(&Some(name)) => &mut allocators,
                SliceKind::Op => &mut workers,
                SliceKind::Python if is_module.get(name.index()) == Some(&true) => &mut modules,
                _ => continue,
            };
            around.add(slices.track[row], slices.interval(row), SliceId::from(row));
        }
        let mut names = Self { operators: vec![None; events.len()], modules: vec![None; events.len()] };
        for (at, index) in order.into_iter().enumerate() {
            names.operators[index] = workers.innermost(at).or_else(|| allocators.innermost(at));
            names.modules[index] = modules.innermost(at);
        }
        names
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

pub(super) fn by_size(sizes: impl Iterator<Item = i64>) -> Vec<Share> {
    let mut classes = SIZES.map(|(_, name)| Share { name: Some(name.to_owned()), bytes: 0, allocations: 0 });
    for bytes in sizes {
        let class = SIZES.partition_point(|&(end, _)| end < bytes).min(SIZES.len() - 1);
        classes[class].bytes = classes[class].bytes.saturating_add(bytes);
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
    largest_first(sums.into_iter().map(share).collect())
}

/// The largest, and the others as one share.
pub(super) fn largest_first(mut shares: Vec<Share>) -> Vec<Share> {
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
