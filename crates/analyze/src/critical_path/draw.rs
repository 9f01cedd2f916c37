//! The critical path drawn into a trace: its own track, and arrows along it between the others.

use eaves_model::{Flow, Ident, MaybeI64, Ns, Slice, SliceId, SliceKind, StringId, Trace, TrackId};

use super::{CriticalPath, PathPart};

/// The category of what is drawn.
const CATEGORY: &str = "critical_path";
/// The process it is drawn in.
const PROCESS: &str = "critical path";

/// Adds the path to its trace. One that has a path already, from an earlier export, is left as it is.
pub fn draw(trace: &mut Trace, path: &CriticalPath) {
    let category = trace.strings.intern(CATEGORY);
    if trace.slices.category.contains(&category) {
        return;
    }
    draw_arrows(trace, &path.parts, category);
    let track = track(trace);
    for part in &path.parts {
        let name = name(trace, part);
        trace.slices.push(Slice {
            start: part.interval.start,
            duration: part.interval.length(),
            name,
            category,
            track,
            kind: SliceKind::Other,
            position: 0,
        });
    }
}

/// A process above all others.
fn track(trace: &mut Trace) -> TrackId {
    let name = trace.strings.intern(PROCESS);
    let ident = Ident::text(name);
    let row = trace.tracks.process(ident);
    trace.tracks.processes.name[row] = name;
    trace.tracks.processes.sort_index[row] = MaybeI64::new(-1);
    let track = trace.tracks.get_or_add(ident, Ident::number(0));
    trace.tracks.threads.name[track.index()] = name;
    track
}

/// What runs has its own name; what waits says so.
fn name(trace: &mut Trace, part: &PathPart) -> StringId {
    let own = part.slice.some().map(|slice| trace.slices.name[slice.index()]);
    match (own, is_inside(trace, part)) {
        (Some(own), true) => own,
        (Some(own), false) => {
            let text = format!("{}: {}", part.cause.id(), trace.strings.get(own));
            trace.strings.intern(&text)
        }
        (None, _) => trace.strings.intern(part.cause.id()),
    }
}

/// An arrow from slice to slice wherever the path goes on in another track.
fn draw_arrows(trace: &mut Trace, parts: &[PathPart], category: StringId) {
    let inside: Vec<&PathPart> = parts.iter().filter(|part| is_inside(trace, part)).collect();
    let track = |trace: &Trace, part: &PathPart| trace.slices.track[part.slice.index()];
    let mut number = 0;
    for pair in inside.windows(2) {
        let (from, to) = (track(trace, pair[0]), track(trace, pair[1]));
        if from == to {
            continue;
        }
        number += 1;
        // The last instant inside.
        let ends = [(from, pair[0].interval.end - Ns(1), b's'), (to, pair[1].interval.start, b'f')];
        for (track, time, phase) in ends {
            let id = Ident::number(number);
            trace.flows.push(Flow { time, track, id, category, name: category, phase, enclosing: 1 });
        }
    }
}

/// True for time in which the slice of a part runs. The hand-over between two streams counts under the activity that is
/// about to start.
fn is_inside(trace: &Trace, part: &PathPart) -> bool {
    let started = |slice: SliceId| trace.slices.start[slice.index()] <= part.interval.start;
    part.cause.is_inside_slice() && part.slice.some().is_some_and(started)
}
