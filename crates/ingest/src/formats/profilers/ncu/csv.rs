//! The table that `ncu --csv` prints: narrow, with a row for each launch and metric and rows for remarks, or wide, with
//! a row for each launch and a column for each metric.
//!
//! It is read in blocks of whole records. Around the table, and between several, stand messages of the profiler and the
//! output of the program.

use std::collections::HashMap;

use eaves_model::{Extent, MaybeF64, MaybeI64, MaybeU32, Oddity, Remark, SliceId, StringId};

use super::super::cells::{self, Cells};
use super::super::unicode::{self, Text};
use super::super::{Document, Input, Refused, whole};
use super::header::{Header, is_header};
use super::keep::{self, is_used};
use super::labels;
use super::launches::{Launch, Launches, Meaning, meaning};
use super::noise::{Noise, is_message};
use super::number::{Cell, Decimal, Votes, read as read_number};
use super::unit::unit;

/// Name of the format.
pub(super) const FORMAT: &str = "ncu-csv";

/// True for the beginning of a table, or of messages of the profiler that may have one behind them.
pub(super) fn is_it(first: &[u8]) -> bool {
    let first = unicode::beginning(first);
    first.split(|&byte| byte == b'\n').any(|line| is_header(line) || is_message(line))
}

/// Reads a file.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let is_large = input.source.size().is_some_and(|size| size > keep::SMALL);
    let mut text = Text::new(input.first, input.rest);
    let mut table = Table::new(is_large);
    while text.fill() {
        let used = table.take(text.content(), text.offset(), text.ended());
        text.consume(used);
        table.bytes = text.bytes();
    }
    table.take(text.content(), text.offset(), true);
    if let Some(failure) = text.failure() {
        table.launches.trace.diagnostics.note_detail(Oddity::DamagedContainer, Some(text.bytes()), failure);
    }
    let bytes = text.bytes();
    table.finish().map(|trace| whole(trace, bytes, FORMAT))
}

/// What is known of the metric of a row of the narrow form.
#[derive(Clone, Copy)]
struct Known {
    metric: StringId,
    meaning: Meaning,
    factor: f64,
}

/// A table under way.
struct Table {
    launches: Launches,
    noise: Noise,
    header: Option<Header>,
    had_header: bool,
    decimal: Option<Decimal>,
    cells: Cells,
    /// Metrics of the narrow form by section, name and unit as written.
    known: HashMap<Vec<u8>, Known>,
    key: Vec<u8>,
    /// Launches of the narrow form by process and number as written, and the one met last.
    places: HashMap<Vec<u8>, usize>,
    last: (Vec<u8>, usize),
    /// What to add to the numbers of launches, so that those of a later table come after those of the first.
    base: i64,
    highest: i64,
    is_large: bool,
    left_out: u64,
    bytes: u64,
}

impl Table {
    fn new(is_large: bool) -> Self {
        Self {
            launches: Launches::default(),
            noise: Noise::default(),
            header: None,
            had_header: false,
            decimal: None,
            cells: Cells::default(),
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

    fn note(&mut self, kind: Oddity, offset: Option<u64>) {
        self.launches.trace.diagnostics.note(kind, offset);
    }

    /// Reads the whole records of a block; the answer is how much of it they are.
    fn take(&mut self, block: &[u8], offset: Option<u64>, ended: bool) -> usize {
        let mut at = 0;
        while let Some(rest) = block.get(at..).filter(|rest| !rest.is_empty()) {
            let offset = offset.map(|offset| offset + at as u64);
            let in_table = self.header.as_ref().is_some_and(|header| begins_row(rest, header.is_quoted));
            let end = if in_table { cells::record(rest, ended) } else { cells::line(rest, ended) };
            let Some(end) = end else { break };
            let record = rest.get(..end.length).unwrap_or_default();
            if is_header(record) {
                // A line cut at the end of the file has no rows behind it anyway.
                self.begin(record);
                at += end.next;
                if self.decimal.is_none() && !ended {
                    // The block that follows tells how numbers are written.
                    break;
                }
                continue;
            }
            if in_table && self.decimal.is_none() {
                self.decimal = Some(self.infer(rest, offset));
            }
            if in_table {
                let is_last = ended && end.next == rest.len() && end.length == rest.len();
                self.row(record, offset, is_last);
            } else {
                self.noise.see(record, offset);
            }
            at += end.next;
        }
        at
    }

    /// Begins a table.
    fn begin(&mut self, line: &[u8]) {
        let strings = &mut self.launches.trace.strings;
        if let Some(header) = Header::read(line, &mut self.cells, strings) {
            self.base = self.highest.saturating_add(1);
            self.places.clear();
            self.last = (Vec::new(), usize::MAX);
            self.header = Some(header);
            self.had_header = true;
        }
    }

    /// How the numbers of the file are written, by the records of its first block.
    fn infer(&mut self, block: &[u8], offset: Option<u64>) -> Decimal {
        let mut votes = Votes::default();
        let Some(header) = &self.header else { return Decimal::Point };
        let mut rest = block;
        while let Some(end) = cells::record(rest, true).filter(|_| !rest.is_empty()) {
            let record = rest.get(..end.length).unwrap_or_default();
            rest = rest.get(end.next..).unwrap_or_default();
            if !begins_row(record, header.is_quoted) {
                continue;
            }
            self.cells.split(record);
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
            diagnostics.note_many(Oddity::AmbiguousNumbers, votes.ambiguous, offset);
        }
        decimal
    }

    /// Reads a row of a table.
    fn row(&mut self, record: &[u8], offset: Option<u64>, is_last: bool) {
        self.cells.split(record);
        let Some(header) = self.header.take() else { return };
        let mut header = header;
        let columns = &header.columns;
        let needed = if header.is_narrow() { columns.value.unwrap_or(0) + 1 } else { header.width };
        let is_short = self.cells.len() < needed;
        // A wide row with a cell too many is shifted, unless it is the empty one behind a comma at the end.
        let is_long = !header.is_narrow()
            && (self.cells.len() > header.width + 1
                || self.cells.len() > header.width && !self.cells.get(record, header.width).is_empty());
        if is_short && self.cells.len() < 5 && !is_last {
            self.noise.see(record, offset);
        } else if is_last && (is_short || self.cells.is_open) {
            self.note(Oddity::Truncated, offset);
        } else if is_short || is_long || self.cells.is_open {
            self.note(Oddity::BadRecord, offset);
        } else if header.is_narrow() {
            self.narrow(record, offset, &header);
        } else if self.cells.get(record, columns.id).is_empty() {
            header.units(record, &self.cells);
        } else {
            self.wide(record, offset, &header);
        }
        self.header = Some(header);
    }

    fn wide(&mut self, record: &[u8], offset: Option<u64>, header: &Header) {
        let Some(launch) = self.launch(record, offset, header) else { return };
        let device = launch.device;
        let is_new_device = !self.launches.knows(device);
        if is_new_device {
            self.capability(record, device, header);
        }
        let place = self.launches.add(launch);
        self.launches.trace.events += 1;
        if !self.is_large && self.bytes > keep::SMALL {
            self.shrink();
        }
        let decimal = self.decimal.unwrap_or(Decimal::Point);
        for column in &header.metrics {
            let cell = self.cells.get(record, column.place);
            if column.meaning == Meaning::Device {
                if is_new_device {
                    self.attribute(device, column.metric, cell, column.factor);
                }
                continue;
            }
            let is_left_out = self.is_large && !column.is_used;
            if is_left_out && column.meaning == Meaning::Nothing {
                self.left_out += 1;
                continue;
            }
            if let Cell::Number(value) = read_number(cell, decimal) {
                if is_left_out {
                    self.left_out += 1;
                    self.launches.fact(place, column.meaning, value * column.factor);
                } else {
                    self.launches.metric(place, column.metric, column.meaning, value * column.factor);
                }
            }
        }
    }

    fn narrow(&mut self, record: &[u8], offset: Option<u64>, header: &Header) {
        let Some(place) = self.place(record, offset, header) else { return };
        self.launches.trace.events += 1;
        let columns = &header.columns;
        let name = self.cells.find(record, columns.metric);
        if name.is_empty() {
            self.remark(place, record, header);
            return;
        }
        let (section, unit_name) =
            (self.cells.find(record, columns.section), self.cells.find(record, columns.unit));
        self.key.clear();
        for part in [section, b"\0", name, b"\0", unit_name] {
            self.key.extend_from_slice(part);
        }
        let known = match self.known.get(&self.key) {
            Some(known) => *known,
            None => {
                let known = self.know(section, name, unit_name);
                self.known.insert(self.key.clone(), known);
                known
            }
        };
        let decimal = self.decimal.unwrap_or(Decimal::Point);
        let value = self.cells.find(record, columns.value);
        if known.meaning == Meaning::Device {
            let device = self.number_cell(record, columns.device).and_then(|n| u32::try_from(n).ok());
            self.attribute(device.into(), known.metric, value, known.factor);
            return;
        }
        let Cell::Number(value) = read_number(value, decimal) else { return };
        if !self.launches.metric_once(place, known.metric, known.meaning, value * known.factor) {
            let metric = self.launches.trace.strings.get(known.metric).to_owned();
            let detail = format!("`{metric}` of one launch has two values; the first counts");
            self.launches.trace.diagnostics.note_detail(Oddity::BadValue, offset, detail);
        }
    }

    fn know(&mut self, section: &[u8], name: &[u8], unit_name: &[u8]) -> Known {
        let lossy = |bytes| String::from_utf8_lossy(bytes);
        let (section, name, unit_name) = (lossy(section), lossy(name), lossy(unit_name));
        let unit = unit(&unit_name);
        let metric = labels::metric(&section, &name, &unit.base);
        let meaning = meaning(&metric);
        Known { metric: self.launches.trace.strings.intern(&metric), meaning, factor: unit.factor }
    }

    /// The launch that a row of the narrow form is about.
    fn place(&mut self, record: &[u8], offset: Option<u64>, header: &Header) -> Option<usize> {
        let columns = &header.columns;
        self.key.clear();
        for part in [self.cells.find(record, columns.process), b"\0", self.cells.get(record, columns.id)] {
            self.key.extend_from_slice(part);
        }
        if self.last.0 == self.key && self.last.1 != usize::MAX {
            return Some(self.last.1);
        }
        let place = match self.places.get(&self.key) {
            Some(&place) => place,
            None => {
                let launch = self.launch(record, offset, header)?;
                let device = launch.device;
                if !self.launches.knows(device) {
                    self.capability(record, device, header);
                }
                let place = self.launches.add(launch);
                self.places.insert(self.key.clone(), place);
                place
            }
        };
        self.last = (self.key.clone(), place);
        Some(place)
    }

    /// The launch that a row describes; nothing, and a note, if it has no number.
    fn launch(&mut self, record: &[u8], offset: Option<u64>, header: &Header) -> Option<Launch> {
        let columns = &header.columns;
        let Some(id) = self.number_cell(record, Some(columns.id)).filter(|id| *id >= 0) else {
            self.note(Oddity::BadRecord, offset);
            return None;
        };
        let number = |column| self.number_cell(record, column);
        let small = |column| MaybeU32::from(number(column).and_then(|number| u32::try_from(number).ok()));
        let (device, context) = (small(columns.device), small(columns.context));
        let stream = MaybeI64::from(number(columns.stream));
        let (grid, block) =
            (extent(self.cells.find(record, columns.grid)), extent(self.cells.find(record, columns.block)));
        let host = self.cells.find(record, columns.host);
        let name = cells::text(self.cells.find(record, columns.kernel));
        let (name, is_text) = self.launches.trace.strings.intern_bytes(&name);
        if !is_text {
            self.note(Oddity::InvalidText, offset);
        }
        // The address of the machine itself says nothing about it.
        if self.launches.len() == 0 && !matches!(host, b"" | b"127.0.0.1" | b"localhost") {
            self.launches.trace.metadata.host_name = Some(String::from_utf8_lossy(host).into_owned());
        }
        let id = id.saturating_add(self.base);
        self.highest = self.highest.max(id);
        let position = offset.and_then(|offset| i64::try_from(offset).ok()).unwrap_or(-1);
        Some(Launch { id, name, device, context, stream, grid, block, position, ranges: Vec::new() })
    }

    fn number_cell(&self, record: &[u8], column: Option<usize>) -> Option<i64> {
        std::str::from_utf8(self.cells.find(record, column)).ok()?.trim().parse().ok()
    }

    /// The architecture of a device: `9.0` is `sm_90`.
    fn capability(&mut self, record: &[u8], device: MaybeU32, header: &Header) {
        let cell = self.cells.find(record, header.columns.capability);
        let digits: String = String::from_utf8_lossy(cell)
            .split(['.', ','])
            .filter(|part| part.parse::<u8>().is_ok())
            .collect();
        let device = self.launches.device(device);
        if !digits.is_empty() && device.architecture.is_empty() {
            device.architecture = format!("sm_{digits}");
        }
    }

    fn attribute(&mut self, device: MaybeU32, metric: StringId, cell: &[u8], factor: f64) {
        let name = self.launches.trace.strings.get(metric).to_owned();
        match read_number(cell, self.decimal.unwrap_or(Decimal::Point)) {
            Cell::Number(value) => self.launches.device_number(device, &name, value * factor),
            Cell::Text => {
                self.launches.device_text(device, &name, &String::from_utf8_lossy(&cells::text(cell)))
            }
            Cell::Missing => {}
        }
    }

    /// A row of what the profiler remarks.
    fn remark(&mut self, place: usize, record: &[u8], header: &Header) {
        let columns = &header.columns;
        let rule = self.cells.find(record, columns.rule);
        if rule.is_empty() {
            return;
        }
        let decimal = self.decimal.unwrap_or(Decimal::Point);
        let speedup = match read_number(self.cells.find(record, columns.speedup), decimal) {
            Cell::Number(value) => MaybeF64::new(value),
            Cell::Missing | Cell::Text => MaybeF64::NONE,
        };
        let trace = &mut self.launches.trace;
        let mut intern = |cell: &[u8]| match cell {
            b"" => StringId::NONE,
            cell => trace.strings.intern_bytes(&cells::text(cell)).0,
        };
        let remark = Remark {
            slice: SliceId::from(place),
            rule: intern(rule),
            kind: intern(self.cells.find(record, columns.rule_type)),
            text: intern(self.cells.find(record, columns.rule_text)),
            speedup_pct: speedup,
            speedup_of: intern(self.cells.find(record, columns.speedup_of)),
        };
        trace.remarks.push(remark);
    }

    /// Leaves out what large files are not kept whole of. Streams tell their size by its end alone.
    fn shrink(&mut self) {
        self.is_large = true;
        let trace = &mut self.launches.trace;
        let used: Vec<bool> = trace.strings.iter().map(is_used).collect();
        let metrics = trace.range_counters.metric.clone();
        let before = metrics.len();
        trace.range_counters.retain(|row| {
            metrics.get(row).is_some_and(|metric| used.get(metric.index()).copied().unwrap_or(false))
        });
        self.left_out += (before - trace.range_counters.len()) as u64;
    }

    fn finish(mut self) -> Result<eaves_model::Trace, Refused> {
        if self.left_out > 0 {
            self.launches.trace.diagnostics.note_many(Oddity::LeftOut, self.left_out, None);
        }
        let (noise, had_header) = (self.noise, self.had_header);
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

/// Extents as `(256, 1, 1)`.
fn extent(cell: &[u8]) -> Extent {
    let text = String::from_utf8_lossy(cell);
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let mut extents = [0; 3];
    let mut parts = inner.split(',');
    for extent in &mut extents {
        match parts.next().and_then(|part| part.trim().parse().ok()) {
            Some(value) => *extent = value,
            None => return Extent::default(),
        }
    }
    Extent(extents)
}
