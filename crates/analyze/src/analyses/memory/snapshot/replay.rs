//! What was in use behind any event, from what there was at the end.

use std::ops::Range;

use eaves_model::{MaybeU32, Snapshot, StringId, Trace};
use hashbrown::HashMap;

use super::super::levels::Device;
use super::device;

/// The numbers of actions and states, or of nothing.
pub(super) struct Actions {
    pub(super) alloc: StringId,
    pub(super) free_requested: StringId,
    pub(super) free_completed: StringId,
    pub(super) segment_alloc: StringId,
    pub(super) segment_free: StringId,
    pub(super) segment_map: StringId,
    pub(super) segment_unmap: StringId,
    pub(super) oom: StringId,
    active: StringId,
    waiting: [StringId; 2],
}

impl Actions {
    pub(super) fn of(trace: &Trace) -> Self {
        // An id that no row has: ids of texts that are missing must not be equal to those of actions that are.
        let find = |name| trace.strings.find(name).unwrap_or(StringId(u32::MAX - 1));
        Self {
            alloc: find("alloc"),
            free_requested: find("free_requested"),
            free_completed: find("free_completed"),
            segment_alloc: find("segment_alloc"),
            segment_free: find("segment_free"),
            segment_map: find("segment_map"),
            segment_unmap: find("segment_unmap"),
            oom: find("oom"),
            active: find("active_allocated"),
            // The name in `memory_snapshot.cpp`, and that of other versions.
            waiting: [find("active_pending_free"), find("active_awaiting_free")],
        }
    }

    /// True for a block that is in use, or waits until it is not.
    pub(super) fn is_active(&self, state: StringId) -> bool {
        state == self.active || self.waiting.contains(&state)
    }

    /// True for a block whose release was asked for and waits for another stream.
    pub(super) fn is_waiting(&self, state: StringId) -> bool {
        self.waiting.contains(&state)
    }

    /// What an event adds to the memory in use.
    pub(super) fn change(&self, action: StringId, bytes: i64) -> Option<i64> {
        if action == self.alloc {
            Some(bytes)
        } else if action == self.free_completed {
            Some(-bytes)
        } else {
            None
        }
    }

    /// What an event adds to the memory taken from the device.
    pub(super) fn reserves(&self, action: StringId, bytes: i64) -> Option<i64> {
        if action == self.segment_alloc || action == self.segment_map {
            Some(bytes)
        } else if action == self.segment_free || action == self.segment_unmap {
            Some(-bytes)
        } else {
            None
        }
    }
}

/// The events of a device, which follow each other.
pub(super) fn rows_of(snapshot: &Snapshot, wanted: Device) -> Range<usize> {
    let events = &snapshot.events;
    let is_its = |row: &usize| device(events.device_type[*row], events.device[*row]) == wanted;
    let first = (0..events.len()).find(is_its).unwrap_or(events.len());
    let end = (first..events.len()).find(|row| !is_its(row)).unwrap_or(events.len());
    first..end
}

/// Memory that was in use at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Live {
    pub(super) address: i64,
    pub(super) bytes: i64,
    /// Size of its block, where that is known: it was there at the end.
    pub(super) block_bytes: Option<i64>,
    pub(super) stack: MaybeU32,
    pub(super) category: StringId,
    /// Its allocation among the events; nothing if it was before them.
    pub(super) row: Option<usize>,
}

/// Rows of the blocks of a device.
pub(super) fn blocks_of(snapshot: &Snapshot, wanted: Device) -> impl Iterator<Item = usize> + '_ {
    let segments = &snapshot.segments;
    let is_its = move |row: &usize| {
        let segment = snapshot.blocks.segment[*row] as usize;
        segment < segments.len() && device(segments.device_type[segment], segments.device[segment]) == wanted
    };
    (0..snapshot.blocks.len()).filter(is_its)
}

/// Everything in use behind the events before a row, in order of the allocations. Files that end early are replayed
/// forwards, without what was there before.
pub(super) fn live_after(
    snapshot: &Snapshot,
    actions: &Actions,
    rows: Range<usize>,
    until: usize,
    wanted: Device,
) -> Vec<Live> {
    let events = &snapshot.events;
    let mut live: HashMap<i64, Live, foldhash::fast::FixedState> = HashMap::default();
    let of_event = |row: usize, is_alloc: bool| Live {
        address: events.address[row],
        bytes: events.bytes[row],
        block_bytes: None,
        stack: if is_alloc { events.stack[row] } else { MaybeU32::NONE },
        category: if is_alloc { events.category[row] } else { StringId::NONE },
        row: is_alloc.then_some(row),
    };
    if snapshot.is_complete {
        let blocks = &snapshot.blocks;
        for row in blocks_of(snapshot, wanted).filter(|&row| actions.is_active(blocks.state[row])) {
            let block = Live {
                address: blocks.address[row],
                bytes: blocks.requested[row].unwrap_or(blocks.bytes[row]),
                block_bytes: Some(blocks.bytes[row]),
                stack: blocks.stack[row],
                category: StringId::NONE,
                row: None,
            };
            live.insert(blocks.address[row], block);
        }
        for row in (until..rows.end).rev() {
            if events.action[row] == actions.alloc {
                live.remove(&events.address[row]);
            } else if events.action[row] == actions.free_completed {
                live.insert(events.address[row], of_event(row, false));
            }
        }
        // The last allocation at an address before is the one that made it.
        let mut open = live.len();
        for row in (rows.start..until).rev().filter(|&row| events.action[row] == actions.alloc) {
            if open == 0 {
                break;
            }
            if let Some(found) = live.get_mut(&events.address[row])
                && found.row.is_none()
            {
                let block_bytes = found.block_bytes;
                *found = Live { bytes: found.bytes, block_bytes, ..of_event(row, true) };
                open -= 1;
            }
        }
    } else {
        for row in rows.start..until {
            if events.action[row] == actions.alloc {
                live.insert(events.address[row], of_event(row, true));
            } else if events.action[row] == actions.free_completed {
                live.remove(&events.address[row]);
            }
        }
    }
    let mut live: Vec<Live> = live.into_values().collect();
    live.sort_unstable_by_key(|one| (one.row, one.address));
    live
}

/// Released and not yet free behind the events before a row.
pub(super) fn waiting(
    snapshot: &Snapshot,
    actions: &Actions,
    rows: Range<usize>,
    until: usize,
    wanted: Device,
) -> i64 {
    let (events, blocks) = (&snapshot.events, &snapshot.blocks);
    let of_end = blocks_of(snapshot, wanted)
        .filter(|&row| actions.is_waiting(blocks.state[row]))
        .map(|row| blocks.requested[row].unwrap_or(blocks.bytes[row]));
    let mut bytes = of_end.fold(0i64, i64::saturating_add);
    for row in until..rows.end {
        if events.action[row] == actions.free_requested {
            bytes = bytes.saturating_sub(events.bytes[row]);
        } else if events.action[row] == actions.free_completed {
            bytes = bytes.saturating_add(events.bytes[row]);
        }
    }
    bytes.max(0)
}

/// Blocks of the end with a stack whose allocation is not among the events.
pub(super) fn dropped(snapshot: &Snapshot, actions: &Actions, rows: Range<usize>, wanted: Device) -> u64 {
    if rows.is_empty() || !snapshot.is_complete {
        return 0;
    }
    let end = live_after(snapshot, actions, rows.clone(), rows.end, wanted);
    end.iter().filter(|live| live.row.is_none() && live.stack.is_some()).count() as u64
}
