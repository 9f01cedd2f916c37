//! What has a time but is not a slice of a track: flows, instants, counters, allocations, asynchronous slices.

use crate::table::table;
use crate::{Ident, MaybeF64, MaybeI64, MaybeU32, Ns, StringId, TrackId};

table! {
    /// Ends of arrows between slices.
    Flows / Flow {
        /// When.
        time: Ns,
        /// Where.
        track: TrackId,
        /// Identifies the arrow within its category.
        id: Ident,
        /// Category: `ac2g` from host to device, `fwdbwd` from forward to backward.
        category: StringId,
        /// Name as written.
        name: StringId,
        /// `s` start, `t` step, `f` finish.
        phase: u8,
        /// 1 if the arrow binds to the enclosing slice (`"bp": "e"`), else 0.
        enclosing: u8,
    }
}

table! {
    /// Events without duration.
    Instants / Instant {
        /// When.
        time: Ns,
        /// Where.
        track: TrackId,
        /// What it is called.
        name: StringId,
        /// The category as written.
        category: StringId,
        /// `g` global, `p` process, `t` thread; 0 if not given.
        scope: u8,
        /// Where its event begins in the decompressed file.
        position: i64,
    }
}

/// The counter that holds bytes of memory in use, with a series for each category of tensors: what PyTorch's
/// `export_memory_timeline` writes.
pub const MEMORY_BY_CATEGORY: &str = "memory by category";

table! {
    /// Samples of counter tracks, one row a series.
    Counters / Counter {
        /// When.
        time: Ns,
        /// Process, and thread if given.
        track: TrackId,
        /// Name of the counter.
        name: StringId = Packed,
        /// Name of the series within the counter.
        series: StringId = Packed,
        /// The value.
        value: MaybeF64,
    }
}

table! {
    /// Allocations and releases of memory.
    Allocations / Allocation {
        /// When.
        time: Ns,
        /// The thread that asked.
        track: TrackId,
        /// Bytes taken; negative when released.
        bytes: MaybeI64,
        /// Address.
        address: MaybeI64 = Sparse,
        /// Bytes allocated afterwards.
        total_allocated: MaybeI64 = Sparse,
        /// Bytes reserved from the device afterwards.
        total_reserved: MaybeI64 = Sparse,
        /// 0 host, 1 CUDA, further numbers as in PyTorch's `DeviceType`.
        device_type: MaybeU32,
        /// Device number; -1 on the host.
        device: MaybeI64,
        /// Index of the event in the profiler's own list.
        event_index: MaybeU32 = Sparse,
        /// Where its event begins in the decompressed file.
        position: i64,
    }
}

table! {
    /// Asynchronous slices, which may overlap freely and belong to no thread's stack.
    AsyncSlices / AsyncSlice {
        /// Beginning.
        start: Ns,
        /// Length.
        duration: Ns,
        /// What it is called.
        name: StringId,
        /// The category as written.
        category: StringId,
        /// Track of its beginning.
        track: TrackId,
        /// Identifies it within its category.
        id: Ident,
        /// Where its event begins in the decompressed file.
        position: i64,
    }
}
