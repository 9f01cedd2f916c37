//! One row for each measurement.

use eaves_roofline::measured::Interval;
use eaves_section::{Column, Table, Unit, Value};

use super::{Judged, class};
use crate::bench::{self, without_number};

/// `time_ns` is measured, at the share of samples at which roofs are read too; `median_ns` is their median, with `low_ns` and
/// `high_ns` the ends of its 95 % interval; `least_ns` and `most_ns` are the ends
/// of the predicted interval and `predicted_ns` its middle.
const COLUMNS: [Column; 23] = [
    Column::new("name", "Kernel", Unit::None),
    Column::new("precision", "Precision", Unit::None),
    Column::new("threads", "Threads", Unit::Count),
    Column::new("error_pct", "Error", Unit::Percent),
    Column::new("inside", "Inside", Unit::None),
    Column::new("time_ns", "Measured", Unit::Nanoseconds),
    Column::new("predicted_ns", "Predicted", Unit::Nanoseconds),
    Column::new("efficiency_pct", "Efficiency", Unit::Percent),
    Column::new("bound_by", "Bound by", Unit::None),
    Column::new("class", "Class", Unit::None),
    Column::new("sign", "Was", Unit::None),
    Column::new("ln_error", "ln", Unit::None),
    Column::new("least_ns", "Least", Unit::Nanoseconds),
    Column::new("most_ns", "Most", Unit::Nanoseconds),
    Column::new("median_ns", "Median", Unit::Nanoseconds),
    Column::new("low_ns", "From", Unit::Nanoseconds),
    Column::new("high_ns", "To", Unit::Nanoseconds),
    Column::new("datasheet_ns", "By datasheet", Unit::Nanoseconds),
    Column::new("datasheet_error_pct", "Datasheet error", Unit::Percent),
    Column::new("state", "Cache", Unit::None),
    Column::new("code", "Code", Unit::None),
    Column::new("backend", "Backend", Unit::None),
    Column::new("unknown", "Unknown rates", Unit::None),
];

/// What a row is called in sentences.
pub(super) fn name(row: &Judged<'_>) -> String {
    let threads = match row.measurement.conditions.threads {
        1 => String::new(),
        threads => format!(" on {threads} threads"),
    };
    format!("{} in {}{threads}", bench::name(&row.measurement.spec), row.measurement.spec.precision())
}

pub(super) fn table(judged: &[Judged<'_>]) -> Table {
    let rows = judged.iter().map(cells).collect();
    Table { id: "rows", title: "Each kernel", columns: COLUMNS.to_vec(), rows }
}

fn cells(row: &Judged<'_>) -> Vec<Value> {
    let conditions = &row.measurement.conditions;
    let reason = without_number(row.measurement);
    let time = row.measurement.time.as_ref().filter(|_| reason.is_none());
    let no_time = reason.unwrap_or("");
    let no_roof = "no roof: a peak or bandwidth is unknown";
    let both = reason.unwrap_or(no_roof);
    let calls = bench::calls(row.measurement);
    let nanoseconds =
        |seconds: Option<f64>, reason| Value::known(seconds.map(|time| time * calls * 1e9), reason);
    let no_datasheet = "no datasheet, or not in it";
    let unknown = row.interval.unknown.join(", ");
    vec![
        bench::name(&row.measurement.spec).into(),
        row.measurement.spec.precision().into(),
        conditions.threads.into(),
        Value::known(row.error(), both),
        Value::known_text(row.is_inside().map(|inside| if inside { "yes" } else { "no" }), both),
        nanoseconds(row.measured(), no_time),
        nanoseconds(row.interval.middle(), no_roof),
        Value::known(row.efficiency(), both),
        Value::known_text(row.interval.bound_by().map(|time| time.roof.as_str()), no_roof),
        Value::known_text(class(&row.measurement.spec), "not judged"),
        Value::known_text(row.logarithm().map(|size| if size > 0.0 { "slower" } else { "faster" }), both),
        Value::known(row.logarithm(), both),
        nanoseconds(row.ends.map(|ends| ends.0), no_roof),
        nanoseconds(row.ends.map(|ends| ends.1), no_roof),
        nanoseconds(time.map(|time| time.median), no_time),
        nanoseconds(time.map(|time| time.low), no_time),
        nanoseconds(time.map(|time| time.high), no_time),
        nanoseconds(row.datasheet.as_ref().and_then(Interval::middle), no_datasheet),
        Value::known(row.datasheet_error(), reason.unwrap_or(no_datasheet)),
        conditions.state.id().into(),
        conditions.implementation.as_str().into(),
        conditions.backend.as_str().into(),
        Value::known_text(Some(unknown.as_str()).filter(|text| !text.is_empty()), "all are known"),
    ]
}
