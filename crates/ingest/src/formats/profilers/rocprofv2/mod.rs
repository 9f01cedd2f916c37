//! What rocprofv2's plug-ins `file` and `cli` write.

mod lines;

use super::amd_text::columns::Field;
use super::amd_text::table::{self, Rows, Style};
use super::{Input, Part, Profiler, Refused, rocprof_compute};
use crate::formats::Document;
use crate::parts::set_of;

/// The tables of the plug-in `file`, whose second line is empty.
pub(super) const TABLES: Profiler = Profiler { id: "rocprofv2-csv", is_it: is_table, read: read_table };

/// The lines of the plug-in `cli`.
pub(super) const LINES: Profiler = Profiler { id: "rocprofv2-text", is_it: lines::is_it, read: read_lines };

const STYLE: Style = Style {
    tool: "rocprofv2",
    clock: "nanoseconds of the system's clock, host and device alike, as rocprofv2 writes them",
    names_accumulators: false,
};

fn is_table(first: &[u8]) -> bool {
    let Some(columns) = table::header(first) else { return false };
    match Rows::of(&columns) {
        Some(Rows::Dispatches) => columns.has_name("gridsize"),
        Some(Rows::Calls | Rows::Operations | Rows::Marks) => columns.has(Field::Domain),
        _ => false,
    }
}

fn read_table(input: Input<'_>) -> Result<Document, Refused> {
    if rocprof_compute::is_of_workload(input.path) {
        return rocprof_compute::read(input);
    }
    let set = set_of(input.path);
    let reading = table::read(input, STYLE)?;
    let part =
        Part { format: TABLES.id, set, role: reading.role, trace: reading.trace, bytes: reading.bytes };
    Ok(Document::Part(Box::new(part)))
}

fn read_lines(input: Input<'_>) -> Result<Document, Refused> {
    lines::read(input, LINES.id)
}
