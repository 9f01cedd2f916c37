use eaves_model::{MeasurementKind, Recording, SliceKind, WarningKind};

use crate::{read_bytes, read_measurements};

/// As a terminal shows it: two tables, and lines of progress around them.
const TERMINAL: &str = "Generating SQLite file r.sqlite from r.nsys-rep
Processing [r.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]...
Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Name
75.0,3000.5,3,1000.2,1000.0,999.0,1001.5,1.0,\"void k<int, 4>(float*, int)\"
25.0,1000,1,1000,1000,1000,1000,0.0,other

Processing [r.sqlite] with [/opt/nsys/reports/cuda_gpu_mem_size_sum.py]...
Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
12.000,4,3.000,3.000,3.000,3.000,0.000,[CUDA memcpy Host-to-Device]
broken line
";

#[test]
fn sums_of_a_terminal_are_read() {
    let found = read_measurements("terminal", TERMINAL.as_bytes(), None).unwrap();
    assert_eq!(found.format, "nsys-stats-csv");
    let rows: Vec<_> = found
        .records
        .iter()
        .map(|row| (row.name.as_str(), row.type_name.as_str(), row.calls, row.time, row.bytes))
        .collect();
    assert_eq!(
        rows,
        [
            ("void k<int, 4>(float*, int)", "kernel", 3, Some(3_000_500.0), None),
            ("other", "kernel", 1, Some(1_000_000.0), None),
            ("[CUDA memcpy Host-to-Device]", "memory operation", 4, None, Some(3_000_000.0)),
        ]
    );
    assert!(found.records.iter().all(|row| row.kind == MeasurementKind::Compute));
    assert_eq!(found.diagnostics.count(WarningKind::BadRecord), 1);
    assert!(found.records[0].record.contains("\"Instances\":\"3\""));
}

const TRACE: &str = "\u{feff}Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name
1000,60,123,,,,,,,,,,4.194,6337.593,Pinned,Device,NVIDIA A100 (40GB) (1),1,13,[CUDA memcpy HtoD]
1100,7,128,4096,2,1,256,1,1,16,0.000,0.000,,,,,NVIDIA A100 (40GB) (1),1,13,\"saxpy(float, const float *)\"
1200,9,129,1,1,1,32,1,1,16,0.010,0.002,,,,,NVIDIA A100 (40GB) (1),1,13,k
1300,2,130,,,,,,,,,,0.001,5.0,Device,,NVIDIA A100 (40GB) (1),1,13,[CUDA memset]
";

fn trace(text: &str) -> Recording {
    read_bytes("r_cuda_gpu_trace.csv", text.as_bytes()).unwrap()
}

#[test]
fn activities_are_slices() {
    let recording = trace(TRACE);
    let trace = &recording.trace;
    let slices: Vec<_> = (0..trace.slices.len())
        .map(|row| {
            let name = trace.strings.get(trace.slices.name[row]);
            (trace.slices.start[row].0, trace.slices.duration[row].0, trace.slices.kind[row], name)
        })
        .collect();
    assert_eq!(
        slices,
        [
            (0, 60, SliceKind::Memcpy, "Memcpy HtoD (Pinned -> Device)"),
            (100, 7, SliceKind::Kernel, "saxpy(float, const float *)"),
            (200, 9, SliceKind::Kernel, "k"),
            (300, 2, SliceKind::Memset, "Memset (Device)"),
        ]
    );
    assert_eq!((trace.gpu.grid[1].0, trace.gpu.block[1].0), ([4_096, 2, 1], [256, 1, 1]));
    let shared: Vec<_> = trace.gpu.shared_memory.iter().map(|bytes| bytes.get()).collect();
    assert_eq!(shared, [None, None, Some(12_000), None]);
    let bytes: Vec<_> = trace.gpu.bytes.iter().map(|bytes| bytes.get()).collect();
    assert_eq!(bytes, [Some(4_194_000), None, None, Some(1_000)]);
    assert_eq!((trace.gpu.device[0].get(), trace.gpu.stream[0].get()), (Some(1), Some(13)));
    let device = &trace.metadata.devices[0];
    assert_eq!((device.id, device.name.as_str()), (Some(1), "NVIDIA A100 (40GB)"));
    assert_eq!(trace.diagnostics.warnings(), []);
}

#[test]
fn devices_go_by_name() {
    let recording = trace(&TRACE.replace(",4096,2,1,", ",4096,4294967296,1,"));
    let trace = &recording.trace;
    let row = trace.slices.track[0].index();
    // A number would be that of a process as well.
    let process = trace.tracks.threads.process[row];
    assert_eq!(process.as_text().map(|text| trace.strings.get(text)), Some("GPU 1"));
    let described = trace.tracks.processes.row(trace.tracks.find_process(process).unwrap());
    assert_eq!(trace.strings.get(described.name), "NVIDIA A100 (40GB)");
    assert_eq!(described.sort_index.get(), Some(1));
    // An extent that does not fit is unknown as a whole.
    assert_eq!((trace.gpu.grid[1].get(), trace.gpu.block[1].get()), (None, Some([256, 1, 1])));
}

#[test]
fn calls_and_ranges_are_slices() {
    let calls = "Start (us),Duration (us),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name
1.5,0.25,cudaLaunchKernel,0,128,53,54,20,main
";
    let recording = trace(calls);
    assert_eq!(recording.trace.runtime.correlation[0].get(), Some(128));
    assert_eq!(recording.trace.slices.duration[0].0, 250);
    let ranges = "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,TID,NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack
:step,300,40,100,30,PushPop,53,53,2,0,0,1,,:1
";
    let recording = trace(ranges);
    let kinds = recording.trace.slices.kind.clone();
    assert_eq!(kinds, [SliceKind::Annotation, SliceKind::GpuAnnotation]);
    assert_eq!(recording.trace.slice_name(eaves_model::SliceId(0)), "step");
    assert_eq!(recording.trace.slices.start.iter().map(|start| start.0).collect::<Vec<_>>(), [0, 200]);
}

#[test]
fn old_headers_without_units_are_read() {
    let old = "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n100.0,500,5,100.0,90,110,k\n";
    let found = read_measurements("old", old.as_bytes(), None).unwrap();
    assert_eq!((found.records[0].calls, found.records[0].time), (5, Some(500.0)));
}

#[test]
fn damage_never_stops_the_reader() {
    for text in [TERMINAL, TRACE] {
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            for value in [0, b'"', b',', 0xFF] {
                changed[at] = value;
                let _ = read_bytes("changed", &changed);
                let _ = read_measurements("changed", &changed, None);
            }
            let _ = read_bytes("cut", &bytes[..at]);
        }
    }
}

/// Transcribed from public documents; they are not part of the project.
#[test]
fn real_tables_are_read() {
    let Some(folder) = eaves_testing::data("formats/nvidia/nsys/stats_csv") else { return };
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = std::fs::read(&path).unwrap();
        let lines = String::from_utf8_lossy(&bytes).lines().filter(|line| !line.is_empty()).count() - 1;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains("_sum") {
            let found = read_measurements(&name, &bytes, None).unwrap();
            assert_eq!(found.records.len(), lines, "{name}");
            // The share of the first row of all time, as the table itself gives it, is that of its time.
            assert!(found.records.iter().all(|row| row.time.is_some()), "{name}");
            assert_eq!(found.diagnostics.warnings(), [], "{name}");
        } else {
            let recording = read_bytes(&name, &bytes).unwrap();
            assert_eq!(recording.trace.slices.len(), lines, "{name}");
            assert_eq!(recording.trace.diagnostics.warnings(), [], "{name}");
        }
    }
}
