//! Real files of AMD's profilers against independent readings of them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use eaves_ingest::{Options, read, read_bytes};
use eaves_model::{Extent, GpuId, LaunchLinks, Recording, SliceKind, WarningKind};
use eaves_testing::data;
use serde_json::Value;

fn recording(path: &Path) -> Recording {
    let run = read(&[path.to_owned()], &Options::default()).unwrap();
    run.recordings.into_iter().next().unwrap()
}

/// Calls and time of each kernel.
type Sums = BTreeMap<String, (u64, i64)>;

fn sums(recording: &Recording) -> Sums {
    let trace = &recording.trace;
    let mut sums = Sums::new();
    for row in (0..trace.slices.len()).filter(|&row| trace.slices.kind[row] == SliceKind::Kernel) {
        let entry = sums.entry(trace.strings.get(trace.slices.name[row]).to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + trace.slices.duration[row].0);
    }
    sums
}

/// 43,915 dispatches of a training on an MI350X, read by a general parser.
#[test]
fn rocprofv3_json() {
    let Some(path) = data("formats/amd/rocprofv3/json/908_results.json.gz") else { return };
    let recording = recording(&path);
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut text).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    let process = &document["rocprofiler-sdk-tool"][0];
    let symbols = process["kernel_symbols"].as_array().unwrap();
    let dispatches = process["buffer_records"]["kernel_dispatch"].as_array().unwrap();
    let first = dispatches.iter().map(|one| one["start_timestamp"].as_i64().unwrap()).min().unwrap();
    assert_eq!(recording.trace.metadata.base_time_ns, Some(first));
    assert_eq!(recording.trace.slices.len(), dispatches.len());
    assert_eq!(recording.bytes, text.len() as u64);

    let trace = &recording.trace;
    let mut expected = Sums::new();
    for (row, dispatch) in dispatches.iter().enumerate() {
        let number = |pointer: &str| dispatch.pointer(pointer).unwrap().as_i64().unwrap();
        let symbol = &symbols[number("/dispatch_info/kernel_id") as usize];
        let name = symbol["formatted_kernel_name"].as_str().unwrap();
        let duration = number("/end_timestamp") - number("/start_timestamp");
        let entry = expected.entry(name.to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + duration);
        assert_eq!(trace.slices.start[row].0, number("/start_timestamp") - first);
        assert_eq!(trace.gpu.correlation[row].get(), Some(number("/correlation_id/internal")));
        assert_eq!(trace.gpu.stream[row].get(), Some(number("/stream_id/handle")));
        assert_eq!(trace.dispatches.queue[row].get(), Some(number("/dispatch_info/queue_id/handle")));
        let registers =
            symbol["arch_vgpr_count"].as_u64().unwrap() + symbol["accum_vgpr_count"].as_u64().unwrap();
        assert_eq!(trace.gpu.registers[row].get().map(u64::from), Some(registers));
        for (axis, key) in ["x", "y", "z"].into_iter().enumerate() {
            let items = number(&format!("/dispatch_info/grid_size/{key}"));
            let group = number(&format!("/dispatch_info/workgroup_size/{key}"));
            assert_eq!(i64::from(trace.gpu.grid[row].0[axis]), (items + group - 1) / group);
            assert_eq!(i64::from(trace.dispatches.work_items[row].0[axis]), items);
        }
        assert_eq!(trace.dispatches.wave_size[row].get(), Some(64));
        assert_eq!(trace.gpu.device[row].get(), Some(0));
    }
    assert_eq!(sums(&recording), expected);
    assert_eq!(trace.metadata.host_name.as_deref(), process["metadata"]["node"]["hostname"].as_str());
    assert_eq!(trace.metadata.devices.len(), 8);
    let device = &trace.metadata.devices[0];
    assert_eq!((device.name.as_str(), device.architecture.as_str()), ("AMD Instinct MI350X", "gfx950"));
    // Width in bits times clock in MHz times four transfers: the 8 TB/s of the data sheet.
    let bandwidth = device.number("mem_banks.width").unwrap() / 8.0
        * device.number("mem_banks.mem_clk_max").unwrap()
        * 4.0
        / 1000.0;
    assert_eq!(bandwidth, 8192.0);
    assert_eq!(device.number("cu_count"), Some(256.0));
    assert_eq!(device.number("caches.l2.size"), Some(4096.0));
    // Neighbours of a stream, in order of their starts, of which the second begins before the first ends: 9 of stream
    // 5, 57 of 566 and 1209 of 567, by sorting the dispatches of each stream in Python. They overlap by some 100 ns.
    assert_eq!(trace.diagnostics.count(WarningKind::StreamOverlap), 1275);
    assert_eq!(trace.diagnostics.warnings().len(), 1);
    assert_eq!(trace.quarantined, []);
}

/// TraceLens on the same file, its units corrected: names up to the first bracket, times in milliseconds.
#[test]
fn rocprofv3_json_as_tracelens_reads_it() {
    let Some(path) = data("tracelens/rocprof/908_results.json.gz") else { return };
    let Some(table) = data("tracelens/rocprof/expected_corrected/kernel_summary.csv") else { return };
    let recording = recording(&path);
    let busy: i64 = sums(&recording).values().map(|(_, time)| time).sum();
    let calls: u64 = sums(&recording).values().map(|(calls, _)| calls).sum();
    let mut reader = csv::Reader::from_path(table).unwrap();
    let (mut expected_calls, mut expected_time) = (0, 0.0);
    for row in reader.records() {
        let row = row.unwrap();
        expected_calls += row[1].parse::<u64>().unwrap();
        expected_time += row[2].parse::<f64>().unwrap();
    }
    assert_eq!(calls, expected_calls);
    assert!((busy as f64 / 1e6 - expected_time).abs() < 1e-6, "{busy} ns and {expected_time} ms");
}

/// A database of rocprofv3 that another program may not touch.
fn database(path: &Path) -> rusqlite::Connection {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI;
    rusqlite::Connection::open_with_flags(format!("file:{}?immutable=1", path.display()), flags).unwrap()
}

/// Name, number and sum of some column, as SQLite itself finds them.
fn grouped(database: &rusqlite::Connection, query: &str) -> Sums {
    let mut statement = database.prepare(query).unwrap();
    let rows = statement
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, (u64::from(row.get::<_, u32>(1)?), row.get::<_, i64>(2)?)))
        })
        .unwrap();
    rows.map(Result::unwrap).collect()
}

/// A batched GEMM on an MI300X, against the views that rocprofv3 puts into the database, run by SQLite.
#[test]
fn rocpd() {
    let Some(path) = data("formats/amd/rocprofv3/rocpd_db/28_results.envcleared.db") else { return };
    let recording = recording(&path);
    let trace = &recording.trace;
    let database = database(&path);
    let kernels = "select name, count(*), sum(duration) from kernels group by name";
    assert_eq!(sums(&recording), grouped(&database, kernels));
    let mut calls = Sums::new();
    for &slice in &trace.runtime.slice {
        let entry = calls.entry(trace.slice_name(slice).to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + trace.slices.duration[slice.index()].0);
    }
    assert_eq!(calls, grouped(&database, "select name, count(*), sum(duration) from regions group by name"));
    assert_eq!((trace.gpu.len(), trace.runtime.len()), (151, 629));

    let mut statement = database
        .prepare(
            "select start, grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z, lds_size, scratch_size, \
             vgpr_count, accum_vgpr_count, sgpr_count, dispatch_id, stream_id, queue_id, stack_id from kernels order by id",
        )
        .unwrap();
    let mut rows = statement.query([]).unwrap();
    let base = trace.metadata.base_time_ns.unwrap();
    for row in 0..trace.gpu.len() {
        let expected = rows.next().unwrap().unwrap();
        let number = |column: usize| expected.get::<_, i64>(column).unwrap();
        let slice = trace.gpu.slice[row].index();
        assert_eq!(trace.slices.start[slice].0 + base, number(0));
        for axis in 0..3 {
            let (items, group) = (number(1 + axis), number(4 + axis));
            assert_eq!(i64::from(trace.gpu.grid[row].0[axis]), (items + group - 1) / group);
            assert_eq!(i64::from(trace.gpu.block[row].0[axis]), group);
        }
        assert_eq!(trace.gpu.shared_memory[row].get(), Some(number(7)));
        assert_eq!(trace.dispatches.scratch[row].get(), Some(number(8)));
        assert_eq!(trace.gpu.registers[row].get().map(i64::from), Some(number(9) + number(10)));
        assert_eq!(trace.dispatches.scalar_registers[row].get().map(i64::from), Some(number(11)));
        assert_eq!(trace.dispatches.number[row].get(), Some(number(12)));
        assert_eq!(trace.gpu.stream[row].get(), Some(number(13)));
        assert_eq!(trace.dispatches.queue[row].get(), Some(number(14)));
        assert_eq!(trace.gpu.correlation[row].get(), Some(number(15)));
    }
    // Every kernel has a region with its `stack_id`; all are launches.
    let links = LaunchLinks::build(trace);
    assert_eq!(links.unlinked(), 0);
    let launches = (0..trace.gpu.len()).map(|row| trace.slice_name(links.launch(GpuId::from(row)).unwrap()));
    assert!(launches.into_iter().all(|name| name.contains("Launch") || name.contains("Memset")));
    let device = &trace.metadata.devices[0];
    assert_eq!((device.name.as_str(), device.architecture.as_str()), ("AMD Instinct MI300X", "gfx942"));
    assert_eq!(device.number("cu_count"), Some(304.0));
    assert_eq!(trace.metadata.host_name.as_deref(), Some("37ca13315e70"));
    let overlaps = "select count(*) from (select start < lag(end) over (partition by stream_id order by start) as \
                    overlaps from kernels) where overlaps";
    let overlaps: u32 = database.query_row(overlaps, [], |row| row.get(0)).unwrap();
    assert_eq!(trace.diagnostics.count(WarningKind::StreamOverlap), u64::from(overlaps));
    assert_eq!(trace.diagnostics.warnings().len(), 1);
}

/// rocprof (v1) with `--hip-trace`: against the summaries that rocprof itself made of the same database, and SQLite.
#[test]
fn rocprof_db() {
    let Some(folder) = data("formats/amd/rocprof_v1/HIP_Programming") else { return };
    let recording = recording(&folder.join("results.db"));
    let trace = &recording.trace;
    let mut found: BTreeMap<&str, Sums> = BTreeMap::new();
    for row in 0..trace.slices.len() {
        let (name, duration) = (trace.strings.get(trace.slices.name[row]), trace.slices.duration[row].0);
        let (file, name) = match (trace.slices.kind[row], name) {
            (SliceKind::Kernel, name) => ("results.stats.csv", name),
            (SliceKind::Runtime, name) => ("results.hip_stats.csv", name),
            (SliceKind::Memcpy, "Memcpy HtoD (Host -> Device)") => {
                ("results.copy_stats.csv", "CopyHostToDevice")
            }
            (SliceKind::Memcpy, "Memcpy DtoH (Device -> Host)") => {
                ("results.copy_stats.csv", "CopyDeviceToHost")
            }
            (kind, name) => unreachable!("{kind:?} {name}"),
        };
        let entry = found.entry(file).or_default().entry(name.to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + duration);
    }
    assert_eq!(found.len(), 3);
    for (file, sums) in found {
        let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
        let rows = reader.records().map(Result::unwrap);
        let expected: Sums =
            rows.map(|row| (row[0].to_owned(), (row[1].parse().unwrap(), row[2].parse().unwrap()))).collect();
        assert_eq!(sums, expected, "{file}");
    }
    let database = database(&folder.join("results.db"));
    let first: i64 = database
        .query_row(
            "select min(BeginNs) from (select BeginNs from HIP union select BeginNs from OPS)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(trace.metadata.base_time_ns, Some(first));
    // `numBlocks({z(1) y(1) x(3906250})`, `dimBlocks({z(1) y(1) x(256})`, `sizeBytes(4000000000)` in `HIP.args`.
    let kernel = (0..trace.gpu.len())
        .find(|&row| trace.slices.kind[trace.gpu.slice[row].index()] == SliceKind::Kernel)
        .unwrap();
    assert_eq!((trace.gpu.grid[kernel].0, trace.gpu.block[kernel].0), ([3_906_250, 1, 1], [256, 1, 1]));
    assert_eq!(LaunchLinks::build(trace).unlinked(), 0);
}

/// 100 work-items in groups of 64 are two groups, of which one is not full.
#[test]
fn a_group_that_is_not_full_counts_as_one() {
    let text = "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,\
                wave_size,sig,obj,DispatchNs,BeginNs,EndNs,CompleteNs\n\
                0,\"add(float*) [clone .kd]\",4,0,0,7,7,100,64,0,0,8,0,16,64,0x0,0x7f,1,1000,2000,2100\n";
    let recording = read_bytes("results.csv", text.as_bytes()).unwrap();
    let gpu = &recording.trace.gpu;
    assert_eq!((gpu.grid[0], gpu.block[0]), (Extent([2, 1, 1]), Extent([64, 1, 1])));
}
