//! The lines of the plug-in `cli`, among whatever the program printed.

use super::super::shared::amd_text::cells;
use super::super::shared::amd_text::columns::{Columns, Field};
use super::super::shared::amd_text::lines::{Lines, first_lines};
use super::super::shared::amd_text::pairs::Pairs;
use super::super::shared::amd_text::recorder::Recorder;
use super::super::shared::amd_text::row::Row;
use super::super::shared::amd_text::table::{Rows, Table};
use super::super::{Input, Part, Refused, Role};
use super::STYLE;
use crate::formats::Document;
use crate::place::set_of;
use eaves_model::WarningKind;

const BEGINNINGS: [&[u8]; 2] = [b"Dispatch_ID(", b"Domain("];

/// True if a line is one of these, or if the profiler said that it was there.
pub(super) fn is_it(first: &[u8]) -> bool {
    let said = first.trim_ascii_start().starts_with(b"ROCProfilerV2:");
    said || first_lines(first).any(|line| BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)))
}

/// Reads the lines.
pub(super) fn read(input: Input<'_>, format: &'static str) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let mut recorder = Recorder::default();
    let nothing = Columns::read(b"");
    let mut tables = [Rows::Calls, Rows::Operations, Rows::Marks]
        .map(|rows| (rows, Table::new(rows, &nothing, STYLE, &mut recorder)));
    let (mut pairs, mut has_counters, mut has_kernels) = (Pairs::default(), false, false);
    let mut lines = Lines::new(input.rest);
    while let Some(line) = lines.next(recorder.diagnostics()) {
        if !BEGINNINGS.iter().any(|beginning| line.bytes.starts_with(beginning)) {
            continue;
        }
        if !pairs.read(line.bytes) {
            let oddity = if line.is_ended { WarningKind::BadRecord } else { WarningKind::Truncated };
            recorder.diagnostics().note(oddity, Some(line.offset));
            continue;
        }
        let row = Row::of_pairs(line.bytes, line.offset, &pairs);
        let rows = if row.cell(Field::Domain).is_none() {
            Rows::Dispatches
        } else if row.cell(Field::Function).is_some() {
            Rows::Calls
        } else if row.cell(Field::MarkerId).is_some() {
            Rows::Marks
        } else {
            Rows::Operations
        };
        if let Some((_, table)) = tables.iter_mut().find(|(of, _)| *of == rows) {
            table.row(&row, &mut recorder);
            continue;
        }
        let kernel = row.kernel();
        if kernel.name.is_empty() {
            recorder.diagnostics().note(WarningKind::BadRecord, Some(line.offset));
            continue;
        }
        has_kernels = true;
        let slice = recorder.kernel(&kernel, row.when());
        for (name, value) in pairs.others(line.bytes) {
            match cells::float(value) {
                Some(value) => {
                    let metric = recorder.text(name, line.offset);
                    recorder.counter(slice, metric, value);
                    has_counters = true;
                }
                None => recorder.diagnostics().note(WarningKind::BadValue, Some(line.offset)),
            }
        }
    }
    tables.iter_mut().for_each(|(_, table)| table.end(&mut recorder));
    let bytes = lines.bytes();
    let trace = recorder.finish(STYLE.tool, STYLE.clock);
    if trace.events == 0 {
        return Err(Refused {
            offset: 0,
            what: "rocprofv2 output without kernels, calls, copies or marks".to_owned(),
            hint: "if the program launches kernels, record with `rocprofv2 --kernel-trace APPLICATION`"
                .to_owned(),
        });
    }
    let role = match (has_counters, has_kernels) {
        (true, _) => Role::Counters,
        (false, true) => Role::Kernels,
        (false, false) => Role::Whole,
    };
    Ok(Document::Part(Box::new(Part { format, set, role, trace, bytes })))
}
