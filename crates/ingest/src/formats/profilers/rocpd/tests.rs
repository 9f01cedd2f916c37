//! A database that Python's SQLite wrote (`tests/rocpd/generate.py`), whole, cut and changed.

use eaves_model::{
    Extent, GpuId, LaunchLinks, MaybeF64, MaybeI64, MaybeU32, Recording, SliceKind, WarningKind, ident_text,
};

use crate::formats::profilers::shared::testing::slices;

const TWO_RUNS: &[u8] = include_bytes!("../../../../tests/rocpd/two_runs.db");

fn read(bytes: &[u8]) -> Recording {
    crate::read_bytes("40_results.db", bytes).unwrap()
}

#[test]
fn everything_of_two_runs() {
    let recording = read(TWO_RUNS);
    let trace = &recording.trace;
    assert_eq!((recording.format, recording.bytes), ("rocpd", TWO_RUNS.len() as u64));
    let rows = slices(trace);
    use SliceKind::{Annotation, Kernel, Memcpy, Other, Runtime};
    // Times count from the range at 900.
    assert_eq!(
        rows,
        [
            (Kernel, "add(float*)", 600, 600),
            (Kernel, "add(float*)", 1300, 50),
            (Runtime, "hipLaunchKernel", 100, 200),
            (Annotation, "step 1", 0, 1600),
            (Memcpy, "Memcpy DtoH (Device -> Host)", 60, 30),
            (Other, "SCRATCH_MEMORY_ALLOC", 500, 50),
            (Kernel, "add(float*)", 2300, 100),
            (Runtime, "hipLaunchKernel", 2100, 100),
        ]
    );
    assert_eq!(trace.metadata.base_time_ns, Some(900));
    assert_eq!(trace.metadata.host_name.as_deref(), Some("box"));
    assert_eq!((trace.instants.len(), trace.strings.get(trace.instants.name[0])), (1, "here"));
    let places: Vec<_> = (0..trace.tracks.len())
        .map(|row| {
            let threads = &trace.tracks.threads;
            let process = ident_text(threads.process[row], &trace.strings).unwrap().into_owned();
            (process, trace.strings.get(threads.name[row]))
        })
        .collect();
    for (process, name) in [
        ("GPU 0", "stream 7"),
        ("40", "worker"),
        ("GPU 0", "queue 2"),
        ("GPU 0 of process 60", "stream 7"),
        ("60", "worker"),
    ] {
        assert!(places.contains(&(process.to_owned(), name)), "{process} {name} in {places:?}");
    }
}

#[test]
fn details_of_kernels_copies_and_memory() {
    let recording = read(TWO_RUNS);
    let trace = &recording.trace;
    let kernel = trace.gpu.row(0);
    assert_eq!((kernel.grid, kernel.block), (Extent([16, 2, 1]), Extent([64, 2, 1])));
    assert_eq!((kernel.registers, kernel.shared_memory), (MaybeU32::new(32), MaybeI64::new(512)));
    assert_eq!((kernel.correlation, kernel.external_id), (MaybeI64::new(11), MaybeI64::new(99)));
    assert_eq!((kernel.device, kernel.stream), (MaybeU32::new(0), MaybeI64::new(7)));
    let dispatch = trace.dispatches.row(0);
    assert_eq!((dispatch.wave_size, dispatch.scratch), (MaybeU32::new(64), MaybeI64::new(16)));
    assert_eq!((dispatch.number, dispatch.queue), (MaybeI64::new(1), MaybeI64::new(2)));
    let copy = trace.gpu.row(2);
    assert_eq!((copy.bytes, copy.device), (MaybeI64::new(4096), MaybeU32::new(0)));
    // The release says no size: it is that of the allocation at the same address.
    assert_eq!(trace.allocations.bytes, [MaybeI64::new(8192), MaybeI64::new(-8192)]);
    // Both runs count correlations from 1, and each kernel belongs to the call of its own run.
    let links = LaunchLinks::build(trace);
    let start =
        |activity: u32| links.launch(GpuId(activity)).map(|slice| trace.slices.start[slice.index()].0);
    assert_eq!((start(0), start(1), start(3)), (Some(100), None, Some(2100)));
    let [device] = trace.metadata.devices.as_slice() else { panic!("the same device twice") };
    assert_eq!((device.architecture.as_str(), device.number("cu_count")), ("gfx942", Some(304.0)));
}

#[test]
fn counters_are_summed_over_instances() {
    let recording = read(TWO_RUNS);
    let trace = &recording.trace;
    let counters = &trace.range_counters;
    let rows: Vec<_> = (0..counters.len())
        .map(|row| (counters.slice[row].0, trace.strings.get(counters.metric[row]), counters.value[row]))
        .collect();
    assert_eq!(
        rows,
        [
            (0, "SQ_WAVES", MaybeF64::new(12.0)),
            (0, "TCC_HIT", MaybeF64::new(3.0)),
            (1, "SQ_WAVES", MaybeF64::new(7.0)),
        ]
    );
    assert_eq!((trace.counters.len(), trace.counters.time[0].0), (1, 700));
    assert_eq!(trace.strings.get(trace.counters.name[0]), "power");
}

#[test]
fn a_newer_schema_is_tried_and_said() {
    let recording = read(TWO_RUNS);
    let warnings = recording.trace.diagnostics.warnings();
    assert_eq!((warnings.len(), warnings[0].kind), (1, WarningKind::BadHeader), "{warnings:?}");
    assert!(warnings[0].detail.as_deref().is_some_and(|detail| detail.contains("schema 4")), "{warnings:?}");
}

/// The environment and the command line of a program may hold secrets.
#[test]
fn environments_are_not_read() {
    let secret = b"hunter2";
    assert!(TWO_RUNS.windows(secret.len()).any(|window| window == secret));
    let recording = read(TWO_RUNS);
    assert!(!format!("{recording:?}").contains("hunter2"));
}

#[test]
fn cut_and_changed_anywhere() {
    for at in (0..TWO_RUNS.len()).step_by(211) {
        drop(crate::read_bytes("x.db", &TWO_RUNS[..at]));
        for change in [0x00, 0x7F, 0xFF] {
            let mut changed = TWO_RUNS.to_vec();
            changed[at] = change;
            drop(crate::read_bytes("x.db", &changed));
        }
    }
}
