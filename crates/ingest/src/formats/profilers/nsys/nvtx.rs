//! Ranges and marks that programs set with NVTX.

use eaves_model::{Ident, Instant, Ns, SliceKind, StringId, TrackId};

use super::domains::{Domain, Named};
use super::places::process_of;
use super::sink::Sink;
use crate::sqlite::{Database, Error, Row};

// `ENUM_NSYS_EVENT_TYPE`; the second of each pair is that of events imported from text files.
const MARKS: [i64; 2] = [34, 65];
const THREAD_NAME: i64 = 39;
const NESTED: [i64; 2] = [59, 70];
const FREE: [i64; 2] = [60, 71];
const DOMAIN: i64 = 75;

const COLUMNS: [&str; 7] = ["start", "end", "eventType", "globalTid", "domainId", "text", "textId"];

pub(super) fn read(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    sink.each(database, "NVTX_EVENTS", &COLUMNS, |sink, row| {
        let Some(kind) = row.integer(2) else { return };
        if NESTED.contains(&kind) || FREE.contains(&kind) {
            range(sink, row, FREE.contains(&kind));
        } else if MARKS.contains(&kind) {
            mark(sink, row);
        } else if kind == THREAD_NAME {
            name_thread(sink, row);
        } else if kind == DOMAIN {
            name_domain(sink, row);
        }
    })?;
    sink.domains.finish(&mut sink.trace);
    Ok(())
}

fn text(sink: &Sink, row: &Row<'_>) -> Option<String> {
    row.text(5)
        .map(std::borrow::Cow::into_owned)
        .or_else(|| sink.names.text(row.integer(6)).map(str::to_owned))
}

/// The domain of a row, unless it is the one without a name.
fn domain(row: &Row<'_>) -> Option<Domain> {
    let number = row.integer(4).filter(|number| *number != 0)?;
    Some((process_of(row.integer(3)?), number))
}

/// The name with that of its domain before it, as `nsys stats` writes it; the domain without a name goes without.
fn name(sink: &mut Sink, row: &Row<'_>, named: Named) -> StringId {
    let name = match row.text(5) {
        Some(text) => sink.trace.strings.intern(&text),
        None => sink.names.get(row.integer(6), &mut sink.trace.strings).unwrap_or(StringId::NONE),
    };
    let Some(domain) = domain(row) else { return name };
    sink.domains.whole(domain, name, &mut sink.trace.strings).unwrap_or_else(|| {
        sink.domains.wait(domain, named);
        name
    })
}

fn name_domain(sink: &mut Sink, row: &Row<'_>) {
    if let (Some(domain), Some(name)) = (domain(row), text(sink, row)) {
        sink.domains.add(domain, &name, &mut sink.trace.strings);
    }
}

/// Ranges that are pushed and popped are nested in the calls of their thread. Those that are started and ended may
/// overlap and end on another thread, so they have their own track.
fn range(sink: &mut Sink, row: &Row<'_>, is_free: bool) {
    let Some(span) = sink.span(row) else { return };
    let named = Named::Slice(sink.trace.slices.len());
    let name = name(sink, row, named);
    let track = if is_free { free_track(sink, row) } else { thread(sink, row) };
    sink.slice(row, span, name, ("user_annotation", SliceKind::Annotation), track);
}

fn thread(sink: &mut Sink, row: &Row<'_>) -> TrackId {
    sink.places.thread(row.integer(3), &mut sink.trace.tracks)
}

fn free_track(sink: &mut Sink, row: &Row<'_>) -> TrackId {
    let Some(thread) = row.integer(3) else { return thread(sink, row) };
    let process = sink.places.ident(process_of(thread));
    let name = sink.trace.strings.intern("NVTX ranges");
    let track = sink.trace.tracks.get_or_add(process, Ident::text(name));
    sink.trace.tracks.threads.name[track.index()] = name;
    track
}

fn mark(sink: &mut Sink, row: &Row<'_>) {
    let Some(time) = sink.time(row, 0) else { return };
    let named = Named::Instant(sink.trace.instants.len());
    let name = name(sink, row, named);
    let track = thread(sink, row);
    let category = sink.trace.strings.intern("nvtx");
    let position = row.offset().cast_signed();
    sink.trace.instants.push(Instant { time: Ns(time), track, name, category, scope: b't', position });
}

fn name_thread(sink: &mut Sink, row: &Row<'_>) {
    if let Some(name) = text(sink, row) {
        let track = thread(sink, row);
        sink.trace.tracks.threads.name[track.index()] = sink.trace.strings.intern(&name);
    }
}
