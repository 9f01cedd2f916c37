//! Traces that Perfetto's own protocol buffers wrote (`tests/pftrace/generate.py`), whole, cut and changed.

use eaves_model::{
    Extent, MaybeF64, MaybeI64, MaybeU32, Recorder, Recording, SliceKind, Trace, WarningKind, ident_text,
};

use crate::formats::profilers::shared::testing::slices;

const ROCPROFV3: &[u8] = include_bytes!("../../../../tests/pftrace/rocprofv3.pftrace");
const OTHER: &[u8] = include_bytes!("../../../../tests/pftrace/other.pftrace");

fn read(bytes: &[u8]) -> Recording {
    crate::read_bytes("results.pftrace", bytes).unwrap()
}

fn place(trace: &Trace, track: eaves_model::TrackId) -> (String, String, &str) {
    let threads = &trace.tracks.threads;
    let text = |ident| ident_text(ident, &trace.strings).unwrap().into_owned();
    let name = trace.strings.get(threads.name[track.index()]);
    (text(threads.process[track.index()]), text(threads.thread[track.index()]), name)
}

#[test]
fn slices_of_rocprofv3() {
    let recording = read(ROCPROFV3);
    let trace = &recording.trace;
    assert_eq!((recording.format, recording.bytes), ("perfetto", ROCPROFV3.len() as u64));
    assert_eq!(trace.diagnostics.warnings(), []);
    assert_eq!(
        slices(trace),
        [
            (SliceKind::Runtime, "hipLaunchKernel", 900, 1_000),
            (SliceKind::Annotation, "step 1", 0, 8_900),
            (SliceKind::Kernel, "vector_add(float*)", 2_900, 2_500),
            (SliceKind::Memcpy, "Memcpy HtoD (Host -> Device)", 5_900, 400),
        ]
    );
    assert_eq!(trace.metadata.base_time_ns, Some(1_000_100));
    assert_eq!(place(trace, trace.slices.track[0]), ("4711".into(), "4712".into(), "main"));
    assert_eq!(place(trace, trace.slices.track[2]), ("GPU 0".into(), "5".into(), "stream 5"));
    assert_eq!(trace.slices.track[2], trace.slices.track[3]);
    let process = trace.tracks.find_process(eaves_model::Ident::number(4711)).unwrap();
    assert_eq!(trace.strings.get(trace.tracks.processes.name[process]), "train");
}

/// Both have the same format, and only one is of AMD's profiler.
#[test]
fn who_recorded_is_told_by_the_content() {
    assert_eq!(read(ROCPROFV3).trace.metadata.recorder, Recorder::Rocprofv3);
    assert_eq!(read(OTHER).trace.metadata.recorder, Recorder::Perfetto);
}

#[test]
fn annotations_of_kernels_and_copies() {
    let recording = read(ROCPROFV3);
    let trace = &recording.trace;
    let gpu = trace.gpu.row(0);
    assert_eq!((gpu.grid, gpu.block), (Extent([390, 1, 1]), Extent([256, 1, 1])));
    assert_eq!((gpu.registers, gpu.shared_memory), (MaybeU32::new(32), MaybeI64::new(4096)));
    assert_eq!(
        (gpu.device, gpu.stream, gpu.correlation),
        (MaybeU32::new(0), MaybeI64::new(5), MaybeI64::new(7))
    );
    let dispatch = trace.dispatches.row(0);
    assert_eq!((dispatch.total_work_items, dispatch.queue), (MaybeI64::new(99_840), MaybeI64::new(2)));
    assert_eq!((dispatch.scalar_registers, dispatch.scratch), (MaybeU32::new(32), MaybeI64::new(16)));
    assert_eq!(trace.strings.get(trace.range_counters.metric[0]), "SQ_WAVES");
    assert_eq!(trace.range_counters.value, [MaybeF64::new(1563.0)]);
    let copy = trace.gpu.row(1);
    assert_eq!((copy.bytes, copy.device), (MaybeI64::new(1 << 20), MaybeU32::new(0)));
    let links = eaves_model::LaunchLinks::build(trace);
    assert_eq!(trace.slice_name(links.launch(eaves_model::GpuId(0)).unwrap()), "hipLaunchKernel");
    // 1,024 times the multiplier of 1,024.
    assert_eq!(trace.strings.get(trace.counters.name[0]), "COPY BYTES to GPU [0] (GPU)");
    assert_eq!(trace.counters.value, [MaybeF64::new(1_048_576.0)]);
}

#[test]
fn traces_of_other_recorders() {
    let recording = read(OTHER);
    let trace = &recording.trace;
    assert_eq!(
        slices(trace),
        [
            (SliceKind::Other, "outer", 0, 900),
            (SliceKind::Other, "inner", 100, 200),
            (SliceKind::Other, "packed", 1_000, 50),
        ]
    );
    assert_eq!((trace.instants.len(), trace.instants.time[0].0), (1, 500));
    let values: Vec<_> =
        (0..2).map(|row| (trace.counters.time[row].0, trace.counters.value[row].get())).collect();
    assert_eq!(values, [(0, Some(3.0)), (400, Some(7.0))]);
    assert_eq!(trace.metadata.base_time_ns, Some(1_700_000_000_000_006_000));
    assert_eq!(trace.diagnostics.count(WarningKind::Garbage), 1);
    assert_eq!(trace.diagnostics.warnings().len(), 1);
}

#[test]
fn text_that_begins_with_an_empty_line_is_no_trace() {
    for text in ["\n", "\n\n\n\n", "\n{\"traceEvents\": []}", "\nKernel,Time\na,1\n", "\n\u{8}\u{8}\u{8}"] {
        assert!(!super::is_it(text.as_bytes()), "{text:?}");
    }
    assert!(super::is_it(ROCPROFV3) && super::is_it(OTHER));
}

#[test]
fn a_cut_is_said() {
    let recording = read(&ROCPROFV3[..ROCPROFV3.len() - 3]);
    assert_eq!(recording.trace.diagnostics.count(WarningKind::Truncated), 1);
    assert_eq!(recording.trace.slices.len(), 4);
    assert_eq!(recording.bytes, ROCPROFV3.len() as u64 - 3);
}

#[test]
fn cut_and_changed_anywhere() {
    for bytes in [ROCPROFV3, OTHER] {
        for at in 0..bytes.len() {
            drop(crate::read_bytes("x", &bytes[..at]));
            for change in [0x00, 0x0A, 0x7F, 0x80, 0xFF] {
                let mut changed = bytes.to_vec();
                changed[at] = change;
                drop(crate::read_bytes("x", &changed));
            }
        }
    }
}
