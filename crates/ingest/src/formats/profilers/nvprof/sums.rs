//! Rows of sums: metrics and events of kernels, and summaries of times.

use std::collections::HashMap;

use eaves_model::{Diagnostics, Measurement, WarningKind};
use serde_json::{Map, Value};

use super::super::shared::cells::{self, Cells};
use super::super::{Document, sums};
use super::activities::device_of;
use super::table::Table;
use super::value::{nanoseconds, value};

/// Sums so far.
#[derive(Default)]
pub(super) struct Sums {
    records: Vec<Measurement>,
    /// What is written down of each record that has no place in it.
    written: Vec<Map<String, Value>>,
    /// Records of kernels by device and name as written.
    places: HashMap<Vec<u8>, usize>,
    device: Option<String>,
    pub(super) diagnostics: Diagnostics,
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(&cells::text(cell)).into_owned()
}

/// A number of calls, if it is one.
fn calls(cell: &[u8]) -> Option<u64> {
    std::str::from_utf8(cell).ok()?.trim().parse().ok().filter(|&calls| calls > 0)
}

impl Sums {
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// A metric or event of a kernel: its average over the launches is that of one call.
    pub(super) fn metric(&mut self, table: &Table, line: &[u8], cells: &Cells, offset: Option<u64>) {
        let cell = |name| table.cell(line, cells, name).0;
        let (device, kernel) = (cell("Device"), cell("Kernel"));
        let name =
            if table.column("Metric Name").is_some() { cell("Metric Name") } else { cell("Event Name") };
        let Some(calls) = calls(cell("Invocations")).filter(|_| !name.is_empty()) else {
            self.diagnostics.note(WarningKind::BadRecord, offset);
            return;
        };
        let (device_name, _) = device_of(device);
        self.device.get_or_insert_with(|| device_name.to_owned());
        let key = [device, b"\0", kernel].concat();
        let records = &mut self.records;
        let written = &mut self.written;
        let place = *self.places.entry(key).or_insert_with(|| {
            records.push(Measurement { name: text(kernel), calls, ..Measurement::default() });
            let mut map = Map::new();
            for (name, cell) in [("Device", device), ("Kernel", kernel), ("Invocations", cell("Invocations"))]
            {
                map.insert(name.to_owned(), text(cell).into());
            }
            written.push(map);
            records.len() - 1
        });
        let (Some(record), Some(written)) = (records.get_mut(place), written.get_mut(place)) else { return };
        let average = cell("Avg");
        match value(average) {
            Some(value) if record.counters.iter().all(|(its, _)| its.as_bytes() != name) => {
                record.counters.push((text(name), value));
            }
            // Texts such as `<OVERFLOW>` are no value; twice the same is none either.
            _ => self.diagnostics.note(WarningKind::BadValue, offset),
        }
        let own =
            |name: &str| !matches!(name, "Device" | "Kernel" | "Invocations" | "Metric Name" | "Event Name");
        let columns = table.all(line, cells).filter(|(name, _)| own(name));
        let columns: Map<String, Value> =
            columns.map(|(name, cell)| (name.to_owned(), text(cell).into())).collect();
        written.insert(text(name), Value::Object(columns));
    }

    /// The time of all calls of a kernel or function.
    pub(super) fn summary(
        &mut self,
        table: &Table,
        line: &[u8],
        cells: &Cells,
        offset: Option<u64>,
        subject: &str,
    ) {
        let cell = |name| table.cell(line, cells, name);
        let (time, unit) = cell("Time");
        let (Some(calls), Some(time)) =
            (calls(cell("Calls").0), nanoseconds(time, unit).filter(|time| *time >= 0))
        else {
            self.diagnostics.note(WarningKind::BadRecord, offset);
            return;
        };
        let kind = text(cell("Type").0);
        let type_name = if kind.is_empty() { subject.to_owned() } else { kind };
        let name = text(cell("Name").0);
        self.records.push(Measurement {
            name,
            type_name,
            calls,
            time: Some(time as f64),
            ..Measurement::default()
        });
        let written = table.all(line, cells).map(|(name, cell)| (name.to_owned(), Value::from(text(cell))));
        self.written.push(written.collect());
    }

    /// The document.
    pub(super) fn finish(mut self, format: &'static str, bytes: u64) -> Document {
        for (record, written) in self.records.iter_mut().zip(self.written) {
            record.record = Value::Object(written).to_string();
        }
        sums(format, self.device, self.records, self.diagnostics, bytes)
    }
}
