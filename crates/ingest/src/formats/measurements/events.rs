//! `{"events": [...]}`: compute events with operations and bytes, communication events with bytes and a link. Chrome's
//! `traceEvents` say the same with their amounts in `args`.

use eaves_model::{Measurement, MeasurementKind, WarningKind};
use serde_json::{Map, Value};

use super::Draft;
use super::fields::Fields;
use super::objects::Objects;

/// Types of events that go over a link.
const COMMUNICATION: [&str; 4] = ["comm", "copy", "a2a", "p2p"];

/// Adds the events to a draft.
pub(super) fn read(objects: &Objects, draft: &mut Draft) {
    let header = &objects.header;
    draft.device = ["device", "device_name", "gpu"].iter().find_map(|key| match header.get(*key)? {
        Value::String(name) => Some(name.clone()),
        Value::Object(device) => device.get("name")?.as_str().map(str::to_owned),
        _ => None,
    });
    for (offset, object) in &objects.list {
        let Some(object) = flat(object, *offset, draft) else { continue };
        let mut fields = Fields { object: &object, offset: *offset, diagnostics: &mut draft.diagnostics };
        if let Some(event) = event(&mut fields) {
            draft.records.push(event);
        }
    }
}

/// A Chrome event with its arguments next to its own fields; nothing if it has no amounts to measure by.
fn flat(object: &Map<String, Value>, offset: u64, draft: &mut Draft) -> Option<Map<String, Value>> {
    let Some(phase) = object.get("ph").and_then(Value::as_str) else { return Some(object.clone()) };
    let arguments = object.get("args").and_then(Value::as_object)?;
    if !["flops", "bytes", "dram_bytes", "size"].iter().any(|key| arguments.contains_key(*key)) {
        return None;
    }
    if phase != "X" {
        draft.diagnostics.note(WarningKind::UnknownPhase, Some(offset));
        return None;
    }
    let mut flat = object.clone();
    flat.remove("args");
    // Durations of Chrome events are microseconds.
    if let Some(duration) = flat.remove("dur") {
        flat.insert("dur_us".to_owned(), duration);
    }
    for (key, value) in arguments {
        flat.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Some(flat)
}

fn event(fields: &mut Fields<'_>) -> Option<Measurement> {
    let type_name = fields.text(&["type", "cat"]).unwrap_or_default();
    let link = fields.text(&["link", "bus"]);
    let is_link = COMMUNICATION.iter().any(|name| type_name.eq_ignore_ascii_case(name));
    let has_flops = fields.object.contains_key("flops");
    let is_compute = type_name.eq_ignore_ascii_case("compute") || has_flops;
    let kind = match (is_link || (link.is_some() && !has_flops), is_compute) {
        (true, _) => MeasurementKind::Communication,
        (false, true) => MeasurementKind::Compute,
        // A Chrome event with bytes alone is a copy within the device.
        (false, false) if fields.object.contains_key("ph") => MeasurementKind::Compute,
        _ => {
            let detail = format!("neither compute nor communication: type `{type_name}`");
            fields.diagnostics.note_detail(WarningKind::BadRecord, Some(fields.offset), detail);
            return None;
        }
    };
    let bytes = match kind {
        MeasurementKind::Compute => fields.number(&["dram_bytes", "bytes", "size"]),
        MeasurementKind::Communication => fields.number(&["bytes", "size"]),
    };
    Some(Measurement {
        kind,
        name: fields.text(&["name"]).unwrap_or_default(),
        type_name,
        dtype: fields.text(&["dtype_key", "dtype"]).unwrap_or_default(),
        shape: Vec::new(),
        flops: fields.number(&["flops"]),
        macs: fields.number(&["macs"]),
        bytes,
        measured_bytes: None,
        time: fields.time(&["dur", "time"]),
        calls: fields.calls(),
        protocol: fields.text(&["protocol"]),
        link,
        counters: Vec::new(),
        record: fields.record(),
    })
}
