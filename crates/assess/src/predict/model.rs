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
            Phase::Prefill => "Prediction of the prompt (prefill)",
            Phase::Decode => "Prediction of one more token (decode)",
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
        None => Value::Missing("the size of the device's memory is unknown"),
    };
    vec![
        new("model", model.name.as_str().into(), Unit::None, "The model that is predicted."),
        new("device", device.name.as_str().into(), Unit::None, "The device that is predicted."),
        new("phase", pass.phase.id().into(), Unit::None, "Prefill is the prompt, decode one more token."),
        new(
            "time_ns",
            nanoseconds(found.time),
            Unit::Nanoseconds,
            "The sum of the best times of all operators, one after the other.",
        ),
        new(
            "tokens_per_second",
            Value::known(found.tokens_per_second, super::NO_PEAK),
            Unit::None,
            "New tokens of all sequences of the batch per second.",
        ),
        new(
            "parameters",
            count(model.parameters() as f64),
            Unit::Count,
            "Weights of the model; a tied output projection counts once.",
        ),
        new(
            "flops",
            Value::known(Some(total(|row| row.step.work.flops)), ""),
            Unit::Flop,
            "Of all operators of one device.",
        ),
        new(
            "bytes",
            Value::known(Some(total(|row| row.step.work.bytes())), ""),
            Unit::Bytes,
            "Moved by all operators of one device.",
        ),
        new(
            "weights_bytes",
            Value::known(Some(found.memory.weights), ""),
            Unit::Bytes,
            "Weights held by one device.",
        ),
        new(
            "cache_bytes",
            Value::known(Some(found.memory.cache), ""),
            Unit::Bytes,
            "Keys and values of all sequences held by one device.",
        ),
        new(
            "activations_bytes",
            Value::known(Some(found.memory.activations), ""),
            Unit::Bytes,
            "Inputs and outputs of the operator that has most of them.",
        ),
        new("fits", fits, Unit::None, "Whether weights, cache and activations fit in the device's memory."),
        new(
            "streamed_bytes",
            Value::known(Some(found.streamed), ""),
            Unit::Bytes,
            "Weights that one device reads in the pass.",
        ),
        new(
            "cache_crossover_tokens",
            if found.crossover.is_finite() {
                count(found.crossover)
            } else {
                Value::Missing("layers that see the last tokens alone never keep as much")
            },
            Unit::Count,
            "Context at which the cache of the batch has as many bytes as the weights that are read.",
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
                "There is no time: {} has no peak or link for {}.",
                device.name,
                missing.join(", ")
            ),
            gain: None,
            evidence: "predictions: rows without a time".to_owned(),
            next: "choose another precision, or give a peaks file that has the number".to_owned(),
        });
    }
    if found.memory.fits() == Some(false) {
        let gigabytes = |bytes: f64| bytes / 1e9;
        findings.push(Finding {
            id: "does_not_fit",
            severity: Severity::Critical,
            claim: format!(
                "It needs {:.1} GB on each device, which has {:.1} GB.",
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
