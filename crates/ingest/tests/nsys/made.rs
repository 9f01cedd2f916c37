//! Small exports made here, for what the real ones do not have.

use std::path::Path;

use eaves_model::{GpuId, Ident, LaunchLinks, RankSource, SliceKind, WarningKind};
use rusqlite::Connection;

use super::{by_name, recording};

/// Two processes with one device each, which both call theirs 0, and the same correlation numbers.
fn two_processes(path: &Path) {
    let process = |number: i64| (1 << 48) + (number << 24);
    let (a, b) = (process(100), process(200));
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = 512;
             CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
             INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k(int)'), (3, 'k'), (4, 'MPI_Barrier'),
                (5, 'worker'), (6, 'registered'), (7, 'cudaGraphLaunch_v10000');
             CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
             INSERT INTO PROCESSES VALUES ({a}, 100, 'python a'), ({b}, 200, 'python b'), (7, 7, 'other');
             CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
             INSERT INTO ThreadNames VALUES (5, 10, {a} + 101), (3, 0, {a} + 101);
             CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER, smCount INTEGER,
                computeMajor INTEGER, computeMinor INTEGER);
             INSERT INTO TARGET_INFO_GPU VALUES (0, 'first', 0, 10, 9, 0), (1, 'second', 1, 20, 10, 3);
             CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
             INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 100), (1, 0, 200);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
                globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (-100, -90, 0, {a} + 100, 11, 1, 0),
                (-95, -85, 0, {b} + 200, 11, 1, 0), (300, 310, 0, {a} + 101, 12, 7, 0);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
                contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
                demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER,
                gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,
                dynamicSharedMemory INTEGER, graphNodeId INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
                (0, 50, 0, 1, 7, 11, {a}, 2, 3, 32, 4, 5, 6, 7, 8, 1, 100, 28, NULL),
                (10, 70, 0, 1, 7, 11, {b}, 2, 3, 32, 1, 1, 1, 64, 1, 1, 0, 0, NULL),
                (320, 330, 0, 1, 7, 12, {a}, 2, 3, 32, 1, 1, 1, 64, 1, 1, 0, 0, 4294967299),
                (330, 340, 0, 1, 7, 12, {a}, 2, 3, 32, 1, 1, 1, 64, 1, 1, 0, 0, 4294967300);
             CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,
                contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER,
                bytes INTEGER, memKind INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (80, 90, 0, 1, 7, 99, {a}, 0, 4096, 2);
             CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
                contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,
                copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (90, 95, 0, 1, 8, 98, {a}, 10, 10, 2, 2),
                (95, 99, 0, 1, 8, NULL, {a}, 20, 11, NULL, NULL), (99, 98, 0, 1, 8, NULL, {a}, 30, 77, 1, 2);
             CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,
                contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (400, 450, 0, 1, 9, 12, {b}, 5);
             CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
                globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
             INSERT INTO NVTX_EVENTS VALUES (5, 60, 59, 'step', {a} + 100, NULL, NULL, 0),
                (4, NULL, 34, 'early', {a} + 100, NULL, NULL, 3),
                (6, 50, 59, NULL, {a} + 100, NULL, 6, 3), (0, NULL, 75, 'lib', {a} + 100, NULL, NULL, 3),
                (6, 50, 59, NULL, {b} + 200, NULL, 6, 3),
                (7, 300, 60, 'free', {a} + 100, {a} + 101, NULL, 0), (8, NULL, 34, 'mark', {a} + 100, NULL, NULL, 0),
                (9, NULL, 59, 'open', {a} + 100, NULL, NULL, 0), (0, NULL, 39, 'main', {a} + 100, NULL, NULL, 0);
             CREATE TABLE MPI_OTHER_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
             INSERT INTO MPI_OTHER_EVENTS VALUES (500, 600, {a} + 100, 4);
             CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER);
             INSERT INTO MPI_RANKS VALUES ({a} + 100, 3);
             CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT,
                metricId INTEGER, metricName TEXT);
             INSERT INTO TARGET_INFO_GPU_METRICS VALUES (77, 1, 'GPU 0', 1, 'SMs Active [Throughput %]');
             CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
             INSERT INTO GPU_METRICS VALUES (10, 77, 1, 40), (20, 77, 1, 60), (20, 77, 2, 1);
             CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER,
                address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER);
             INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, {b}, 0, 4096, 512, 2, 0), (2, {b}, 0, 4096, 512, 2, 1),
                (3, {a}, 0, 8192, 64, 1, 0);"
        ))
        .unwrap();
}

#[test]
fn processes_and_devices_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.sqlite");
    two_processes(&path);
    let recording = recording(&path);
    let trace = &recording.trace;
    assert_eq!((recording.rank, recording.rank_source), (3, RankSource::Trace));
    let devices: Vec<_> = trace.gpu.device.iter().map(|device| device.get().unwrap()).collect();
    assert_eq!(devices, [0, 1, 0, 0, 0, 0, 0, 0, 1]);
    // Both processes launched with the number 11, each its own kernel.
    let links = LaunchLinks::build(trace);
    let thread_of_launch = |row: usize| {
        let launch = links.launch(GpuId::from(row))?;
        let track = trace.slices.track[launch.index()].index();
        Some((trace.tracks.threads.process[track], trace.tracks.threads.thread[track]))
    };
    let thread = |process, thread| Some((Ident::number(process), Ident::number(thread)));
    assert_eq!(thread_of_launch(0), thread(100, 100));
    assert_eq!(thread_of_launch(1), thread(200, 200));
    // Both kernels of the graph belong to the call that launched it.
    assert_eq!((thread_of_launch(2), thread_of_launch(3)), (thread(100, 101), thread(100, 101)));
    assert_eq!(trace.slices.start.iter().min().unwrap().0, 0);
    assert_eq!(trace.metadata.base_time_ns, None);
    let name = |process: Ident| {
        let row = trace.tracks.find_process(process).unwrap();
        trace.strings.get(trace.tracks.processes.name[row])
    };
    assert_eq!((name(Ident::number(100)), name(Ident::number(200))), ("python a", "python b"));
    let name_of_device = |activity: usize| {
        let track = trace.slices.track[trace.gpu.slice[activity].index()].index();
        name(trace.tracks.threads.process[track])
    };
    assert_eq!((name_of_device(0), name_of_device(1)), ("first", "second"));
    assert_eq!(trace.tracks.find_process(Ident::number(7)), None);
    assert_eq!(trace.metadata.devices[1].architecture, "sm_103");
    let names: Vec<&str> = trace
        .tracks
        .threads
        .name
        .iter()
        .map(|name| trace.strings.get(*name))
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.contains(&"main") && names.contains(&"worker") && names.contains(&"stream 7"), "{names:?}");
}

/// In a container process 1 is usual, and so are GPU 1 and stream 7.
#[test]
fn a_process_and_a_device_of_one_number_are_two() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.sqlite");
    let process = (1_i64 << 48) + (1 << 24);
    Connection::open(&path)
        .unwrap()
        .execute_batch(&format!(
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
             INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k'), (3, 'worker'), (4, 'idle');
             CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
             INSERT INTO PROCESSES VALUES ({process}, 1, 'python');
             CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
             INSERT INTO ThreadNames VALUES (3, 0, {process} + 7), (4, 0, {process} + 8);
             CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER);
             INSERT INTO TARGET_INFO_GPU VALUES (1, 'A100', 1);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
                correlationId INTEGER, nameId INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 10, {process} + 7, 11, 1);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
                streamId INTEGER, correlationId INTEGER, globalPid INTEGER, shortName INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 50, 1, 7, 11, {process}, 2);"
        ))
        .unwrap();
    let recording = recording(&path);
    let trace = &recording.trace;
    let mut tracks: Vec<_> = (0..trace.slices.len())
        .map(|slice| {
            let track = trace.tracks.threads.row(trace.slices.track[slice].index());
            let process = trace.tracks.processes.row(trace.tracks.find_process(track.process).unwrap());
            [process.name, process.labels, track.name].map(|string| trace.strings.get(string))
        })
        .collect();
    tracks.sort_unstable();
    assert_eq!(tracks, [["A100", "GPU 1", "stream 7"], ["python", "", "worker"]]);
    // Names of threads that did nothing add no tracks.
    assert_eq!(trace.tracks.len(), 2);
}

#[test]
fn everything_has_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.sqlite");
    two_processes(&path);
    let recording = recording(&path);
    let trace = &recording.trace;
    let named = |name: &str, count, time| (name.to_owned(), count, time);
    assert_eq!(by_name(trace, SliceKind::Kernel), [named("CUDA graph 5", 1, 50), named("k(int)", 4, 130)]);
    assert_eq!(by_name(trace, SliceKind::Memset), [named("Memset (Device)", 1, 10)]);
    assert_eq!(
        by_name(trace, SliceKind::Memcpy),
        [
            named("Memcpy (Pinned -> Device)", 1, 0),
            named("Memcpy PtoP (Device -> Device)", 1, 5),
            named("Unified Memory Memcpy HtoD", 1, 4),
        ]
    );
    assert_eq!(
        by_name(trace, SliceKind::Annotation),
        [
            named("free", 1, 293),
            named("lib:registered", 1, 44),
            named("open", 1, 0),
            named("registered", 1, 44),
            named("step", 1, 55),
        ]
    );
    assert_eq!(by_name(trace, SliceKind::Other), [named("MPI_Barrier", 1, 100)]);
    assert_eq!((trace.gpu.grid[0].0, trace.gpu.block[0].0), ([4, 5, 6], [7, 8, 1]));
    assert_eq!((trace.gpu.shared_memory[0].get(), trace.gpu.registers[0].get()), (Some(128), Some(32)));
    // The name of a domain may come behind what is in it.
    let marks: Vec<&str> = trace.instants.name.iter().map(|name| trace.strings.get(*name)).collect();
    assert_eq!(marks, ["lib:early", "mark"]);
    let values: Vec<_> = trace.counters.value.iter().map(|value| value.get().unwrap()).collect();
    assert_eq!(values, [40.0, 60.0, 1.0]);
    assert_eq!(trace.strings.get(trace.counters.name[0]), "SMs Active [Throughput %]");
    assert_eq!(trace.strings.get(trace.counters.name[2]), "metric 2");
    let bytes: Vec<_> = trace.allocations.bytes.iter().map(|bytes| bytes.get().unwrap()).collect();
    assert_eq!(bytes, [512, -512, 64]);
    let devices: Vec<_> = trace.allocations.device.iter().map(|device| device.get().unwrap()).collect();
    assert_eq!(devices, [1, 1, -1]);
    assert_eq!(trace.diagnostics.count(WarningKind::UnmatchedBegin), 1);
    assert_eq!(trace.diagnostics.count(WarningKind::NegativeDuration), 1);
}

/// Flipping any byte of an export changes what is read, but never stops the reader.
#[test]
fn any_byte_may_be_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.sqlite");
    two_processes(&path);
    let sound = std::fs::read(&path).unwrap();
    let mut bytes = sound.clone();
    for at in (0..sound.len()).filter(|at| sound[*at] != 0).step_by(97) {
        for value in [0, 0xFF, sound[at] ^ 4] {
            bytes[at] = value;
            if let Ok(recording) = eaves_ingest::read_bytes("changed", &bytes) {
                assert!(recording.trace.slices.duration.iter().all(|duration| duration.0 >= 0));
            }
        }
        bytes[at] = sound[at];
    }
}

#[test]
fn databases_of_others_are_refused_by_their_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE songs (a); CREATE TABLE albums (b)")
        .unwrap();
    let error = eaves_ingest::read(&[path], &eaves_ingest::Options::default()).unwrap_err();
    assert!(error.to_string().contains("an unknown profiler (`songs`, `albums`)"), "{error}");
    let path = folder.path().join("empty.sqlite");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE StringIds (id, value)").unwrap();
    let error = eaves_ingest::read(&[path], &eaves_ingest::Options::default()).unwrap_err();
    assert!(error.hint().contains("nsys profile"), "{error}");
}

/// A stand-in for `nsys` that does what the real one does with these words: it writes a database where `-o` says.
#[cfg(unix)]
#[test]
fn reports_are_exported_by_the_tool_itself() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("bin")).unwrap();
    two_processes(&at("made.db"));
    std::fs::write(at("run 1.nsys-rep"), "opaque").unwrap();
    let script = "#!/bin/sh
        [ \"$1 $2 $3 $4 $5 $6\" = 'export --type sqlite --force-overwrite true -o' ] || { echo \"odd: $*\" >&2; exit 1; }
        [ \"$(cat \"$8\")\" = opaque ] || { echo 'unknown version of the report' >&2; exit 1; }
        exec cp \"$MADE\" \"$7\"";
    std::fs::write(at("bin/nsys"), script).unwrap();
    std::fs::set_permissions(at("bin/nsys"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // The environment of this process is left alone: another one reads.
    let read = |report: &str, with_tool: bool| {
        let own = std::env::var("PATH").unwrap_or_default();
        let path = if with_tool { format!("{}:{own}", at("bin").display()) } else { own };
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "nsys::made::a_report_is_read_or_refused", "--nocapture"])
            .env("PATH", path)
            .env("MADE", at("made.db"))
            .env("REPORT", at(report))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = read("run 1.nsys-rep", true);
    assert!(said.contains("slices of Nsight Systems (exported by `nsys export`)"), "{said}");
    std::fs::write(at("new.nsys-rep"), "of the future").unwrap();
    let said = read("new.nsys-rep", true);
    assert!(said.contains("failed on: unknown version of the report"), "{said}");
    if !said.is_empty()
        && std::env::split_paths(&std::env::var_os("PATH").unwrap()).all(|at| !at.join("nsys").exists())
    {
        let said = read("run 1.nsys-rep", false);
        assert!(said.contains("nsys export --type sqlite -o '"), "{said}");
    }
    // What lies next to the report is taken before any tool is run.
    two_processes(&at("new.sqlite"));
    let said = read("new.nsys-rep", true);
    assert!(said.contains("slices of Nsight Systems (read from the export next to the report"), "{said}");
}

/// The test above runs this one in processes of their own, with the path of a report. Alone it reads a report that does not
/// exist.
#[test]
fn a_report_is_read_or_refused() {
    let report = std::env::var_os("REPORT");
    let path = report.clone().map_or_else(|| "absent.nsys-rep".into(), std::path::PathBuf::from);
    match eaves_ingest::read(&[path], &eaves_ingest::Options::default()) {
        Ok(run) => {
            assert!(report.is_some(), "an absent report was read");
            let trace = &run.recordings[0].trace;
            println!(
                "{} slices of {}",
                trace.slices.len(),
                trace.metadata.tool.as_deref().unwrap_or_default()
            );
        }
        Err(error) => println!("{error}; {}", error.hint()),
    }
}

/// What `nsys stats --output .` leaves in a directory: lists that belong together, and sums of the same.
#[test]
fn tables_of_one_report_are_one_recording() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "report_cuda_gpu_trace.csv",
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),\
         Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n\
         2000,50,128,4,1,1,32,1,1,16,0.000,0.000,,,,,T4 (0),1,7,k\n",
    );
    write(
        "report_cuda_api_trace.csv",
        "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n1500,30,cudaLaunchKernel,0,128,53,53,20,main\n",
    );
    write(
        "report_nvtx_pushpop_trace.csv",
        "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree\n\
         1000,3000,2000,0,2000,:step,53,53,0,0,1,,:1,:step\n",
    );
    write(
        "report_cuda_gpu_kern_sum.csv",
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n100.0,50,1,50,50,50,50,0,k\n",
    );
    let recording = recording(folder.path());
    let trace = &recording.trace;
    let mut slices: Vec<_> = (0..trace.slices.len())
        .map(|row| (trace.slices.start[row].0, trace.strings.get(trace.slices.name[row])))
        .collect();
    slices.sort_unstable();
    assert_eq!(slices, [(0, "step"), (500, "cudaLaunchKernel"), (1_000, "k")]);
    assert_eq!(LaunchLinks::build(trace).unlinked(), 0);
    assert_eq!(trace.metadata.devices[0].name, "T4");
}
