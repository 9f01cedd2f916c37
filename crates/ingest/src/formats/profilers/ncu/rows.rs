//! Rows of a table, and what they say: launches, metrics, remarks.

use eaves_model::{Extent, MaybeF64, MaybeI64, MaybeU32, Remark, SliceId, StringId, WarningKind};

use super::super::shared::cells;
use super::csv::Table;
use super::facts::{Meaning, meaning};
use super::header::{Columns, Header};
use super::kept_metrics::{self, is_used};
use super::labels;
use super::launches::{Identity, Launch};
use super::number::{Cell, Decimal, read as read_number};
use super::unit::unit;

/// What is known of the metric of a row of the narrow form.
#[derive(Clone, Copy)]
pub(super) struct Known {
    metric: StringId,
    meaning: Meaning,
    factor: f64,
}

impl Table {
    /// Reads a row of a table.
    pub(super) fn row(&mut self, record: &[u8], offset: Option<u64>, is_last: bool) {
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
            self.note(WarningKind::Truncated, offset);
        } else if is_short || is_long || self.cells.is_open {
            self.note(WarningKind::BadRecord, offset);
        } else if header.is_narrow() {
            self.narrow(record, offset, &header);
        } else if self.cells.get(record, columns.id).is_empty() {
            header.units(record, &self.cells);
        } else {
            self.wide(record, offset, &header);
        }
        self.header = Some(header);
    }

    pub(super) fn wide(&mut self, record: &[u8], offset: Option<u64>, header: &Header) {
        let Some((launch, device)) = self.launch(record, offset, header) else { return };
        let is_new_device = !self.launches.knows(device);
        if is_new_device {
            self.capability(record, device, header);
        }
        let place = self.launches.add(launch);
        self.launches.trace.events += 1;
        if !self.is_large && self.bytes > kept_metrics::SMALL {
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
            let detail = format!("`{metric}` has two values for one launch; the first counts");
            self.launches.trace.diagnostics.note_detail(WarningKind::BadValue, offset, detail);
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
                let (launch, device) = self.launch(record, offset, header)?;
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

    /// The launch that a row describes, and its device; nothing, and a note, if it has no number.
    fn launch(&mut self, record: &[u8], offset: Option<u64>, header: &Header) -> Option<(Launch, MaybeU32)> {
        let columns = &header.columns;
        let Some(id) = self.number_cell(record, Some(columns.id)).filter(|id| *id >= 0) else {
            self.note(WarningKind::BadRecord, offset);
            return None;
        };
        let (identity, is_text) = self.identity(record, columns, 0);
        if !is_text {
            self.note(WarningKind::InvalidText, offset);
        }
        let host = self.cells.find(record, columns.host);
        // The address of the machine itself says nothing about it.
        if self.launches.len() == 0 && !matches!(host, b"" | b"127.0.0.1" | b"localhost") {
            self.launches.trace.metadata.host_name = Some(String::from_utf8_lossy(host).into_owned());
        }
        let device = identity.device;
        let identity = self.launches.identity(identity);
        Some((self.numbered(id, identity, offset), device))
    }

    /// A launch by the number it has in its table.
    #[inline]
    pub(super) fn numbered(&mut self, id: i64, identity: u32, offset: Option<u64>) -> Launch {
        let (id, table) = (id.saturating_add(self.base), self.tables.saturating_sub(1));
        self.highest = self.highest.max(id);
        let position = offset.and_then(|offset| i64::try_from(offset).ok()).unwrap_or(-1);
        Launch { id, position, identity, table }
    }

    /// What a launch is, by its cells, of which this many columns were skipped in front, and whether its name is text.
    pub(super) fn identity(&mut self, record: &[u8], columns: &Columns, left_out: usize) -> (Identity, bool) {
        let place = |column: Option<usize>| column.and_then(|column| column.checked_sub(left_out));
        let number = |column| self.number_cell(record, place(column));
        let small = |column| MaybeU32::from(number(column).and_then(|number| u32::try_from(number).ok()));
        let (device, context) = (small(columns.device), small(columns.context));
        let stream = MaybeI64::from(number(columns.stream));
        let extent = |column| extent(self.cells.find(record, place(column)));
        let (grid, block) = (extent(columns.grid), extent(columns.block));
        let name = cells::text(self.cells.find(record, place(columns.kernel)));
        let (name, is_text) = self.launches.trace.strings.intern_bytes(&name);
        (Identity { name, device, context, stream, grid, block, ranges: Box::default() }, is_text)
    }

    pub(super) fn number_cell(&self, record: &[u8], column: Option<usize>) -> Option<i64> {
        let cell = self.cells.find(record, column);
        match digits(cell) {
            Some(number) => Some(i64::from(number)),
            None => std::str::from_utf8(cell).ok()?.trim().parse().ok(),
        }
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

    /// Skips what large files are not kept whole of. Streams tell their size by its end alone.
    pub(super) fn shrink(&mut self) {
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
}

/// A number of up to nine digits and nothing else, which most are.
#[inline]
pub(super) fn digits(cell: &[u8]) -> Option<u32> {
    if !matches!(cell.len(), 1..=9) || !cell.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(cell.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

/// Extents as `(256, 1, 1)`.
fn extent(cell: &[u8]) -> Extent {
    let mut parts = cell.split(|byte| *byte == b',');
    let axes = [(); 3].map(|()| {
        let part = parts.next()?.trim_ascii();
        let part = part.strip_prefix(b"(").unwrap_or(part);
        let part = part.strip_suffix(b")").unwrap_or(part);
        digits(part).or_else(|| std::str::from_utf8(part).ok()?.parse().ok())
    });
    Extent::of_axes(axes)
}
