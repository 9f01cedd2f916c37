//! A table of kernels: `name, flops, dram_bytes, time_ms, dtype_key` and whatever else.

use eaves_model::{Measurement, MeasurementKind, Oddity};
use serde_json::{Map, Value};

use super::fields::{Fields, UNITS};
use super::{Draft, Unreadable};

const NAME: [&str; 4] = ["name", "kernel", "kernel_name", "label"];
const BYTES: [&str; 2] = ["dram_bytes", "bytes"];
const MEASURED_BYTES: [&str; 2] = ["measured_bytes", "hw_bytes"];
const TYPE: [&str; 4] = ["dtype_key", "dtype", "data_type", "precision"];
const HINT: &str = "a table of kernels begins with a line like `name,flops,dram_bytes,time_ms,dtype_key`";

/// True for text whose first line has several columns.
pub(super) fn is_table(first: &str) -> bool {
    let line = first.lines().next().unwrap_or_default();
    !line.contains('\0') && !line.starts_with('<') && delimiter(line).is_some()
}

/// What stands between columns, by the first line.
fn delimiter(line: &str) -> Option<u8> {
    let count = |sign: u8| memchr::memchr_iter(sign, line.as_bytes()).count();
    let best = [b',', b';', b'\t'].into_iter().max_by_key(|sign| (count(*sign), *sign == b','))?;
    (count(best) > 0).then_some(best)
}

/// Adds the rows to a draft.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), Unreadable> {
    let delimiter = delimiter(text.lines().next().unwrap_or_default()).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(str::to_owned).collect(),
        Err(error) => return Err(Unreadable { line: 1, what: error.to_string(), hint: HINT }),
    };
    check_header(&header)?;
    let mut devices: Vec<String> = Vec::new();
    let mut row = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let offset = error.position().map(csv::Position::byte);
                draft.diagnostics.note_detail(Oddity::BadRecord, offset, error.to_string());
                // What is decoded already can fail in one way only, which the next row has not.
                continue;
            }
        }
        let place = row.position().cloned().unwrap_or_else(csv::Position::new);
        if row.len() != header.len() {
            let detail =
                format!("line {}: {} fields where the header has {}", place.line(), row.len(), header.len());
            draft.diagnostics.note_detail(Oddity::BadRecord, Some(place.byte()), detail);
            continue;
        }
        let object = object(&header, &row);
        let mut fields =
            Fields { object: &object, offset: place.byte(), diagnostics: &mut draft.diagnostics };
        devices.extend(fields.text(&["device", "gpu"]));
        draft.records.push(kernel(&mut fields));
    }
    devices.dedup();
    draft.device = devices.pop().filter(|_| devices.is_empty());
    Ok(())
}

fn check_header(header: &[String]) -> Result<(), Unreadable> {
    let has = |names: &[&str]| names.iter().any(|name| header.iter().any(|column| column == name));
    let has_time = UNITS.iter().any(|(unit, _)| has(&[&format!("time{unit}")]));
    if has(&["flops", "macs"]) || has(&BYTES) || (has_time && has(&NAME)) {
        return Ok(());
    }
    if header.iter().any(|column| column.contains("dram__") || column.contains("Metric Name")) {
        return Err(Unreadable {
            line: 1,
            what: "a table of Nsight Compute's metrics, which is not read yet".to_owned(),
            hint: HINT,
        });
    }
    let shown: Vec<&str> = header.iter().take(6).map(String::as_str).collect();
    let what =
        format!("a table without `flops`, `dram_bytes` or `time_ms` (it has `{}`)", shown.join("`, `"));
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
        type_name: fields.text(&["type", "op"]).unwrap_or_default(),
        dtype: fields.text(&TYPE).unwrap_or_default(),
        shape: Vec::new(),
        flops: fields.number(&["flops"]),
        macs: fields.number(&["macs"]),
        bytes: fields.number(&BYTES),
        measured_bytes: fields.number(&MEASURED_BYTES),
        time: fields.time(&["time"]),
        calls: fields.calls(),
        link: None,
        protocol: None,
        counters: Vec::new(),
        record: fields.record(),
    }
}
