//! The table that `ncu --csv` prints: narrow, with a row for each launch and metric and rows for remarks, or wide, with
//! a row for each launch and a column for each metric.
//!
//! It is read in blocks of whole records. Around the table, and between several, stand messages of the profiler and the
//! output of the program.

use std::collections::HashMap;

use eaves_model::WarningKind;

use super::super::shared::cells::{self, Cells};
use super::super::shared::unicode::{self, Text};
use super::super::{Document, Input, Refused, whole};
use super::header::{Header, is_header};
use super::kept_metrics;
use super::launches::Launches;
use super::noise::{Noise, is_message};
use super::number::{Decimal, Votes};
use super::rows::Known;
use super::wide_rows::Finder;
use crate::json::padded::Padded;

/// Name of the format.
pub(super) const FORMAT: &str = "ncu-csv";

/// True for the beginning of a table, or of messages of the profiler that may have one behind them.
pub(super) fn is_it(first: &[u8]) -> bool {
    let first = unicode::beginning(first);
    first.split(|&byte| byte == b'\n').any(|line| is_header(line) || is_message(line))
}

/// Reads a file.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let size = input.source.size();
    let mut text = Text::new(input.first, input.rest);
    let mut table = Table::new(size.is_some_and(|size| size > kept_metrics::SMALL));
    while text.fill() {
        let used = table.take(text.padded(), text.offset(), text.ended());
        text.consume(used);
        table.bytes = text.bytes();
        table.make_room(size);
    }
    table.take(text.padded(), text.offset(), true);
    if let Some(failure) = text.failure() {
        table.launches.trace.diagnostics.note_detail(
            WarningKind::DamagedContainer,
            Some(text.bytes()),
            failure,
        );
    }
    let bytes = text.bytes();
    table.finish().map(|trace| whole(trace, bytes, FORMAT))
}

/// A table under way.
pub(super) struct Table {
    pub(super) launches: Launches,
    pub(super) noise: Noise,
    pub(super) header: Option<Header>,
    /// Number of tables so far.
    pub(super) tables: u32,
    pub(super) decimal: Option<Decimal>,
    pub(super) cells: Cells,
    /// What finds cells of the wide form.
    pub(super) finder: Finder,
    pub(super) has_room: bool,
    /// Metrics of the narrow form by section, name and unit as written.
    pub(super) known: HashMap<Vec<u8>, Known>,
    pub(super) key: Vec<u8>,
    /// Launches of the narrow form by process and number as written, and the one met last.
    pub(super) places: HashMap<Vec<u8>, usize>,
    pub(super) last: (Vec<u8>, usize),
    /// What to add to the numbers of launches, so that those of a later table come after those of the first.
    pub(super) base: i64,
    pub(super) highest: i64,
    pub(super) is_large: bool,
    pub(super) left_out: u64,
    pub(super) bytes: u64,
}

impl Table {
    fn new(is_large: bool) -> Self {
        Self {
            launches: Launches::default(),
            noise: Noise::default(),
            header: None,
            tables: 0,
            decimal: None,
            cells: Cells::default(),
            finder: Finder::default(),
            has_room: false,
            known: HashMap::new(),
            key: Vec::new(),
            places: HashMap::new(),
            last: (Vec::new(), usize::MAX),
            base: 0,
            highest: -1,
            is_large,
            left_out: 0,
            bytes: 0,
        }
    }

    pub(super) fn note(&mut self, kind: WarningKind, offset: Option<u64>) {
        self.launches.trace.diagnostics.note(kind, offset);
    }

    /// Reads the whole records of a block; the answer is how much of it they are.
    fn take(&mut self, block: Padded<'_>, offset: Option<u64>, ended: bool) -> usize {
        let mut at = 0;
        while let Some(rest) = block.content().get(at..).filter(|rest| !rest.is_empty()) {
            let offset = offset.map(|offset| offset + at as u64);
            if let Some(next) = self.quick(block, at, offset) {
                at = next;
                continue;
            }
            let in_table = self.header.as_ref().is_some_and(|header| begins_row(rest, header.is_quoted));
            let end = if in_table { cells::record(rest, ended) } else { cells::line(rest, ended) };
            let Some(end) = end else { break };
            let record = rest.get(..end.length).unwrap_or_default();
            at += end.next;
            if is_header(record) {
                // A line cut at the end of the file has no rows behind it anyway.
                self.begin(record);
                if self.decimal.is_none() && !ended {
                    // The block that follows tells how numbers are written.
                    break;
                }
                continue;
            }
            if !in_table {
                self.noise.see(record, offset);
                continue;
            }
            if self.decimal.is_none() {
                self.decimal = Some(self.infer(rest, offset));
            }
            let is_last = ended && end.next == rest.len() && end.length == rest.len();
            self.row(record, offset, is_last);
        }
        at
    }

    /// Makes room for what is to come of a large file, by what the first block had. Room that is not used is never taken
    /// from the system; room that lacks costs copies of whole columns.
    fn make_room(&mut self, size: Option<u64>) {
        let (Some(size), Some(header)) = (size, &self.header) else { return };
        let launches = self.launches.len() as u64;
        if self.has_room || !self.is_large || launches == 0 || header.is_narrow() || self.bytes == 0 {
            return;
        }
        self.has_room = true;
        let expected =
            u128::from(launches) * u128::from(size.saturating_sub(self.bytes)) / u128::from(self.bytes);
        // A tenth more, as names differ in length.
        let expected = usize::try_from(expected + expected / 10).unwrap_or(0);
        self.launches.reserve(expected, header.used.metrics.len());
    }

    /// Begins a table.
    fn begin(&mut self, line: &[u8]) {
        let strings = &mut self.launches.trace.strings;
        if let Some(header) = Header::read(line, &mut self.cells, strings) {
            self.base = self.highest.saturating_add(1);
            self.finder.forget();
            self.places.clear();
            self.last = (Vec::new(), usize::MAX);
            self.header = Some(header);
            self.tables = self.tables.saturating_add(1);
        }
    }

    /// How the numbers of the file are written, by the records of its first block.
    fn infer(&mut self, block: &[u8], offset: Option<u64>) -> Decimal {
        let mut votes = Votes::default();
        let Some(header) = &self.header else { return Decimal::Point };
        let mut rest = block;
        while let Some(end) = cells::record(rest, true).filter(|_| !rest.is_empty() && !votes.is_settled()) {
            let record = rest.get(..end.length).unwrap_or_default();
            rest = rest.get(end.next..).unwrap_or_default();
            if !begins_row(record, header.is_quoted) {
                continue;
            }
            self.cells.split(record);
            if self.cells.is_open {
                // The block ends here, and a number cut off tells nothing.
                continue;
            }
            if header.is_narrow() {
                votes.see(self.cells.find(record, header.columns.value));
                votes.see(self.cells.find(record, header.columns.speedup));
            } else if self.cells.len() >= header.width {
                header.metrics.iter().for_each(|column| votes.see(self.cells.get(record, column.place)));
            }
        }
        let (decimal, is_sure) = votes.decide();
        if !is_sure {
            let diagnostics = &mut self.launches.trace.diagnostics;
            diagnostics.note_many(WarningKind::AmbiguousNumbers, votes.ambiguous, offset);
        }
        decimal
    }

    fn finish(mut self) -> Result<eaves_model::Trace, Refused> {
        if self.left_out > 0 {
            self.launches.trace.diagnostics.note_many(WarningKind::LeftOut, self.left_out, None);
        }
        let (noise, had_header) = (self.noise, self.tables > 0);
        self.launches.finish("Nsight Compute").ok_or_else(|| noise.refuse(had_header))
    }
}

/// True if a row of a table may begin here.
fn begins_row(text: &[u8], is_quoted: bool) -> bool {
    match text.first() {
        Some(b'"') => true,
        Some(byte) => !is_quoted && (byte.is_ascii_digit() || *byte == b','),
        None => false,
    }
}

#[cfg(test)]
mod tests;
