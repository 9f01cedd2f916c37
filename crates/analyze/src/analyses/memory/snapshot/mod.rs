//! What a snapshot of an allocator tells beyond levels: what was alive, event by event, and whose it was.
//!
//! A snapshot says what there was in the end and what happened before, so states are made backwards from the end. What
//! was allocated before the first event and freed after it is found that way too. Memory counts until its release is
//! *completed*, when the allocator can use it again.

mod alive;
mod churn;
mod end;
mod frames;
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

use eaves_model::MaybeI64;
use serde::{Deserialize, Serialize};

use self::alive::describe;
use self::frames::Names;
use self::replay::{Actions, live_after};
use super::levels::{Device, Levels};
use crate::RankView;

/// What is told of one device.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Allocator {
    /// What was in use at the peak.
    pub(super) alive: Alive,
    /// Released and waiting for another stream at the peak; in use until then.
    pub(super) waiting_at_peak: i64,
    /// What there was in the end.
    pub(super) end: End,
    /// Segments that came and went.
    pub(super) churn: Churn,
    /// Requests that failed.
    pub(super) failures: Vec<OutOfMemory>,
    /// What was in use when the last request failed.
    pub(super) at_failure: Option<Alive>,
    /// Stacks whose memory grows.
    pub(super) growth: Vec<Growth>,
    /// Blocks that were there in the end, have a stack, and whose allocation is not among the events: it was recorded and
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

/// The device of rows of a snapshot.
fn device(device_type: u32, number: i64) -> Device {
    Device { kind: eaves_model::MaybeU32::new(device_type), number: MaybeI64::new(number) }
}
