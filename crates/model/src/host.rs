//! Details of slices on the host: operators, runtime calls, Python frames, and what only some of them carry.

use crate::table::table;
use crate::{Extent, MaybeI64, MaybeU32, SliceId, StringId};

table! {
    /// Operators of the framework and ranges named by the user.
    Ops / Op {
        /// The slice.
        slice: SliceId,
        /// Links the operator to the runtime calls below it.
        external_id: MaybeI64 = Sparse,
        /// Number of the `RecordFunction` call.
        record_function_id: MaybeU32 = Sparse,
        /// Index of the event in the profiler's own list.
        event_index: MaybeU32 = Sparse,
        /// Links a forward operator to its backward.
        sequence_number: MaybeI64 = Sparse,
        /// Thread of the forward operator, on a backward operator.
        forward_thread: MaybeU32 = Sparse,
        /// Shapes of the inputs, as JSON.
        input_dims: StringId = Sparse,
        /// Element types of the inputs, as JSON.
        input_types: StringId = Sparse,
        /// Strides of the inputs, as JSON.
        input_strides: StringId = Sparse,
        /// Scalar inputs, as JSON.
        concrete_inputs: StringId = Sparse,
    }
}

table! {
    /// What operators of old traces carry besides.
    LegacyOps / LegacyOp {
        /// The slice.
        slice: SliceId,
        /// Name of the recording.
        trace_name: StringId,
        /// Number of the recording.
        trace_iteration: MaybeU32,
        /// Index of the event in the profiler's own list.
        profiler_event_index: MaybeU32,
        /// Modules around the operator.
        module_hierarchy: StringId,
        /// Python stack as one text.
        call_stack: StringId,
    }
}

table! {
    /// Launches of Triton kernels by compiled code.
    TritonLaunches / TritonLaunch {
        /// The slice of the operator.
        slice: SliceId,
        /// Who made the kernel.
        kernel_backend: StringId,
        /// Kernel name.
        kernel_name: StringId,
        /// File of generated code.
        kernel_file: StringId,
        /// Hash of generated code.
        kernel_hash: StringId,
        /// Tuning parameters.
        kernel_kwargs: StringId,
        /// The launch grid, as text.
        grid: StringId,
        /// Warps per block.
        num_warps: MaybeU32,
        /// Pipeline stages.
        num_stages: MaybeU32,
        /// Stream launched on.
        stream: MaybeI64,
    }
}

table! {
    /// Calls into the runtime or driver API.
    RuntimeCalls / RuntimeCall {
        /// The slice.
        slice: SliceId,
        /// Links the call to what it started on the device.
        correlation: MaybeI64,
        /// Links the call to the operator around it.
        external_id: MaybeI64 = Sparse,
        /// Number of the API function (CUPTI `cbid`, roctracer `cid`).
        function: MaybeU32 = Sparse,
    }
}

table! {
    /// Arguments that roctracer records with a runtime call.
    RuntimeArguments / RuntimeArgument {
        /// The slice.
        slice: SliceId,
        /// Kernel launched.
        kernel: StringId,
        /// Blocks launched.
        grid: Extent,
        /// Threads per block.
        block: Extent,
        /// Bytes of shared memory per block.
        shared_memory: MaybeI64 = Sparse,
        /// Bytes copied or allocated.
        bytes: MaybeI64 = Sparse,
        /// Address allocated or freed.
        pointer: MaybeI64 = Sparse,
        /// Source address of a copy.
        source: MaybeI64 = Sparse,
        /// Destination address of a copy.
        destination: MaybeI64 = Sparse,
        /// Kind of copy.
        kind: StringId = Sparse,
        /// Stream handle.
        stream: MaybeI64 = Sparse,
    }
}

table! {
    /// Python frames.
    PythonFrames / PythonFrame {
        /// The slice.
        slice: SliceId,
        /// Number of the call.
        id: MaybeU32,
        /// Number of the caller's call.
        parent: MaybeU32,
        /// Number of the module instance, on calls of a module.
        module: MaybeU32 = Sparse,
        /// Index of the event in the profiler's own list.
        event_index: MaybeU32,
        /// Line of the caller, as `file:line`.
        called_from: StringId = Sparse,
    }
}
