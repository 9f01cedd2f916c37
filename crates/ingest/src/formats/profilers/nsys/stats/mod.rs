//! Tables of `nsys stats --format csv`: lists of activities, calls and ranges become traces, sums become measurements.
//!
//! What is in a table, its header tells: names of reports changed in 2023 (`gpukernsum`, `cuda_gpu_kern_sum`), units are
//! in the header, and the output of a terminal has several tables with lines of progress around them.

mod header;
mod number;
mod rows;
mod sums;

use eaves_model::{Diagnostics, Measurement, Trace, WarningKind};

use self::header::{Header, Table};
use self::rows::Rows;
use super::super::shared::unicode;
use super::super::{Detect, Format, Input, Part, Recorder, Refused, Role, sums as document_of_sums};
use crate::formats::Document;

/// The tables.
pub(crate) const CSV: Format = Format {
    id: FORMAT,
    recorder: Recorder::NsightSystems,
    detect: Detect::NotJson(is_it),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

const FORMAT: &str = "nsys-stats-csv";

/// Lines before the first header that are looked at.
const MOST_LINES: usize = 200;

fn is_it(first: &[u8]) -> bool {
    let first = unicode::beginning(first);
    first.split(|byte| *byte == b'\n').take(MOST_LINES).any(|line| {
        let line = String::from_utf8_lossy(line);
        let names: Vec<&str> = line.trim_end().split(',').map(|name| name.trim().trim_matches('"')).collect();
        Header::of(&names).is_some()
    })
}

fn read(mut input: Input<'_>) -> Result<Document, Refused> {
    let mut bytes = Vec::new();
    let mut diagnostics = Diagnostics::default();
    // Tables have a row for each launch at most, and are far smaller than the recording they are made of.
    if input.rest.read_to_end(&mut bytes).is_err() {
        diagnostics.note(WarningKind::DamagedContainer, Some(bytes.len() as u64));
    }
    let size = bytes.len() as u64;
    let text = unicode::beginning(&bytes);
    let mut content = Content { rows: Rows::default(), sums: Vec::new(), diagnostics };
    content.read(&text);
    let Content { rows, sums, mut diagnostics } = content;
    if rows.is_empty() && sums.is_empty() {
        let what = "a table of `nsys stats` without a row that can be read".to_owned();
        let hint =
            "write it again: `nsys stats --report cuda_gpu_trace --format csv --output . FILE.nsys-rep`";
        return Err(Refused { offset: 0, what, hint: hint.to_owned() });
    }
    if rows.is_empty() {
        return Ok(document_of_sums(FORMAT, None, sums, diagnostics, size));
    }
    if !sums.is_empty() {
        let detail = "sums beside lists of the same run say nothing new";
        diagnostics.note_detail(WarningKind::BadRecord, None, detail);
    }
    let trace = Trace { diagnostics, ..rows.finish() };
    let (set, role) = place_of(input.path, &trace);
    Ok(Document::Part(Box::new(Part { format: FORMAT, set, role, trace, bytes: size })))
}

/// What was read so far.
struct Content {
    rows: Rows,
    sums: Vec<Measurement>,
    diagnostics: Diagnostics,
}

impl Content {
    fn read(&mut self, text: &[u8]) {
        let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text);
        let mut row = csv::ByteRecord::new();
        let mut header: Option<Header> = None;
        loop {
            match reader.read_byte_record(&mut row) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    let offset = error.position().map(csv::Position::byte);
                    self.diagnostics.note_detail(WarningKind::BadRecord, offset, error.to_string());
                    continue;
                }
            }
            let fields: Vec<_> = row.iter().map(|field| String::from_utf8_lossy(field)).collect();
            let fields: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
            if let Some(found) = Header::of(&fields) {
                header = Some(found);
                continue;
            }
            let Some(header) = &header else { continue };
            let offset = row.position().map_or(0, csv::Position::byte);
            let is_row = fields.len() == header.columns.len() && self.take(header, &fields, offset);
            if !is_row && !is_noise(&fields) {
                self.diagnostics.note(WarningKind::BadRecord, Some(offset));
            }
        }
    }

    fn take(&mut self, header: &Header, fields: &[&str], offset: u64) -> bool {
        match header.table {
            Table::Sums | Table::Sizes => {
                let sum = sums::read(header, fields);
                let is_sum = sum.is_some();
                self.sums.extend(sum);
                is_sum
            }
            _ => self.rows.take(header, fields, offset),
        }
    }
}

/// Lines of progress that the terminal shows between tables.
fn is_noise(fields: &[&str]) -> bool {
    const BEGINNINGS: [&str; 8] =
        ["Generating", "Processing", "NOTICE", "SKIPPED", "WARNING", "Exporting", "Using", "**"];
    let first = fields.first().copied().unwrap_or_default();
    first.is_empty() && fields.len() == 1 || BEGINNINGS.iter().any(|beginning| first.starts_with(beginning))
}

/// What a table belongs to: `nsys stats --output .` calls the tables of `report` `report_cuda_gpu_trace.csv` and so on.
fn place_of(path: &str, trace: &Trace) -> (String, Role) {
    const REPORTS: [&str; 8] = [
        "cuda_gpu_trace",
        "cuda_api_trace",
        "nvtx_pushpop_trace",
        "nvtx_startend_trace",
        "nvtx_gpu_proj_trace",
        "gputrace",
        "cudaapitrace",
        "nvtxpptrace",
    ];
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let set = REPORTS.iter().find_map(|report| stem.strip_suffix(report)).unwrap_or(path);
    let role = if trace.gpu.is_empty() { Role::Others } else { Role::Kernels };
    (set.trim_end_matches('_').to_owned(), role)
}

#[cfg(test)]
mod tests;
