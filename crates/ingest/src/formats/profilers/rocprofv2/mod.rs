//! What rocprofv2's plug-ins `file` and `cli` write.

mod lines;

use super::shared::amd_text::columns::Field;
use super::shared::amd_text::table::{self, Rows, Style};
use super::{Detect, Format, Input, Part, Recorder, Refused, rocprof_compute};
use crate::formats::Document;
use crate::place::set_of;

/// The tables of the plug-in `file`, whose second line is empty.
pub(crate) const TABLES: Format = Format {
    id: "rocprofv2-csv",
    recorder: Recorder::Rocprofv2,
    detect: Detect::NotJson(is_table),
    read: |input| Ok(read_table(input)?),
    ..Format::PROFILER
};

/// The lines of the plug-in `cli`.
pub(crate) const LINES: Format = Format {
    id: "rocprofv2-text",
    recorder: Recorder::Rocprofv2,
    detect: Detect::NotJson(lines::is_it),
    read: |input| Ok(read_lines(input)?),
    ..Format::PROFILER
};

const STYLE: Style = Style {
    tool: "rocprofv2",
    clock: "nanoseconds of the system clock, for host and device, as written by rocprofv2",
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
