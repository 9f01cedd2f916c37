//! The files of rocprof (v1): the table of dispatches, the Chrome JSON, and the raw files that it makes them of and keeps
//! with `-d`. The SQLite file is read where the other stores are.

mod dispatches;
mod events;
mod json;
mod launches;

use super::shared::amd_text::table::{self, Rows, Style};
use super::{Detect, Format, Input, Part, Recorder, Refused, Role};
use crate::formats::Document;
use crate::place::set_of;

/// `<out>.csv`, in the dialect of counters and in that of statistics, of every age: by names of columns.
pub(crate) const TABLES: Format = Format {
    id: "rocprof-csv",
    recorder: Recorder::Rocprof,
    detect: Detect::NotJson(is_table),
    read: |input| Ok(read_table(input)?),
    ..Format::PROFILER
};

/// `<out>.json`.
pub(crate) const JSON: Format = Format {
    id: "rocprof-json",
    recorder: Recorder::Rocprof,
    detect: Detect::Json(json::is_it),
    read: |input| Ok(read_json(input)?),
    ..Format::PROFILER
};

/// The raw `results.txt`.
pub(crate) const DISPATCHES: Format = Format {
    id: "rocprof-text",
    recorder: Recorder::Rocprof,
    detect: Detect::NotJson(dispatches::is_it),
    read: |input| Ok(dispatches::read(input)?),
    ..Format::PROFILER
};

/// The raw `hip_api_trace.txt`, `hcc_ops_trace.txt`, `async_copy_trace.txt` and `roctx_trace.txt`.
pub(crate) const EVENTS: Format = Format {
    id: "rocprof-events",
    recorder: Recorder::Rocprof,
    detect: Detect::NotJson(events::is_it),
    read: |input| Ok(events::read(input)?),
    ..Format::PROFILER
};

const STYLE: Style = Style {
    tool: "rocprof",
    clock: "nanoseconds of the system clock, for host and device, as written by rocprof",
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
