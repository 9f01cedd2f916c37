//! A snapshot of a caching allocator: what it held at the end, and what it did before.

use crate::table::table;
use crate::{MaybeI64, MaybeU32, Ns, Relocation, StringId, TableView};

table! {
    /// What an allocator did, device by device, each in order.
    MemoryEvents / MemoryEvent {
        /// When; the number of the event where [`Snapshot::has_times`] is false.
        time: Ns,
        /// `alloc`, `free_requested`, `free_completed`, `segment_alloc`, `segment_free`, `segment_map`,
        /// `segment_unmap`, `oom`, `snapshot`, or what later versions add.
        action: StringId = Packed,
        /// 0 host, 1 CUDA, as in PyTorch's `DeviceType`.
        device_type: u32 = Packed,
        /// Device number; -1 on the host.
        device: i64 = Packed,
        /// Stream that the memory belongs to.
        stream: MaybeI64 = Packed,
        /// The bits of the address, which may be above 2^63; of an `oom` what the device still had free, in bytes.
        address: i64,
        /// Bytes that were asked for; of segments their size.
        bytes: i64,
        /// Row in [`MemoryStacks`] of the innermost frame.
        stack: MaybeU32,
        /// Category of the tensor, if the recorder knew it.
        category: StringId = Packed,
    }
}

table! {
    /// What an allocator had taken from a device at the end.
    MemorySegments / MemorySegment {
        /// 0 host, 1 CUDA, as in PyTorch's `DeviceType`.
        device_type: u32 = Packed,
        /// Device number; -1 on the host.
        device: i64 = Packed,
        /// The bits of the address.
        address: i64,
        /// Size.
        bytes: i64,
        /// Stream.
        stream: MaybeI64 = Packed,
        /// `small` or `large`.
        kind: StringId = Packed,
        /// Number of the private pool that it belongs to, such as that of a CUDA graph, plus one; 0 in the common pool.
        pool: u32 = Packed,
        /// 1 if it can grow.
        expandable: u8 = Packed,
        /// Row in [`MemoryStacks`] of the innermost frame.
        stack: MaybeU32,
    }
}

table! {
    /// The pieces of segments at the end, in order of address.
    MemoryBlocks / MemoryBlock {
        /// Row in [`MemorySegments`].
        segment: u32,
        /// The bits of the address.
        address: i64,
        /// Size.
        bytes: i64,
        /// Bytes that were asked for.
        requested: MaybeI64,
        /// `active_allocated`, `active_pending_free` (waits for another stream), `inactive`.
        state: StringId = Packed,
        /// Row in [`MemoryStacks`] of the innermost frame.
        stack: MaybeU32,
    }
}

table! {
    /// The distinct frames of stacks.
    MemoryFrames / MemoryFrame {
        /// Function.
        name: StringId,
        /// File.
        file: StringId,
        /// Line.
        line: i64,
    }
}

table! {
    /// Stacks as a tree: the frames around a row are those of its ancestors.
    MemoryStacks / MemoryStack {
        /// Row in [`MemoryFrames`].
        frame: u32,
        /// Row of the caller, always smaller; nothing at the outermost.
        caller: MaybeU32,
    }
}

/// What a caching allocator held at the end, and what it did before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// What it did.
    pub events: MemoryEvents,
    /// What it had taken from devices at the end.
    pub segments: MemorySegments,
    /// The pieces of it.
    pub blocks: MemoryBlocks,
    /// Frames of the stacks.
    pub frames: MemoryFrames,
    /// Stacks.
    pub stacks: MemoryStacks,
    /// True if events have times; otherwise their order alone is known.
    pub has_times: bool,
    /// False if the file ends early: what happened last, and so what was there before, is not known.
    pub is_complete: bool,
}

impl Snapshot {
    /// True without events and without segments.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.segments.is_empty()
    }

    /// The rows of the frames of a stack in [`MemoryFrames`], innermost first.
    pub fn frames_of(&self, stack: MaybeU32) -> impl Iterator<Item = usize> + '_ {
        let caller = |&row: &usize| self.stacks.caller.get(row)?.get().map(|row| row as usize);
        let first = stack.get().map(|row| row as usize).filter(|&row| row < self.stacks.len());
        std::iter::successors(first, caller).map(|row| self.stacks.frame[row] as usize)
    }

    /// Takes over the snapshot of another part, if there is none yet. A recording has one at most.
    pub(crate) fn absorb(&mut self, other: Self, relocation: &Relocation) {
        if !self.is_empty() || other.is_empty() {
            return;
        }
        *self = Self { has_times: other.has_times, is_complete: other.is_complete, ..Self::default() };
        self.events.append(other.events, relocation);
        self.segments.append(other.segments, relocation);
        self.blocks.append(other.blocks, relocation);
        self.frames.append(other.frames, relocation);
        self.stacks.append(other.stacks, relocation);
    }

    /// The tables, for exporters.
    pub(crate) fn tables(&self) -> Vec<TableView<'_>> {
        macro_rules! view {
            ($name:literal, $table:ident) => {
                TableView { name: $name, rows: self.$table.len(), columns: self.$table.columns() }
            };
        }
        vec![
            view!("memory_events", events),
            view!("memory_segments", segments),
            view!("memory_blocks", blocks),
            view!("memory_frames", frames),
            view!("memory_stacks", stacks),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_told_from_the_innermost_frame() {
        let mut snapshot = Snapshot::default();
        for (frame, caller) in [(4, None), (7, Some(0)), (9, Some(0)), (4, Some(1))] {
            snapshot.stacks.push(MemoryStack { frame, caller: caller.into() });
        }
        let frames = |row: Option<u32>| snapshot.frames_of(row.into()).collect::<Vec<_>>();
        assert_eq!(frames(Some(3)), [4, 7, 4]);
        assert_eq!(frames(Some(2)), [9, 4]);
        assert!(frames(None).is_empty());
        assert!(frames(Some(4)).is_empty());
    }
}
