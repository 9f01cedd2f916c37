//! The files of rocprof (v1): a table of dispatches with counters or times.

use super::amd_text::table::{self, Rows, Style};
use super::{Input, Part, Profiler, Refused};
use crate::formats::Document;
use crate::parts::set_of;

/// `<out>.csv`, in the dialect of counters and in that of statistics, of every age: by names of columns.
pub(super) const TABLES: Profiler = Profiler { id: "rocprof-csv", is_it: is_table, read: read_table };

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
    let part =
        Part { format: TABLES.id, set, role: reading.role, trace: reading.trace, bytes: reading.bytes };
    Ok(Document::Part(Box::new(part)))
}
