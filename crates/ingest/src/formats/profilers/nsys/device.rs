//! What devices did: kernels, copies, sets, whole graphs, and waiting for them.

use eaves_model::{Extent, GpuActivity, MaybeI64, MaybeU32, SliceId, SliceKind, StringId, Sync, TrackId};

use super::sink::{Sink, Span};
use crate::sqlite::{Database, Error, Row};

/// The columns that all tables of activities begin with here.
const COMMON: [&str; 7] = ["start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId"];

pub(super) fn read(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    let with = |columns: &[&'static str]| -> Vec<&str> { [&COMMON, columns].concat() };
    let kernels = with(&[
        "demangledName",
        "shortName",
        "mangledName",
        "registersPerThread",
        "gridX",
        "gridY",
        "gridZ",
        "blockX",
        "blockY",
        "blockZ",
        "staticSharedMemory",
        "dynamicSharedMemory",
    ]);
    // Before version 2.0 of the schema, and with `--cuda-graph-trace`, kernels were in a table of this name.
    for table in ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"] {
        sink.each(database, table, &kernels, kernel)?;
    }
    let copies = with(&["bytes", "copyKind", "srcKind", "dstKind"]);
    sink.each(database, "CUPTI_ACTIVITY_KIND_MEMCPY", &copies, copy)?;
    sink.each(database, "CUPTI_ACTIVITY_KIND_MEMSET", &with(&["bytes", "memKind"]), set)?;
    sink.each(database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &with(&["graphId"]), graph)?;
    let syncs = with(&["syncType", "deprecatedSyncType", "eventId"]);
    sink.each(database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", &syncs, sync)
}

/// What the common columns say.
struct Common {
    span: Span,
    process: i64,
    device: i64,
    track: TrackId,
    stream: Option<i64>,
}

/// Numbers that CUPTI writes where there is none.
const NONE: i64 = u32::MAX as i64;

fn common(sink: &mut Sink, row: &Row<'_>) -> Option<Common> {
    let span = sink.span(row)?;
    let process = row.integer(2).unwrap_or(0);
    let device = sink.places.device(process, row.integer(3).unwrap_or(-1));
    let stream = row.integer(5).map(|stream| if stream == NONE { -1 } else { stream });
    let key = (process, device, stream.unwrap_or(-1));
    let track = sink.places.stream(key, &mut sink.trace.tracks, &mut sink.trace.strings);
    Some(Common { span, process, device, track, stream })
}

/// The row of an activity of which only the common columns are filled in.
fn activity(
    sink: &mut Sink,
    row: &Row<'_>,
    common: &Common,
    slice: SliceId,
    detail: StringId,
) -> GpuActivity {
    GpuActivity {
        slice,
        device: maybe(Some(common.device)),
        context: maybe(row.integer(4)),
        stream: MaybeI64::from(common.stream),
        correlation: MaybeI64::from(sink.places.correlation(common.process, row.integer(6))),
        detail,
        ..GpuActivity::default()
    }
}

fn maybe(number: Option<i64>) -> MaybeU32 {
    MaybeU32::from(number.and_then(|number| u32::try_from(number).ok()))
}

/// Extents that fit.
pub(super) fn extent(axes: [Option<i64>; 3]) -> Extent {
    Extent::of_axes(axes.map(|axis| u32::try_from(axis?).ok()))
}

fn kernel(sink: &mut Sink, row: &Row<'_>) {
    let Some(common) = common(sink, row) else { return };
    let names = [row.integer(7), row.integer(8), row.integer(9)];
    let mut name = names.into_iter().filter_map(|number| sink.names.get(number, &mut sink.trace.strings));
    let name = name.next().unwrap_or(StringId::NONE);
    let slice = sink.slice(row, common.span, name, ("kernel", SliceKind::Kernel), common.track);
    let shared = match (row.integer(17), row.integer(18)) {
        (None, None) => None,
        (fixed, dynamic) => fixed.unwrap_or(0).checked_add(dynamic.unwrap_or(0)),
    };
    let activity = GpuActivity {
        grid: extent([11, 12, 13].map(|column| row.integer(column))),
        block: extent([14, 15, 16].map(|column| row.integer(column))),
        registers: maybe(row.integer(10)),
        shared_memory: MaybeI64::from(shared),
        ..activity(sink, row, &common, slice, StringId::NONE)
    };
    sink.trace.gpu.push(activity);
}

/// `ENUM_CUDA_MEMCPY_OPER` with the words that PyTorch's profiler uses.
fn direction(kind: i64) -> &'static str {
    const WORDS: [&str; 14] = [
        "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH",
        "DtoD",
    ];
    usize::try_from(kind).ok().and_then(|kind| WORDS.get(kind)).copied().unwrap_or("")
}

/// Copies that unified memory makes by itself.
fn is_unified(kind: i64) -> bool {
    (11..=13).contains(&kind)
}

/// `ENUM_CUDA_MEM_KIND`.
fn memory(kind: i64) -> &'static str {
    const WORDS: [&str; 7] =
        ["Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"];
    usize::try_from(kind).ok().and_then(|kind| WORDS.get(kind)).copied().unwrap_or("Unknown")
}

fn copy(sink: &mut Sink, row: &Row<'_>) {
    let Some(common) = common(sink, row) else { return };
    let kind = row.integer(8).unwrap_or(0);
    let mut detail = if is_unified(kind) { "Unified Memory Memcpy".to_owned() } else { "Memcpy".to_owned() };
    if !direction(kind).is_empty() {
        detail = format!("{detail} {}", direction(kind));
    }
    if let (Some(from), Some(to)) = (row.integer(9), row.integer(10)) {
        detail = format!("{detail} ({} -> {})", memory(from), memory(to));
    }
    moved(sink, row, &common, &detail, ("gpu_memcpy", SliceKind::Memcpy));
}

fn set(sink: &mut Sink, row: &Row<'_>) {
    let Some(common) = common(sink, row) else { return };
    let detail =
        row.integer(8).map_or_else(|| "Memset".to_owned(), |kind| format!("Memset ({})", memory(kind)));
    moved(sink, row, &common, &detail, ("gpu_memset", SliceKind::Memset));
}

fn moved(sink: &mut Sink, row: &Row<'_>, common: &Common, detail: &str, kind: (&'static str, SliceKind)) {
    let detail = sink.trace.strings.intern(detail);
    let slice = sink.slice(row, common.span, detail, kind, common.track);
    let activity =
        GpuActivity { bytes: MaybeI64::from(row.integer(7)), ..activity(sink, row, common, slice, detail) };
    sink.trace.gpu.push(activity);
}

/// A graph that was recorded as a whole: the device was at work, on what is not known.
fn graph(sink: &mut Sink, row: &Row<'_>) {
    let Some(common) = common(sink, row) else { return };
    let name = row.integer(7).map_or_else(|| "CUDA graph".to_owned(), |graph| format!("CUDA graph {graph}"));
    let name = sink.trace.strings.intern(&name);
    let detail = sink.trace.strings.intern("graph");
    let slice = sink.slice(row, common.span, name, ("kernel", SliceKind::Kernel), common.track);
    let activity = activity(sink, row, &common, slice, detail);
    sink.trace.gpu.push(activity);
}

fn sync(sink: &mut Sink, row: &Row<'_>) {
    let Some(common) = common(sink, row) else { return };
    let index = sink.places.index(common.process);
    let call = row.integer(6).and_then(|number| sink.calls.find(index, number));
    let function = call.map_or("", |call| sink.trace.slice_name(sink.trace.runtime.slice[call]));
    let kind = kind_of_sync(function, row.integer(7).or_else(|| row.integer(8)));
    let kind = sink.trace.strings.intern(kind);
    let slice = sink.slice(row, common.span, kind, ("cuda_sync", SliceKind::Sync), common.track);
    sink.trace.syncs.push(Sync {
        slice,
        kind,
        device: maybe(Some(common.device)),
        context: maybe(row.integer(4)),
        stream: MaybeI64::from(common.stream),
        correlation: MaybeI64::from(sink.places.correlation(common.process, row.integer(6))),
        wait_on_event: MaybeI64::from(row.integer(9).filter(|event| *event != NONE)),
        ..Sync::default()
    });
}

/// What was waited for, in the words of PyTorch's profiler. The number in the row cannot be relied on: 2024.5 writes 1,
/// which its own table calls a wait for an event, for `cudaDeviceSynchronize`, and 2025.3 writes 2, a wait of a stream,
/// for `cudaStreamSynchronize`. So the call counts, and the number only where there is no call.
fn kind_of_sync(function: &str, number: Option<i64>) -> &'static str {
    const CALLS: [(&str, &str); 5] = [
        ("StreamWaitEvent", "Stream Wait Event"),
        ("StreamSynchronize", "Stream Sync"),
        ("EventSynchronize", "Event Sync"),
        ("DeviceSynchronize", "Context Sync"),
        ("CtxSynchronize", "Context Sync"),
    ];
    if let Some((_, kind)) = CALLS.iter().find(|(name, _)| function.contains(name)) {
        return kind;
    }
    match number {
        Some(1) => "Event Sync",
        Some(2) => "Stream Wait Event",
        Some(3) => "Stream Sync",
        Some(4) => "Context Sync",
        _ => "Unknown Sync",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_by_their_calls() {
        assert_eq!(kind_of_sync("cudaDeviceSynchronize", Some(1)), "Context Sync");
        assert_eq!(kind_of_sync("cudaStreamSynchronize", Some(2)), "Stream Sync");
        assert_eq!(kind_of_sync("", Some(4)), "Context Sync");
        assert_eq!(kind_of_sync("", None), "Unknown Sync");
    }

    #[test]
    fn an_extent_fits_as_a_whole_or_is_unknown() {
        assert_eq!(extent([Some(4), Some(2), Some(1)]), Extent([4, 2, 1]));
        for axis in [None, Some(-1), Some(0), Some(1 << 32)] {
            assert_eq!(extent([Some(4), axis, Some(1)]).get(), None);
        }
    }

    #[test]
    fn copies_are_called_as_in_other_traces() {
        assert_eq!((direction(1), direction(8), direction(10), direction(99)), ("HtoD", "DtoD", "PtoP", ""));
        assert_eq!((memory(0), memory(2), memory(-1)), ("Pageable", "Device", "Unknown"));
        assert!(is_unified(12) && !is_unified(2));
    }
}
