//! What a snapshot of an allocator tells beyond levels: what was alive, event by event, and whose it was.
//!
//! A snapshot says what there was at the end and what happened before, so states are made backwards from the end. What
//! was allocated before the first event and freed after it is found that way too. Memory counts until its release is
//! *completed*, when the allocator can use it again.

mod alive;
mod churn;
mod end;
pub(super) mod frames;
mod growth;
mod levels;
mod replay;
#[cfg(test)]
mod tests;

pub(super) use alive::{Alive, Block};
pub(super) use churn::{Churn, OutOfMemory};
pub(super) use end::End;
pub(super) use growth::Growth;
pub(super) use levels::levels_of;

use eaves_model::{MaybeI64, Trace};
use serde::{Deserialize, Serialize};

use self::alive::describe;
use self::frames::Names;
use self::replay::{Actions, live_after};
use super::levels::{Device, Event, Levels};
use super::stacked::{Allocation, Older, Owner};
use crate::RankView;

/// What is told of one device.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Allocator {
    /// What was in use at the peak.
    pub(super) alive: Alive,
    /// Released and waiting for another stream at the peak; in use until then.
    pub(super) waiting_at_peak: i64,
    /// What there was at the end.
    pub(super) end: End,
    /// Segments that came and went.
    pub(super) churn: Churn,
    /// Requests that failed.
    pub(super) failures: Vec<OutOfMemory>,
    /// What was in use when the last request failed.
    pub(super) at_failure: Option<Alive>,
    /// Stacks whose memory grows.
    pub(super) growth: Vec<Growth>,
    /// Blocks that were there at the end, have a stack, and whose allocation is not among the events: it was recorded and
    /// dropped.
    pub(super) dropped: u64,
    /// False if the file ends early.
    pub(super) is_complete: bool,
    /// False if the order of events alone is known.
    pub(super) has_times: bool,
}

/// Looks at a device; `until` is the index of the first level behind the peak.
pub(super) fn allocator(rank: &RankView<'_>, levels: &Levels, until: usize) -> Allocator {
    let snapshot = &rank.trace.snapshot;
    let actions = Actions::of(rank.trace);
    let rows = replay::rows_of(snapshot, levels.device);
    let row_of = |until: usize| match until.checked_sub(1) {
        Some(last) => levels.events[last].row as usize + 1,
        None => rows.start,
    };
    let mut names = Names::new(rank.trace);
    let peak = live_after(snapshot, &actions, rows.clone(), row_of(until), levels.device);
    let alive = describe(&peak, &mut names);
    let (churn, failures) = churn::churn(rank, levels, &actions, rows.clone());
    let at_failure = failures.last().map(|failure| {
        describe(&live_after(snapshot, &actions, rows.clone(), failure.row, levels.device), &mut names)
    });
    Allocator {
        alive,
        waiting_at_peak: replay::waiting(snapshot, &actions, rows.clone(), row_of(until), levels.device),
        end: end::end(snapshot, &actions, levels.device),
        churn,
        failures,
        at_failure,
        growth: growth::growth(rank, &actions, rows.clone(), &mut names),
        dropped: replay::dropped(snapshot, &actions, rows, levels.device),
        is_complete: snapshot.is_complete,
        has_times: snapshot.has_times,
    }
}

/// The address that an event is about.
pub(super) fn address(trace: &Trace, event: &Event) -> i64 {
    trace.snapshot.events.address[event.row as usize]
}

/// What was in use before the first event of a device; nothing if the file ends early.
pub(super) fn older(trace: &Trace, wanted: Device) -> impl Iterator<Item = Older> + use<> {
    let rows = replay::rows_of(&trace.snapshot, wanted);
    let first = rows.start;
    let live = live_after(&trace.snapshot, &Actions::of(trace), rows, first, wanted);
    live.into_iter().map(|live| Older { address: live.address, bytes: live.bytes, stack: live.stack })
}

/// Who asked for blocks.
pub(super) fn owners(trace: &Trace, levels: &Levels, blocks: &[Allocation]) -> Vec<Owner> {
    let events = &trace.snapshot.events;
    let mut names = Names::new(trace);
    let row = |block: &Allocation| block.event().map(|index| levels.events[index].row as usize);
    let category = |block: &Allocation| {
        row(block).map(|row| trace.strings.get(events.category[row])).filter(|name| !name.is_empty())
    };
    let has_categories = blocks.iter().any(|block| category(block).is_some());
    let mut owner = |block: &Allocation| {
        let stack = row(block).map_or(block.stack, |row| events.stack[row]);
        let said = names.of(stack);
        let phase = (!has_categories && (row(block).is_some() || stack.is_some())).then_some(said.phase);
        Owner {
            operator: said.operator.clone(),
            module: said.module.clone(),
            category: category(block).or(phase).map(str::to_owned),
            place: said.place.clone(),
            stack: said.lines.clone(),
        }
    };
    blocks.iter().map(&mut owner).collect()
}

/// The device of rows of a snapshot.
fn device(device_type: u32, number: i64) -> Device {
    Device { kind: eaves_model::MaybeU32::new(device_type), number: MaybeI64::new(number) }
}
