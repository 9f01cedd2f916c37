//! A kernel table: `name, flops, dram_bytes, time_ms, dtype_key` and whatever else.

use eaves_model::{Measurement, MeasurementKind, WarningKind};
use serde_json::{Map, Value};

use super::Draft;
use super::columns::{BYTES, Columns, DEVICE, DTYPE, MEASURED_BYTES, NAME, TIME, TYPE};
use super::fields::Fields;
use crate::refusal::Unreadable;

const HINT: &str = "a kernel table starts with a header such as `name,flops,dram_bytes,time_ms,dtype_key`";

/// True for text whose first line has several columns.
pub(super) fn is_table(first: &str) -> bool {
    let line = first.lines().next().unwrap_or_default();
    !line.contains('\0') && !line.starts_with('<') && delimiter(line).is_some()
}

/// True for text whose first line has columns of a kernel table.
pub(super) fn is_known(first: &str) -> bool {
    let line = first.lines().next().unwrap_or_default();
    let mut reader = reader_of(line);
    reader.headers().is_ok_and(|header| Columns::new(header.iter().map(str::to_owned).collect()).are_enough())
}

/// What stands between columns, by the first line.
fn delimiter(line: &str) -> Option<u8> {
    let count = |sign: u8| memchr::memchr_iter(sign, line.as_bytes()).count();
    let best = [b',', b';', b'\t'].into_iter().max_by_key(|sign| (count(*sign), *sign == b','))?;
    (count(best) > 0).then_some(best)
}

fn reader_of(text: &str) -> csv::Reader<&[u8]> {
    let delimiter = delimiter(text.lines().next().unwrap_or_default()).unwrap_or(b',');
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes())
}

/// Adds the rows to a draft.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), Unreadable> {
    let mut reader = reader_of(text);
    let columns = match reader.headers() {
        Ok(header) => Columns::new(header.iter().map(str::to_owned).collect()),
        Err(error) => return Err(Unreadable { line: 1, what: error.to_string(), hint: HINT }),
    };
    check(&columns)?;
    let oddities = columns.oddities();
    if !oddities.is_empty() {
        draft.diagnostics.note_detail(WarningKind::OddColumn, Some(0), oddities.join("; "));
        draft.diagnostics.note_many(WarningKind::OddColumn, oddities.len() as u64 - 1, Some(0));
    }
    let header = &columns.names;
    let mut devices: Vec<String> = Vec::new();
    let mut row = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let offset = error.position().map(csv::Position::byte);
                draft.diagnostics.note_detail(WarningKind::BadRecord, offset, error.to_string());
                // What is decoded already can fail in one way only, which the next row has not.
                continue;
            }
        }
        let place = row.position().cloned().unwrap_or_else(csv::Position::new);
        if row.len() != header.len() {
            let detail =
                format!("line {}: {} fields where the header has {}", place.line(), row.len(), header.len());
            draft.diagnostics.note_detail(WarningKind::BadRecord, Some(place.byte()), detail);
            continue;
        }
        let object = object(header, &row);
        let mut fields =
            Fields { object: &object, offset: place.byte(), diagnostics: &mut draft.diagnostics };
        devices.extend(fields.text(&DEVICE));
        draft.records.push(match &columns.metrics {
            Some(metrics) => metrics.kernel(&mut fields),
            None => kernel(&mut fields),
        });
    }
    devices.dedup();
    draft.device = devices.pop().filter(|_| devices.is_empty());
    Ok(())
}

fn check(columns: &Columns) -> Result<(), Unreadable> {
    if columns.are_enough() {
        return Ok(());
    }
    let shown: Vec<&str> = columns.names.iter().take(6).map(String::as_str).collect();
    let mut what =
        format!("a table without `flops`, `dram_bytes` or `time_ms` (it has `{}`)", shown.join("`, `"));
    // Every column of another table is unknown; only those that look like one of ours say something.
    for oddity in columns.oddities().iter().filter(|oddity| oddity.ends_with('?')) {
        what.push_str("; ");
        what.push_str(oddity);
    }
    Err(Unreadable { line: 1, what, hint: HINT })
}

/// The fields of a row that are not empty.
fn object(header: &[String], row: &csv::StringRecord) -> Map<String, Value> {
    let cells = header.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
    cells.map(|(column, cell)| (column.clone(), Value::from(cell))).collect()
}

fn kernel(fields: &mut Fields<'_>) -> Measurement {
    Measurement {
        kind: MeasurementKind::Compute,
        name: fields.text(&NAME).unwrap_or_default(),
        type_name: fields.text(&TYPE).unwrap_or_default(),
        dtype: fields.text(&DTYPE).unwrap_or_default(),
        shape: Vec::new(),
        flops: fields.number(&["flops"]),
        macs: fields.number(&["macs"]),
        bytes: fields.number(&BYTES),
        measured_bytes: fields.number(&MEASURED_BYTES),
        time: fields.time(&[TIME]),
        calls: fields.calls(),
        link: None,
        protocol: None,
        counters: Vec::new(),
        record: fields.record(),
    }
}
