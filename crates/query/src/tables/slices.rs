//! Everything with a duration.

use std::borrow::Cow;

use eaves_model::{SliceId, Trace, ident_text};

use super::column::{Column, count, int, ns, text, truth};
use super::{Table, View};

pub(super) struct Slices;

impl Table for Slices {
    const NAME: &'static str = "slices";
    const ABOUT: &'static str = "All recorded slices: operators, calls, kernels, ranges, frames";
    type Rows<'a> = &'a Trace;

    fn rows<'a>(view: &View<'a>) -> &'a Trace {
        &view.recording.trace
    }

    fn count(trace: &&Trace) -> usize {
        trace.slices.len()
    }

    fn columns<'a>() -> Vec<Column<&'a Trace>> {
        vec![
            int("slice", "Slice number within its rank, for joins", |_, row| count(row)),
            text("name", "Name", |trace, row| Some(trace.strings.get(trace.slices.name[row]).into())),
            text("category", "Category as written", |trace, row| {
                trace.slices.category[row].some().map(|id| trace.strings.get(id).into())
            }),
            text(
                "kind",
                "What it is: op, runtime, kernel, memcpy, memset, sync, annotation, python, ...",
                |trace, row| Some(trace.slices.kind[row].name().into()),
            ),
            int("start_ns", "Start, relative to the recording's time base", |trace, row| {
                ns(trace.slices.start[row])
            }),
            int("end_ns", "End", |trace, row| ns(trace.slices.end(row))),
            int("duration_ns", "Length", |trace, row| ns(trace.slices.duration[row])),
            text("process", "Process", |trace, row| process(trace, row)),
            text("thread", "Thread or stream", |trace, row| thread(trace, row)),
            text("thread_name", "Name of the thread", |trace, row| {
                let track = trace.slices.track[row].some()?.index();
                trace.tracks.threads.name[track].some().map(|id| trace.strings.get(id).into())
            }),
            truth(
                "quarantined",
                "True if its duration is impossible; it is then in no other table",
                |trace, row| Some(trace.is_quarantined(SliceId::from(row))),
            ),
        ]
    }
}

/// The process of a slice.
pub(super) fn process(trace: &Trace, slice: usize) -> Option<Cow<'_, str>> {
    ident_text(trace.tracks.threads.process[trace.slices.track[slice].some()?.index()], &trace.strings)
}

/// The thread or stream of a slice.
pub(super) fn thread(trace: &Trace, slice: usize) -> Option<Cow<'_, str>> {
    ident_text(trace.tracks.threads.thread[trace.slices.track[slice].some()?.index()], &trace.strings)
}
