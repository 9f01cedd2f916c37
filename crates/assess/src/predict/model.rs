//! A whole model, operator by operator.

use eaves_roofline::Device;
use eaves_roofline::predict::{Estimate, Pass, Phase, Precisions, Row, Transformer, estimate};
use eaves_section::{Column, Finding, Number, Section, Severity, Table, Unit, Value};

use super::{COLUMNS, class, count, nanoseconds};
use crate::unverified;

/// Predicts one pass of a model.
pub fn model(model: &Transformer, pass: &Pass, precisions: &Precisions, device: &Device) -> Section {
    let found = estimate(model, pass, precisions, device);
    let mut columns = COLUMNS.to_vec();
    columns.push(Column::new("share_pct", "Share", Unit::Percent));
    let label = label(precisions);
    let rows = found.rows.iter().map(|one| row(one, &label, found.time)).collect();
    let missing = found.rows.iter().filter(|row| row.time.is_none()).map(|row| row.step.name);
    let missing: Vec<&str> = missing.collect();
    Section {
        id: "predict",
        title: match pass.phase {
            Phase::Prefill => "Prefill prediction",
            Phase::Decode => "Decode prediction",
        },
        numbers: numbers(model, pass, device, &found),
        tables: vec![Table { id: "predictions", title: "Operators", columns, rows }],
        charts: Vec::new(),
        findings: findings(device, &found, &missing),
    }
}

/// `int4 weights, fp16 activations, fp8_e4m3 cache`, or one word where they are all the same.
fn label(precisions: &Precisions) -> String {
    let Precisions { weights, activations, cache, .. } = precisions;
    if weights == activations && activations == cache {
        return weights.to_string();
    }
    format!("w {weights}, a {activations}, kv {cache}")
}

fn row(row: &Row, precision: &str, total: Option<f64>) -> Vec<Value> {
    let (work, found) = (&row.step.work, &row.assessment);
    let moved = if row.step.sent > 0.0 { row.step.sent } else { work.bytes() };
    let share = row.time.zip(total).filter(|(_, total)| *total > 0.0);
    vec![
        row.step.name.into(),
        precision.into(),
        Value::known(Some(work.flops), ""),
        Value::known(Some(moved), ""),
        Value::known(found.intensity, "nothing is computed"),
        nanoseconds(row.time),
        Value::known_text(row.bound_by.as_deref(), super::NO_PEAK),
        Value::Integer(row.step.calls.round() as i64),
        count(work.macs),
        Value::known(found.attainable.map(|rate| rate / 1e9), super::NO_PEAK),
        Value::known(found.knee, super::NO_PEAK),
        class(found),
        Value::known(share.map(|(time, total)| 100.0 * time / total), super::NO_PEAK),
    ]
}

fn numbers(model: &Transformer, pass: &Pass, device: &Device, found: &Estimate) -> Vec<Number> {
    let new = Number::formula;
    let total =
        |value: fn(&Row) -> f64| found.rows.iter().map(|row| row.step.calls * value(row)).sum::<f64>();
    let fits = match found.memory.fits() {
        Some(true) => Value::from("yes"),
        Some(false) => Value::from("no"),
        None => Value::Missing("the device's memory size is unknown"),
    };
    vec![
        new("model", model.name.as_str().into(), Unit::None, "Model."),
        new("device", device.name.as_str().into(), Unit::None, "Device."),
        new(
            "phase",
            pass.phase.id().into(),
            Unit::None,
            "Phase: prefill processes the prompt, decode generates \
            one token.",
        ),
        new(
            "time_ns",
            nanoseconds(found.time),
            Unit::Nanoseconds,
            "Sum of the best times of all operators, run one after another.",
        ),
        new(
            "tokens_per_second",
            Value::known(found.tokens_per_second, super::NO_PEAK),
            Unit::None,
            "New tokens per second, over the whole batch.",
        ),
        new(
            "parameters",
            count(model.parameters() as f64),
            Unit::Count,
            "Parameters of the model; a tied output projection counts once.",
        ),
        new(
            "flops",
            Value::known(Some(total(|row| row.step.work.flops)), ""),
            Unit::Flop,
            "Operations per device.",
        ),
        new(
            "bytes",
            Value::known(Some(total(|row| row.step.work.bytes())), ""),
            Unit::Bytes,
            "Bytes moved per device.",
        ),
        new(
            "weights_bytes",
            Value::known(Some(found.memory.weights), ""),
            Unit::Bytes,
            "Weights per device.",
        ),
        new(
            "cache_bytes",
            Value::known(Some(found.memory.cache), ""),
            Unit::Bytes,
            "KV cache of all sequences, per device.",
        ),
        new(
            "activations_bytes",
            Value::known(Some(found.memory.activations), ""),
            Unit::Bytes,
            "Inputs and outputs of the largest operator.",
        ),
        new("fits", fits, Unit::None, "Whether weights, cache and activations fit in the device's memory."),
        new(
            "streamed_bytes",
            Value::known(Some(found.streamed), ""),
            Unit::Bytes,
            "Weights read per device and pass.",
        ),
        new(
            "cache_crossover_tokens",
            if found.crossover.is_finite() {
                count(found.crossover)
            } else {
                Value::Missing("sliding-window layers never store that much")
            },
            Unit::Count,
            "Context at which the batch's KV cache is as large as the weights read.",
        ),
    ]
}

fn findings(device: &Device, found: &Estimate, missing: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !missing.is_empty() {
        findings.push(Finding {
            id: "unsupported",
            severity: Severity::Critical,
            claim: format!(
                "No time available: {} has no peak or link for {}.",
                device.name,
                missing.join(", ")
            ),
            gain: None,
            evidence: "predictions: rows without a time".to_owned(),
            next: "choose another precision, or pass a peaks file with the number".to_owned(),
        });
    }
    if found.memory.fits() == Some(false) {
        let gigabytes = |bytes: f64| bytes / 1e9;
        findings.push(Finding {
            id: "does_not_fit",
            severity: Severity::Critical,
            claim: format!(
                "The model needs {:.1} GB per device, which has {:.1} GB.",
                gigabytes(found.memory.total()),
                gigabytes(found.memory.capacity.unwrap_or(0.0))
            ),
            gain: None,
            evidence: "weights_bytes, cache_bytes, activations_bytes".to_owned(),
            next: "use more devices, narrower weights or caches, a smaller batch or a shorter context"
                .to_owned(),
        });
    }
    let peaks = found.rows.iter().filter_map(|row| super::peak(&row.step.work, device));
    findings.extend(unverified::note(device, peaks));
    findings
}
