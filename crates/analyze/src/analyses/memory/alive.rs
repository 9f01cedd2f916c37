//! What was in use at the peak: which operators and modules asked for it, and in what sizes.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use eaves_model::{Ns, SliceId, SliceKind, StringId, Trace, TrackId};
use serde::{Deserialize, Serialize};

use super::innermost::Innermost;
use super::levels::Event;
use super::snapshot::frames;
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
    /// Largest first, the smaller ones combined in the last.
    pub(super) by_operator: Vec<Share>,
    /// The same; empty without modules.
    pub(super) by_module: Vec<Share>,
    /// By line of the program; empty without frames of Python.
    pub(super) by_line: Vec<Share>,
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

/// Who asked for memory: the operator and the module around the allocation, and the line of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) operator: Option<StringId>,
    pub(super) module: Option<StringId>,
    pub(super) line: Option<String>,
}

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
    let name = |slice: Option<SliceId>| slice.map(|slice| rank.trace.slices.name[slice.index()]);
    let text = |name: StringId| rank.trace.strings.get(name).to_owned();
    let top_names = |slices: &[Option<SliceId>]| {
        top(kept.iter().zip(slices).map(|(event, &slice)| (event.bytes, name(slice))), text)
    };
    let has_modules = rank.trace.python.module.iter().any(|module| module.is_some());
    let has_frames = !rank.trace.python.is_empty();
    let asked = (count..count + others.len())
        .map(|index| Asked {
            operator: name(names.operators[index]),
            module: name(names.modules[index]),
            line: names.line(rank.trace, index),
        })
        .collect();
    let lines = kept.iter().enumerate().map(|(index, event)| (event.bytes, names.line(rank.trace, index)));
    let alive = Alive {
        by_operator: top_names(&names.operators),
        by_module: if has_modules { top_names(&names.modules) } else { Vec::new() },
        by_line: if has_frames { top(lines, |line| line) } else { Vec::new() },
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
    /// Rows of Python frames that were called from a line of the program, the innermost of each.
    called: Vec<Option<usize>>,
    /// Rows of the innermost frames of the program.
    functions: Vec<Option<usize>>,
}

impl Names {
    fn of(rank: &RankView<'_>, events: &[Event]) -> Self {
        let (slices, strings) = (&rank.trace.slices, &rank.trace.strings);
        let instant = |event: &Event| (rank.trace.allocations.track[event.row as usize], event.time);
        let mut order: Vec<usize> = (0..events.len()).collect();
        order.sort_by_key(|&index| instant(&events[index]));
        let instants: Vec<(TrackId, Ns)> = order.iter().map(|&index| instant(&events[index])).collect();
        let [mut workers, mut allocators, mut modules] = [(); 3].map(|()| Innermost::new(&instants));
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
        let [called, functions] = lines(rank.trace, &instants);
        let mut names = Self {
            operators: vec![None; events.len()],
            modules: vec![None; events.len()],
            called: vec![None; events.len()],
            functions: vec![None; events.len()],
        };
        for (at, index) in order.into_iter().enumerate() {
            names.operators[index] = workers.innermost(at).or_else(|| allocators.innermost(at));
            names.modules[index] = modules.innermost(at);
            names.called[index] = called.innermost(at).map(SliceId::index);
            names.functions[index] = functions.innermost(at).map(SliceId::index);
        }
        names
    }

    /// The line of the program that an event came from: that of the innermost call out of it where calls say where they
    /// come from, and otherwise the first of the function.
    fn line(&self, trace: &Trace, index: usize) -> Option<String> {
        let python = &trace.python;
        let span = |row: usize| trace.slices.interval(python.slice[row].index());
        let function = self.functions[index]?;
        let (file, line, name) = frames::line_of(trace.slice_name(python.slice[function]))?;
        // A call that is around the function came from another line.
        let is_inside = |row: &usize| {
            *row != function
                && span(function).start <= span(*row).start
                && span(*row).end <= span(function).end
        };
        let called =
            self.called[index].filter(is_inside).map(|row| trace.strings.get(python.called_from[row]));
        let exact = called.and_then(|called| called.rsplit_once(':')).filter(|(of, _)| *of == file);
        let line = exact.map_or_else(|| line.to_string(), |(_, line)| line.to_owned());
        Some(format!("{}:{line} {name}", frames::short(file)))
    }
}

/// Frames around instants, by their rows: those that a line of the program called, and those of the program itself.
fn lines<'a>(trace: &Trace, instants: &'a [(TrackId, Ns)]) -> [Innermost<'a>; 2] {
    let [mut called, mut functions] = [(); 2].map(|()| Innermost::new(instants));
    if trace.python.is_empty() {
        return [called, functions];
    }
    let is_own_place =
        |place: &str| place.rsplit_once(':').is_some_and(|(file, _)| !frames::is_library(file));
    let is_own_frame = |name: &str| frames::line_of(name).is_some_and(|(file, ..)| !frames::is_library(file));
    let known: Vec<(bool, bool)> =
        trace.strings.iter().map(|text| (is_own_place(text), is_own_frame(text))).collect();
    let of = |text: StringId| known.get(text.index()).copied().unwrap_or_default();
    for (row, slice) in trace.python.slice.iter().enumerate() {
        let (track, interval) = (trace.slices.track[slice.index()], trace.slices.interval(slice.index()));
        if of(trace.python.called_from[row]).0 {
            called.add(track, interval, SliceId::from(row));
        }
        if of(trace.slices.name[slice.index()]).1 {
            functions.add(track, interval, SliceId::from(row));
        }
    }
    [called, functions]
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

fn top<N: Eq + Hash>(
    named: impl Iterator<Item = (i64, Option<N>)>,
    text: impl Fn(N) -> String,
) -> Vec<Share> {
    let mut sums: HashMap<Option<N>, (i64, u64)> = HashMap::new();
    for (bytes, name) in named {
        let sum = sums.entry(name).or_default();
        sum.0 = sum.0.saturating_add(bytes);
        sum.1 += 1;
    }
    let share = |(name, (bytes, allocations)): (Option<N>, (i64, u64))| Share {
        name: name.map(&text),
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
