//! A trace as Chrome JSON, in the layout and with the names that PyTorch's profiler writes.
//!
//! The reader numbers tracks in the order it meets them and fills tables in the order of the file. So the
//! tracks come first, one metadata event each at least, and then the events table by table: what is read back
//! is the same model, row by row.

use std::io::{self, Write};

use eaves_model::{Ident, Ns, SliceId, SliceKind, StringId, Trace, TrackId};

use super::arguments::Arguments;
use super::event::Events;
use super::header;
use super::lanes::{Lane, Lanes};

/// The argument with which an event on an extra lane names the thread it belongs to: a number or a text as in
/// `tid`, or `false` for none.
pub const TRACK_ARGUMENT: &str = "eaves track";

/// Writes a trace as Chrome JSON. Read again it gives the same model. The answer is the number of events.
///
/// # Errors
/// Only those of the output.
pub fn write(trace: &Trace, output: &mut impl Write) -> io::Result<u64> {
    write_on_lanes(trace, &Lanes::default(), output)
}

pub(super) fn write_on_lanes(trace: &Trace, lanes: &Lanes, output: &mut impl Write) -> io::Result<u64> {
    let mut events = Events::new(trace);
    header::push_header(&mut events.buffer, &trace.metadata);
    write_processes(trace, &mut events);
    write_threads(trace, &mut events);
    write_lanes(trace, lanes, &mut events);
    write_slices(trace, lanes, &mut events, output)?;
    write_flows(trace, lanes, &mut events, output)?;
    write_instants(trace, &mut events, output)?;
    write_counters(trace, &mut events, output)?;
    write_allocations(trace, &mut events, output)?;
    write_asyncs(trace, &mut events, output)?;
    header::push_footer(&mut events.buffer);
    events.flush(output)?;
    output.flush()?;
    Ok(events.count())
}

fn write_processes(trace: &Trace, events: &mut Events<'_>) {
    let processes = &trace.tracks.processes;
    for row in 0..processes.len() {
        let process = processes.row(row);
        let describe = |events: &mut Events<'_>, what: &str| {
            events.begin(b'M');
            events.literal("name", what);
            events.ident("pid", process.process);
            events.ident("tid", Ident::number(0));
            events.arguments();
        };
        // The first event makes the row, also where it says nothing.
        describe(events, "process_name");
        events.text_argument("name", process.name);
        events.end();
        if process.labels != StringId::NONE {
            describe(events, "process_labels");
            events.text_argument("labels", process.labels);
            events.end();
        }
        if process.sort_index.is_some() {
            describe(events, "process_sort_index");
            events.integer_argument("sort_index", process.sort_index);
            events.end();
        }
    }
}

fn write_threads(trace: &Trace, events: &mut Events<'_>) {
    let threads = &trace.tracks.threads;
    for row in 0..threads.len() {
        let track = TrackId::from(row);
        events.begin(b'M');
        events.literal("name", "thread_name");
        events.place(track);
        events.arguments();
        events.text_argument("name", threads.name[row]);
        events.end();
        if threads.sort_index[row].is_some() {
            events.begin(b'M');
            events.literal("name", "thread_sort_index");
            events.place(track);
            events.integer_argument("sort_index", threads.sort_index[row]);
            events.end();
        }
    }
}

fn write_lanes(trace: &Trace, lanes: &Lanes, events: &mut Events<'_>) {
    let threads = &trace.tracks.threads;
    for lane in &lanes.extra {
        let row = lane.track.index();
        let name = match threads.name[row] {
            StringId::NONE => lane.thread.clone(),
            name => format!("{} (lane {})", trace.strings.get(name), lane.number),
        };
        let describe = |events: &mut Events<'_>, what: &str| {
            events.begin(b'M');
            events.literal("name", what);
            place(trace, events, lane.track, Some(lane));
        };
        describe(events, "thread_name");
        events.literal_argument("name", &name);
        events.ident_argument(TRACK_ARGUMENT, threads.thread[row]);
        events.end();
        if threads.sort_index[row].is_some() {
            describe(events, "thread_sort_index");
            events.integer_argument("sort_index", threads.sort_index[row]);
            events.ident_argument(TRACK_ARGUMENT, threads.thread[row]);
            events.end();
        }
    }
}

/// The process and thread of an event, which a lane replaces by its own.
fn place(trace: &Trace, events: &mut Events<'_>, track: TrackId, lane: Option<&Lane>) {
    match lane {
        None => events.place(track),
        Some(lane) => {
            events.ident("pid", trace.tracks.threads.process[track.index()]);
            events.literal("tid", &lane.thread);
        }
    }
}

fn name_lane(trace: &Trace, events: &mut Events<'_>, track: TrackId, lane: Option<&Lane>) {
    if lane.is_some() {
        events.ident_argument(TRACK_ARGUMENT, trace.tracks.threads.thread[track.index()]);
    }
}

fn write_slices(
    trace: &Trace,
    lanes: &Lanes,
    events: &mut Events<'_>,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut arguments = Arguments::new(trace);
    for row in 0..trace.slices.len() {
        let id = SliceId::from(row);
        let slice = trace.slices.row(row);
        let lane = lanes.of_slice(id);
        events.begin(b'X');
        match category_of(slice.kind) {
            Some(category) if slice.category == StringId::NONE => events.literal("cat", category),
            _ => events.text("cat", slice.category),
        }
        events.text("name", slice.name);
        place(trace, events, slice.track, lane);
        events.time("ts", slice.start);
        // A quarantined slice without a length had a negative one, which must be told from a short one.
        let is_negative = slice.duration == Ns::ZERO && trace.is_quarantined(id);
        events.time("dur", if is_negative { Ns(-1) } else { slice.duration });
        arguments.write(events, id);
        name_lane(trace, events, slice.track, lane);
        events.end();
        events.flush_if_full(output)?;
    }
    Ok(())
}

/// The category that stands for a kind. Other formats than this one have kinds without categories, and a reader
/// knows the kind by nothing else.
fn category_of(kind: SliceKind) -> Option<&'static str> {
    match kind {
        SliceKind::Op => Some("cpu_op"),
        SliceKind::Runtime => Some("cuda_runtime"),
        SliceKind::Kernel => Some("kernel"),
        SliceKind::Memcpy => Some("gpu_memcpy"),
        SliceKind::Memset => Some("gpu_memset"),
        SliceKind::Sync => Some("cuda_sync"),
        SliceKind::Annotation => Some("user_annotation"),
        SliceKind::GpuAnnotation => Some("gpu_user_annotation"),
        SliceKind::Python => Some("python_function"),
        SliceKind::CounterRange => Some("cuda_profiler_range"),
        SliceKind::Overhead => Some("overhead"),
        SliceKind::Span => Some("Trace"),
        SliceKind::Other => None,
    }
}

fn write_flows(
    trace: &Trace,
    lanes: &Lanes,
    events: &mut Events<'_>,
    output: &mut impl Write,
) -> io::Result<()> {
    for row in 0..trace.flows.len() {
        let flow = trace.flows.row(row);
        let lane = lanes.of_flow(&flow);
        events.begin(flow.phase);
        events.ident("id", flow.id);
        place(trace, events, flow.track, lane);
        events.time("ts", flow.time);
        events.text("cat", flow.category);
        events.text("name", flow.name);
        if flow.enclosing != 0 {
            events.literal("bp", "e");
        }
        name_lane(trace, events, flow.track, lane);
        events.end();
        events.flush_if_full(output)?;
    }
    Ok(())
}

fn write_instants(trace: &Trace, events: &mut Events<'_>, output: &mut impl Write) -> io::Result<()> {
    for row in 0..trace.instants.len() {
        let instant = trace.instants.row(row);
        events.begin(b'i');
        events.text("cat", instant.category);
        events.scope(instant.scope);
        events.text("name", instant.name);
        events.place(instant.track);
        events.time("ts", instant.time);
        events.end();
        events.flush_if_full(output)?;
    }
    Ok(())
}

fn write_counters(trace: &Trace, events: &mut Events<'_>, output: &mut impl Write) -> io::Result<()> {
    for row in 0..trace.counters.len() {
        let counter = trace.counters.row(row);
        events.begin(b'C');
        events.text("name", counter.name);
        events.place(counter.track);
        events.time("ts", counter.time);
        events.series_argument(counter.series, counter.value);
        events.end();
        events.flush_if_full(output)?;
    }
    Ok(())
}

fn write_allocations(trace: &Trace, events: &mut Events<'_>, output: &mut impl Write) -> io::Result<()> {
    for row in 0..trace.allocations.len() {
        let allocation = trace.allocations.row(row);
        events.begin(b'i');
        events.literal("cat", "cpu_instant_event");
        events.scope(b't');
        events.literal("name", "[memory]");
        events.place(allocation.track);
        events.time("ts", allocation.time);
        events.arguments();
        events.integer_argument("Total Reserved", allocation.total_reserved);
        events.integer_argument("Total Allocated", allocation.total_allocated);
        events.integer_argument("Bytes", allocation.bytes);
        events.address_argument("Addr", allocation.address);
        events.integer_argument("Device Id", allocation.device);
        events.unsigned_argument("Device Type", allocation.device_type);
        events.unsigned_argument("Ev Idx", allocation.event_index);
        events.end();
        events.flush_if_full(output)?;
    }
    Ok(())
}

/// Beginning and end stand together, so that pairs with one identifier cannot be mixed up.
fn write_asyncs(trace: &Trace, events: &mut Events<'_>, output: &mut impl Write) -> io::Result<()> {
    for row in 0..trace.asyncs.len() {
        let slice = trace.asyncs.row(row);
        for (phase, time) in [(b'b', slice.start), (b'e', slice.start + slice.duration)] {
            events.begin(phase);
            events.text("cat", slice.category);
            events.ident("id", slice.id);
            events.text("name", slice.name);
            events.place(slice.track);
            events.time("ts", time);
            events.end();
        }
        events.flush_if_full(output)?;
    }
    Ok(())
}
