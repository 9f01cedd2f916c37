//! Samples of counters.

use eaves_model::{Trace, ident_text};

use super::column::{Column, float, int, ns, text};
use super::{Table, View};

pub(super) struct Counters;

impl Table for Counters {
    const NAME: &'static str = "counters";
    const ABOUT: &'static str = "Samples of counters over time";
    type Rows<'a> = &'a Trace;

    fn rows<'a>(view: &View<'a>) -> &'a Trace {
        &view.recording.trace
    }

    fn count(trace: &&Trace) -> usize {
        trace.counters.len()
    }

    fn columns<'a>() -> Vec<Column<&'a Trace>> {
        vec![
            int("time_ns", "Time, relative to the recording's time base", |trace, row| {
                ns(trace.counters.time[row])
            }),
            text("name", "Name of the counter", |trace, row| {
                trace.counters.name[row].some().map(|id| trace.strings.get(id).into())
            }),
            text("series", "Series within the counter", |trace, row| {
                trace.counters.series[row].some().map(|id| trace.strings.get(id).into())
            }),
            float("value", "Value", |trace, row| trace.counters.value[row].get()),
            text("process", "Process", |trace, row| {
                let track = trace.counters.track[row].some()?.index();
                ident_text(trace.tracks.threads.process[track], &trace.strings)
            }),
        ]
    }
}
