//! Tables of every kind, written by hand after the real ones.

use eaves_model::{SliceKind, WarningKind};

use crate::{read_bytes, read_measurements};

const TRACE: &str = "==7== NVPROF is profiling process 7, command: ./main\n\
    ==7== Profiling result:\n\
    \"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n\
    ms,us,,,,,,,,KB,B,KB,GB/s,,,,,,,\n\
    10.000000,1.888000,,,,,,,,,,1.003906,0.507097,\"Device\",,\"GeForce RTX 2080 Ti (1)\",\"1\",\"7\",\"[CUDA memset]\",272\n\
    10.001500,4.000000,,,,,,,,,,,,,,,,,\"cudaLaunchKernel (k(int) [317])\",317\n\
    10.002000,1.536000,,,,,,,,,,0.125000,0.077610,\"Pinned\",\"Device\",\"GeForce RTX 2080 Ti (1)\",\"1\",\"22\",\"[CUDA memcpy HtoD]\",316\n\
    10.004000,2.500000,8,2,1,64,2,1,33,0.500000,16,,,,,\"GeForce RTX 2080 Ti (1)\",\"1\",\"7\",\"k(int) [317]\",317\n";

#[test]
fn a_trace_has_activities_and_calls() {
    let trace = read_bytes("x", TRACE.as_bytes()).unwrap().trace;
    let names: Vec<_> = (0..4).map(|row| trace.strings.get(trace.slices.name[row])).collect();
    assert_eq!(names, ["Memset (Device)", "cudaLaunchKernel", "Memcpy HtoD (Pinned -> Device)", "k(int)"]);
    assert_eq!(
        trace.slices.kind,
        [SliceKind::Memset, SliceKind::Runtime, SliceKind::Memcpy, SliceKind::Kernel]
    );
    let times: Vec<_> = (0..4).map(|row| (trace.slices.start[row].0, trace.slices.duration[row].0)).collect();
    assert_eq!(times, [(0, 1_888), (1_500, 4_000), (2_000, 1_536), (4_000, 2_500)]);
    assert_eq!(trace.runtime.correlation[0].get(), Some(317));
    let kernel = trace.gpu.row(2);
    assert_eq!(
        (kernel.correlation.get(), kernel.device.get(), kernel.stream.get()),
        (Some(317), Some(1), Some(7))
    );
    assert_eq!((kernel.grid.0, kernel.block.0, kernel.registers.get()), ([8, 2, 1], [64, 2, 1], Some(33)));
    // Half a kilobyte and 16 bytes.
    assert_eq!(kernel.shared_memory.get(), Some(528));
    // 1.003906 KB are 1028 bytes, 1028 bytes in 1.888 us are 0.5445 GB/s.
    let set = trace.gpu.row(0);
    assert_eq!(set.bytes.get(), Some(1_028));
    assert!((set.bandwidth_gbps.get().unwrap() - 1_028.0 / 1_888.0).abs() < 1e-6);
    assert!(trace.diagnostics.warnings().is_empty());
}

/// In a container the process may have the number of the device, and that of the stream.
#[test]
fn a_host_and_a_device_of_one_number_are_two() {
    let text = TRACE.replace("process 7", "process 1").replace("\"7\"", "\"1\"");
    let trace = read_bytes("x", text.as_bytes()).unwrap().trace;
    let track = |slice: usize| {
        let row = trace.slices.track[slice].index();
        let process = trace.tracks.find_process(trace.tracks.threads.process[row]).unwrap();
        let text = |string| trace.strings.get(string);
        let (name, labels) = (trace.tracks.processes.name[process], trace.tracks.processes.labels[process]);
        (text(name), text(labels), text(trace.tracks.threads.name[row]))
    };
    assert_eq!(track(1), ("host", "", "calls"));
    assert_eq!(track(3), ("GeForce RTX 2080 Ti", "GPU 1", "stream 1"));
}

#[test]
fn a_grid_that_does_not_fit_is_unknown() {
    let text = TRACE.replace(",8,2,1,64,2,1,", ",8,4294967296,1,64,2,1,");
    let trace = read_bytes("x", text.as_bytes()).unwrap().trace;
    let kernel = trace.gpu.row(2);
    assert_eq!((kernel.grid.get(), kernel.block.get()), (None, Some([64, 2, 1])));
}

#[test]
fn a_trace_of_an_imported_file_has_no_process() {
    let text = "======== Profiling result:\n\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\nus,us,,\n\
        0.000000,2.866000,\"cuDeviceGetPCIBusId\",1\n35863.518000,0.952000,\"cuDeviceGetCount\",2\n";
    let trace = read_bytes("x", text.as_bytes()).unwrap().trace;
    assert_eq!(trace.slices.start[1].0, 35_863_518);
    assert_eq!(trace.runtime.len(), 2);
}

#[test]
fn summaries_of_both_forms() {
    let new = "==9== Profiling result:\n\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,us,us,us,\n\
        \"GPU activities\",61.5,1.230000,3,410,400,420,\"k(int)\"\n\"API calls\",99.0,2.000000,4,500,1,900,\"cudaMalloc\"\n";
    let found = read_measurements("x", new.as_bytes(), None).unwrap();
    let rows: Vec<_> =
        found.records.iter().map(|r| (r.name.as_str(), r.type_name.as_str(), r.calls, r.time)).collect();
    assert_eq!(
        rows,
        [
            ("k(int)", "GPU activities", 3, Some(1_230_000.0)),
            ("cudaMalloc", "API calls", 4, Some(2_000_000.0))
        ]
    );
    let old = "==9== Profiling result:\n\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,us,,us,us,us,\n\
        61.5,1230.500000,3,410,400,420,\"k(int)\"\n==9== API calls:\n\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n\
        %,s,,us,us,us,\n99.0,2.000000,4,500,1,900,\"cudaMalloc\"\n";
    let found = read_measurements("x", old.as_bytes(), None).unwrap();
    let rows: Vec<_> = found.records.iter().map(|r| (r.type_name.as_str(), r.time)).collect();
    assert_eq!(rows, [("GPU activities", Some(1_230_500.0)), ("API calls", Some(2e9))]);
}

#[test]
fn metrics_are_counters_of_one_call() {
    let text = "==9== Metric result:\n\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
        \"Tesla V100 (0)\",\"k(int, float)\",3,\"flop_count_sp\",\"Operations, single\",10,30,20\n\
        \"Tesla V100 (0)\",\"k(int, float)\",3,\"dram_utilization\",\"Device Memory\",\"Low (1)\",\"High (9)\",\"Mid (5)\"\n\
        \"Tesla V100 (0)\",\"other\",1,\"dram_read_throughput\",\"Device Memory\",1.000000KB/s,1.000000KB/s,1.000000KB/s\n";
    let found = read_measurements("x", text.as_bytes(), None).unwrap();
    assert_eq!(found.device.as_deref(), Some("Tesla V100"));
    let counters: Vec<_> =
        found.records.iter().map(|record| (record.calls, record.counters.clone())).collect();
    let counter = |name: &str, value| (name.to_owned(), value);
    assert_eq!(
        counters,
        [
            (3, vec![counter("flop_count_sp", 20.0), counter("dram_utilization", 5.0)]),
            (1, vec![counter("dram_read_throughput", 1024.0)]),
        ]
    );
    let written: serde_json::Value = serde_json::from_str(&found.records[0].record).unwrap();
    assert_eq!(written["flop_count_sp"]["Max"], "30");
}

#[test]
fn what_was_not_recorded_is_said() {
    for (text, what) in [
        (
            "==9== NVPROF is profiling process 9, command: ./x\n==9== Warning: No profile data collected.\n",
            "No profile data",
        ),
        (
            "==9== NVPROF is profiling process 9\n            Type  Time(%)      Time     Calls\n",
            "human-readable",
        ),
    ] {
        let error = read_bytes("x", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn a_trace_cut_or_changed_anywhere_is_no_panic() {
    for length in 0..TRACE.len() {
        if let Ok(recording) = read_bytes("x", &TRACE.as_bytes()[..length]) {
            let cut = !TRACE[..length].ends_with('\n') && !TRACE[length..].starts_with('\n');
            let odd = recording.trace.diagnostics.count(WarningKind::Truncated) > 0;
            assert!(odd || !cut || recording.trace.slices.len() < 5, "{length}");
        }
        for byte in [b'"', b',', b'\n', 0xFF] {
            let mut bytes = TRACE.as_bytes().to_vec();
            bytes[length] = byte;
            let _ = read_bytes("x", &bytes);
        }
    }
}
