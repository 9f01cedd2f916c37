//! The rows behind a slice: one per kind of thing it is.

use eaves_model::{
    Collective, GpuActivity, LegacyOp, MaybeF64, MaybeI64, Op, PythonFrame, RuntimeArgument, RuntimeCall,
    SliceId, SliceKind, Sync, TritonLaunch, WarningKind,
};

use super::arguments::{Argument, set_of};
use super::exported;
use super::sink::Sink;
use Argument as A;

const COLLECTIVE: u128 = set_of(&[A::CollectiveName, A::InElements, A::OutElements, A::GroupSize]);
const LEGACY: u128 =
    set_of(&[A::TraceName, A::TraceIteration, A::ProfilerEventIndex, A::ModuleHierarchy, A::CallStack]);
const OP: u128 = set_of(&[
    A::ExternalId,
    A::OldExternalId,
    A::RecordFunctionId,
    A::EventIndex,
    A::SequenceNumber,
    A::ForwardThread,
    A::InputDims,
    A::InputTypes,
    A::InputStrides,
    A::ConcreteInputs,
]);
const PYTHON: u128 = set_of(&[A::PythonId, A::PythonParent, A::PythonModule, A::EventIndex, A::CalledFrom]);
const RUNTIME: u128 = set_of(&[A::Correlation, A::ExternalId, A::OldExternalId, A::CallbackId, A::CallId]);
const RUNTIME_ARGUMENTS: u128 = set_of(&[
    A::Kernel,
    A::Grid,
    A::Block,
    A::SharedMemory,
    A::Bytes,
    A::Size,
    A::Pointer,
    A::Source,
    A::Destination,
    A::Kind,
    A::Stream,
]);
const TRITON: u128 = set_of(&[A::KernelBackend, A::KernelName, A::KernelFile, A::KernelHash]);

/// Adds the detail rows of a new slice from the arguments just read.
#[inline(always)]
pub(super) fn push(sink: &mut Sink, slice: SliceId, kind: SliceKind, offset: u64) {
    match kind {
        SliceKind::Op | SliceKind::Annotation | SliceKind::GpuAnnotation => operator(sink, slice, offset),
        SliceKind::Runtime => runtime(sink, slice, offset),
        SliceKind::Kernel | SliceKind::Memcpy | SliceKind::Memset => activity(sink, slice, offset),
        SliceKind::Python => python(sink, slice, offset),
        SliceKind::Sync => synchronisation(sink, slice, offset),
        SliceKind::CounterRange | SliceKind::Overhead | SliceKind::Span | SliceKind::Other => {}
    }
}

fn number(sink: &Sink, argument: Argument) -> MaybeI64 {
    sink.arguments.number(argument).into()
}

fn float(sink: &Sink, argument: Argument) -> MaybeF64 {
    sink.arguments.float(argument).into()
}

fn external_id(sink: &Sink) -> MaybeI64 {
    sink.arguments.number(A::ExternalId).or(sink.arguments.number(A::OldExternalId)).into()
}

fn operator(sink: &mut Sink, slice: SliceId, offset: u64) {
    if sink.arguments.any(OP) {
        let row = Op {
            slice,
            external_id: external_id(sink),
            record_function_id: sink.small(A::RecordFunctionId, offset),
            event_index: sink.small(A::EventIndex, offset),
            sequence_number: number(sink, A::SequenceNumber),
            forward_thread: sink.small(A::ForwardThread, offset),
            input_dims: sink.arguments.text(A::InputDims),
            input_types: sink.arguments.text(A::InputTypes),
            input_strides: sink.arguments.text(A::InputStrides),
            concrete_inputs: sink.arguments.text(A::ConcreteInputs),
        };
        sink.trace.ops.push(row);
    }
    if sink.arguments.any(COLLECTIVE) {
        collective(sink, slice, offset);
    }
    if sink.arguments.any(TRITON) {
        triton(sink, slice, offset);
    }
    if sink.arguments.any(LEGACY) {
        let row = LegacyOp {
            slice,
            trace_name: sink.arguments.text(A::TraceName),
            trace_iteration: sink.small(A::TraceIteration, offset),
            profiler_event_index: sink.small(A::ProfilerEventIndex, offset),
            module_hierarchy: sink.arguments.text(A::ModuleHierarchy),
            call_stack: sink.arguments.text(A::CallStack),
        };
        sink.trace.legacy_ops.push(row);
    }
}

#[cold]
fn triton(sink: &mut Sink, slice: SliceId, offset: u64) {
    let row = TritonLaunch {
        slice,
        kernel_backend: sink.arguments.text(A::KernelBackend),
        kernel_name: sink.arguments.text(A::KernelName),
        kernel_file: sink.arguments.text(A::KernelFile),
        kernel_hash: sink.arguments.text(A::KernelHash),
        kernel_kwargs: sink.arguments.text(A::KernelArguments),
        grid: sink.arguments.text(A::Grid),
        num_warps: sink.small(A::Warps, offset),
        num_stages: sink.small(A::Stages, offset),
        stream: number(sink, A::Stream),
    };
    sink.trace.triton.push(row);
}

fn runtime(sink: &mut Sink, slice: SliceId, offset: u64) {
    if sink.arguments.any(RUNTIME) {
        let function = sink.small(A::CallbackId, offset);
        let row = RuntimeCall {
            slice,
            correlation: number(sink, A::Correlation),
            external_id: external_id(sink),
            function: if function.is_some() { function } else { sink.small(A::CallId, offset) },
        };
        sink.trace.runtime.push(row);
    }
    if sink.arguments.any(RUNTIME_ARGUMENTS) {
        let row = RuntimeArgument {
            slice,
            kernel: sink.arguments.text(A::Kernel),
            grid: sink.arguments.extent(A::Grid),
            block: sink.arguments.extent(A::Block),
            shared_memory: number(sink, A::SharedMemory),
            bytes: sink.arguments.number(A::Bytes).or(sink.arguments.number(A::Size)).into(),
            pointer: number(sink, A::Pointer),
            source: number(sink, A::Source),
            destination: number(sink, A::Destination),
            kind: sink.arguments.text(A::Kind),
            stream: number(sink, A::Stream),
        };
        sink.trace.runtime_arguments.push(row);
    }
}

fn activity(sink: &mut Sink, slice: SliceId, offset: u64) {
    let detail = if sink.arguments.any(set_of(&[A::Kind])) { A::Kind } else { A::Direction };
    let row = GpuActivity {
        slice,
        device: sink.small(A::Device, offset),
        context: sink.small(A::Context, offset),
        stream: number(sink, A::Stream),
        correlation: number(sink, A::Correlation),
        external_id: external_id(sink),
        queued: number(sink, A::Queued),
        grid: sink.arguments.extent(A::Grid),
        block: sink.arguments.extent(A::Block),
        registers: sink.small(A::Registers, offset),
        shared_memory: number(sink, A::SharedMemory),
        blocks_per_sm: float(sink, A::BlocksPerSm),
        warps_per_sm: float(sink, A::WarpsPerSm),
        occupancy_pct: float(sink, A::Occupancy),
        bytes: sink.arguments.number(A::Bytes).or(sink.arguments.number(A::Size)).into(),
        bandwidth_gbps: float(sink, A::Bandwidth),
        detail: sink.arguments.text(detail),
    };
    sink.trace.gpu.push(row);
    if sink.arguments.any(COLLECTIVE) {
        collective(sink, slice, offset);
    }
    if sink.arguments.any(set_of(&[A::Exported])) {
        let text = sink.arguments.text(A::Exported);
        if exported::take(&mut sink.trace, slice, text).is_none() {
            sink.note(WarningKind::BadValue, offset);
        }
    }
}

#[cold]
fn collective(sink: &mut Sink, slice: SliceId, offset: u64) {
    let row = Collective {
        slice,
        name: sink.arguments.text(A::CollectiveName),
        in_elements: number(sink, A::InElements),
        out_elements: number(sink, A::OutElements),
        dtype: sink.arguments.text(A::Dtype),
        group_size: sink.small(A::GroupSize, offset),
        in_splits: sink.arguments.text(A::InSplits),
        out_splits: sink.arguments.text(A::OutSplits),
        group_name: sink.arguments.text(A::GroupName),
        group_description: sink.arguments.text(A::GroupDescription),
        group_ranks: sink.arguments.text(A::GroupRanks),
        rank: sink.small(A::Rank, offset),
        global_rank_start: sink.small(A::GlobalRankStart, offset),
        global_rank_stride: sink.small(A::GlobalRankStride, offset),
        sequence: number(sink, A::CollectiveSequence),
        is_asynchronous: sink.small(A::IsAsynchronous, offset),
    };
    sink.trace.collectives.push(row);
}

fn python(sink: &mut Sink, slice: SliceId, offset: u64) {
    if sink.arguments.any(PYTHON) {
        let row = PythonFrame {
            slice,
            id: sink.small(A::PythonId, offset),
            parent: sink.small(A::PythonParent, offset),
            module: sink.small(A::PythonModule, offset),
            event_index: sink.small(A::EventIndex, offset),
            called_from: sink.arguments.text(A::CalledFrom),
        };
        sink.trace.python.push(row);
    }
}

#[cold]
fn synchronisation(sink: &mut Sink, slice: SliceId, offset: u64) {
    let row = Sync {
        slice,
        kind: sink.arguments.text(A::SyncKind),
        device: sink.small(A::Device, offset),
        context: sink.small(A::Context, offset),
        stream: number(sink, A::Stream),
        correlation: number(sink, A::Correlation),
        external_id: external_id(sink),
        wait_on_stream: number(sink, A::WaitOnStream),
        wait_on_event: number(sink, A::WaitOnEvent),
        wait_on_record_correlation: number(sink, A::WaitOnRecord),
    };
    sink.trace.syncs.push(row);
}
