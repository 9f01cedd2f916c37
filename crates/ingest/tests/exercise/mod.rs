//! What must hold for any bytes whatever. Shared by the fuzz targets and the ordinary tests.

use eaves_ingest::{Form, Options, read_bytes, read_compile_log, read_measurements, read_stream};
use eaves_model::{
    CallTree, Column, GpuId, LaunchLinks, MaybeU32, Recording, Trace, WarningKind, forward_backward,
};

/// Reads bytes as whatever they are, from memory alone.
pub(crate) fn bytes(bytes: &[u8]) {
    if let Ok(recording) = read_bytes("memory", bytes) {
        check(&recording);
    }
}

/// Reads bytes as plain JSON, and once more as a stream, which must come to the same.
pub(crate) fn json(bytes: &[u8]) {
    let whole = read_bytes("memory", bytes);
    if let Ok(recording) = &whole {
        check(recording);
    }
    // What begins like a container is read as one from a stream; everything else is the same bytes.
    let is_packed = matches!(
        bytes,
        [0x1F, 0x8B, ..] | [0x28, 0xB5, ..] | [0x50..=0x5F, ..] | [0xFD, ..] | [b'B', ..] | [b'7', ..]
    );
    if is_packed {
        return;
    }
    let options = Options { threads: 2, ..Options::default() };
    let streamed = read_stream("stream", Box::new(std::io::Cursor::new(bytes.to_vec())), &options);
    match (whole, streamed) {
        (Ok(whole), Ok(streamed)) => {
            assert_eq!(whole.trace.difference(&streamed.recordings[0].trace), None);
            assert_eq!(whole.trace.diagnostics, streamed.recordings[0].trace.diagnostics);
        }
        (Err(_), Err(_)) => {}
        // A header so damaged that the events are found only by reading again, which a stream cannot do.
        (Ok(whole), Err(_)) if whole.trace.diagnostics.count(WarningKind::BadHeader) > 0 => {}
        (whole, streamed) => panic!("{:?} and {:?}", whole.map(|_| ()), streamed.map(|_| ())),
    }
}

/// Reads bytes as measurements of every form: numbers are numbers, places are inside the input.
pub(crate) fn measurements(bytes: &[u8]) {
    for form in Form::ALL.into_iter().map(Some).chain([None]) {
        let Ok(found) = read_measurements("memory", bytes, form) else { continue };
        for record in &found.records {
            let numbers = [record.flops, record.macs, record.bytes, record.measured_bytes, record.time];
            assert!(numbers.into_iter().flatten().all(|number| number.is_finite() && number >= 0.0));
            assert!(record.calls > 0);
        }
        for warning in found.diagnostics.warnings() {
            assert!(warning.count > 0);
            assert!(warning.first_offset.is_none_or(|offset| offset <= found.bytes), "{warning:?}");
        }
    }
}

/// Reads bytes as a log of compilations: every index points to something, and no more is kept than was there.
pub(crate) fn compile_log(bytes: &[u8]) {
    let Ok(log) = read_compile_log("memory", bytes) else { return };
    assert_eq!(log.bytes, bytes.len() as u64);
    assert_eq!(log.lines, String::from_utf8_lossy(bytes).split_terminator('\n').count() as u64);
    assert!(log.records <= log.lines);
    let compiles = log.compiles.len() as u64;
    let known = |at: Option<u32>| at.is_none_or(|at| u64::from(at) < compiles);
    assert!(log.breaks.iter().all(|one| known(one.compile)));
    assert!(log.recompiles.iter().all(|one| known(one.compile)));
    assert!(log.graphs.iter().all(|one| known(Some(one.compile))));
    assert!(log.caches.iter().all(|one| known(one.compile)));
    assert!(log.phases.iter().all(|one| known(one.compile) && one.duration.0 >= 0));
    for compile in &log.compiles {
        assert_eq!(compile.stack.of(&log.frames).len(), compile.stack.count as usize);
        assert!(compile.total().0 >= 0);
    }
    // Invalid bytes become three each; else texts are parts of the input.
    let kept: usize = log.strings.iter().map(str::len).sum();
    assert!(kept <= 3 * bytes.len() + 1024, "{kept} of {}", bytes.len());
    for warning in log.diagnostics.warnings() {
        assert!(warning.count > 0);
        assert!(warning.first_offset.is_none_or(|offset| offset <= log.bytes), "{warning:?}");
    }
}

/// Reads bytes as a stream in whatever container they are.
pub(crate) fn stream(bytes: &[u8]) {
    let stream = Box::new(std::io::Cursor::new(bytes.to_vec()));
    if let Ok(run) = read_stream("stream", stream, &Options { threads: 2, ..Options::default() }) {
        run.recordings.iter().for_each(check);
    }
}

fn check(recording: &Recording) {
    let trace = &recording.trace;
    check_columns(trace);
    assert!(trace.slices.duration.iter().all(|duration| duration.0 >= 0));
    assert!(trace.quarantined.is_sorted());
    assert!(trace.events >= (trace.slices.len() + trace.flows.len() + trace.instants.len()) as u64);
    for warning in trace.diagnostics.warnings() {
        assert!(warning.count > 0);
        assert!(warning.first_offset.is_none_or(|offset| offset <= recording.bytes), "{warning:?}");
    }
    let links = LaunchLinks::build(trace);
    let tree = CallTree::build(&trace.slices);
    for row in 0..trace.gpu.len() {
        if let Some(launch) = links.launch(GpuId::from(row)) {
            assert!(tree.ancestors(launch).count() <= trace.slices.len());
        }
    }
    check_snapshot(trace);
    forward_backward(trace);
    trace.steps();
    trace.extent();
}

/// Every row that a row of a snapshot names is there, and stacks end.
fn check_snapshot(trace: &Trace) {
    let snapshot = &trace.snapshot;
    let (stacks, frames, segments) = (snapshot.stacks.len(), snapshot.frames.len(), snapshot.segments.len());
    for row in 0..stacks {
        assert!((snapshot.stacks.frame[row] as usize) < frames);
        assert!(snapshot.stacks.caller[row].get().is_none_or(|caller| (caller as usize) < row));
    }
    let is_stack = |stack: &MaybeU32| stack.get().is_none_or(|stack| (stack as usize) < stacks);
    assert!(snapshot.events.stack.iter().all(is_stack));
    assert!(snapshot.blocks.stack.iter().all(is_stack));
    assert!(snapshot.blocks.segment.iter().all(|&segment| (segment as usize) < segments));
    assert!(snapshot.events.bytes.iter().chain(&snapshot.blocks.bytes).all(|&bytes| bytes >= 0));
    assert!(snapshot.events.time.iter().all(|time| time.0 >= 0));
}

/// Every id in every column points to something.
fn check_columns(trace: &Trace) {
    for table in trace.tables() {
        for (name, column) in table.columns {
            let place = || format!("{}.{name}", table.name);
            match column {
                Column::String(ids) => {
                    let known = |id: &eaves_model::StringId| {
                        id.some().is_none_or(|id| id.index() < trace.strings.len())
                    };
                    assert!(ids.rows(0..table.rows).iter().all(known), "{}", place());
                }
                Column::Slice(ids) => {
                    assert!(
                        ids.rows(0..table.rows).iter().all(|id| id.index() < trace.slices.len()),
                        "{}",
                        place()
                    )
                }
                Column::Track(ids) => {
                    assert!(
                        ids.rows(0..table.rows).iter().all(|id| id.index() < trace.tracks.len()),
                        "{}",
                        place()
                    )
                }
                _ => {}
            }
        }
    }
}
