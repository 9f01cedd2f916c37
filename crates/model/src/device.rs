//! Details of slices on the device: activities, dispatches, synchronization records, collectives, hardware counters,
//! remarks of the profiler.

use crate::table::table;
use crate::{Extent, MaybeF64, MaybeI64, MaybeU32, SliceId, StringId};

table! {
    /// Kernels, memory copies and memory sets.
    GpuActivities / GpuActivity {
        /// The slice.
        slice: SliceId,
        /// Device number.
        device: MaybeU32 = Packed,
        /// Context number.
        context: MaybeU32 = Packed,
        /// Stream number.
        stream: MaybeI64 = Packed,
        /// Links the activity to the call that started it.
        correlation: MaybeI64,
        /// Links the activity to the operator around that call.
        external_id: MaybeI64 = Sparse,
        /// When it was queued, as the profiler gives it.
        queued: MaybeI64 = Sparse,
        /// Blocks launched.
        grid: Extent = Packed,
        /// Threads per block.
        block: Extent = Packed,
        /// Registers per thread.
        registers: MaybeU32 = Packed,
        /// Bytes of shared memory per block.
        shared_memory: MaybeI64 = Packed,
        /// Blocks per multiprocessor.
        blocks_per_sm: MaybeF64 = Sparse,
        /// Warps per multiprocessor.
        warps_per_sm: MaybeF64 = Sparse,
        /// Occupancy the profiler estimates, in percent.
        occupancy_pct: MaybeF64 = Sparse,
        /// Bytes copied or set.
        bytes: MaybeI64 = Sparse,
        /// Bandwidth the profiler computed, in GB/s.
        bandwidth_gbps: MaybeF64 = Sparse,
        /// Kind of copy or dispatch, as written.
        detail: StringId = Packed,
    }
}

impl GpuActivity {
    /// An activity of which nothing is known but its slice.
    pub fn of(slice: SliceId) -> Self {
        Self { slice, ..Self::default() }
    }
}

table! {
    /// What AMD's profilers record of a kernel besides.
    Dispatches / Dispatch {
        /// The slice of the kernel.
        slice: SliceId,
        /// Number of the dispatch in its process.
        number: MaybeI64,
        /// Hardware queue, as the profiler numbers it.
        queue: MaybeI64 = Packed,
        /// Work-items launched: the grid in the profiler's own unit, where it tells the extents.
        work_items: Extent = Packed,
        /// Work-items launched in all, where it tells the product alone.
        total_work_items: MaybeI64 = Sparse,
        /// Vector registers per work-item.
        vector_registers: MaybeU32 = Packed,
        /// Accumulation registers per work-item.
        accumulation_registers: MaybeU32 = Packed,
        /// Scalar registers per wave.
        scalar_registers: MaybeU32 = Packed,
        /// Bytes of scratch memory per work-item.
        scratch: MaybeI64 = Packed,
        /// Work-items per wave.
        wave_size: MaybeU32 = Packed,
    }
}

table! {
    /// Synchronisation records on device tracks.
    Syncs / Sync {
        /// The slice.
        slice: SliceId,
        /// What was waited for.
        kind: StringId,
        /// Device number.
        device: MaybeU32,
        /// Context number.
        context: MaybeU32,
        /// The stream that waited.
        stream: MaybeI64,
        /// Links the record to the call.
        correlation: MaybeI64,
        /// Links the record to the operator around that call.
        external_id: MaybeI64 = Sparse,
        /// The stream waited for.
        wait_on_stream: MaybeI64 = Sparse,
        /// The event waited for.
        wait_on_event: MaybeI64 = Sparse,
        /// Correlation of the call that recorded the event.
        wait_on_record_correlation: MaybeI64 = Sparse,
    }
}

table! {
    /// What a collective moved, recorded on the operator and on the kernel alike.
    Collectives / Collective {
        /// The slice of the operator or kernel.
        slice: SliceId,
        /// Name such as `allreduce`.
        name: StringId,
        /// Elements sent.
        in_elements: MaybeI64,
        /// Elements received.
        out_elements: MaybeI64,
        /// Element type.
        dtype: StringId,
        /// Number of ranks in the group.
        group_size: MaybeU32,
        /// Elements sent to each rank, as JSON text.
        in_splits: StringId,
        /// Elements received from each rank, as JSON text.
        out_splits: StringId,
        /// Name of the process group.
        group_name: StringId,
        /// Description of the process group.
        group_description: StringId,
        /// Ranks of the process group, as JSON text.
        group_ranks: StringId,
        /// Rank of this process in the group.
        rank: MaybeU32,
        /// First global rank of the group.
        global_rank_start: MaybeU32,
        /// Distance of the global ranks of the group.
        global_rank_stride: MaybeU32,
        /// Number of the call among those of its process group, the same on every rank. Collectives and
        /// point-to-point calls are numbered apart.
        sequence: MaybeI64 = Sparse,
        /// 1 if the host did not wait for the call, else 0.
        is_asynchronous: MaybeU32 = Sparse,
    }
}

table! {
    /// Hardware counters collected over a range or a kernel, in base units: nanoseconds, bytes, hertz, percent.
    RangeCounters / RangeCounter {
        /// The slice of the range or kernel.
        slice: SliceId,
        /// Name of the metric.
        metric: StringId,
        /// Its value.
        value: MaybeF64,
    }
}

table! {
    /// What the profiler itself remarks on a kernel.
    Remarks / Remark {
        /// The slice of the kernel.
        slice: SliceId,
        /// Name of the rule.
        rule: StringId,
        /// How it is meant, as written: `OPT`, `INF`, `WRN`.
        kind: StringId,
        /// The remark.
        text: StringId,
        /// Speed-up it expects, in percent.
        speedup_pct: MaybeF64,
        /// What the speed-up is of, as written: `local`, `global`.
        speedup_of: StringId,
    }
}
