//! Rows of sums.

use eaves_model::Measurement;
use serde_json::{Map, Value};

use super::header::{Header, Table};

/// One row; nothing if it has no name or no count.
pub(super) fn read(header: &Header, fields: &[&str]) -> Option<Measurement> {
    let counted = ["Instances", "Num Calls", "Count"];
    let calls = counted.iter().find_map(|name| header.number(fields, name))?;
    let calls = u64::try_from(calls).ok().filter(|calls| *calls > 0)?;
    let name = ["Name", "Operation", "Range"].iter().find_map(|name| header.text(fields, name))?;
    let (time, bytes) = match header.table {
        Table::Sizes => (None, Some(header.bytes(fields, "Total")? as f64 / calls as f64)),
        _ => (Some(header.time(fields, "Total Time")? as f64), None),
    };
    if time.or(bytes).is_none_or(|amount| amount < 0.0) {
        return None;
    }
    let record: Map<String, Value> =
        header.written.iter().zip(fields).map(|(name, field)| (name.clone(), Value::from(*field))).collect();
    Some(Measurement {
        name: name.to_owned(),
        type_name: type_of(header).to_owned(),
        time,
        bytes,
        calls,
        record: Value::Object(record).to_string(),
        ..Measurement::default()
    })
}

/// What the rows of a table are about. Kernels have instances, calls of a library are counted as calls.
fn type_of(header: &Header) -> &'static str {
    if header.place("Operation").is_some() {
        "memory operation"
    } else if header.place("Num Calls").is_some() {
        "api call"
    } else if header.place("Range").is_some() || header.place("Style").is_some() {
        "nvtx range"
    } else {
        "kernel"
    }
}
