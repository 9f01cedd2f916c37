//! What the allocator held at the end: how much of it is in use, and how much can be.

use eaves_model::Snapshot;
use serde::{Deserialize, Serialize};

use super::super::levels::Device;
use super::device;
use super::replay::{Actions, blocks_of};

/// What there was at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct End {
    pub(in super::super) segments: u64,
    /// Taken from the device.
    pub(in super::super) reserved: i64,
    /// In blocks that are in use, as large as they are.
    pub(in super::super) in_blocks: i64,
    /// What was asked for of it.
    pub(in super::super) requested: i64,
    /// In blocks that are not in use.
    pub(in super::super) unused: i64,
    /// Of these in segments that are partly in use, so that they cannot be given back to the device.
    pub(in super::super) stuck: i64,
    /// The largest block that is not in use: the largest request that can be served without the device.
    pub(in super::super) largest_unused: i64,
    /// Segments of private pools, such as those of CUDA graphs.
    pub(in super::super) in_pools: i64,
}

impl End {
    /// What blocks in use are larger than was asked for.
    pub(in super::super) fn rounding(&self) -> i64 {
        self.in_blocks.saturating_sub(self.requested)
    }
}

/// Adds up segments and blocks.
pub(super) fn end(snapshot: &Snapshot, actions: &Actions, wanted: Device) -> End {
    let (segments, blocks) = (&snapshot.segments, &snapshot.blocks);
    let mut end = End::default();
    for row in 0..segments.len() {
        if device(segments.device_type[row], segments.device[row]) == wanted {
            end.segments += 1;
            end.reserved = end.reserved.saturating_add(segments.bytes[row]);
            if segments.pool[row] != 0 {
                end.in_pools = end.in_pools.saturating_add(segments.bytes[row]);
            }
        }
    }
    let mut is_used = vec![false; segments.len()];
    for row in blocks_of(snapshot, wanted).filter(|&row| actions.is_active(blocks.state[row])) {
        is_used[blocks.segment[row] as usize] = true;
        end.in_blocks = end.in_blocks.saturating_add(blocks.bytes[row]);
        end.requested = end.requested.saturating_add(blocks.requested[row].unwrap_or(blocks.bytes[row]));
    }
    for row in blocks_of(snapshot, wanted).filter(|&row| !actions.is_active(blocks.state[row])) {
        end.unused = end.unused.saturating_add(blocks.bytes[row]);
        end.largest_unused = end.largest_unused.max(blocks.bytes[row]);
        if is_used[blocks.segment[row] as usize] {
            end.stuck = end.stuck.saturating_add(blocks.bytes[row]);
        }
    }
    end
}
