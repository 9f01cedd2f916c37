//! Tables of sums: how often, how long in all.

use eaves_model::{Diagnostics, Measurement, MeasurementKind, WarningKind};
use serde_json::{Map, Value};

use super::super::super::{Input, Refused, sums};
use super::cells::{self, Cells};
use super::columns::{Columns, plain};
use super::lines::{self, Lines};
use super::{names, table};
use crate::formats::Document;

/// True for `Name,Calls,TotalDurationNs,...` and rocprof-compute's `Kernel_Name,Count,Sum(ns),...`.
pub(in super::super::super) fn is_it(columns: &Columns) -> bool {
    let has = |name| columns.has_name(name);
    (has("name") && has("calls") && has("totaldurationns"))
        || (has("kernelname") && has("count") && has("sum(ns)"))
}

/// Reads a table of sums. The name of the file says what they are of.
pub(in super::super::super) fn read(input: Input<'_>, format: &'static str) -> Result<Document, Refused> {
    let mut diagnostics = Diagnostics::default();
    let mut lines = Lines::new(input.rest);
    let mut header: Option<(Columns, Vec<String>)> = None;
    let mut cells = Cells::default();
    let mut records = Vec::new();
    let kind = kind_of(input.path);
    while let Some(line) = lines.next(&mut diagnostics) {
        if lines::is_banner(line.bytes) {
            continue;
        }
        let Some((columns, names)) = &header else {
            let columns = Columns::read(line.bytes);
            cells.split_quoted(line.bytes);
            let names = (0..cells.len()).map(|at| text(cells.get(line.bytes, at))).collect();
            header = Some((columns, names));
            continue;
        };
        // The name is the first column, and the only one that may hold commas.
        if !cells.split(line.bytes, columns.count, Some(0)) {
            let oddity = if line.is_ended { WarningKind::BadRecord } else { WarningKind::Truncated };
            diagnostics.note(oddity, Some(line.offset));
            continue;
        }
        let cell = |wanted: &[&str]| {
            let at = columns.names.iter().position(|name| wanted.contains(&name.as_str()))?;
            Some(cells.get(line.bytes, at))
        };
        let calls = cell(&["calls", "count"]).and_then(cells::count).filter(|&calls| calls > 0);
        let time = cell(&["totaldurationns", "sum(ns)"]).and_then(cells::float).filter(|&time| time >= 0.0);
        let (Some(calls), Some(name)) = (calls, cell(&["name", "kernelname"])) else {
            diagnostics.note(WarningKind::BadRecord, Some(line.offset));
            continue;
        };
        let record: Map<String, Value> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), value(cells.get(line.bytes, at))))
            .collect();
        records.push(Measurement {
            kind: MeasurementKind::Compute,
            name: text(names::kernel(name)),
            type_name: kind.to_owned(),
            time,
            calls,
            record: Value::Object(record).to_string(),
            ..Measurement::default()
        });
    }
    if records.is_empty() {
        return Err(table::refused(0, "a summary table without a readable row"));
    }
    Ok(sums(format, None, records, diagnostics, lines.bytes()))
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}

fn value(cell: &[u8]) -> Value {
    match (cells::integer(cell), cells::float(cell)) {
        (Some(number), _) => Value::from(number),
        (None, Some(number)) => Value::from(number),
        (None, None) => Value::from(text(cell)),
    }
}

/// What the sums are of, by the name of the file: `results.hip_stats.csv`, `123_kernel_stats.csv`.
fn kind_of(path: &str) -> &'static str {
    let name = plain(path.rsplit(['/', '\\', '!']).next().unwrap_or(path).as_bytes());
    const KINDS: [(&str, &str); 10] = [
        ("hipstats", "hip call"),
        ("hipapistats", "hip call"),
        ("hsastats", "hsa call"),
        ("hsaapistats", "hsa call"),
        ("copystats", "copy"),
        ("memorycopystats", "copy"),
        ("markerapistats", "range"),
        ("domainstats", "domain"),
        ("rcclapistats", "rccl call"),
        ("allocationstats", "allocation"),
    ];
    KINDS.iter().find(|(part, _)| name.contains(part)).map_or("kernel", |(_, kind)| kind)
}
