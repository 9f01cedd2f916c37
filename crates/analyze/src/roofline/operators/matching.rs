//! Calls of activities whose launch was not recorded.
//!
//! A recording that begins while the GPU still works off its queue has activities whose launches came before it. Programs
//! repeat themselves: where the same activities, in the same order on their stream, have recorded launches too, and all of
//! these agree which part of which call an activity is, it is taken for that part of another such call. What they do not
//! agree on, and calls of which a part is missing, stay unattributed.
//!
//! Activities are the same by name and by the size of their launch (bytes of copies and memsets). `roctracer` takes sizes from
//! the launch, so that they are missing with it; then names and order have to be enough, and a call must take between half
//! and twice as long as those it is taken for.

use std::hash::BuildHasher;

use eaves_model::{MaybeI64, MaybeU32, SliceId, SliceKind};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use super::Class;
use super::attribution::{Place, place};
use super::owners::Owners;
use super::rows::Rows;
use crate::{KernelType, RankView};

/// What a call was matched by, the surest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum MatchedBy {
    /// The place in a captured graph whose launches have no names.
    CaptureByPlace,
    /// A captured graph, in another order.
    CaptureOutOfOrder,
    /// A captured graph, of which the replay shows something else too.
    CaptureWithGaps,
    /// A captured graph, all of the replay in order.
    Capture,
    /// Names and their order.
    Order,
    /// Name and size.
    Size,
    /// Names, sizes and their order.
    SizeAndOrder,
}

impl MatchedBy {
    /// For people.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::CaptureByPlace => "graph capture, by place",
            Self::CaptureOutOfOrder => "graph capture, kernel names out of order",
            Self::CaptureWithGaps => "graph capture, kernel names in order with gaps",
            Self::Capture => "graph capture, kernel names in order",
            Self::Order => "kernel names in order",
            Self::Size => "kernel name and launch size",
            Self::SizeAndOrder => "kernel names and launch sizes in order",
        }
    }
}

/// How many activities before and after must be the same: the longest that is found decides. A layer of a network launches
/// ten to fifty, so that the longest tells layers apart and the shortest what is inside one.
const CONTEXTS: [(usize, usize); 6] = [(32, 32), (0, 32), (32, 0), (8, 8), (0, 8), (8, 0)];

/// A part of a call: which activity of how many.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    row: u32,
    place: u32,
    of: u32,
}

/// The calls that activities without a launch were matched to, by their place in the view: a row and the first activity of
/// the call.
#[derive(Default)]
pub(super) struct Matches {
    of: HashMap<usize, (u32, SliceId), FixedState>,
}

impl Matches {
    /// Looks at nothing if every launch was recorded, or none. `order` are the activities by device and start.
    pub(super) fn of(rank: &RankView<'_>, owners: &Owners, rows: &mut Rows<'_>, order: &[usize]) -> Self {
        let mut found = Self::default();
        let missing: Vec<usize> = order.iter().copied().filter(|&index| is_missing(rank, index)).collect();
        if missing.is_empty() || missing.len() == order.len() || !owners.by_formula {
            return found;
        }
        let by_size = missing.iter().all(|&index| has_size(rank, index));
        let launched = Launched::of(rank, owners, rows, order);
        let mut streams: Vec<((MaybeU32, MaybeI64), Vec<usize>)> = Vec::new();
        let mut places: HashMap<(MaybeU32, MaybeI64), usize, FixedState> = HashMap::default();
        for &index in order.iter().filter(|&&index| !is_communication(rank, index)) {
            let stream = (rank.gpu.device[index], rank.gpu.stream[index]);
            let place = *places.entry(stream).or_insert_with(|| {
                streams.push((stream, Vec::new()));
                streams.len() - 1
            });
            streams[place].1.push(index);
        }
        for (_, stream) in &streams {
            let parts = Stream::of(rank, stream, by_size).matched(&launched);
            found.add(rank, rows, &launched, stream, &parts);
        }
        found
    }

    /// The row and the first activity of the call of an activity.
    pub(super) fn call(&self, index: usize) -> Option<(u32, SliceId)> {
        self.of.get(&index).copied()
    }

    /// Takes in the calls of a stream of which all parts follow each other.
    fn add(
        &mut self,
        rank: &RankView<'_>,
        rows: &mut Rows<'_>,
        launched: &Launched,
        stream: &[usize],
        parts: &[Option<(Part, MatchedBy)>],
    ) {
        let mut place = 0;
        while let Some(known) = parts.get(place) {
            let Some((first, _)) = known.filter(|(part, _)| part.place == 0) else {
                place += 1;
                continue;
            };
            let length = first.of as usize;
            let whole = parts.get(place..place + length).unwrap_or_default();
            let fits = |(known, number): (&Option<(Part, MatchedBy)>, u32)| {
                known.is_some_and(|(part, _)| part == Part { place: number, ..first })
            };
            let by = whole.iter().flatten().map(|(_, by)| *by).min();
            let indices = stream.get(place..place + length).unwrap_or_default();
            let Some(by) = by.filter(|_| whole.len() == length && whole.iter().zip(0..).all(fits)) else {
                place += 1;
                continue;
            };
            let time: i64 = indices.iter().map(|&index| rank.gpu.duration(index).0).sum();
            if by != MatchedBy::Order || launched.took_about(first.row, time) {
                let row = rows.matched(first.row, by);
                let slice = rank.trace.gpu.slice[rank.gpu.row[indices[0]].index()];
                self.of.extend(indices.iter().map(|&index| (index, (row, slice))));
            }
            place += length;
        }
    }
}

/// The activities whose launch was recorded inside an operator.
struct Launched {
    /// The part that each activity of the view is.
    parts: Vec<Option<Part>>,
    /// Calls of a row, and the time of their activities.
    times: HashMap<u32, (u32, i64), FixedState>,
}

impl Launched {
    fn of(rank: &RankView<'_>, owners: &Owners, rows: &mut Rows<'_>, order: &[usize]) -> Self {
        let mut parts = vec![None; rank.gpu.len()];
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        let mut counts = vec![0u32; rank.operators().len()];
        let mut times: HashMap<u32, (u32, i64), FixedState> = HashMap::default();
        for &index in order.iter().filter(|&&index| !is_missing(rank, index)) {
            let part = match place(rank, owners, rows, index) {
                Place::Operator(row, node) => {
                    let place = counts[node];
                    counts[node] += 1;
                    nodes.push((index, node));
                    Part { row, place, of: 1 }
                }
                Place::Activity(row, _) if rows.class(row) == Class::Operator => {
                    Part { row, place: 0, of: 1 }
                }
                _ => continue,
            };
            let (calls, time) = times.entry(part.row).or_default();
            *calls += u32::from(part.place == 0);
            *time += rank.gpu.duration(index).0;
            parts[index] = Some(part);
        }
        for (index, node) in nodes {
            if let Some(part) = &mut parts[index] {
                part.of = counts[node];
            }
        }
        Self { parts, times }
    }

    /// Whether a call of a row takes between half and twice this time on average.
    fn took_about(&self, row: u32, time: i64) -> bool {
        let Some(&(calls, sum)) = self.times.get(&row) else { return false };
        let all = time.saturating_mul(i64::from(calls));
        sum <= all.saturating_mul(2) && all <= sum.saturating_mul(2)
    }
}

/// The activities of a stream in order, with what tells them apart.
struct Stream<'a> {
    indices: &'a [usize],
    is_open: Vec<bool>,
    /// Hashes of name and size.
    signs: Vec<u64>,
    /// Hashes of all signs before a place, and the powers that take one out again.
    before: Vec<u64>,
    powers: Vec<u64>,
    by_size: bool,
}

/// An odd number with bits all over; as a base it keeps the order of signs in a sum.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl<'a> Stream<'a> {
    fn of(rank: &RankView<'_>, indices: &'a [usize], by_size: bool) -> Self {
        let hasher = FixedState::default();
        let gpu = &rank.trace.gpu;
        let sign = |&index: &usize| {
            let row = rank.gpu.row[index].index();
            let size = by_size.then(|| (gpu.grid[row], gpu.block[row], gpu.bytes[row].get()));
            hasher.hash_one((rank.gpu.name[index], size))
        };
        let signs: Vec<u64> = indices.iter().map(sign).collect();
        let (mut before, mut powers) = (vec![0u64], vec![1u64]);
        let (mut sum, mut power) = (0u64, 1u64);
        for sign in &signs {
            sum = sum.wrapping_mul(BASE).wrapping_add(*sign);
            power = power.wrapping_mul(BASE);
            before.push(sum);
            powers.push(power);
        }
        let is_open = indices.iter().map(|&index| is_missing(rank, index)).collect();
        Self { indices, is_open, signs, before, powers, by_size }
    }

    /// The hash of what is around a place, if the stream goes so far.
    fn around(&self, place: usize, (before, after): (usize, usize)) -> Option<u64> {
        let (start, end) = (place.checked_sub(before)?, place + after + 1);
        let (from, to) = (self.before.get(start)?, self.before.get(end)?);
        Some(to.wrapping_sub(from.wrapping_mul(*self.powers.get(end - start)?)))
    }

    /// For each place without a launch the part that all places like it are.
    fn matched(&self, launched: &Launched) -> Vec<Option<(Part, MatchedBy)>> {
        let mut parts = vec![None; self.indices.len()];
        let mut open: Vec<usize> = (0..self.indices.len()).filter(|&place| self.is_open[place]).collect();
        let with_order = if self.by_size { MatchedBy::SizeAndOrder } else { MatchedBy::Order };
        let contexts = CONTEXTS.iter().map(|context| (*context, with_order));
        let alone = self.by_size.then_some(((0, 0), MatchedBy::Size));
        for (context, by) in contexts.chain(alone) {
            if open.is_empty() {
                break;
            }
            let wanted: HashSet<u64, FixedState> = open.iter().map(|&place| self.signs[place]).collect();
            // Nothing where places that look the same are different parts.
            let mut known: HashMap<u64, Option<Part>, FixedState> = HashMap::default();
            for (place, &index) in self.indices.iter().enumerate() {
                if let Some(part) = launched.parts[index].filter(|_| wanted.contains(&self.signs[place]))
                    && let Some(around) = self.around(place, context)
                {
                    let seen = known.entry(around).or_insert(Some(part));
                    *seen = seen.filter(|seen| *seen == part);
                }
            }
            open.retain(|&place| {
                let part = self.around(place, context).and_then(|around| *known.get(&around)?);
                parts[place] = part.map(|part| (part, by));
                part.is_none()
            });
        }
        parts
    }
}

/// Whether the launch of an activity that counts as work of an operator was not recorded.
fn is_missing(rank: &RankView<'_>, index: usize) -> bool {
    let activity = rank.gpu.row[index];
    !is_communication(rank, index)
        && rank.links().launch(activity).is_none()
        && !rank.counters().has(rank.trace, rank.trace.gpu.slice[activity.index()])
}

fn is_communication(rank: &RankView<'_>, index: usize) -> bool {
    rank.gpu.kernel_type[index] == KernelType::Communication
}

/// Whether the size of a kernel's launch, the bytes of a copy or memset, was recorded.
fn has_size(rank: &RankView<'_>, index: usize) -> bool {
    let (trace, row) = (rank.trace, rank.gpu.row[index].index());
    match trace.slices.kind[trace.gpu.slice[row].index()] {
        SliceKind::Memcpy | SliceKind::Memset => trace.gpu.bytes[row].get().is_some(),
        _ => trace.gpu.grid[row].get().is_some(),
    }
}
