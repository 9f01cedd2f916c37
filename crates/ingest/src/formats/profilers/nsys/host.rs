//! Calls on the host: CUDA, the system's libraries, MPI and others.

use eaves_model::{MaybeI64, MaybeU32, Ns, RuntimeCall, SliceKind, StringId};

use super::names::RUNTIME;
use super::places::process_of;
use super::sink::{Sink, Span};
use crate::sqlite::{Database, Error, Row};

/// Calls of the CUDA runtime and driver, which are in one table.
pub(super) fn read_runtime(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    let columns = ["start", "end", "globalTid", "correlationId", "nameId"];
    for table in ["CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"] {
        sink.each(database, table, &columns, runtime_call)?;
    }
    Ok(())
}

fn runtime_call(sink: &mut Sink, row: &Row<'_>) {
    let Some(span) = sink.span(row) else { return };
    let thread = row.integer(2);
    let process = thread.map_or(0, process_of);
    let function = sink.names.function(row.integer(4), &mut sink.trace.strings);
    let (name, category) = function.unwrap_or((StringId::NONE, RUNTIME));
    let track = sink.places.thread(thread, &mut sink.trace.tracks);
    let number = row.integer(3).filter(|number| *number > 0);
    let index = sink.places.index(process);
    let known = number.and_then(|number| sink.calls.find(index, number));
    if let Some(known) = known {
        // Older versions write a row for the call and one for what it calls under another name. The inner one is the
        // call, and is what newer ones write.
        let slices = &mut sink.trace.slices;
        let slice = sink.trace.runtime.slice[known].index();
        let outer = Span { start: slices.start[slice].0, length: slices.duration[slice].0 };
        if slices.track[slice] == track && is_inside(outer, span) {
            return;
        }
        if slices.track[slice] == track && is_inside(span, outer) {
            slices.start[slice] = Ns(span.start);
            slices.duration[slice] = Ns(span.length);
            slices.name[slice] = name;
            return;
        }
    }
    let slice = sink.slice(row, span, name, (category, SliceKind::Runtime), track);
    if let Some(number) = number.filter(|_| known.is_none()) {
        sink.calls.keep(index, number, sink.trace.runtime.len());
    }
    sink.trace.runtime.push(RuntimeCall {
        slice,
        correlation: MaybeI64::from(sink.places.correlation(process, number)),
        external_id: MaybeI64::NONE,
        function: MaybeU32::NONE,
    });
}

fn is_inside(inner: Span, outer: Span) -> bool {
    inner.start >= outer.start
        && inner.start.saturating_add(inner.length) <= outer.start.saturating_add(outer.length)
}

/// Tables of other calls, with the category that they get.
const OTHERS: [(&str, &str); 14] = [
    ("CUBLAS_EVENTS", "cublas"),
    ("CUDNN_EVENTS", "cudnn"),
    ("CUPTI_ACTIVITY_KIND_OPENACC_DATA", "openacc"),
    ("CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "openacc"),
    ("CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "openacc"),
    ("MPI_COLLECTIVES_EVENTS", "mpi"),
    ("MPI_OTHER_EVENTS", "mpi"),
    ("MPI_P2P_EVENTS", "mpi"),
    ("MPI_START_WAIT_EVENTS", "mpi"),
    ("OPENMP_EVENT_KIND_PARALLEL", "openmp"),
    ("OPENMP_EVENT_KIND_SYNC_REGION_WAIT", "openmp"),
    ("OPENMP_EVENT_KIND_WORKSHARE", "openmp"),
    ("OSRT_API", "osrt"),
    ("UCP_EVENTS", "ucp"),
];

/// Calls of other libraries, and the time that the profiler itself took.
pub(super) fn read_others(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    for (table, category) in OTHERS {
        read(database, sink, table, (category, SliceKind::Other))?;
    }
    read(database, sink, "PROFILER_OVERHEAD", ("overhead", SliceKind::Overhead))
}

fn read(
    database: &Database<'_>,
    sink: &mut Sink,
    table: &str,
    kind: (&'static str, SliceKind),
) -> Result<(), Error> {
    let columns = ["start", "end", "globalTid", "nameId", "textId"];
    sink.each(database, table, &columns, |sink, row| {
        let Some(span) = sink.span(row) else { return };
        let number = row.integer(3).or_else(|| row.integer(4));
        let name = sink.names.get(number, &mut sink.trace.strings).unwrap_or(StringId::NONE);
        let track = sink.places.thread(row.integer(2), &mut sink.trace.tracks);
        sink.slice(row, span, name, kind, track);
    })
}
