//! The detail tables of slices as event arguments, under the names PyTorch's profiler gives them.

use eaves_model::{
    Collective, Dispatch, GpuActivity, LegacyOp, Op, PythonFrame, Remark, RuntimeArgument, RuntimeCall,
    SliceId, SliceKind, StringId, Sync, Trace, TritonLaunch,
};
use serde_json::{Map, Value, json};

use super::event::Events;

/// Hands out the rows of a detail table slice by slice. Tables are in the order of the slices, as every reader
/// fills them; one that is not is sorted once.
struct Rows<'a> {
    slices: &'a [SliceId],
    order: Vec<usize>,
    next: usize,
}

impl<'a> Rows<'a> {
    fn new(slices: &'a [SliceId]) -> Self {
        let mut order = Vec::new();
        if !slices.is_sorted() {
            order.extend(0..slices.len());
            order.sort_by_key(|&row| slices[row]);
        }
        Self { slices, order, next: 0 }
    }

    /// The next row of a slice. Slices must be asked for in their order.
    #[inline]
    fn take(&mut self, slice: SliceId) -> Option<usize> {
        let row = if self.order.is_empty() { self.next } else { *self.order.get(self.next)? };
        if self.slices.get(row) != Some(&slice) {
            return None;
        }
        self.next += 1;
        Some(row)
    }
}

/// A number and extents that read as none.
const NO_NUMBER: &[u8] = b"4294967295";
const NO_EXTENTS: &[u8] = b"[0,0,0]";

/// The reader makes a detail row of any of some arguments. A row without any value, which only a damaged trace
/// has, needs one of them all the same.
fn force_row(events: &mut Events<'_>, before: usize, key: &str, none: &[u8]) {
    if events.buffer.len() == before {
        events.raw_argument(key, none);
    }
}

/// What of the detail tables is still to be written.
pub(super) struct Arguments<'a> {
    trace: &'a Trace,
    ops: Rows<'a>,
    legacy_ops: Rows<'a>,
    triton: Rows<'a>,
    runtime: Rows<'a>,
    runtime_arguments: Rows<'a>,
    python: Rows<'a>,
    gpu: Rows<'a>,
    syncs: Rows<'a>,
    collectives: Rows<'a>,
    range_counters: Rows<'a>,
    dispatches: Rows<'a>,
    remarks: Rows<'a>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Self {
            trace,
            ops: Rows::new(&trace.ops.slice),
            legacy_ops: Rows::new(&trace.legacy_ops.slice),
            triton: Rows::new(&trace.triton.slice),
            runtime: Rows::new(&trace.runtime.slice),
            runtime_arguments: Rows::new(&trace.runtime_arguments.slice),
            python: Rows::new(&trace.python.slice),
            gpu: Rows::new(&trace.gpu.slice),
            syncs: Rows::new(&trace.syncs.slice),
            collectives: Rows::new(&trace.collectives.slice),
            range_counters: Rows::new(&trace.range_counters.slice),
            dispatches: Rows::new(&trace.dispatches.slice),
            remarks: Rows::new(&trace.remarks.slice),
        }
    }

    /// Writes all arguments of a slice. Slices must come in their order.
    pub(super) fn write(&mut self, events: &mut Events<'_>, slice: SliceId) {
        let trace = self.trace;
        while let Some(row) = self.python.take(slice) {
            python(events, trace.python.row(row));
        }
        while let Some(row) = self.ops.take(slice) {
            op(events, trace.ops.row(row));
        }
        while let Some(row) = self.legacy_ops.take(slice) {
            legacy_op(events, trace.legacy_ops.row(row));
        }
        while let Some(row) = self.triton.take(slice) {
            triton(events, trace.triton.row(row));
        }
        while let Some(row) = self.runtime.take(slice) {
            runtime(events, trace.runtime.row(row));
        }
        while let Some(row) = self.runtime_arguments.take(slice) {
            runtime_argument(events, trace.runtime_arguments.row(row));
        }
        while let Some(row) = self.gpu.take(slice) {
            gpu(events, trace.gpu.row(row));
        }
        while let Some(row) = self.syncs.take(slice) {
            sync(events, trace.syncs.row(row));
        }
        while let Some(row) = self.collectives.take(slice) {
            collective(events, trace.collectives.row(row));
        }
        // Kineto has counters of ranges alone; those of kernels need their own place.
        if trace.slices.kind[slice.index()] == SliceKind::CounterRange {
            while let Some(row) = self.range_counters.take(slice) {
                events.series_argument(trace.range_counters.metric[row], trace.range_counters.value[row]);
            }
        }
        self.without_names(events, slice);
    }

    /// What Kineto has no names for, as one argument.
    fn without_names(&mut self, events: &mut Events<'_>, slice: SliceId) {
        let trace = self.trace;
        let text = |id: StringId| id.some().map(|id| trace.strings.get(id));
        let mut exported = Map::new();
        while let Some(row) = self.dispatches.take(slice) {
            exported.insert("dispatch".to_owned(), dispatch(&trace.dispatches.row(row)));
        }
        let mut counters = Map::new();
        while let Some(row) = self.range_counters.take(slice) {
            let name = text(trace.range_counters.metric[row]).unwrap_or_default();
            counters.insert(name.to_owned(), trace.range_counters.value[row].get().into());
        }
        if !counters.is_empty() {
            exported.insert("counters".to_owned(), counters.into());
        }
        let mut remarks = Vec::new();
        while let Some(row) = self.remarks.take(slice) {
            let Remark { rule, kind, text: what, speedup_pct, speedup_of, .. } = trace.remarks.row(row);
            remarks.push(json!([text(rule), text(kind), text(what), speedup_pct.get(), text(speedup_of)]));
        }
        if !remarks.is_empty() {
            exported.insert("remarks".to_owned(), remarks.into());
        }
        if !exported.is_empty() {
            events.raw_argument("eaves details", Value::from(exported).to_string().as_bytes());
        }
    }
}

fn dispatch(row: &Dispatch) -> Value {
    let [x, y, z] = row.work_items.0;
    json!([
        row.number.get(),
        row.queue.get(),
        x,
        y,
        z,
        row.total_work_items.get(),
        row.vector_registers.get(),
        row.accumulation_registers.get(),
        row.scalar_registers.get(),
        row.scratch.get(),
        row.wave_size.get(),
    ])
}

fn python(events: &mut Events<'_>, frame: PythonFrame) {
    let before = events.buffer.len();
    events.unsigned_argument("Python id", frame.id);
    events.unsigned_argument("Python parent id", frame.parent);
    events.unsigned_argument("Python module id", frame.module);
    events.unsigned_argument("Ev Idx", frame.event_index);
    events.text_argument("CallFrom", frame.called_from);
    force_row(events, before, "Ev Idx", NO_NUMBER);
}

fn op(events: &mut Events<'_>, op: Op) {
    let before = events.buffer.len();
    events.integer_argument("External id", op.external_id);
    events.unsigned_argument("Record function id", op.record_function_id);
    events.integer_argument("Sequence number", op.sequence_number);
    events.unsigned_argument("Fwd thread id", op.forward_thread);
    events.json_argument("Concrete Inputs", op.concrete_inputs);
    events.json_argument("Input type", op.input_types);
    events.json_argument("Input Strides", op.input_strides);
    events.json_argument("Input Dims", op.input_dims);
    events.unsigned_argument("Ev Idx", op.event_index);
    force_row(events, before, "Ev Idx", NO_NUMBER);
}

fn legacy_op(events: &mut Events<'_>, op: LegacyOp) {
    let before = events.buffer.len();
    events.text_argument("Trace name", op.trace_name);
    events.unsigned_argument("Trace iteration", op.trace_iteration);
    events.unsigned_argument("Profiler Event Index", op.profiler_event_index);
    events.text_argument("Call stack", op.call_stack);
    events.text_argument("Module Hierarchy", op.module_hierarchy);
    force_row(events, before, "Trace iteration", NO_NUMBER);
}

fn triton(events: &mut Events<'_>, launch: TritonLaunch) {
    events.text_argument("kernel_backend", launch.kernel_backend);
    events.text_argument("kernel_name", launch.kernel_name);
    events.text_argument("kernel_file", launch.kernel_file);
    events.text_argument("kernel_hash", launch.kernel_hash);
    events.text_argument("kernel_kwargs", launch.kernel_kwargs);
    events.text_argument("grid", launch.grid);
    events.unsigned_argument("num_warps", launch.num_warps);
    events.unsigned_argument("num_stages", launch.num_stages);
    events.integer_argument("stream", launch.stream);
}

fn runtime(events: &mut Events<'_>, call: RuntimeCall) {
    let before = events.buffer.len();
    events.integer_argument("External id", call.external_id);
    events.unsigned_argument("cbid", call.function);
    events.integer_argument("correlation", call.correlation);
    force_row(events, before, "cbid", NO_NUMBER);
}

fn runtime_argument(events: &mut Events<'_>, argument: RuntimeArgument) {
    let before = events.buffer.len();
    events.text_argument("kernel", argument.kernel);
    events.extent_argument("grid", argument.grid);
    events.extent_argument("block", argument.block);
    events.integer_argument("shared memory", argument.shared_memory);
    events.handle_argument("stream", argument.stream);
    events.handle_argument("ptr", argument.pointer);
    events.handle_argument("src", argument.source);
    events.handle_argument("dst", argument.destination);
    events.integer_argument("bytes", argument.bytes);
    events.text_argument("kind", argument.kind);
    force_row(events, before, "grid", NO_EXTENTS);
}

fn gpu(events: &mut Events<'_>, activity: GpuActivity) {
    events.integer_argument("External id", activity.external_id);
    events.integer_argument("queued", activity.queued);
    events.unsigned_argument("device", activity.device);
    events.unsigned_argument("context", activity.context);
    events.integer_argument("stream", activity.stream);
    events.integer_argument("correlation", activity.correlation);
    events.unsigned_argument("registers per thread", activity.registers);
    events.integer_argument("shared memory", activity.shared_memory);
    events.float_argument("blocks per SM", activity.blocks_per_sm);
    events.float_argument("warps per SM", activity.warps_per_sm);
    events.extent_argument("grid", activity.grid);
    events.extent_argument("block", activity.block);
    events.float_argument("est. achieved occupancy %", activity.occupancy_pct);
    events.integer_argument("bytes", activity.bytes);
    events.float_argument("memory bandwidth (GB/s)", activity.bandwidth_gbps);
    events.text_argument("kind", activity.detail);
}

fn sync(events: &mut Events<'_>, sync: Sync) {
    events.text_argument("cuda_sync_kind", sync.kind);
    events.integer_argument("stream", sync.stream);
    events.integer_argument("correlation", sync.correlation);
    events.integer_argument("External id", sync.external_id);
    events.unsigned_argument("device", sync.device);
    events.unsigned_argument("context", sync.context);
    events.integer_argument("wait_on_stream", sync.wait_on_stream);
    events.integer_argument("wait_on_cuda_event_record_corr_id", sync.wait_on_record_correlation);
    events.integer_argument("wait_on_cuda_event_id", sync.wait_on_event);
}

fn collective(events: &mut Events<'_>, collective: Collective) {
    let before = events.buffer.len();
    events.text_argument("Collective name", collective.name);
    events.integer_argument("In msg nelems", collective.in_elements);
    events.integer_argument("Out msg nelems", collective.out_elements);
    events.unsigned_argument("Group size", collective.group_size);
    // The others make no row.
    force_row(events, before, "Group size", NO_NUMBER);
    events.text_argument("dtype", collective.dtype);
    events.text_argument("In split size", collective.in_splits);
    events.text_argument("Out split size", collective.out_splits);
    events.text_argument("Process Group Name", collective.group_name);
    events.text_argument("Process Group Description", collective.group_description);
    events.text_argument("Process Group Ranks", collective.group_ranks);
    events.unsigned_argument("Rank", collective.rank);
    events.unsigned_argument("Global rank start", collective.global_rank_start);
    events.unsigned_argument("Global rank stride", collective.global_rank_stride);
    events.integer_argument("Seq", collective.sequence);
    events.unsigned_argument("Is asynchronized op", collective.is_asynchronous);
}
