//! One parameter over a range.

use eaves_section::{Chart, Column, Finding, Section, Table, Unit, Value};

/// The best time at one value of the parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// The value.
    pub value: u64,
    /// The section predicted there.
    pub section: Section,
}

/// The columns that a sweep takes over from each prediction's first table; a model's times are summed.
const COLUMNS: [Column; 6] = [
    Column::new("value", "Value", Unit::Count),
    Column::new("series", "Series", Unit::None),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("intensity", "Intensity", Unit::FlopPerByte),
    Column::new("roof_gflops", "Rate", Unit::GigaflopsPerSecond),
    Column::new("bound_by", "Bound by", Unit::None),
];

/// Puts the predictions of a sweep together: one row for each value and precision.
pub fn sweep(parameter: &str, points: Vec<Swept>) -> Section {
    let mut rows = Vec::new();
    for point in &points {
        match point.section.numbers.iter().find(|number| number.id == "time_ns") {
            Some(total) => rows.push(model_row(point, &total.value)),
            None => rows.extend(kernel_rows(point)),
        }
    }
    let findings = findings(parameter, &points);
    let mut section = points.into_iter().next().map(|point| point.section).unwrap_or_default();
    section.numbers.retain(|number| matches!(number.id, "device" | "model" | "phase"));
    section.findings = findings;
    // What is not supported does not depend on the value.
    section.tables.retain(|table| table.id == "unsupported");
    section.charts = vec![Chart::Sweep { values: "sweep", is_measured: false }];
    section.tables.insert(0, Table { id: "sweep", title: "Sweep", columns: COLUMNS.to_vec(), rows });
    section.numbers.push(eaves_section::Number::formula(
        "parameter",
        parameter.into(),
        Unit::None,
        "Swept parameter (first column).",
    ));
    section
}

/// What is the case at some values, once for each kind of finding, with the first value.
fn findings(parameter: &str, points: &[Swept]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for point in points {
        for finding in &point.section.findings {
            if !found.iter().any(|known| known.id == finding.id) {
                let claim = format!("From {parameter} = {}: {}", point.value, finding.claim);
                found.push(Finding { claim, ..finding.clone() });
            }
        }
    }
    found
}

fn kernel_rows(point: &Swept) -> Vec<Vec<Value>> {
    let Some(table) = point.section.tables.first() else { return Vec::new() };
    let take = |row: &[Value], id: &str| {
        let found = table.columns.iter().position(|column| column.id == id);
        found.and_then(|index| row.get(index)).cloned().unwrap_or(Value::Missing("not predicted"))
    };
    let rows = table.rows.iter().map(|row| {
        vec![
            point.value.into(),
            take(row, "precision"),
            take(row, "time_ns"),
            take(row, "intensity"),
            take(row, "roof_gflops"),
            take(row, "bound_by"),
        ]
    });
    rows.collect()
}

/// A model as a whole: its operators are bound by different things, so nothing is said to bound it.
fn model_row(point: &Swept, total: &Value) -> Vec<Value> {
    let number =
        |id: &str| point.section.numbers.iter().find(|number| number.id == id).map(|number| &number.value);
    let amount = |id: &str| match number(id) {
        Some(Value::Float(value)) => Some(*value),
        _ => None,
    };
    let time = match total {
        Value::Float(value) => Some(*value),
        _ => None,
    };
    let intensity = amount("flops").zip(amount("bytes")).map(|(flops, bytes)| flops / bytes);
    let rate = amount("flops").zip(time).map(|(flops, time)| flops / time);
    let phase = match number("phase") {
        Some(Value::Text(phase)) => phase.clone(),
        _ => String::new(),
    };
    vec![
        point.value.into(),
        phase.into(),
        total.clone(),
        Value::known(intensity, "nothing is moved"),
        Value::known(rate, super::NO_PEAK),
        Value::Missing("several operators"),
    ]
}
