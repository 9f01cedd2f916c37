//! Real exports of three generations of the schema.

use std::path::PathBuf;

use eaves_model::{LaunchLinks, LinkedBy, SliceKind, WarningKind};

use super::{by_name, connect, listed, number, recording};

const SAMPLES: [&str; 3] = [
    "perlmutter-cloverleaf-cuda.sqlite",
    "power_iteration__baseline.sqlite",
    "saxpy-mpi-cuda_nsys_perlmutter0.sqlite",
];

fn samples() -> Option<Vec<PathBuf>> {
    SAMPLES.iter().map(|name| eaves_testing::data(&format!("formats/nvidia/nsys/{name}"))).collect()
}

/// The names of functions without the version that the database adds.
fn without_version(rows: Vec<(String, i64, i64)>) -> Vec<(String, i64, i64)> {
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|(name, count, time)| {
            let digits = name.len() - name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
            let stem = &name[..name.len() - digits];
            let name = if digits >= 4 { stem.strip_suffix("_v").unwrap_or(&name).to_owned() } else { name };
            (name, count, time)
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn kernels_have_their_times_and_extents() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let (connection, recording) = (connect(&path), recording(&path));
        let trace = &recording.trace;
        assert_eq!(recording.format, "nsys-sqlite");
        let query = "SELECT s.value, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k
                     JOIN StringIds s ON s.id = k.demangledName GROUP BY s.value";
        assert_eq!(by_name(trace, SliceKind::Kernel), listed(&connection, query));
        let sum = |column: &dyn Fn(usize) -> i64| -> i64 {
            let is_kernel =
                |row: &usize| trace.slices.kind[trace.gpu.slice[*row].index()] == SliceKind::Kernel;
            (0..trace.gpu.len()).filter(is_kernel).map(column).sum()
        };
        let products =
            "SELECT sum(gridX * gridY * gridZ * blockX * blockY * blockZ) FROM CUPTI_ACTIVITY_KIND_KERNEL";
        let threads = |row: usize| {
            let sides = trace.gpu.grid[row].0.into_iter().chain(trace.gpu.block[row].0);
            sides.map(i64::from).product()
        };
        assert_eq!(sum(&threads), number(&connection, products));
        let registers = "SELECT sum(registersPerThread) FROM CUPTI_ACTIVITY_KIND_KERNEL";
        let ours = |row: usize| i64::from(trace.gpu.registers[row].get().unwrap());
        assert_eq!(sum(&ours), number(&connection, registers));
        let shared = "SELECT sum(staticSharedMemory + dynamicSharedMemory) FROM CUPTI_ACTIVITY_KIND_KERNEL";
        let ours = |row: usize| trace.gpu.shared_memory[row].get().unwrap();
        assert_eq!(sum(&ours), number(&connection, shared));
        let streams = "SELECT deviceId || '/' || streamId, count(*), sum(end - start) FROM
                       (SELECT deviceId, streamId, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
                        SELECT deviceId, streamId, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY) GROUP BY 1";
        let mut sums = std::collections::BTreeMap::<String, (i64, i64)>::new();
        for row in 0..trace.gpu.len() {
            let (device, stream) =
                (trace.gpu.device[row].get().unwrap(), trace.gpu.stream[row].get().unwrap());
            let sum = sums.entry(format!("{device}/{stream}")).or_default();
            sum.0 += 1;
            sum.1 += trace.slices.duration[trace.gpu.slice[row].index()].0;
        }
        let sums: Vec<_> = sums.into_iter().map(|(name, (count, time))| (name, count, time)).collect();
        assert_eq!(sums, listed(&connection, streams));
        assert_eq!(trace.diagnostics.warnings(), []);
    }
}

#[test]
fn every_kernel_and_copy_has_its_call() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let (connection, recording) = (connect(&path), recording(&path));
        let trace = &recording.trace;
        let links = LaunchLinks::build(trace);
        let linked = number(
            &connection,
            "SELECT count(DISTINCT k.rowid) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
             ON k.correlationId = r.correlationId AND k.globalPid = (r.globalTid & ~0xFFFFFF)",
        );
        let kernels = number(&connection, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL");
        assert_eq!(linked, kernels);
        assert_eq!((links.unlinked(), links.count(LinkedBy::Correlation) as usize), (0, trace.gpu.len()));
        // Each call that is linked starts before what it launched.
        for row in 0..trace.gpu.len() {
            let launch = links.launch(eaves_model::GpuId::from(row)).unwrap();
            let activity = trace.gpu.slice[row];
            assert!(trace.slices.start[launch.index()] <= trace.slices.start[activity.index()]);
        }
        println!("{}: {kernels} kernels, all linked", path.display());
    }
}

#[test]
fn calls_of_the_runtime_count_once() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let (connection, recording) = (connect(&path), recording(&path));
        // Of rows with one number the one that starts last is the innermost.
        let query = "SELECT s.value, count(*), sum(r.end - r.start) FROM CUPTI_ACTIVITY_KIND_RUNTIME r
                     JOIN StringIds s ON s.id = r.nameId
                     JOIN (SELECT correlationId AS number, max(start) AS innermost FROM CUPTI_ACTIVITY_KIND_RUNTIME
                           GROUP BY correlationId) o ON o.number = r.correlationId AND o.innermost = r.start
                     GROUP BY s.value";
        let expected = without_version(listed(&connection, query));
        assert_eq!(by_name(&recording.trace, SliceKind::Runtime), expected);
        let distinct = "SELECT count(DISTINCT correlationId) FROM CUPTI_ACTIVITY_KIND_RUNTIME";
        assert_eq!(recording.trace.runtime.len() as i64, number(&connection, distinct));
    }
}

#[test]
fn copies_have_bytes_and_directions() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let (connection, recording) = (connect(&path), recording(&path));
        let query = "SELECT CASE copyKind WHEN 1 THEN 'Memcpy HtoD (Pageable -> Device)'
                                          WHEN 2 THEN 'Memcpy DtoH (Device -> Pageable)' END,
                            count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY copyKind";
        assert_eq!(by_name(&recording.trace, SliceKind::Memcpy), listed(&connection, query));
        let bytes: i64 = recording.trace.gpu.bytes.iter().filter_map(|bytes| bytes.get()).sum();
        assert_eq!(bytes, number(&connection, "SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY"));
    }
}

#[test]
fn times_are_those_of_the_session() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let (connection, recording) = (connect(&path), recording(&path));
        let trace = &recording.trace;
        let epoch = number(&connection, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
        let first_kernel = number(&connection, "SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL");
        let is_kernel = |row: &usize| trace.slices.kind[*row] == SliceKind::Kernel;
        let ours = (0..trace.slices.len()).filter(is_kernel).map(|row| trace.slices.start[row].0).min();
        assert_eq!(trace.metadata.base_time_ns.unwrap() + ours.unwrap(), epoch + first_kernel);
        assert_eq!(trace.slices.start.iter().map(|start| start.0).min(), Some(0));
    }
}

#[test]
fn ranges_and_other_calls_are_there() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let (connection, recording) = (connect(&path), recording(&path));
        let trace = &recording.trace;
        let has = |table: &str| {
            number(&connection, &format!("SELECT count(*) FROM sqlite_schema WHERE name = '{table}'")) > 0
        };
        let expected = if has("NVTX_EVENTS") {
            let query = "SELECT coalesce((SELECT d.text || ':' FROM NVTX_EVENTS d WHERE d.eventType = 75
                                          AND d.domainId = n.domainId), '') || coalesce(n.text, s.value),
                                count(*), sum(n.end - n.start)
                         FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
                         WHERE n.eventType IN (59, 60) GROUP BY 1";
            listed(&connection, query)
        } else {
            Vec::new()
        };
        assert_eq!(by_name(trace, SliceKind::Annotation), expected);
        let expected = if has("OSRT_API") {
            let query = "SELECT s.value, count(*), sum(o.end - o.start) FROM OSRT_API o
                         JOIN StringIds s ON s.id = o.nameId GROUP BY 1";
            listed(&connection, query)
        } else {
            Vec::new()
        };
        assert_eq!(by_name(trace, SliceKind::Other), expected);
        let overhead = by_name(trace, SliceKind::Overhead).iter().map(|(_, count, _)| count).sum::<i64>();
        assert_eq!(overhead, number(&connection, "SELECT count(*) FROM PROFILER_OVERHEAD"));
        let syncs = number(&connection, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
        assert_eq!(trace.syncs.len() as i64, syncs);
    }
}

/// Figures that other people published of these devices, not numbers of ours: NVIDIA's data sheets.
#[test]
fn devices_and_versions_are_known() {
    let expected = [
        ("Nsight Systems 2024.5.1.113", "NVIDIA A100-SXM4-80GB", "sm_80", 2_039.0e9, 108.0, 4, "nid008553"),
        ("Nsight Systems 2025.3.1.90", "Tesla T4", "sm_75", 320.0e9, 40.0, 1, "94b8b7b3215f"),
        ("Nsight Systems 2022.2.1.31", "NVIDIA A100-SXM4-40GB", "sm_80", 1_555.0e9, 108.0, 1, "nid001608"),
    ];
    let Some(samples) = samples() else { return };
    for path in samples {
        let recording = recording(&path);
        let metadata = &recording.trace.metadata;
        let place = SAMPLES.iter().position(|name| path.ends_with(name)).unwrap();
        let (tool, name, architecture, bandwidth, units, devices, host) = expected[place];
        assert_eq!(metadata.tool.as_deref(), Some(tool));
        assert_eq!(metadata.host_name.as_deref(), Some(host));
        assert_eq!(metadata.devices.len(), devices);
        let device = metadata.devices.iter().find(|device| device.id == Some(0)).unwrap();
        assert_eq!((device.name.as_str(), device.architecture.as_str()), (name, architecture));
        assert_eq!(device.number("smCount"), Some(units));
        let told = device.number("memoryBandwidth").unwrap();
        assert!((told / bandwidth - 1.0).abs() < 0.001, "{told}");
        let text = format!("{metadata:?}");
        assert!(!text.contains("PATH"), "nothing of the environment is kept: {text}");
    }
}

#[test]
fn a_cut_export_gives_what_is_whole() {
    let Some(samples) = samples() else { return };
    for path in samples {
        let bytes = std::fs::read(&path).unwrap();
        let whole = eaves_ingest::read_bytes("whole", &bytes).unwrap();
        let mut last = 0;
        for tenth in 1..10 {
            let Ok(cut) = eaves_ingest::read_bytes("cut", &bytes[..bytes.len() / 10 * tenth]) else {
                continue;
            };
            assert!(cut.trace.slices.len() <= whole.trace.slices.len());
            assert_eq!(cut.trace.diagnostics.count(WarningKind::Truncated), 1);
            last = cut.trace.slices.len();
        }
        assert!(last > 0);
    }
}
