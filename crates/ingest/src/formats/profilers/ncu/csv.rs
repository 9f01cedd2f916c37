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
use crate::json::index::Index;
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
    let mut table = Table::new(size.is_some_and(|size| size > keep::SMALL));
    while text.fill() {
        let used = table.take(text.padded(), text.offset(), text.ended());
        text.consume(used);
        table.bytes = text.bytes();
        table.make_room(size);
    }
    table.take(text.padded(), text.offset(), true);
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
    /// Quotes of the block, for the wide form.
    quotes: Index,
    has_room: bool,
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
            quotes: Index::default(),
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

    fn note(&mut self, kind: Oddity, offset: Option<u64>) {
        self.launches.trace.diagnostics.note(kind, offset);
    }

    /// Reads the whole records of a block; the answer is how much of it they are.
    fn take(&mut self, block: Padded<'_>, offset: Option<u64>, ended: bool) -> usize {
        let mut quotes = std::mem::take(&mut self.quotes);
        let used = self.records(block, offset, ended, &mut quotes);
        self.quotes = quotes;
        used
    }

    fn records(&mut self, block: Padded<'_>, offset: Option<u64>, ended: bool, quotes: &mut Index) -> usize {
        let (mut at, mut quote, mut is_indexed) = (0, 0, false);
        while let Some(rest) = block.content().get(at..).filter(|rest| !rest.is_empty()) {
            let offset = offset.map(|offset| offset + at as u64);
            if self.is_wide() {
                if !is_indexed {
                    quotes.build(block);
                    is_indexed = true;
                }
                while quote < quotes.count() && quotes.get(quote) < at {
                    quote += 1;
                }
                if let Some((next, used)) = self.quick(block, at, quotes, quote, offset) {
                    (at, quote) = (next, quote + used);
                    continue;
                }
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

    /// True if rows may be taken by the places of their quotes.
    fn is_wide(&self) -> bool {
        let is_wide = |header: &Header| !header.is_narrow() && header.is_quoted;
        self.decimal.is_some() && self.header.as_ref().is_some_and(is_wide)
    }

    /// Reads a row of the wide form without looking at cells that are not kept. The answer is where the next one begins
    /// and how many quotes it had; nothing if it is not quite as rows are, and must be split.
    fn quick(
        &mut self,
        block: Padded<'_>,
        at: usize,
        quotes: &Index,
        first: usize,
        offset: Option<u64>,
    ) -> Option<(usize, usize)> {
        let header = self.header.as_ref()?;
        let used = 2 * header.width;
        if first + used > quotes.count() || quotes.get(first) != at {
            return None;
        }
        let last = quotes.get(first + used - 1);
        let next = match block.content().get(last + 1..)? {
            [b'\n', ..] => last + 2,
            [b'\r', b'\n', ..] => last + 3,
            _ => return None,
        };
        let kept = if self.is_large { &header.used } else { &header.of_launch };
        if !self.cells.pick(block, quotes, first, header.width, &kept.columns) {
            return None;
        }
        let record = block.content().get(at..=last)?;
        // Units, and attributes of a device that is met first, are in other columns.
        let device =
            self.number_cell(record, header.columns.device).and_then(|device| u32::try_from(device).ok());
        if self.cells.get(record, header.columns.id).is_empty() || !self.launches.knows(device.into()) {
            return None;
        }
        let header = self.header.take()?;
        self.wide(record, offset, &header);
        self.header = Some(header);
        Some((next, used))
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
        if is_new_device {
            for column in header.metrics.iter().filter(|column| column.meaning == Meaning::Device) {
                self.attribute(device, column.metric, self.cells.get(record, column.place), column.factor);
            }
        }
        let kept = if self.is_large { &header.used } else { &header.of_launch };
        self.left_out += (header.of_launch.metrics.len() - kept.metrics.len()) as u64;
        let decimal = self.decimal.unwrap_or(Decimal::Point);
        for column in kept.metrics.iter().filter_map(|&metric| header.metrics.get(metric)) {
            if let Cell::Number(value) = read_number(self.cells.get(record, column.place), decimal) {
                self.launches.metric(place, column.metric, value * column.factor);
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
        if !self.launches.metric_once(place, known.metric, value * known.factor) {
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
        Some(Launch { id, name, device, context, stream, grid, block, position, ranges: Box::default() })
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
    let mut extents = [0_u32; 3];
    let mut parts = cell.split(|byte| *byte == b',');
    for extent in &mut extents {
        let Some(part) = parts.next() else { return Extent::default() };
        let part = part.trim_ascii().strip_prefix(b"(").unwrap_or(part.trim_ascii());
        let digits = part.strip_suffix(b")").unwrap_or(part);
        match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
            Some(value) => *extent = value,
            None => return Extent::default(),
        }
    }
    Extent(extents)
}

#[cfg(test)]
mod tests {
    use eaves_model::Trace;

    use super::*;
    use crate::json::padded::PADDING;

    const METRICS: [(&str, &str); 5] = [
        ("gpu__time_duration.sum", "us"),
        ("nvlink__bandwidth", ""),
        ("dram__bytes.sum", "Kbyte"),
        ("sm__pipe_tensor_cycles_active.max.pct_of_peak_sustained_active", "%"),
        ("launch__registers_per_thread", "register/thread"),
    ];

    /// Launches whose names have what may be taken for the end of a cell or for brackets.
    const NAMES: [&str; 7] =
        ["plain", "say \"\"hi\"\"", "a[0]{b}", "back\\", "back\\\"\"s", "c, d", "\"\"\"\""];

    fn table() -> String {
        let cells = |cells: &[&str]| cells.iter().map(|cell| format!(",\"{cell}\"")).collect::<String>();
        let mut text =
            "==PROF== Connected \"to\n\"ID\",\"Kernel Name\",\"Device\",\"device__attribute_x\"".to_owned();
        text += &cells(&METRICS.map(|metric| metric.0));
        text += "\n\"\",\"\",\"\",\"\"";
        text += &cells(&METRICS.map(|metric| metric.1));
        text += "\n";
        for id in 0..20 {
            let name = NAMES[id % NAMES.len()];
            text += &format!("\"{id}\",\"{name}\",\"{}\",\"9\"", id % 2);
            text += &cells(&[&format!("{id}.5"), "7", &format!("{id}.25"), "99.5", "32"]);
            text += if id % 3 == 0 { "\r\n" } else { "\n" };
        }
        text + "==PROF== Disconnected\n"
    }

    /// Reads in blocks that grow by so many bytes.
    fn read_by(text: &str, step: usize, mut table: Table) -> Trace {
        let (mut from, mut to) = (0, 0);
        while to < text.len() {
            to = (to + step).min(text.len());
            let mut block = text.as_bytes()[from..to].to_vec();
            let length = block.len();
            block.resize(length + PADDING, 0);
            from += table.take(Padded::new(&block, length), Some(from as u64), to == text.len());
        }
        assert_eq!(from, text.len());
        table.finish().unwrap()
    }

    fn counters(trace: &Trace) -> Vec<(u32, String, Option<f64>)> {
        let counters = &trace.range_counters;
        let row = |row| {
            let counter = counters.row(row);
            (counter.slice.0, trace.strings.get(counter.metric).to_owned(), counter.value.get())
        };
        (0..counters.len()).map(row).collect()
    }

    #[test]
    fn every_row_is_there_whatever_the_names_and_wherever_blocks_end() {
        let text = table();
        let whole = read_by(&text, text.len(), Table::new(false));
        let expected: Vec<_> = (0..20_u32)
            .flat_map(|id| {
                let id_number = f64::from(id);
                let values = [id_number * 1e3 + 500.0, 7.0, id_number * 1e3 + 250.0, 99.5, 32.0];
                METRICS
                    .into_iter()
                    .zip(values)
                    .map(move |((name, _), value)| (id, name.to_owned(), Some(value)))
            })
            .collect();
        assert_eq!(counters(&whole), expected);
        for id in 0..20 {
            let expected = NAMES[id % NAMES.len()].replace("\"\"", "\"");
            assert_eq!(whole.slice_name(whole.gpu.slice[id]), expected);
        }
        for step in [1, 7, 64, 300, 1_000] {
            let trace = read_by(&text, step, Table::new(false));
            assert_eq!(trace.difference(&whole), None, "{step}");
            assert_eq!(trace.diagnostics, whole.diagnostics, "{step}");
        }
    }

    #[test]
    fn a_large_file_keeps_what_is_used_and_says_how_much_is_left_out() {
        let text = table();
        let whole = read_by(&text, text.len(), Table::new(false));
        let expected: Vec<_> = counters(&whole).into_iter().filter(|(_, name, _)| is_used(name)).collect();
        assert_eq!(expected.len(), 60);
        let large = read_by(&text, text.len(), Table::new(true));
        assert_eq!(counters(&large), expected);
        assert_eq!(large.diagnostics.count(Oddity::LeftOut), 40);
        assert_eq!(large.gpu, whole.gpu);
        assert_eq!(large.slices, whole.slices);
        // A stream turns out to be large on the way.
        let mut stream = Table::new(false);
        let half = text.len() / 2;
        let mut block = text.as_bytes()[..half].to_vec();
        block.resize(half + PADDING, 0);
        let mut used = stream.take(Padded::new(&block, half), Some(0), false);
        // The header alone, and then the rows of this half.
        let mut rest = text.as_bytes()[used..half].to_vec();
        let length = rest.len();
        rest.resize(length + PADDING, 0);
        used += stream.take(Padded::new(&rest, length), Some(used as u64), false);
        assert!(stream.launches.len() > 5);
        stream.bytes = keep::SMALL + 1;
        let rest = read_by(&text[used..], text.len(), stream);
        assert_eq!(counters(&rest), expected);
        assert_eq!(rest.diagnostics.count(Oddity::LeftOut), 40);
    }
}
