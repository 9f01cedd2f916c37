//! nvprof: the tables of `nvprof --csv`, which profiles GPUs up to Volta. Traces of the device and of calls have times;
//! metrics and summaries are sums.
//!
//! Messages stand in lines that begin with `==PID==`, or with `========` if a file was imported. Units stand in a row of
//! their own, which differs from file to file and from column to column, or behind each value. A kilobyte is 1024 bytes:
//! `1.562500` MB in the samples are 409600 floats.

mod activities;
mod sums;
mod table;
mod value;

use eaves_model::WarningKind;

use self::activities::Activities;
use self::sums::Sums;
use self::table::{Kind, Table};
use super::shared::cells::{self, Cells};
use super::shared::unicode::{self, Text};
use super::{Detect, Document, Format, Input, Recorder, Refused, ncu, whole};

/// Tables of every kind.
pub(crate) const FORMAT: Format = Format {
    id: ID,
    recorder: Recorder::Nvprof,
    detect: Detect::NotJson(is_it),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

const ID: &str = "nvprof";

/// True for a table, or messages of nvprof that may have one behind them.
fn is_it(first: &[u8]) -> bool {
    let first = unicode::beginning(first);
    first.split(|&byte| byte == b'\n').any(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        table::kind(line).is_some()
            || message(line).is_some_and(|(_, text)| {
                text.starts_with(b"NVPROF is profiling")
                    || text.starts_with(b"Profiling result:")
                    || text.starts_with(b"Profiling application:")
                    || text.starts_with(b"Metric result:")
            })
    })
}

/// The process and text of a message: `==123== text`, or `======== text`.
fn message(line: &[u8]) -> Option<(Option<i64>, &[u8])> {
    let rest = line.strip_prefix(b"==")?;
    let end = memchr::memmem::find(rest, b"== ")?;
    let (process, text) = (rest.get(..end)?, rest.get(end + 3..)?);
    let is_process = !process.is_empty() && process.iter().all(u8::is_ascii_digit);
    (is_process || process == b"====").then(|| {
        let process = std::str::from_utf8(process).ok().and_then(|process| process.parse().ok());
        (process, text)
    })
}

fn read(input: Input<'_>) -> Result<Document, Refused> {
    let mut text = Text::new(input.first, input.rest);
    let mut file = File::default();
    while text.fill() {
        let used = file.take(text.content(), text.offset(), text.ended());
        text.consume(used);
    }
    file.take(text.content(), text.offset(), true);
    let bytes = text.bytes();
    let failure = text.failure().map(str::to_owned);
    file.finish(bytes, failure)
}

/// A file under way.
#[derive(Default)]
struct File {
    table: Option<Table>,
    cells: Cells,
    activities: Activities,
    sums: Sums,
    /// What the next table is about, as the message before it says.
    subject: &'static str,
    /// The first message that says why there may be nothing.
    complaint: Option<(String, u64)>,
    is_for_people: bool,
}

impl File {
    /// Reads the whole lines of a block; the answer is how much of it they are.
    fn take(&mut self, block: &[u8], offset: Option<u64>, ended: bool) -> usize {
        let mut at = 0;
        while let Some(rest) = block.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(end) = cells::line(rest, ended) else { break };
            let line = rest.get(..end.length).unwrap_or_default();
            let is_cut = ended && end.next == end.length;
            self.line(line, offset.map(|offset| offset + at as u64), is_cut);
            at += end.next;
        }
        at
    }

    fn line(&mut self, line: &[u8], offset: Option<u64>, is_cut: bool) {
        if line.is_empty() {
            return;
        }
        if let Some((process, text)) = message(line) {
            self.activities.process = self.activities.process.or(process);
            return self.message(text, offset.unwrap_or(0));
        }
        if let Some(kind) = table::kind(line) {
            self.cells.split(line);
            self.table = Some(Table::new(kind, line, &self.cells));
            return;
        }
        let Some(table) = &mut self.table else {
            self.is_for_people |= line.trim_ascii_start().starts_with(b"Type  Time(%)")
                || line.trim_ascii_start().starts_with(b"Time(%)      Time");
            return;
        };
        self.cells.split(line);
        if table.take_units(line, &self.cells) {
            return;
        }
        if self.cells.len() < table.width() || self.cells.is_open {
            // A line of the program itself has no cells at all.
            if is_cut {
                self.note(WarningKind::Truncated, offset);
            } else if self.cells.len() > 2 {
                self.note(WarningKind::BadRecord, offset);
            }
            return;
        }
        match table.kind {
            Kind::Trace => self.activities.row(table, line, &self.cells, offset),
            Kind::Metrics => self.sums.metric(table, line, &self.cells, offset),
            Kind::Summary => self.sums.summary(table, line, &self.cells, offset, self.subject),
        }
    }

    fn note(&mut self, kind: WarningKind, offset: Option<u64>) {
        let is_trace = self.table.as_ref().is_some_and(|table| table.kind == Kind::Trace);
        let diagnostics =
            if is_trace { &mut self.activities.trace.diagnostics } else { &mut self.sums.diagnostics };
        diagnostics.note(kind, offset);
    }

    fn message(&mut self, text: &[u8], offset: u64) {
        if text.starts_with(b"API calls:") {
            self.subject = "API calls";
        } else if text.starts_with(b"Profiling result:") {
            self.subject = "GPU activities";
        }
        let starts = [&b"Error"[..], b"Warning", b"Internal error"];
        let is_complaint = starts.iter().any(|start| text.starts_with(start))
            || memchr::memmem::find(text, b"ERR_NVGPUCTRPERM").is_some();
        if is_complaint && self.complaint.is_none() {
            let text = text.get(..text.len().min(400)).unwrap_or_default();
            self.complaint = Some((String::from_utf8_lossy(text).trim().to_owned(), offset));
        }
    }

    fn finish(mut self, bytes: u64, failure: Option<String>) -> Result<Document, Refused> {
        let note = |diagnostics: &mut eaves_model::Diagnostics| {
            if let Some(failure) = &failure {
                diagnostics.note_detail(WarningKind::DamagedContainer, Some(bytes), failure.as_str());
            }
        };
        if !self.activities.trace.slices.is_empty() {
            self.activities.trace.diagnostics.absorb(std::mem::take(&mut self.sums.diagnostics));
            note(&mut self.activities.trace.diagnostics);
            return Ok(whole(self.activities.finish(), bytes, ID));
        }
        if !self.sums.is_empty() {
            note(&mut self.sums.diagnostics);
            return Ok(self.sums.finish(ID, bytes));
        }
        let record = "record again with `nvprof --csv --print-gpu-trace --log-file trace.csv <program>`, or with \
                      `nvprof --csv --metrics all --log-file metrics.csv <program>`";
        let (what, offset, hint) = match self.complaint {
            Some((text, offset)) if text.contains("ERR_NVGPUCTRPERM") || text.contains("permission") => {
                (format!("nvprof recorded nothing: {text}"), offset, ncu::ALLOW)
            }
            Some((text, offset)) => (format!("nvprof recorded nothing: {text}"), offset, record),
            None if self.is_for_people => ("nvprof's human-readable tables".to_owned(), 0, record),
            None => ("nvprof messages without data".to_owned(), 0, record),
        };
        Err(Refused { offset, what, hint: hint.to_owned() })
    }
}

#[cfg(test)]
mod tests;
