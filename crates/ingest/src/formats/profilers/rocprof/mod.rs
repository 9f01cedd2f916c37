//! The files of rocprof (v1): the table of dispatches, the Chrome JSON, and the raw files that it makes them of and keeps
//! with `-d`. The SQLite file is read where the other stores are.

mod dispatches;
mod events;
mod json;
mod launches;

use super::amd_text::table::{self, Rows, Style};
use super::{Input, Part, Profiler, Refused, Role};
use crate::formats::Document;
use crate::parts::set_of;

/// `<out>.csv`, in the dialect of counters and in that of statistics, of every age: by names of columns.
pub(super) const TABLES: Profiler = Profiler { id: "rocprof-csv", is_it: is_table, read: read_table };

/// `<out>.json`.
pub(super) const JSON: Profiler = Profiler { id: "rocprof-json", is_it: json::is_it, read: read_json };

/// The raw `results.txt`.
pub(super) const DISPATCHES: Profiler =
    Profiler { id: "rocprof-text", is_it: dispatches::is_it, read: dispatches::read };

/// The raw `hip_api_trace.txt`, `hcc_ops_trace.txt`, `async_copy_trace.txt` and `roctx_trace.txt`.
pub(super) const EVENTS: Profiler =
    Profiler { id: "rocprof-events", is_it: events::is_it, read: events::read };

const STYLE: Style = Style {
    tool: "rocprof",
    clock: "nanoseconds of the system's clock, host and device alike, as rocprof writes them",
    names_accumulators: false,
};

fn is_table(first: &[u8]) -> bool {
    table::header(first).is_some_and(|columns| {
        columns.has_name("grd")
            && columns.has_name("kernelname")
            && Rows::of(&columns) == Some(Rows::Dispatches)
    })
}

fn read_table(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let reading = table::read(input, STYLE)?;
    Ok(part(set, TABLES.id, reading.role, reading.trace, reading.bytes))
}

fn read_json(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let (trace, bytes) = json::read(input)?;
    Ok(part(set, JSON.id, Role::Whole, trace, bytes))
}

fn part(set: String, format: &'static str, role: Role, trace: eaves_model::Trace, bytes: u64) -> Document {
    Document::Part(Box::new(Part { format, set, role, trace, bytes }))
}
