//! Benchmark results in five forms: rows with rates (`latency_ms`, `tflops`, `memory_bw_gb_s`), points (`ai`, `tflops`,
//! `time_us`), shapes with times alone, times by precision below the name of a shape (`gemv_4096x4096`), and the documents
//! of `eaves bench`.

use eaves_model::{Measurement, MeasurementKind, WarningKind};
use serde_json::{Map, Value};

use super::fields::{Fields, UNITS, extents};
use super::objects::Objects;
use super::{Draft, documents};

/// Adds the results to a draft.
pub(super) fn read(objects: &Objects, draft: &mut Draft) {
    let mut devices: Vec<String> = Vec::new();
    for (offset, object) in &objects.list {
        let mut fields = Fields { object, offset: *offset, diagnostics: &mut draft.diagnostics };
        devices.extend(fields.text(&["device", "gpu"]));
        draft.records.push(row(&mut fields));
    }
    devices.dedup();
    let header = &objects.header;
    let named = ["device", "gpu", "hardware"].iter().find_map(|key| header.get(*key)?.as_str());
    draft.device = named.map(str::to_owned).or_else(|| devices.pop().filter(|_| devices.is_empty()));
    by_shape(header, draft);
    documents::read(header, draft);
}

fn row(fields: &mut Fields<'_>) -> Measurement {
    let time = fields.time(&["latency", "time"]);
    let shape = fields.shape(&["shape"]);
    let operator = fields.text(&["op", "label", "name"]);
    let type_name = fields.text(&["op"]).or_else(|| product(&shape).map(str::to_owned)).unwrap_or_default();
    // A rate with its time is an amount; scales are those of nanoseconds.
    let amount = |rate: Option<f64>, scale: f64| rate.zip(time).map(|(rate, time)| rate * scale * time);
    let tflops = fields.number(&["tflops"]);
    let flops = fields.number(&["flops"]).or_else(|| amount(tflops, 1e3));
    let bandwidth = fields.number(&["memory_bw_gb_s", "bandwidth_gb_s"]);
    let intensity = fields.number(&["ai"]).filter(|intensity| *intensity > 0.0);
    let by_intensity = flops.zip(intensity).map(|(flops, intensity)| flops / intensity);
    Measurement {
        kind: MeasurementKind::Compute,
        name: name(operator.as_deref().unwrap_or(&type_name), &shape),
        type_name,
        dtype: fields.text(&["dtype", "precision"]).unwrap_or_default(),
        flops,
        macs: None,
        bytes: fields.number(&["bytes"]).or_else(|| amount(bandwidth, 1.0)).or(by_intensity),
        measured_bytes: None,
        time,
        calls: fields.calls(),
        link: None,
        protocol: None,
        counters: Vec::new(),
        record: fields.record(),
        shape,
    }
}

/// `matmul[64x64x64]`.
fn name(operator: &str, shape: &[u64]) -> String {
    if shape.is_empty() {
        return operator.to_owned();
    }
    let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("{operator}[{}]", shape.join("x"))
}

/// What the shape alone says: `NxK` is a matrix times a vector, `MxNxK` times a matrix.
fn product(shape: &[u64]) -> Option<&'static str> {
    match shape.len() {
        2 => Some("gemv"),
        3 => Some("gemm"),
        _ => None,
    }
}

/// The operator and shape that a key names: `gemv_4096x4096`.
pub(super) fn named_shape(key: &str) -> Option<(&str, Vec<u64>)> {
    let (operator, shape) = key.split_once('_')?;
    let count = match operator {
        "gemv" => 2,
        "gemm" => 3,
        _ => return None,
    };
    extents(shape).filter(|shape| shape.len() == count).map(|shape| (operator, shape))
}

/// Times by precision below the name of a shape; `unit` says in which unit.
fn by_shape(header: &Map<String, Value>, draft: &mut Draft) {
    let unit = header.get("unit").and_then(Value::as_str);
    let scale = unit.and_then(|unit| UNITS.iter().find(|(end, _)| end[1..] == *unit)).map(|(_, scale)| scale);
    for (key, value) in header {
        let (Some((operator, shape)), Some(times)) = (named_shape(key), value.as_object()) else { continue };
        let mut fields = Fields { object: times, offset: 0, diagnostics: &mut draft.diagnostics };
        for precision in times.keys() {
            let time = fields.number(&[precision]).zip(scale).map(|(time, scale)| time * scale);
            let record = serde_json::json!({key: {precision: &times[precision]}, "unit": unit});
            draft.records.push(Measurement {
                name: name(operator, &shape),
                type_name: operator.to_owned(),
                dtype: precision.clone(),
                shape: shape.clone(),
                time,
                calls: 1,
                record: record.to_string(),
                ..Measurement::default()
            });
        }
        if scale.is_none() {
            let detail = "`unit` is not ns, us, ms or s, so times are unknown".to_owned();
            draft.diagnostics.note_detail(WarningKind::BadValue, None, detail);
        }
    }
}
