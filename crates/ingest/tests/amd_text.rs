//! Every real text file of AMD's profilers available, against an independent reading by the `csv` crate or by hand.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use eaves_ingest::{Options, open_with, read_bytes};
use eaves_model::{Extent, Recording, SliceId, SliceKind, Times, Trace, WarningKind};

/// Real files of AMD's and other people's repositories. They are not part of the project.
fn amd(path: &str) -> Option<PathBuf> {
    eaves_testing::data(&format!("formats/amd/{path}"))
}

fn one(path: &Path) -> Recording {
    let bytes = std::fs::read(path).unwrap();
    read_bytes(&path.display().to_string(), &bytes)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rows of a CSV file by names of columns.
fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row: Result<HashMap<String, String>, _>| row.unwrap()).collect()
}

fn counters(trace: &Trace, slice: SliceId) -> HashMap<String, f64> {
    (0..trace.range_counters.len())
        .map(|row| trace.range_counters.row(row))
        .filter(|row| row.slice == slice)
        .map(|row| (trace.strings.get(row.metric).to_owned(), row.value.get().unwrap()))
        .collect()
}

fn kernels(trace: &Trace) -> Vec<SliceId> {
    (0..trace.slices.len())
        .map(SliceId::from)
        .filter(|id| trace.slices.kind[id.index()] == SliceKind::Kernel)
        .collect()
}

/// Start of a slice on the profiler's own clock.
fn absolute(trace: &Trace, slice: SliceId) -> i64 {
    trace.metadata.base_time_ns.unwrap() + trace.slices.start[slice.index()].0
}

#[test]
fn kernels_of_rocprofv3() {
    for (file, registers) in [("docs_data", true), ("docs_data_0.5_rocm6.3", false)] {
        let Some(path) = amd(&format!("rocprofv3/{file}/kernel_trace.csv")) else { return };
        let (rows, recording) = (rows(&path), one(&path));
        let trace = &recording.trace;
        assert_eq!(trace.slices.len(), rows.len());
        assert_eq!((trace.gpu.len(), trace.dispatches.len()), (rows.len(), rows.len()));
        for (at, row) in rows.iter().enumerate() {
            let slice = SliceId::from(at);
            let number = |name: &str| row[name].parse::<i64>().unwrap();
            assert_eq!(trace.slice_name(slice), row["Kernel_Name"]);
            assert_eq!(absolute(trace, slice), number("Start_Timestamp"));
            assert_eq!(trace.slices.duration[at].0, number("End_Timestamp") - number("Start_Timestamp"));
            let axes = |name: &str| ["X", "Y", "Z"].map(|axis| number(&format!("{name}_{axis}")) as u32);
            let (items, group) = (axes("Grid_Size"), axes("Workgroup_Size"));
            assert_eq!(trace.dispatches.work_items[at], Extent(items));
            assert_eq!(trace.gpu.grid[at], Extent([0, 1, 2].map(|axis| items[axis].div_ceil(group[axis]))));
            assert_eq!(trace.gpu.grid[at], Extent([16, 1024, 1]));
            assert_eq!(trace.gpu.block[at], Extent(group));
            assert_eq!(trace.gpu.correlation[at].get(), Some(number("Correlation_Id")));
            assert_eq!(trace.dispatches.queue[at].get(), Some(number("Queue_Id")));
            assert_eq!(trace.gpu.registers[at].get().is_some(), registers);
            if registers {
                let sum = number("VGPR_Count") + number("Accum_VGPR_Count");
                assert_eq!(trace.gpu.registers[at].get(), Some(sum as u32));
                assert_eq!(trace.dispatches.scalar_registers[at].get(), Some(number("SGPR_Count") as u32));
                assert_eq!(trace.gpu.device[at].get(), Some(4));
            }
        }
        assert!(trace.diagnostics.warnings().is_empty(), "{:?}", trace.diagnostics);
    }
}

#[test]
fn counters_of_rocprofv3() {
    for (file, has_times) in [("docs_data", true), ("docs_data_0.5_rocm6.3", false)] {
        let Some(path) = amd(&format!("rocprofv3/{file}/counter_collection.csv")) else { return };
        let (rows, recording) = (rows(&path), one(&path));
        let trace = &recording.trace;
        assert_eq!((trace.slices.len(), trace.range_counters.len()), (rows.len(), rows.len()));
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(
                counters(trace, SliceId::from(at))["SQ_WAVES"],
                row["Counter_Value"].parse::<f64>().unwrap()
            );
            // 1 048 576 work-items are 16 384 waves of 64.
            assert_eq!(counters(trace, SliceId::from(at))["SQ_WAVES"], 1_048_576.0 / 64.0);
            assert_eq!(trace.dispatches.total_work_items[at].get(), Some(1_048_576));
            assert_eq!(trace.gpu.grid[at], Extent([16_384, 1, 1]));
            assert_eq!(trace.dispatches.work_items[at].get(), None);
        }
        assert_eq!(trace.metadata.times == Times::Recorded, has_times);
        assert_eq!(trace.diagnostics.count(WarningKind::NoStartTimes) > 0, !has_times);
    }
}

/// Everything below a directory, as a user who names it gets it.
fn directory(path: &Path) -> Vec<Recording> {
    let contents = open_with(&[path.to_owned()], &Options::default(), None, |_| ()).unwrap();
    assert_eq!(contents.measurements, [], "sums beside a trace say nothing new");
    contents.run.recordings
}

#[test]
fn calls_copies_and_marks_of_rocprofv3() {
    let mut files = 0;
    for folder in ["docs_data", "docs_data_0.5_rocm6.3"] {
        let Some(folder) = amd(&format!("rocprofv3/{folder}")) else { return };
        for path in glob::glob(&folder.join("*.csv").to_string_lossy()).unwrap().flatten() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("pc_sampling") {
                assert!(read_bytes("samples", &std::fs::read(&path).unwrap()).is_err());
                continue;
            }
            if name.ends_with("_stats.csv") {
                continue;
            }
            files += 1;
            let (rows, recording) = (rows(&path), one(&path));
            let trace = &recording.trace;
            assert_eq!(trace.events, rows.len() as u64, "{name}");
            let timed = trace.slices.len() + trace.allocations.len();
            assert_eq!(timed, rows.len(), "{name}");
            let odd: Vec<_> = trace.diagnostics.warnings().iter().map(|warning| warning.kind).collect();
            assert!(odd.iter().all(|kind| *kind == WarningKind::NoStartTimes), "{name}: {odd:?}");
            for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.contains_key("Function")) {
                let slice = SliceId::from(at);
                let number = |name: &str| row[name].parse::<i64>().unwrap();
                assert_eq!(trace.slice_name(slice), row["Function"]);
                assert_eq!(absolute(trace, slice), number("Start_Timestamp"));
                assert_eq!(trace.slices.duration[at].0, number("End_Timestamp") - number("Start_Timestamp"));
                let is_mark = row["Domain"].starts_with("MARKER");
                let kind = if is_mark { SliceKind::Annotation } else { SliceKind::Runtime };
                assert_eq!(trace.slices.kind[at], kind, "{name}");
                if !is_mark {
                    assert_eq!(trace.runtime.correlation[at].get(), Some(number("Correlation_Id")));
                }
                let track = trace.slices.track[at].index();
                assert_eq!(trace.tracks.threads.process[track].as_number(), Some(number("Process_Id")));
                assert_eq!(trace.tracks.threads.thread[track].as_number(), Some(number("Thread_Id")));
            }
        }
    }
    assert_eq!(files, 26);
}

#[test]
fn copies_and_allocations_of_rocprofv3() {
    let Some(folder) = amd("rocprofv3/docs_data") else { return };
    let copies = one(&folder.join("memory_copy_trace.csv")).trace;
    let words: Vec<&str> = (0..4).map(|at| copies.slice_name(SliceId(at))).collect();
    let (to_device, to_host) = ("Memcpy HtoD (Host -> Device)", "Memcpy DtoH (Device -> Host)");
    assert_eq!(words, [to_device, to_device, to_host, to_host]);
    assert!(copies.gpu.device.iter().all(|device| device.get() == Some(4)));
    assert!(copies.gpu.bytes.iter().all(|bytes| bytes.get().is_none()), "the file tells no bytes");
    let allocations = one(&folder.join("memory_allocation_trace.csv")).trace.allocations;
    let bytes: Vec<_> = allocations.bytes.iter().map(|bytes| bytes.get()).collect();
    assert_eq!(bytes, [Some(1024), Some(1024), Some(-1024), Some(-1024)]);
}

#[test]
fn sums_are_measurements() {
    for (path, first, calls, time) in [
        ("rocprofv3/docs_data/hip_api_stats.csv", "hipStreamCreateWithFlags", 4, 262_497_406.0),
        (
            "rocprof_v1/HIP_Programming/results.stats.csv",
            "vector_add(float*, float*, float*, int)",
            1,
            3_431_611.0,
        ),
        ("rocprof_v1/HIP_Programming/results.copy_stats.csv", "CopyDeviceToHost", 1, 885_689_740.0),
        (
            "rocprof_v1/ENCCS_nbody_rocm5.3/results.stats.csv",
            "bodyForce(Body*, float, int)",
            10,
            261_124_944.0,
        ),
        ("rocprof_v1/ENCCS_nbody_rocm5.3/results.hip_stats.csv", "hipMemcpy", 20, 486_845_521.0),
        (
            "rocprof_compute/bmm1_MI300X_A1_rocm7.1/pmc_kernel_top.csv",
            "void batched_matrix_multiplication_matrix_core_64x64x4<64u, 64u, 8u>(unsigned int, unsigned int, \
             unsigned int, unsigned int, std::bfloat16_t const*, std::bfloat16_t const*, std::bfloat16_t*, dim3, dim3, \
             dim3, int)",
            150,
            4_358_035.070_312_5,
        ),
    ] {
        let Some(path) = amd(path) else { return };
        let bytes = std::fs::read(&path).unwrap();
        let sums = eaves_ingest::read_measurements(&path.display().to_string(), &bytes, None).unwrap();
        assert_eq!(sums.records.len(), rows(&path).len());
        let record = &sums.records[0];
        assert_eq!((record.name.as_str(), record.calls, record.time), (first, calls, Some(time)));
    }
}

/// The run of 1e9 floats on an MI300A: every number of its own text is reached.
#[test]
fn vector_add_of_rocprof() {
    for path in ["formats/amd/rocprof_v1/HIP_Programming", "sources/003/real_rocprof_v1_vector_add"] {
        let Some(path) = eaves_testing::data(path) else { return };
        let alone = one(&path.join("output_vec_add_gpu.csv")).trace;
        assert_eq!(alone.gpu.grid[0], Extent([3_906_250, 1, 1]));
        assert_eq!(alone.gpu.block[0], Extent([256, 1, 1]));
        assert_eq!(alone.dispatches.total_work_items[0].get(), Some(1_000_000_000));
        assert_eq!(alone.slice_name(SliceId(0)), "vector_add(float*, float*, float*, int)");
        assert_eq!((alone.metadata.times, alone.slices.duration[0].0), (Times::NotRecorded, 0));
        let wavefronts = counters(&alone, SliceId(0))["Wavefronts"];
        assert_eq!((wavefronts, wavefronts * 64.0), (15_625_000.0, 1e9));

        let json = one(&path.join("results.json")).trace;
        assert_eq!(json.diagnostics.warnings(), []);
        let kernel = kernels(&json)[0];
        assert_eq!(json.slices.duration[kernel.index()].0, 3_431_611);
        // Three arrays of 1e9 floats are 12 GB.
        assert_eq!((12e9_f64 / 3_431_611.0 * 10.0).round() / 10.0, 3496.9);
        let row = json.gpu.slice.iter().position(|slice| *slice == kernel).unwrap();
        assert_eq!(
            (json.gpu.grid[row], json.gpu.block[row]),
            (Extent([3_906_250, 1, 1]), Extent([256, 1, 1]))
        );
        assert_eq!((json.gpu.stream[row].get(), json.gpu.device[row].get()), (Some(1), Some(4)));
        assert_eq!(json.gpu.shared_memory[row].get(), Some(0));
        let dispatch = json.dispatches.slice.iter().position(|slice| *slice == kernel).unwrap();
        assert_eq!(json.dispatches.work_items[dispatch], Extent([1_000_000_000, 1, 1]));
        let launch = json.gpu.correlation[row].get().unwrap();
        let call = json.runtime.correlation.iter().position(|id| id.get() == Some(launch)).unwrap();
        assert_eq!(json.slice_name(json.runtime.slice[call]), "hipLaunchKernel");
        // Copies of 4 GB, by the calls that asked for them.
        let rate = |row: usize| {
            let nanoseconds = json.slices.duration[json.gpu.slice[row].index()].0;
            json.gpu.bytes[row].get().unwrap() as f64 / nanoseconds as f64
        };
        let rates: Vec<f64> = (0..3).map(rate).map(|rate| (rate * 1000.0).round() / 1000.0).collect();
        assert_eq!(rates, [43.378, 45.195, 4.516]);
        let device = json.metadata.devices.iter().find(|device| device.id == Some(4)).unwrap();
        assert_eq!((device.name.as_str(), device.architecture.as_str()), ("AMDInstinctMI300A", "gfx942"));
        assert_eq!(
            (device.number("ComputeUnit"), device.number("MaxClockFreq.(MHz)")),
            (Some(228.0), Some(2100.0))
        );
        assert_eq!(json.metadata.devices.len(), 4);
    }
}

/// Counters of one run, trace of another and sums in one directory are one recording.
#[test]
fn a_directory_of_rocprof_is_one_recording() {
    let Some(path) = amd("rocprof_v1/HIP_Programming") else { return };
    let recordings = directory(&path);
    assert_eq!(recordings.len(), 1);
    let trace = &recordings[0].trace;
    assert_eq!(kernels(trace).len(), 1);
    let kernel = kernels(trace)[0];
    assert_eq!(trace.slices.duration[kernel.index()].0, 3_431_611);
    assert_eq!(counters(trace, kernel)["Wavefronts"], 15_625_000.0);
    assert_eq!(counters(trace, kernel)["GPUBusy"], 100.0);
    let row = trace.gpu.slice.iter().position(|slice| *slice == kernel).unwrap();
    // Registers are of the table, the stream is of the trace.
    assert_eq!((trace.gpu.registers[row].get(), trace.gpu.stream[row].get()), (Some(8), Some(1)));
    assert_eq!(trace.gpu.grid[row], Extent([3_906_250, 1, 1]));
    assert_eq!(
        (trace.metadata.times, trace.diagnostics.count(WarningKind::NoStartTimes)),
        (Times::Recorded, 0)
    );
    assert_eq!(trace.slices.kind.iter().filter(|kind| **kind == SliceKind::Memcpy).count(), 3);
}

#[test]
fn bodies_of_rocprof() {
    let Some(path) = amd("rocprof_v1/ENCCS_nbody_rocm5.3") else { return };
    let table = one(&path.join("results.csv")).trace;
    let durations: Vec<i64> = table.slices.duration.iter().map(|duration| duration.0).collect();
    assert_eq!(durations, [26_316_649, 26_115_847, 26_102_728]);
    assert_eq!(table.gpu.grid[0], Extent([65_536 / 256, 1, 1]));
    // 20 of one kind and 4 of the other.
    assert_eq!(
        (table.gpu.registers[0].get(), table.dispatches.scalar_registers[0].get()),
        (Some(24), Some(16))
    );
    let counted = one(&path.join("rocprof_counters.csv")).trace;
    let values = counters(&counted, SliceId(0));
    assert_eq!(values.len(), 20);
    assert_eq!((values["VALUInsts"], values["L2CacheHit"]), (1_212_443.0, 96.568_433_144_3));
    assert_eq!(counted.slices.duration[0].0, 1_594_244_138_305_243 - 1_594_244_111_978_746);
    // Output of the tool itself is not a recording.
    let said = std::fs::read(path.join("stdout_hip_trace.txt")).unwrap();
    assert!(read_bytes("stdout", &said).is_err());
    let whole = &directory(&path)[..];
    assert!(whole.iter().all(|one| kernels(&one.trace).len() <= 3), "{}", whole.len());
}

#[test]
fn lines_of_rocprofv2() {
    let Some(folder) = amd("rocprof_v2/goldentraces") else { return };
    let read = |name: &str| one(&folder.join(name)).trace;
    let add = read("profiler__hip_vectoradd_golden_traces.txt");
    assert_eq!((add.gpu.grid[0], add.gpu.block[0]), (Extent([4096, 1, 1]), Extent([256, 1, 1])));
    assert_eq!(counters(&add, SliceId(0))["GRBM_COUNT"], 40_539.0);
    assert_eq!(add.slices.duration[0].0, 140_174_279_043_296 - 140_169_881_587_808);
    assert_eq!((add.gpu.registers[0].get(), add.gpu.correlation[0].get()), (Some(8), None));
    let ranks = read("profiler__mpi_vectoradd_golden_traces.txt");
    assert_eq!(kernels(&ranks).len(), 2);
    let calls = read("tracer__hip_helloworld_golden_traces.txt");
    assert_eq!((calls.runtime.len(), calls.slice_name(SliceId(6))), (10, "hipLaunchKernel"));
    assert_eq!(calls.runtime.correlation[6].get(), Some(7));
    let copies = read("tracer__hsa_api_async_trace.txt");
    let count = |text: &str| {
        let file = std::fs::read_to_string(folder.join("tracer__hsa_api_async_trace.txt")).unwrap();
        file.matches(text).count()
    };
    assert_eq!(copies.gpu.len(), count("Operation_Name(COPY)"));
    assert_eq!(copies.runtime.len(), count("Function("));
    let marks = read("tracer__matrix_transpose_golden_trace.txt");
    let named = (0..marks.slices.len()).filter(|&at| marks.slices.kind[at] == SliceKind::Annotation);
    let ranges = named.filter(|&at| marks.slices.duration[at].0 > 0).count();
    let file = std::fs::read_to_string(folder.join("tracer__matrix_transpose_golden_trace.txt")).unwrap();
    assert_eq!(ranges, file.matches("roctx_range with id").count());
    let nothing = std::fs::read(folder.join("profiler__hsa_async_mem_copy_golden_traces.txt")).unwrap();
    let refused = read_bytes("nothing", &nothing).unwrap_err().to_string();
    assert!(refused.contains("without kernels"), "{refused}");
}

/// Every cell of the wide table of a workload is there, under the name of its column.
#[test]
fn wide_tables_of_rocprof_compute() {
    const IDENTITY: [&str; 16] = [
        "Dispatch_ID",
        "Kernel_Name",
        "GPU_ID",
        "Grid_Size",
        "Workgroup_Size",
        "LDS_Per_Workgroup",
        "Scratch_Per_Workitem",
        "Arch_VGPR",
        "Accum_VGPR",
        "SGPR",
        "wave_size",
        "Wave_Size",
        "obj",
        "Correlation_ID",
        "Kernel_ID",
        "XCC_Index",
    ];
    for (path, is_ruined) in [
        ("tests_workloads/vcopy/MI200/pmc_perf.csv", false),
        ("tests_workloads/vcopy/MI300X_A1/pmc_perf.csv", true),
        ("tests_workloads/dispatch_0/MI300X_A1/pmc_perf.csv", false),
        ("tests_workloads/dispatch_0/MI200/pmc_perf.csv", false),
        ("bmm1_MI300X_A1_rocm7.1/pmc_perf.first2rows.csv", false),
    ] {
        let Some(path) = amd(&format!("rocprof_compute/{path}")) else { return };
        let (rows, trace) = (rows(&path), one(&path).trace);
        assert_eq!(trace.slices.len(), rows.len());
        for (at, row) in rows.iter().enumerate() {
            let counted = counters(&trace, SliceId::from(at));
            let is_identity = |name: &str| {
                let head = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
                let head = head.strip_suffix('_').unwrap_or(name);
                IDENTITY.contains(&name) || IDENTITY.contains(&head)
            };
            let mut expected: HashMap<String, f64> = row
                .iter()
                .filter(|(name, _)| !is_identity(name) && !name.ends_with("_Timestamp"))
                .map(|(name, cell)| (name.clone(), cell.parse().unwrap()))
                .collect();
            expected.retain(|name, _| name != "SQ_ACCUM_PREV_HIRES");
            for (name, value) in &expected {
                assert_eq!(counted.get(name), Some(value), "{name}");
            }
            assert!(counted.len() - expected.len() <= 1);
            let time = |name: &str| row[name].parse::<f64>().unwrap();
            let expected = (time("End_Timestamp").round() - time("Start_Timestamp").round()) as i64;
            assert_eq!(trace.slices.duration[at].0, expected);
            assert_eq!(expected == 0, is_ruined);
        }
        let rounded = trace.diagnostics.count(WarningKind::RoundedTimes);
        assert_eq!(rounded, if is_ruined { 2 * rows.len() as u64 } else { 0 });
        assert_eq!(trace.metadata.times == Times::NotRecorded, is_ruined);
        assert_ne!(trace.metadata.times, Times::InSequence);
    }
}

/// What the counters are needed for: operations and bytes of kernels whose work is known.
#[test]
fn counters_tell_what_kernels_did() {
    let Some(folder) = amd("rocprof_compute") else { return };
    // What clears memory multiplies no matrices. (The rows of the products themselves are not in the sample.)
    let fill = one(&folder.join("bmm1_MI300X_A1_rocm7.1/pmc_perf.first2rows.csv")).trace;
    let operations = |slice: SliceId| counters(&fill, slice)["SQ_INSTS_VALU_MFMA_MOPS_BF16"];
    assert_eq!(kernels(&fill).into_iter().map(operations).collect::<Vec<_>>(), [0.0, 0.0]);
    // A copy of 1 Mi doubles reads and writes 8.389 MB.
    let expected = 8.0 * 1_048_576.0;
    let is_near = |bytes: f64| (bytes / expected - 1.0).abs() < 0.002;
    let copy = one(&folder.join("tests_workloads/vcopy/MI200/pmc_perf.csv")).trace;
    let of = counters(&copy, kernels(&copy)[0]);
    let small = of["TCC_EA_RDREQ_32B_sum"];
    assert!(is_near(32.0 * small + 64.0 * (of["TCC_EA_RDREQ_sum"] - small)));
    let large = of["TCC_EA_WRREQ_64B_sum"];
    assert!(is_near(64.0 * large + 32.0 * (of["TCC_EA_WRREQ_sum"] - large)));
    let copy = one(&folder.join("tests_workloads/vcopy/MI300X_A1/pmc_perf.csv")).trace;
    let of = counters(&copy, kernels(&copy)[0]);
    let (small, large) = (of["TCC_EA0_RDREQ_32B_sum"], of["TCC_BUBBLE_sum"]);
    assert!(is_near(128.0 * large + 32.0 * small + 64.0 * (of["TCC_EA0_RDREQ_sum"] - large - small)));
}

#[test]
fn long_tables_of_rocprof_compute() {
    let Some(path) = amd("rocprof_compute/tests_workloads/vcopy/MI300X_A1_rocpd/pmc_perf.first1500.csv")
    else {
        return;
    };
    let (rows, trace) = (rows(&path), one(&path).trace);
    assert_eq!((kernels(&trace).len(), trace.range_counters.len()), (3, rows.len()));
    for row in &rows {
        let number: usize = row["Dispatch_ID"].parse().unwrap();
        let value: f64 = row["Counter_Value"].parse().unwrap();
        assert_eq!(counters(&trace, SliceId::from(number - 1))[&row["Counter_Name"]], value);
    }
    // Two passes; the first tells the duration.
    let first = &rows[0];
    let time = |name: &str| first[name].parse::<i64>().unwrap();
    assert_eq!(trace.slices.duration[0].0, time("End_Timestamp") - time("Start_Timestamp"));
    assert_eq!(trace.diagnostics.warnings(), []);
}

#[test]
fn workloads_of_rocprof_compute_are_one_recording() {
    for (path, dispatches, devices, counted) in [
        ("tests_workloads/vcopy/MI200", 3, 4, true),
        ("tests_workloads/vcopy/MI300X_A1", 3, 1, true),
        ("tests_workloads/dispatch_0/MI200", 1, 4, true),
        ("tests_workloads/dispatch_0/MI300X_A1", 3, 1, true),
        ("tests_workloads/vcopy/MI300X_A1_rocpd", 3, 1, true),
        ("bmm1_MI300X_A1_rocm7.1", 2, 8, true),
    ] {
        let Some(path) = amd(&format!("rocprof_compute/{path}")) else { return };
        let recordings = directory(&path);
        assert_eq!(recordings.len(), 1, "{}", path.display());
        let trace = &recordings[0].trace;
        assert_eq!(kernels(trace).len(), dispatches, "{}", path.display());
        assert_eq!(!trace.range_counters.is_empty(), counted);
        let roofs = path.join("roofline.csv");
        let expected = if roofs.exists() { rows(&roofs).len() } else { 1 };
        assert_eq!((trace.metadata.devices.len(), expected), (devices, devices), "{}", path.display());
        let system = &rows(&path.join("sysinfo.csv"))[0];
        let device = &trace.metadata.devices[0];
        assert_eq!((&device.name, &device.architecture), (&system["gpu_model"], &system["gpu_arch"]));
        assert_eq!(device.number("cu_per_gpu"), system["cu_per_gpu"].parse().ok());
        assert_eq!(trace.metadata.host_name.as_ref(), Some(&system["hostname"]));
        if roofs.exists() {
            for (row, device) in rows(&roofs).iter().zip(&trace.metadata.devices) {
                assert_eq!(device.id, row["device"].parse().ok());
                for (name, value) in row.iter().filter(|(name, _)| *name != "device") {
                    assert_eq!(device.number(name), value.parse().ok(), "{name}");
                }
            }
        }
    }
}

/// Files that profilers wrote of each pass say the same counter of other things, and are distinguished.
#[test]
fn accumulators_go_by_what_they_accumulate() {
    let Some(path) = amd("rocprof_compute/tests_workloads/vcopy/MI200") else { return };
    let trace = &directory(&path)[0].trace;
    let kernel = kernels(trace)[0];
    let counted = counters(trace, kernel);
    for (file, name) in [
        ("SQ_IFETCH_LEVEL", "SQ_IFETCH_LEVEL_ACCUM"),
        ("SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_SMEM_ACCUM"),
        ("SQ_INST_LEVEL_VMEM", "SQ_INST_LEVEL_VMEM_ACCUM"),
        ("SQ_LEVEL_WAVES", "SQ_LEVEL_WAVES_ACCUM"),
    ] {
        let row = &rows(&path.join(format!("{file}.csv")))[0];
        assert_eq!(counted[name], row["SQ_ACCUM_PREV_HIRES"].parse::<f64>().unwrap());
    }
    let clock = trace.metadata.clock.as_deref().unwrap();
    assert!(clock.contains("durations of kernels are those of `timestamps.csv`"), "{clock}");
    assert_eq!(trace.slices.duration[kernel.index()].0, 1_411_551_767_656_192 - 1_411_551_767_635_712);
}
