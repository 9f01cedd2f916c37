//! The largest allocations one by one, from their start to their end, and all the rest as one level: what a picture of
//! stacked allocations is drawn from.
//!
//! A *position* is the number of events that have happened; memory is in use at every position from that of its
//! allocation up to that of its release. A *state* is a position that is shown, and at every state the shown allocations
//! and the rest make exactly what was in use.

pub(super) mod tables;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use eaves_model::{MaybeU32, Ns};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::levels::{Event, Levels};

/// The most allocations of a device. More bands than this are thinner than a pixel.
pub(super) const MOST: usize = 300;

/// Memory from its allocation to its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Allocation {
    pub(super) bytes: i64,
    /// The position of its allocation; 0 if that was before the first event.
    from: usize,
    /// The position of its release; nothing if it was in use at the end.
    to: Option<usize>,
    address: i64,
    /// The stack of what is older than the first event, where a snapshot tells it.
    pub(super) stack: MaybeU32,
}

impl Allocation {
    /// The index of its allocation among the events; nothing if that was before.
    pub(super) fn event(&self) -> Option<usize> {
        self.from.checked_sub(1)
    }

    fn is_at(&self, position: usize) -> bool {
        self.from <= position && self.to.is_none_or(|to| position < to)
    }
}

/// Memory that was in use before the first event.
pub(super) struct Older {
    pub(super) address: i64,
    pub(super) bytes: i64,
    pub(super) stack: MaybeU32,
}

/// Who asked for memory, as far as the recording tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub(super) struct Owner {
    pub(super) operator: Option<String>,
    pub(super) module: Option<String>,
    pub(super) category: Option<String>,
    /// The line of the program.
    pub(super) place: Option<String>,
    /// All lines, innermost first; empty without a stack.
    pub(super) stack: String,
}

/// One allocation that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Band {
    pub(super) bytes: i64,
    /// When it was allocated, counted from the start of the recording; nothing if before the first event.
    pub(super) start: Option<Ns>,
    /// When it was released; nothing if never.
    pub(super) end: Option<Ns>,
    /// The first state it is in.
    pub(super) from: u32,
    /// The first state it is not in any more; nothing if it is in the last.
    pub(super) to: Option<u32>,
    /// Place among the owners.
    pub(super) owner: u32,
}

/// One state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct State {
    pub(super) time: Ns,
    /// In use besides the shown allocations. Less than nothing if the recording contradicts itself.
    pub(super) rest: i64,
}

/// The largest allocations of a device and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Stacked {
    /// Largest first.
    pub(super) bands: Vec<Band>,
    /// Each once.
    pub(super) owners: Vec<Owner>,
    /// In order of time; the first is that before the first selected event.
    pub(super) states: Vec<State>,
    /// Allocations known one by one that were in use at some selected time, shown or not.
    pub(super) allocations: u64,
    /// Bytes of the shown ones at the peak.
    pub(super) at_peak: i64,
    /// Bytes times nanoseconds of the shown ones, between the first and the last selected event.
    pub(super) shown_byte_time: i128,
    /// The same of all that was in use.
    pub(super) byte_time: i128,
}

/// What is selected of a device, as positions.
pub(super) struct Selected<'a> {
    levels: &'a Levels,
    /// In order: before the first selected event, and behind each of them.
    positions: Vec<usize>,
    /// The position of the peak.
    peak: usize,
}

impl<'a> Selected<'a> {
    /// Of indices of events in order, of which there is at least one; nothing without.
    pub(super) fn new(levels: &'a Levels, events: &[usize], peak: usize) -> Option<Self> {
        let first = *events.first()?;
        let positions = std::iter::once(first).chain(events.iter().map(|index| index + 1)).collect();
        Some(Self { levels, positions, peak })
    }

    /// Where the first selected position at or behind another one stands.
    fn at_or_behind(&self, position: usize) -> usize {
        self.positions.partition_point(|&known| known < position)
    }

    /// The time of a position. The first has that of the event it is before.
    fn time(&self, position: usize) -> Ns {
        let first = self.positions[0];
        self.levels.events[if position <= first { first } else { position - 1 }].time
    }

    fn last(&self) -> usize {
        self.positions[self.positions.len() - 1]
    }

    /// True if memory is in use at a selected position.
    fn has(&self, block: &Allocation) -> bool {
        self.positions.get(self.at_or_behind(block.from)).is_some_and(|&position| block.is_at(position))
    }

    /// Bytes times nanoseconds between the first and the last selected event.
    fn byte_time(&self, block: &Allocation) -> i128 {
        let (start, end) =
            (self.time(block.from), self.time(block.to.unwrap_or(usize::MAX).min(self.last())));
        i128::from(block.bytes) * i128::from((end - start).0.max(0))
    }

    /// The same of everything.
    fn byte_time_of_all(&self) -> i128 {
        let events = &self.levels.events[self.positions[0]..self.last()];
        let product =
            |pair: &[Event]| i128::from(pair[0].level) * i128::from((pair[1].time - pair[0].time).0);
        events.windows(2).map(product).fold(0, i128::saturating_add)
    }
}

/// The most of many blocks by some amount, whatever their order.
struct Most {
    heap: BinaryHeap<Reverse<(i128, Allocation)>>,
    most: usize,
}

impl Most {
    fn new(most: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(most + 1), most }
    }

    fn add(&mut self, amount: i128, block: Allocation) {
        self.heap.push(Reverse((amount, block)));
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }

    /// Most first.
    fn in_order(self) -> impl Iterator<Item = Allocation> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse((_, block))| block)
    }
}

/// Calls with every block of a device whose start and end are known. Where an address is taken twice without a release
/// between, nobody knows when the first was released, so that one is left to the rest.
fn visit_blocks(
    levels: &Levels,
    address: impl Fn(&Event) -> Option<i64>,
    older: impl IntoIterator<Item = Older>,
    mut visit: impl FnMut(Allocation),
) {
    let mut open: HashMap<i64, Allocation, foldhash::fast::FixedState> = HashMap::default();
    for Older { address, bytes, stack } in older {
        open.insert(address, Allocation { bytes, from: 0, to: None, address, stack });
    }
    for (index, event) in levels.events.iter().enumerate() {
        let (true, Some(address)) = (event.bytes != 0, address(event)) else { continue };
        let position = index + 1;
        if event.bytes > 0 {
            let block =
                Allocation { bytes: event.bytes, from: position, to: None, address, stack: MaybeU32::NONE };
            open.insert(address, block);
        } else if let Some(block) = open.remove(&address) {
            visit(Allocation { to: Some(position), ..block });
        } else if levels.is_absolute {
            // Released and never allocated: it was there before. Sums since the recording began do not have it.
            let bytes = event.bytes.saturating_neg();
            visit(Allocation { bytes, from: 0, to: Some(position), address, stack: MaybeU32::NONE });
        }
    }
    open.into_values().for_each(visit);
}

/// Blocks that were chosen, and of how many.
pub(super) struct Chosen {
    pub(super) blocks: Vec<Allocation>,
    allocations: u64,
}

/// Chooses what is shown, this many at most. Half of the room is for the largest at the peak, which it is about; the rest, and
/// what of the half is not needed, for those with the most byte-time, which is the area that they have in the picture.
/// Memory is needed for what is in use at one time and for what is chosen.
pub(super) fn choose(
    selected: &Selected<'_>,
    most: usize,
    address: impl Fn(&Event) -> Option<i64>,
    older: impl IntoIterator<Item = Older>,
) -> Chosen {
    let (mut at_peak, mut by_area) = (Most::new(most / 2), Most::new(most));
    let mut allocations = 0;
    visit_blocks(selected.levels, address, older, |block| {
        if !selected.has(&block) {
            return;
        }
        allocations += 1;
        if block.is_at(selected.peak) {
            at_peak.add(i128::from(block.bytes), block);
        }
        by_area.add(selected.byte_time(&block), block);
    });
    let mut chosen: BTreeSet<Allocation> = at_peak.in_order().collect();
    for block in by_area.in_order() {
        if chosen.len() == most {
            break;
        }
        chosen.insert(block);
    }
    let mut blocks: Vec<Allocation> = chosen.into_iter().collect();
    blocks.sort_by_key(|block| (Reverse(block.bytes), block.from, block.to, block.address));
    Chosen { blocks, allocations }
}

/// Puts chosen blocks and the rest together. `owners` belong to the blocks, one for one; `highest` are indices of events
/// whose levels are to be seen, `zero` is the start of the recording.
pub(super) fn stacked(
    selected: &Selected<'_>,
    chosen: &Chosen,
    owners: Vec<Owner>,
    highest: impl IntoIterator<Item = usize>,
    zero: Ns,
) -> Stacked {
    let ends = |block: &Allocation| [Some(block.from), block.to].into_iter().flatten();
    let edges = chosen.blocks.iter().flat_map(ends);
    let mut shown: Vec<usize> = edges
        .filter_map(|position| selected.positions.get(selected.at_or_behind(position)).copied())
        .collect();
    shown.extend(highest.into_iter().map(|index| index + 1));
    shown.extend([selected.positions[0], selected.last()]);
    shown.sort_unstable();
    shown.dedup();
    let state_of = |position: usize| shown.partition_point(|&known| known < position);
    let mut change = vec![0i128; shown.len() + 1];
    let (mut names, mut owner_of) =
        (Vec::new(), HashMap::<Owner, u32, foldhash::fast::FixedState>::default());
    let mut bands = Vec::with_capacity(chosen.blocks.len());
    for (block, owner) in chosen.blocks.iter().zip(owners) {
        let from = state_of(block.from);
        let to = block.to.map(state_of).filter(|&state| state < shown.len());
        change[from] += i128::from(block.bytes);
        change[to.unwrap_or(shown.len())] -= i128::from(block.bytes);
        let owner = *owner_of.entry(owner).or_insert_with_key(|owner| {
            names.push(owner.clone());
            names.len() as u32 - 1
        });
        let time = |position: usize| selected.levels.events[position - 1].time - zero;
        bands.push(Band {
            bytes: block.bytes,
            start: (block.from > 0).then(|| time(block.from)),
            end: block.to.map(time),
            from: from as u32,
            to: to.map(|state| state as u32),
            owner,
        });
    }
    let mut told = 0i128;
    let state = |(&position, change): (&usize, &i128)| {
        told += change;
        let rest = i128::from(selected.levels.before_event(position)) - told;
        let rest = rest.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        State { time: selected.time(position) - zero, rest }
    };
    let states = shown.iter().zip(&change).map(state).collect();
    let at_peak = chosen.blocks.iter().filter(|block| block.is_at(selected.peak));
    Stacked {
        bands,
        owners: names,
        states,
        allocations: chosen.allocations,
        at_peak: at_peak.fold(0, |sum, block| sum.saturating_add(block.bytes)),
        shown_byte_time: chosen
            .blocks
            .iter()
            .map(|block| selected.byte_time(block))
            .fold(0, i128::saturating_add),
        byte_time: selected.byte_time_of_all(),
    }
}
