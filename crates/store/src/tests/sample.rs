//! A trace made by hand: rows in every table, every column filled somewhere and missing elsewhere, and texts
//! that are hard on writers.

use eaves_model::{
    Allocation, AsyncSlice, Collective, Counter, DeviceProperties, Dispatch, DistributedInfo, Extent, Flow,
    GpuActivity, Ident, Instant, LegacyOp, MaybeF64, MaybeI64, MaybeU32, Metadata, Ns, Op, ProcessGroup,
    PythonFrame, RangeCounter, RankSource, Recording, Remark, RuntimeArgument, RuntimeCall, Slice, SliceId,
    SliceKind, StringId, Sync, Trace, TrackId, TritonLaunch,
};

const HARD_TEXT: &str = "Größe \"行列\" \\ \u{1}\t\n🦉 </script>";

/// The trace.
pub(crate) fn trace() -> Trace {
    let mut trace = Trace { metadata: metadata(), ..Trace::default() };
    tracks(&mut trace);
    host_slices(&mut trace);
    device_slices(&mut trace);
    empty_slices(&mut trace);
    arrows_and_instants(&mut trace);
    counters_and_memory(&mut trace);
    asyncs(&mut trace);
    trace
}

/// The trace as a recording of a rank.
pub(crate) fn recording(rank: i64) -> Recording {
    Recording {
        path: format!("rank-{rank}.json"),
        format: "kineto",
        container: "plain",
        bytes: 0,
        rank,
        rank_source: RankSource::Assumed,
        trace: trace(),
    }
}

fn metadata() -> Metadata {
    let group = ProcessGroup {
        name: "0".to_owned(),
        description: HARD_TEXT.to_owned(),
        backend_config: "cuda:nccl".to_owned(),
        size: Some(2),
        ranks: vec![0, 1],
    };
    Metadata {
        schema_version: Some(1),
        base_time_ns: Some(1_751_410_836_000_000_000),
        trace_name: Some(HARD_TEXT.to_owned()),
        trace_id: Some("B475".to_owned()),
        display_time_unit: Some("ms".to_owned()),
        host_name: Some("host".to_owned()),
        recorder: eaves_model::Recorder::Rocprofv3,
        tool: Some("rocprofv3 1.0.0".to_owned()),
        clock: Some(HARD_TEXT.to_owned()),
        times: eaves_model::Times::InSequence,
        devices: vec![
            DeviceProperties {
                id: Some(0),
                name: "NVIDIA H100 80GB HBM3".to_owned(),
                architecture: "sm_90".to_owned(),
                numbers: vec![
                    ("clock".to_owned(), 1.755),
                    ("numSms".to_owned(), 132.0),
                    ("totalGlobalMem".to_owned(), 85_017_624_576.0),
                ],
            },
            DeviceProperties::default(),
        ],
        distributed: Some(DistributedInfo {
            backend: Some("nccl".to_owned()),
            rank: Some(1),
            world_size: Some(2),
            nccl_version: Some("2.26.2".to_owned()),
            groups: vec![group, ProcessGroup::default()],
        }),
        options: vec![("record_shapes".to_owned(), false), ("with_stack".to_owned(), true)],
        settings: Vec::new(),
        versions: vec![
            ("cuda_driver_version".to_owned(), "12090".to_owned()),
            ("cupti_version".to_owned(), "22".to_owned()),
            ("roctracer_version".to_owned(), "4.10".to_owned()),
        ],
    }
}

/// Tracks 0 to 4. Their order is none that the events would give.
fn tracks(trace: &mut Trace) {
    let spans = trace.strings.intern("Spans");
    let hard = trace.strings.intern(HARD_TEXT);
    let tracks = &mut trace.tracks;
    tracks.get_or_add(Ident::number(0), Ident::number(7));
    tracks.get_or_add(Ident::text(spans), Ident::text(hard));
    tracks.get_or_add(Ident::number(77), Ident::number(-1));
    tracks.get_or_add(Ident::number(77), Ident::NONE);
    tracks.get_or_add(Ident::NONE, Ident::NONE);
    tracks.threads.name[0] = trace.strings.intern("stream 7 7");
    tracks.threads.sort_index[0] = MaybeI64::new(-5);
    tracks.threads.sort_index[2] = MaybeI64::new(1_000_000_000_000);
    let named = tracks.process(Ident::number(77));
    tracks.processes.name[named] = trace.strings.intern("python3.10");
    tracks.processes.labels[named] = trace.strings.intern("CPU");
    tracks.processes.sort_index[named] = MaybeI64::new(77);
    tracks.process(Ident::text(spans));
    let labelled = tracks.process(Ident::number(0));
    tracks.processes.labels[labelled] = hard;
}

fn slice(trace: &mut Trace, category: &str, name: &str, track: u32, start: i64, end: i64) -> SliceId {
    let kind = match category {
        "cpu_op" => SliceKind::Op,
        "user_annotation" => SliceKind::Annotation,
        "gpu_user_annotation" => SliceKind::GpuAnnotation,
        "python_function" => SliceKind::Python,
        "cuda_runtime" | "cuda_driver" => SliceKind::Runtime,
        "kernel" => SliceKind::Kernel,
        "gpu_memcpy" => SliceKind::Memcpy,
        "gpu_memset" => SliceKind::Memset,
        "cuda_sync" => SliceKind::Sync,
        "cuda_profiler_range" => SliceKind::CounterRange,
        "overhead" => SliceKind::Overhead,
        "Trace" => SliceKind::Span,
        _ => SliceKind::Other,
    };
    let category = trace.strings.intern(category);
    let name = trace.strings.intern(name);
    let (start, duration) = (Ns(start), Ns(end - start));
    let track = TrackId(track);
    trace.slices.push(Slice { start, duration, name, category, track, kind, position: 0 });
    SliceId::from(trace.slices.len() - 1)
}

fn host_slices(trace: &mut Trace) {
    let frame = slice(trace, "python_function", "train.py(7): <module>", 2, -1_000, 9_000_000);
    let called_from = trace.strings.intern("train.py:3");
    trace.python.push(PythonFrame {
        slice: frame,
        id: MaybeU32::new(1),
        parent: MaybeU32::new(0),
        module: MaybeU32::new(4),
        event_index: MaybeU32::new(9),
        called_from,
    });
    let op = slice(trace, "cpu_op", HARD_TEXT, 2, 1_001, 5_000);
    trace.ops.push(Op {
        slice: op,
        external_id: MaybeI64::new(2),
        record_function_id: MaybeU32::new(0),
        event_index: MaybeU32::new(1),
        sequence_number: MaybeI64::new(-4),
        forward_thread: MaybeU32::new(1),
        input_dims: trace.strings.intern("[[2, 3], []]"),
        input_types: trace.strings.intern(r#"["float", "Größe\n"]"#),
        input_strides: trace.strings.intern("[[3,1], []]"),
        concrete_inputs: trace.strings.intern(r#"["", "False"]"#),
    });
    trace.legacy_ops.push(LegacyOp {
        slice: op,
        trace_name: trace.strings.intern("PyTorch Profiler"),
        trace_iteration: MaybeU32::new(0),
        profiler_event_index: MaybeU32::new(3),
        module_hierarchy: trace.strings.intern(""),
        call_stack: trace.strings.intern("a.py(1): f;b.py(2): g"),
    });
    triton_launch(trace, op);
    runtime_calls(trace);
}

fn triton_launch(trace: &mut Trace, op: SliceId) {
    let mut text = |text| trace.strings.intern(text);
    let launch = TritonLaunch {
        slice: op,
        kernel_backend: text("triton"),
        kernel_name: text("triton_red_fused_0"),
        kernel_file: text("mw/cmw.py"),
        kernel_hash: text("cmw"),
        kernel_kwargs: text("XBLOCK=2"),
        grid: text("grid(100,)"),
        num_warps: MaybeU32::new(8),
        num_stages: MaybeU32::new(1),
        stream: MaybeI64::new(0),
    };
    trace.triton.push(launch);
}

fn runtime_calls(trace: &mut Trace) {
    let call = slice(trace, "cuda_runtime", "hipMemcpyAsync", 2, 2_000, 3_000);
    trace.runtime.push(RuntimeCall {
        slice: call,
        correlation: MaybeI64::new(5),
        external_id: MaybeI64::new(2),
        function: MaybeU32::new(211),
    });
    let kernel = trace.strings.intern("void kernel<float>(float*)");
    let kind = trace.strings.intern("1");
    trace.runtime_arguments.push(RuntimeArgument {
        slice: call,
        kernel,
        grid: Extent([4, 1, 1]),
        block: Extent([128, 2, 1]),
        shared_memory: MaybeI64::new(0),
        bytes: MaybeI64::new(60),
        pointer: MaybeI64::new(0x6301_0000_000e),
        source: MaybeI64::new(-1),
        destination: MaybeI64::new(0),
        kind,
        stream: MaybeI64::new(0),
    });
}

fn device_slices(trace: &mut Trace) {
    let kernel = slice(trace, "kernel", "ncclDevKernel_AllReduce", 0, 4_000, 8_000);
    let detail = trace.strings.intern("Dispatch Kernel");
    trace.gpu.push(GpuActivity {
        slice: kernel,
        device: MaybeU32::new(0),
        context: MaybeU32::new(1),
        stream: MaybeI64::new(7),
        correlation: MaybeI64::new(5),
        external_id: MaybeI64::new(2),
        queued: MaybeI64::new(0),
        grid: Extent([864, 1, 1]),
        block: Extent([256, 1, 1]),
        registers: MaybeU32::new(47),
        shared_memory: MaybeI64::new(16),
        blocks_per_sm: MaybeF64::new(0.11111111),
        warps_per_sm: MaybeF64::new(64.0),
        occupancy_pct: MaybeF64::new(63.0),
        bytes: MaybeI64::new(92_928),
        bandwidth_gbps: MaybeF64::new(7.827493261455525),
        detail,
    });
    collective(trace, kernel);
    profiled(trace, kernel);
    // Overlaps the kernel partly.
    let copy = slice(trace, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 6_000, 9_000);
    trace.gpu.push(GpuActivity::of(copy));
    let sync = slice(trace, "cuda_sync", "Stream Sync", 0, 9_000, 9_000);
    let kind = trace.strings.intern("Stream Sync");
    trace.syncs.push(Sync {
        slice: sync,
        kind,
        device: MaybeU32::new(0),
        context: MaybeU32::new(1),
        stream: MaybeI64::new(7),
        correlation: MaybeI64::new(15),
        external_id: MaybeI64::new(15),
        wait_on_stream: MaybeI64::new(7),
        wait_on_event: MaybeI64::new(1),
        wait_on_record_correlation: MaybeI64::new(1533),
    });
    let range = slice(trace, "cuda_profiler_range", "range", 0, 6_500, 9_500);
    for (metric, value) in [("smsp__inst_executed.sum", 38_731_776.0), ("dram__bytes.sum", 0.1)] {
        let metric = trace.strings.intern(metric);
        trace.range_counters.push(RangeCounter { slice: range, metric, value: MaybeF64::new(value) });
    }
}

/// What vendors' profilers say of a kernel.
fn profiled(trace: &mut Trace, kernel: SliceId) {
    trace.dispatches.push(Dispatch {
        slice: kernel,
        number: MaybeI64::new(-3),
        work_items: Extent([221_184, 1, 1]),
        total_work_items: MaybeI64::new(i64::MAX),
        vector_registers: MaybeU32::new(32),
        accumulation_registers: MaybeU32::new(15),
        scratch: MaybeI64::new(0),
        wave_size: MaybeU32::new(64),
        ..Dispatch::default()
    });
    for (metric, value) in
        [("SQ_WAVES", MaybeF64::new(3_456.0)), (HARD_TEXT, MaybeF64::new(0.1)), ("n/a", MaybeF64::NONE)]
    {
        let metric = trace.strings.intern(metric);
        trace.range_counters.push(RangeCounter { slice: kernel, metric, value });
    }
    let text = trace.strings.intern(HARD_TEXT);
    let rule = trace.strings.intern("SOLBottleneck");
    let remark = Remark {
        slice: kernel,
        rule,
        kind: StringId::NONE,
        text,
        speedup_pct: MaybeF64::new(33.25),
        speedup_of: rule,
    };
    trace.remarks.push(remark);
    trace.remarks.push(Remark { speedup_pct: MaybeF64::NONE, ..remark });
}

fn collective(trace: &mut Trace, kernel: SliceId) {
    let mut text = |text| trace.strings.intern(text);
    let row = Collective {
        slice: kernel,
        name: text("allreduce"),
        in_elements: MaybeI64::new(2_049_000),
        out_elements: MaybeI64::new(2_049_000),
        dtype: text("Float"),
        group_size: MaybeU32::new(2),
        in_splits: text("[]"),
        out_splits: text("[1, 2]"),
        group_name: text("0"),
        group_description: text("default_pg"),
        group_ranks: text("[0, 1]"),
        rank: MaybeU32::new(0),
        global_rank_start: MaybeU32::new(0),
        global_rank_stride: MaybeU32::new(1),
        sequence: MaybeI64::new(41),
        is_asynchronous: MaybeU32::new(1),
    };
    trace.collectives.push(row);
}

/// Slices without details, one of each remaining kind, and one of which nothing is known but its time.
fn empty_slices(trace: &mut Trace) {
    for (category, name, track) in [
        ("cpu_op", "aten::mm", 2),
        ("user_annotation", "ProfilerStep#2", 2),
        ("gpu_user_annotation", "ProfilerStep#2", 0),
        ("python_function", "", 2),
        ("cuda_driver", "cuLaunchKernel", 2),
        ("overhead", "Buffer Flush", 3),
        ("Trace", "PyTorch Profiler (0)", 1),
        ("something", "else", 4),
    ] {
        slice(trace, category, name, track, 10_000, 11_999);
    }
    let set = slice(trace, "gpu_memset", "Memset (Device)", 0, 11_000, 11_001);
    trace.gpu.push(GpuActivity::of(set));
    let unknown = slice(trace, "", "", 4, i64::from(u32::MAX), i64::from(u32::MAX));
    trace.slices.name[unknown.index()] = StringId::NONE;
    trace.slices.category[unknown.index()] = StringId::NONE;
    // No recording lasts this long: quarantined.
    let wrong = slice(trace, "cpu_op", "aten::wrong", 2, 12_000, 12_000 + 31 * 86_400_000_000_000);
    trace.quarantined.push(wrong);
}

fn arrows_and_instants(trace: &mut Trace) {
    let ac2g = trace.strings.intern("ac2g");
    let hexadecimal = Ident::text(trace.strings.intern("0x1f"));
    for (time, track, id, phase, enclosing) in [
        (2_000, 2, Ident::number(5), b's', 0),
        (4_000, 0, Ident::number(5), b'f', 1),
        (6_000, 0, hexadecimal, b'f', 1),
        (7_000, 4, Ident::NONE, b't', 0),
    ] {
        let (time, track) = (Ns(time), TrackId(track));
        trace.flows.push(Flow { time, track, id, category: ac2g, name: ac2g, phase, enclosing });
    }
    trace.flows.category[3] = StringId::NONE;
    trace.flows.name[3] = StringId::NONE;
    let name = trace.strings.intern("Iteration Start: PyTorch Profiler");
    let category = trace.strings.intern("cpu_instant_event");
    for (scope, category) in [(b'g', StringId::NONE), (b't', category), (0, category)] {
        let (time, track) = (Ns(3), TrackId(1));
        trace.instants.push(Instant { time, track, name, category, scope, position: 0 });
    }
    trace.instants.name[2] = StringId::NONE;
}

fn counters_and_memory(trace: &mut Trace) {
    let name = trace.strings.intern("power");
    for (series, value) in
        [("watts", MaybeF64::new(312.5)), (HARD_TEXT, MaybeF64::NONE), ("", MaybeF64::new(-0.0))]
    {
        let series = trace.strings.intern(series);
        trace.counters.push(Counter { time: Ns(17), track: TrackId(3), name, series, value });
    }
    let full = Allocation {
        time: Ns(4_321),
        track: TrackId(2),
        bytes: MaybeI64::new(-512),
        address: MaybeI64::new(-2),
        total_allocated: MaybeI64::new(1_104_280_064),
        total_reserved: MaybeI64::new(2_533_359_616),
        device_type: MaybeU32::new(1),
        device: MaybeI64::new(-1),
        event_index: MaybeU32::new(4_620),
        position: 0,
    };
    trace.allocations.push(full);
    trace.allocations.push(Allocation {
        bytes: MaybeI64::new(0),
        address: MaybeI64::NONE,
        total_allocated: MaybeI64::NONE,
        total_reserved: MaybeI64::NONE,
        device_type: MaybeU32::NONE,
        device: MaybeI64::NONE,
        event_index: MaybeU32::NONE,
        ..full
    });
}

fn asyncs(trace: &mut Trace) {
    let name = trace.strings.intern(HARD_TEXT);
    let category = trace.strings.intern("async");
    let text = Ident::text(trace.strings.intern("0x7"));
    for (start, duration, id, category) in [
        (100, 50, text, category),
        (150, 50, text, category),
        (120, 0, Ident::number(7), category),
        (10, 900, Ident::NONE, StringId::NONE),
    ] {
        let (start, duration, track) = (Ns(start), Ns(duration), TrackId(0));
        trace.asyncs.push(AsyncSlice { start, duration, name, category, track, id, position: 0 });
    }
}
