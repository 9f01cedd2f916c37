//! What was in use at some time, by whose it was.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::alive::{Share, TOP, by_size, largest_first};
use super::frames::Names;
use super::replay::Live;

/// One block.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct Block {
    pub(in super::super) bytes: i64,
    pub(in super::super) place: Option<String>,
    pub(in super::super) operator: Option<String>,
    /// True if it was there when the recording began.
    pub(in super::super) is_older: bool,
}

/// What was in use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct Alive {
    /// By the line of the program, with the whole stack of its largest block; largest first, the rest together.
    pub(in super::super) by_stack: Vec<(Share, String)>,
    pub(in super::super) by_operator: Vec<Share>,
    /// Empty if no stack tells a module.
    pub(in super::super) by_module: Vec<Share>,
    /// By category of tensors if the recorder knew it, or else by what the stack says the program was doing.
    pub(in super::super) by_category: Vec<Share>,
    pub(in super::super) by_size: Vec<Share>,
    /// The largest blocks.
    pub(in super::super) largest: Vec<Block>,
    /// Blocks that were allocated before the first event, whether a stack tells where or not.
    pub(in super::super) older: Share,
    /// Of these what no stack tells of.
    pub(in super::super) unknown: i64,
    /// What blocks are larger than was asked for, at least.
    pub(in super::super) rounding: i64,
    /// All of it.
    pub(in super::super) bytes: i64,
    pub(in super::super) blocks: u64,
}

/// The allocator serves multiples of 512 bytes (`kMinBlockSize` in `c10/core/CachingDeviceAllocator.h`).
const GRAIN: i64 = 512;

/// Puts blocks together.
pub(super) fn describe(live: &[Live], names: &mut Names<'_>) -> Alive {
    let known: Vec<(&Live, std::rc::Rc<super::frames::Said>)> =
        live.iter().map(|one| (one, names.of(one.stack))).collect();
    let has_stack = |live: &Live| live.stack.is_some();
    let told = || known.iter().filter(|(live, _)| has_stack(live) || live.row.is_some());
    let has_categories = live.iter().any(|one| !names.text(one.category).is_empty());
    let mut lines: BTreeMap<Option<&str>, (i64, &str)> = BTreeMap::new();
    for (live, said) in told() {
        let line = lines.entry(said.place.as_deref()).or_insert((0, ""));
        if live.bytes > line.0 {
            *line = (live.bytes, &said.lines);
        }
    }
    let by_stack = top(told().map(|(live, said)| (live.bytes, said.place.as_deref())));
    let by_stack = by_stack.into_iter().map(|share| {
        let line = lines.get(&share.name.as_deref()).map_or("", |(_, line)| line).to_owned();
        (share, line)
    });
    let has_modules = known.iter().any(|(_, said)| said.module.is_some());
    let by_module = top(told().map(|(live, said)| (live.bytes, said.module.as_deref())));
    let category = |live: &Live, said: &super::frames::Said| {
        if has_categories {
            Some(names.text(live.category)).filter(|name| !name.is_empty())
        } else {
            Some(said.phase)
        }
    };
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by_key(|&index| Reverse(known[index].0.bytes));
    let largest = order.iter().take(TOP).map(|&index| {
        let (live, said) = &known[index];
        Block {
            bytes: live.bytes,
            place: said.place.clone(),
            operator: said.operator.clone(),
            is_older: live.row.is_none(),
        }
    });
    let sum = |of: &dyn Fn(&Live) -> bool| {
        live.iter().filter(|one| of(one)).fold(0i64, |sum, one| sum.saturating_add(one.bytes))
    };
    let is_older = |one: &Live| one.row.is_none();
    let rounded = |one: &Live| {
        let block = one.block_bytes.unwrap_or_else(|| one.bytes.saturating_add(GRAIN - 1) / GRAIN * GRAIN);
        block.saturating_sub(one.bytes).max(0)
    };
    Alive {
        by_stack: by_stack.collect(),
        by_operator: top(told().map(|(live, said)| (live.bytes, said.operator.as_deref()))),
        by_module: if has_modules { by_module } else { Vec::new() },
        by_category: top(told().map(|(live, said)| (live.bytes, category(live, said)))),
        by_size: by_size(live.iter().map(|one| one.bytes)),
        largest: largest.collect(),
        older: Share {
            name: None,
            bytes: sum(&is_older),
            allocations: live.iter().filter(|one| is_older(one)).count() as u64,
        },
        unknown: sum(&|one| is_older(one) && !has_stack(one)),
        rounding: live.iter().fold(0, |sum, one| sum.saturating_add(rounded(one))),
        bytes: sum(&|_| true),
        blocks: live.len() as u64,
    }
}

fn top<'a>(named: impl Iterator<Item = (i64, Option<&'a str>)>) -> Vec<Share> {
    let mut sums: BTreeMap<Option<&str>, (i64, u64)> = BTreeMap::new();
    for (bytes, name) in named {
        let sum = sums.entry(name).or_default();
        *sum = (sum.0.saturating_add(bytes), sum.1 + 1);
    }
    let share = |(name, (bytes, allocations)): (Option<&str>, (i64, u64))| Share {
        name: name.map(str::to_owned),
        bytes,
        allocations,
    };
    largest_first(sums.into_iter().map(share).collect())
}
