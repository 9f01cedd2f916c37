//! Documents written by hand after AMD's schema, whole, in another order, cut and changed.

use eaves_model::{Extent, MaybeF64, MaybeI64, MaybeU32, Ns, Recording, SliceKind, WarningKind, ident_text};

use crate::formats::profilers::shared::testing::slices;

const HEAD: &str = r#""metadata":{"node":{"hostname":"box"},"pid":77,"init_time":1000,"fini_time":9000,
"command":["secret-command"],"config":{}}"#;

const AGENTS: &str = r#""agents":[
{"size":312,"id":{"handle":50},"type":1,"name":"CPU","product_name":"EPYC","logical_node_type_id":0,"wave_front_size":0},
{"size":312,"id":{"handle":51},"type":2,"name":"gfx942","product_name":"AMD Instinct MI300X","logical_node_type_id":0,
"wave_front_size":64,"cu_count":304,"num_xcc":8,"max_engine_clk_fcompute":2100,"hive_id":17332996360099338395,
"mem_banks":[{"width":8192,"mem_clk_max":1300,"size_in_bytes":206141652992}],
"caches":[{"level":1,"size":64,"type":{"Data":0,"Instruction":1}},{"level":1,"size":32,"type":{"Data":1}},
{"level":1,"size":32,"type":{"Data":1}},{"level":1,"size":16,"type":{"Data":1}},{"level":2,"size":4096,"type":{"Data":1}}]}]"#;

const COUNTERS: &str = r#""counters":[{"agent_id":{"handle":51},"id":{"handle":7},"name":"SQ_WAVES"},
{"id":{"handle":8},"name":"TCC_HIT"}]"#;

const STRINGS: &str = r#""strings":{"callback_records":[{"kind":"NONE","operations":[]}],
"buffer_records":[{"kind":"NONE","operations":[]},{"kind":"HIP_RUNTIME_API","operations":["hipMalloc","hipLaunchKernel"]},
{"kind":"MARKER_CORE_API","operations":["roctxMarkA","roctxRangePushA"]},
{"kind":"MEMORY_COPY","operations":["MEMORY_COPY_NONE","MEMORY_COPY_HOST_TO_HOST","MEMORY_COPY_HOST_TO_DEVICE","MEMORY_COPY_DEVICE_TO_HOST"]},
{"kind":"MEMORY_ALLOCATION","operations":["MEMORY_ALLOCATION_NONE","MEMORY_ALLOCATION_ALLOCATE","MEMORY_ALLOCATION_VMEM_ALLOCATE","MEMORY_ALLOCATION_FREE"]},
{"kind":"SCRATCH_MEMORY","operations":["SCRATCH_MEMORY_NONE","SCRATCH_MEMORY_ALLOC"]}],
"marker_api":[{"key":20,"value":"step \"1\""},{"key":21,"value":"here"}]}"#;

const SYMBOLS: &str = r#""kernel_symbols":[{"size":0,"kernel_id":0,"kernel_name":"","formatted_kernel_name":"0"},
{"size":88,"kernel_id":1,"kernel_name":"_Z3addPf.kd","sgpr_count":16,"arch_vgpr_count":8,"accum_vgpr_count":4,
"kernel_address":{"handle":1},"formatted_kernel_name":"add(float*, \"x\")","demangled_kernel_name":"add(float*).kd"},
{"size":88,"kernel_id":2,"kernel_name":"fill.kd","sgpr_count":32,"arch_vgpr_count":2,"accum_vgpr_count":0,
"formatted_kernel_name":"","demangled_kernel_name":"fill.kd","truncated_kernel_name":"fill"}]"#;

const CALLBACKS: &str = r#""callback_records":{"counter_collection":[
{"dispatch_data":{"size":1,"correlation_id":{"internal":5,"external":0},"start_timestamp":2000,"end_timestamp":2600,
"dispatch_info":{"size":72,"agent_id":{"handle":51},"queue_id":{"handle":3},"kernel_id":1,"dispatch_id":1,
"private_segment_size":16,"group_segment_size":512,"workgroup_size":{"x":64,"y":2,"z":1},"grid_size":{"x":1000,"y":4,"z":1}}},
"records":[{"counter_id":{"handle":7},"value":10.5},{"counter_id":{"handle":7},"value":1.5},{"counter_id":{"handle":8},"value":3e2}],
"thread_id":78,"arch_vgpr_count":8,"sgpr_count":16,"lds_block_size_v":512},
{"dispatch_data":{"size":1,"correlation_id":{"internal":6,"external":0},"start_timestamp":2700,"end_timestamp":2800,
"dispatch_info":{"size":72,"agent_id":{"handle":51},"queue_id":{"handle":3},"kernel_id":2,"dispatch_id":2,
"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":64,"y":1,"z":1}}},"records":[{"counter_id":{"handle":9},"value":1}]}]}"#;

const BUFFERS: &str = r#""buffer_records":{"kernel_dispatch":[
{"size":184,"kind":11,"operation":2,"thread_id":78,"correlation_id":{"internal":5,"external":0},
"start_timestamp":2000,"end_timestamp":2600,"dispatch_info":{"size":72,"agent_id":{"handle":51},"queue_id":{"handle":3},
"kernel_id":1,"dispatch_id":1,"private_segment_size":16,"group_segment_size":512,
"workgroup_size":{"x":64,"y":2,"z":1},"grid_size":{"x":1000,"y":4,"z":1}},"stream_id":{"handle":9}}],
"hip_api":[{"size":48,"kind":1,"operation":1,"correlation_id":{"internal":5,"external":0},"start_timestamp":1500,"end_timestamp":1600,"thread_id":78}],
"marker_api":[{"size":48,"kind":2,"operation":1,"correlation_id":{"internal":20,"external":0},"start_timestamp":1100,"end_timestamp":3000,"thread_id":78},
{"size":48,"kind":2,"operation":0,"correlation_id":{"internal":21,"external":0},"start_timestamp":1200,"end_timestamp":1200,"thread_id":78}],
"memory_copy":[{"size":64,"kind":3,"operation":2,"correlation_id":{"internal":4,"external":0},"start_timestamp":1300,"end_timestamp":1400,
"thread_id":78,"dst_agent_id":{"handle":51},"src_agent_id":{"handle":50},"bytes":4096,"stream_id":{"handle":9}}],
"memory_allocation":[
{"size":64,"kind":4,"operation":3,"correlation_id":{"internal":9,"external":0},"start_timestamp":4000,"end_timestamp":4001,"thread_id":78,"agent_id":{"handle":51},"address":"0x10","allocation_size":0},
{"size":64,"kind":4,"operation":1,"correlation_id":{"internal":3,"external":0},"start_timestamp":1250,"end_timestamp":1260,"thread_id":78,"agent_id":{"handle":51},"address":"0x10","allocation_size":8192}],
"scratch_memory":[{"size":64,"kind":5,"operation":1,"agent_id":{"handle":51},"queue_id":{"handle":3},"thread_id":78,"start_timestamp":1900,"end_timestamp":1950,"allocation_size":4}],
"pc_sample_host_trap":[{"hw_id":{"chiplet":0}},{"hw_id":{"chiplet":1}}],
"kfd_events":[{"size":1}]}"#;

fn document(parts: &[&str]) -> String {
    format!("{{\"rocprofiler-sdk-tool\":[{{{}}}]}}", parts.join(","))
}

fn usual() -> String {
    document(&[HEAD, AGENTS, COUNTERS, STRINGS, SYMBOLS, CALLBACKS, BUFFERS])
}

fn read(text: &str) -> Recording {
    crate::read_bytes("results.json", text.as_bytes()).unwrap()
}

/// As a stream, of which nothing can be read again.
fn read_stream(text: &str) -> Recording {
    let stream = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let run = crate::read_stream("results.json", stream, &crate::Options::default()).unwrap();
    run.recordings.into_iter().next().unwrap()
}

#[test]
fn everything_is_where_it_belongs() {
    let recording = read(&usual());
    let trace = &recording.trace;
    assert_eq!(recording.format, "rocprofv3-json");
    assert_eq!(recording.bytes, usual().len() as u64);
    let rows = slices(trace);
    use SliceKind::{Annotation, Kernel, Memcpy, Other, Runtime};
    // Times count from the range at 1100.
    assert_eq!(
        rows,
        [
            (Kernel, "add(float*, \"x\")", 900, 600),
            (Runtime, "hipLaunchKernel", 400, 100),
            (Annotation, "step \"1\"", 0, 1900),
            (Memcpy, "Memcpy HtoD (Host -> Device)", 200, 100),
            (Other, "SCRATCH_MEMORY_ALLOC", 800, 50),
            (Kernel, "fill", 1600, 100),
        ]
    );
    assert_eq!(trace.metadata.base_time_ns, Some(1100));
    assert_eq!(trace.metadata.host_name.as_deref(), Some("box"));
    assert_eq!((trace.instants.len(), trace.instants.time[0]), (1, Ns(100)));
    assert_eq!(trace.strings.get(trace.instants.name[0]), "here");
    let names: Vec<_> = (0..trace.tracks.len())
        .map(|row| {
            let threads = &trace.tracks.threads;
            let process = ident_text(threads.process[row], &trace.strings).unwrap().into_owned();
            (process, trace.strings.get(threads.name[row]))
        })
        .collect();
    for expected in [("GPU 0", "stream 9"), ("77", "thread 78"), ("GPU 0", "queue 3")] {
        assert!(names.contains(&(expected.0.to_owned(), expected.1)), "{expected:?} in {names:?}");
    }
}

#[test]
fn kernels_copies_and_calls_carry_their_details() {
    let recording = read(&usual());
    let trace = &recording.trace;
    let gpu = &trace.gpu;
    assert_eq!(gpu.len(), 3);
    // 1000 work-items in groups of 64 are 15 full groups and one that is not.
    assert_eq!((gpu.grid[0], gpu.block[0]), (Extent([16, 2, 1]), Extent([64, 2, 1])));
    assert_eq!((gpu.registers[0], gpu.shared_memory[0]), (MaybeU32::new(12), MaybeI64::new(512)));
    assert_eq!(
        (gpu.device[0], gpu.stream[0], gpu.correlation[0]),
        (MaybeU32::new(0), MaybeI64::new(9), MaybeI64::new(5))
    );
    assert_eq!(
        (gpu.device[1], gpu.bytes[1], gpu.stream[1]),
        (MaybeU32::new(0), MaybeI64::new(4096), MaybeI64::new(9))
    );
    assert_eq!(trace.strings.get(gpu.detail[1]), "Memcpy HtoD (Host -> Device)");
    let dispatch = trace.dispatches.row(0);
    assert_eq!(dispatch.work_items, Extent([1000, 4, 1]));
    assert_eq!(
        (dispatch.vector_registers, dispatch.accumulation_registers),
        (MaybeU32::new(8), MaybeU32::new(4))
    );
    assert_eq!((dispatch.scalar_registers, dispatch.wave_size), (MaybeU32::new(16), MaybeU32::new(64)));
    assert_eq!(
        (dispatch.scratch, dispatch.queue, dispatch.number),
        (MaybeI64::new(16), MaybeI64::new(3), MaybeI64::new(1))
    );
    let links = eaves_model::LaunchLinks::build(trace);
    let launch = links.launch(eaves_model::GpuId(0)).unwrap();
    assert_eq!(trace.slice_name(launch), "hipLaunchKernel");
    // The release says no size: it is that of the allocation at the same address.
    let mut memory: Vec<_> =
        (0..2).map(|row| (trace.allocations.time[row].0, trace.allocations.bytes[row].get())).collect();
    memory.sort();
    assert_eq!(memory, [(150, Some(8192)), (2900, Some(-8192))]);
}

#[test]
fn counters_are_summed_over_instances() {
    let recording = read(&usual());
    let trace = &recording.trace;
    let rows: Vec<_> = (0..trace.range_counters.len())
        .map(|row| {
            let counters = &trace.range_counters;
            (
                trace.slice_name(counters.slice[row]),
                trace.strings.get(counters.metric[row]),
                counters.value[row],
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("add(float*, \"x\")", "SQ_WAVES", MaybeF64::new(12.0)),
            ("add(float*, \"x\")", "TCC_HIT", MaybeF64::new(300.0)),
            ("fill", "counter 9", MaybeF64::new(1.0)),
        ]
    );
}

#[test]
fn devices_say_what_they_are() {
    let recording = read(&usual());
    let [device] = recording.trace.metadata.devices.as_slice() else { panic!("one GPU") };
    assert_eq!(
        (device.id, device.name.as_str(), device.architecture.as_str()),
        (Some(0), "AMD Instinct MI300X", "gfx942")
    );
    for (name, value) in [
        ("cu_count", 304.0),
        ("num_xcc", 8.0),
        ("max_engine_clk_fcompute", 2100.0),
        ("mem_banks.width", 8192.0),
        ("mem_banks.mem_clk_max", 1300.0),
        ("mem_banks.size_in_bytes", 206141652992.0),
        ("caches.l1.size", 32.0),
        ("caches.l1.count", 2.0),
        ("caches.l2.size", 4096.0),
    ] {
        assert_eq!(device.number(name), Some(value), "{name}");
    }
    assert_eq!(device.number("size"), None);
    let everything = format!("{recording:?}");
    assert!(!everything.contains("secret"), "the command line is kept");
}

#[test]
fn what_is_not_read_is_said() {
    let recording = read(&usual());
    let warnings = recording.trace.diagnostics.warnings();
    // Two samples and one section that nobody knows.
    assert_eq!(recording.trace.diagnostics.count(WarningKind::UnknownPhase), 3, "{warnings:?}");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

/// What records refer to may stand before or behind them.
#[test]
fn sections_may_come_in_any_order() {
    let expected = read(&usual());
    for parts in [
        [CALLBACKS, BUFFERS, SYMBOLS, STRINGS, COUNTERS, AGENTS, HEAD],
        [SYMBOLS, CALLBACKS, HEAD, BUFFERS, AGENTS, STRINGS, COUNTERS],
    ] {
        let text = document(&parts);
        let (found, streamed) = (read(&text), read_stream(&text));
        assert_eq!(found.trace.difference(&expected.trace), None);
        assert_eq!(streamed.trace.difference(&expected.trace), None);
    }
}

#[test]
fn processes_have_tracks_and_correlations_of_their_own() {
    let one = [HEAD, AGENTS, COUNTERS, STRINGS, SYMBOLS, CALLBACKS, BUFFERS].join(",");
    let other = one.replace("\"pid\":77", "\"pid\":88");
    let recording = read(&format!("{{\"rocprofiler-sdk-tool\":[{{{one}}},{{{other}}}]}}"));
    let trace = &recording.trace;
    let single = read(&usual());
    assert_eq!(trace.slices.len(), 2 * single.trace.slices.len());
    assert_eq!(trace.tracks.len(), 2 * single.trace.tracks.len());
    assert_eq!(trace.metadata.devices.len(), 1);
    let links = eaves_model::LaunchLinks::build(trace);
    let launch = |row: u32| links.launch(eaves_model::GpuId(row)).unwrap();
    assert_ne!(launch(0), launch(3));
    assert_eq!(trace.slices.track[launch(3).index()], trace.slices.track[trace.runtime.slice[1].index()]);
}

#[test]
fn counters_without_times_have_none() {
    let callbacks = CALLBACKS
        .replace("\"start_timestamp\":2000,\"end_timestamp\":2600,", "")
        .replace("\"start_timestamp\":2700,\"end_timestamp\":2800,", "");
    let recording = read(&document(&[HEAD, AGENTS, COUNTERS, SYMBOLS, &callbacks]));
    assert_eq!(recording.trace.metadata.times, eaves_model::Times::NotRecorded);
    assert_eq!(recording.trace.diagnostics.count(WarningKind::NoStartTimes), 2);
    assert_eq!(recording.trace.range_counters.len(), 3);
}

#[test]
fn a_file_without_records_is_refused_with_the_command() {
    let error = crate::read_bytes("x.json", document(&[HEAD, AGENTS]).as_bytes()).unwrap_err();
    assert!(error.to_string().contains("without kernels"), "{error}");
}

#[test]
fn damage_in_a_record_costs_that_record() {
    let text = usual();
    let copy = text.find("{\"size\":64,\"kind\":3").unwrap();
    let mut damaged = text.clone().into_bytes();
    damaged[copy + 10] = b'}';
    let recording = crate::read_bytes("x.json", &damaged).unwrap();
    assert!(recording.trace.diagnostics.count(WarningKind::Garbage) > 0);
    let kinds = &recording.trace.slices.kind;
    assert_eq!(kinds.iter().filter(|kind| **kind == SliceKind::Kernel).count(), 2);
    assert_eq!(kinds.iter().filter(|kind| **kind == SliceKind::Annotation).count(), 1);
    assert_eq!(recording.trace.allocations.len(), 2);
}

/// No cut and no changed byte does more than lose records; what is left says that something was lost.
#[test]
fn cut_and_changed_anywhere() {
    let text = usual();
    for at in 0..text.len() {
        let Ok(cut) = crate::read_bytes("x.json", &text.as_bytes()[..at]) else { continue };
        assert!(!cut.trace.diagnostics.warnings().is_empty(), "cut at {at}");
        for byte in [b'"', b'{', b'}', b'[', 0, 0xFF] {
            let mut changed = text.clone().into_bytes();
            changed[at] = byte;
            drop(crate::read_bytes("x.json", &changed));
        }
    }
}

/// With an axis that fits no launch the others say nothing of the whole.
#[test]
fn an_extent_fits_as_a_whole_or_is_unknown() {
    for odd in ["-4", "4294967296", "0"] {
        let text = usual()
            .replace("\"grid_size\":{\"x\":1000,\"y\":4", &format!("\"grid_size\":{{\"x\":1000,\"y\":{odd}"));
        let trace = read(&text).trace;
        let row = trace
            .dispatches
            .slice
            .iter()
            .position(|&slice| trace.slice_name(slice).starts_with("add"))
            .unwrap();
        assert_eq!((trace.dispatches.work_items[row].get(), trace.gpu.grid[0].get()), (None, None), "{odd}");
        assert_eq!(trace.gpu.block[0].get(), Some([64, 2, 1]));
    }
}

/// Links between agents are not read, and a list of caches that is damaged costs its agent alone.
#[test]
fn agents_are_read_past_their_lists() {
    let links =
        usual().replace("\"cu_count\":304", "\"io_links\":[{\"type\":2,\"flags\":{}}],\"cu_count\":304");
    assert_eq!(read(&links).trace.metadata.devices, read(&usual()).trace.metadata.devices);
    let damaged = usual().replace("{\"level\":1,\"size\":16,", "{\"level\":,\"size\":16,");
    let trace = read(&damaged).trace;
    assert_eq!(trace.diagnostics.count(WarningKind::BadHeader), 1);
    assert_eq!(trace.gpu.len(), read(&usual()).trace.gpu.len());
}
