//! Segments that came and went, and requests that failed.

use std::ops::Range;

use eaves_model::{MaybeI64, Ns};
use serde::{Deserialize, Serialize};

use super::super::levels::Levels;
use super::replay::Actions;
use crate::RankView;

/// What the allocator asked of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct Churn {
    /// Segments taken, or pages of them.
    pub(in super::super) taken: u64,
    /// Segments given back, or pages of them.
    pub(in super::super) given_back: u64,
    /// How often the cache was emptied to serve a request: segments were given back by the very call that then took one.
    pub(in super::super) retries: u64,
}

/// A request that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct OutOfMemory {
    /// Row behind which the state is told.
    pub(super) row: usize,
    /// When, counted from the start of the recording.
    pub(in super::super) time: Ns,
    /// What was asked of the device.
    pub(in super::super) asked: i64,
    /// What the device had free.
    pub(in super::super) free: i64,
    pub(in super::super) in_use: i64,
    pub(in super::super) reserved: MaybeI64,
}

impl OutOfMemory {
    /// Reserved and not in use.
    pub(in super::super) fn unused(&self) -> Option<i64> {
        Some(self.reserved.get()?.saturating_sub(self.in_use).max(0))
    }

    /// True if all that was reserved and not in use, together with what the device had free, was enough: it lay in pieces.
    pub(in super::super) fn is_fragmented(&self) -> Option<bool> {
        Some(self.asked <= self.unused()?.saturating_add(self.free))
    }
}

/// Looks through the events of a device.
pub(super) fn churn(
    rank: &RankView<'_>,
    levels: &Levels,
    actions: &Actions,
    rows: Range<usize>,
) -> (Churn, Vec<OutOfMemory>) {
    let events = &rank.trace.snapshot.events;
    let (mut churn, mut failures) = (Churn::default(), Vec::new());
    // The stack of the last event, if that gave a segment back.
    let mut given_back_by = None;
    let mut at = 0;
    for row in rows {
        let action = events.action[row];
        while levels.events.get(at).is_some_and(|event| (event.row as usize) < row) {
            at += 1;
        }
        if action == actions.segment_free || action == actions.segment_unmap {
            churn.given_back += 1;
            given_back_by = Some(events.stack[row]).filter(|stack| stack.is_some());
            continue;
        }
        if action == actions.segment_alloc || action == actions.segment_map {
            churn.taken += 1;
            churn.retries += u64::from(given_back_by == Some(events.stack[row]));
        } else if action == actions.oom && rank.selects(events.time[row]) {
            let before = at.checked_sub(1).map(|last| &levels.events[last]);
            failures.push(OutOfMemory {
                row,
                time: events.time[row] - rank.zero(),
                asked: events.bytes[row],
                free: events.address[row],
                in_use: before.map_or(levels.before(), |event| event.level),
                reserved: before.or(levels.events.first()).map_or(MaybeI64::NONE, |event| event.reserved),
            });
        }
        given_back_by = None;
    }
    (churn, failures)
}
