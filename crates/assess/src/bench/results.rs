//! One row for each kernel.

use std::collections::BTreeMap;

use eaves_roofline::Device;
use eaves_roofline::measured::{Chore, HAND_OVER, Interval, Measurement, Spec, Summary, interval, level};
use eaves_section::{Column, Table, Unit, Value};

use super::{Ran, Roofs, calls, name, seconds, without_number};

/// Times are of one call, of streams of going through their set once. `low_ns` and `high_ns` are the ends of the 95 % interval of the median `time_ns`.
const COLUMNS: [Column; 32] = [
    Column::new("name", "Kernel", Unit::None),
    Column::new("precision", "Precision", Unit::None),
    Column::new("threads", "Threads", Unit::Count),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("interval_pct", "+-", Unit::Percent).main(),
    Column::new("gflops", "Arithmetic", Unit::GigaflopsPerSecond),
    Column::new("gbps", "GB/s", Unit::None),
    Column::new("speedup", "x FP32", Unit::None),
    Column::new("pct_of_roof", "Of roof", Unit::Percent),
    Column::new("bound_by", "Bound by", Unit::None),
    Column::new("clean", "Clean", Unit::Count).main(),
    Column::new("samples", "Samples", Unit::Count),
    Column::new("flop_per_cycle", "FLOP/cycle", Unit::None),
    Column::new("implementation", "Code", Unit::None),
    Column::new("state", "Cache", Unit::None),
    Column::new("kind", "Kind", Unit::None),
    Column::new("backend", "Backend", Unit::None),
    Column::new("execution", "Ran", Unit::None),
    Column::new("min_ns", "Quickest", Unit::Nanoseconds),
    Column::new("low_ns", "From", Unit::Nanoseconds),
    Column::new("high_ns", "To", Unit::Nanoseconds),
    Column::new("mad_ns", "MAD", Unit::Nanoseconds),
    Column::new("verification_error", "Error", Unit::None),
    Column::new("verification_tolerance", "Allowed", Unit::None),
    Column::new("verified_against", "Verified against", Unit::None),
    Column::new("computed_in", "Computed in", Unit::None),
    Column::new("flops", "FLOPs", Unit::Flop),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("clock_ghz", "GHz", Unit::None),
    Column::new("huge_pages", "Huge pages", Unit::None),
    Column::new("dropped", "Dropped", Unit::None),
    Column::new("violations", "Violations", Unit::None),
];

const NO_ROOF: &str = "no roofs given or measured for this many threads: --device FILE";

pub(super) fn table(measured: &[&Measurement], roofs: &Roofs<'_>) -> Table {
    let mut rows: Vec<Vec<Value>> =
        measured.iter().map(|measurement| row(measurement, measured, roofs)).collect();
    let mut columns = COLUMNS.to_vec();
    // Whose code ran names the row where several ran the same, and is a detail otherwise.
    let same = |one: &Measurement, other: &Measurement| {
        one.spec == other.spec && one.conditions.implementation != other.conditions.implementation
    };
    if measured.iter().any(|one| measured.iter().any(|other| same(one, other)))
        && let Some(index) = columns.iter().position(|column| column.id == "implementation")
    {
        columns[1..=index].rotate_right(1);
        rows.iter_mut().for_each(|row| row[1..=index].rotate_right(1));
    }
    Table { id: "results", title: "One call", columns, rows }
}

fn row(measurement: &Measurement, all: &[&Measurement], roofs: &Roofs<'_>) -> Vec<Value> {
    let conditions = &measurement.conditions;
    let reason = without_number(measurement).unwrap_or("");
    let time = measurement.time.as_ref().filter(|_| reason.is_empty());
    let of_time = |read: fn(&Summary) -> f64| Value::known(time.map(|time| read(time) * 1e9), reason);
    let shown = |read: fn(&Summary) -> f64| {
        Value::known(time.map(|time| read(time) * calls(measurement) * 1e9), reason)
    };
    let rate = |amount: f64| time.filter(|_| amount > 0.0).map(|time| amount / time.median / 1e9);
    let nothing = |amount: f64, what| if amount > 0.0 { reason } else { what };
    let found = roofs.over(measurement).map(|device| predicted(measurement, device));
    let low = found.as_ref().and_then(Interval::low);
    let share = low.zip(time).map(|(low, time)| 100.0 * low / time.median);
    let no_roof = match (&found, reason) {
        (None, _) => NO_ROOF,
        (Some(_), "") => "the device has no peak or bandwidth for this",
        (Some(_), reason) => reason,
    };
    let verification = measurement.verification.as_ref();
    let per_cycle = measurement.flops_per_cycle().filter(|rate| time.is_some() && *rate > 0.0);
    let bytes = measurement.work.bytes();
    vec![
        name(&measurement.spec).into(),
        measurement.spec.precision().into(),
        conditions.threads.into(),
        shown(|time| time.median),
        of_time(|time| 50.0e-9 * (time.high - time.low) / time.median),
        Value::known(rate(measurement.work.flops), nothing(measurement.work.flops, "no arithmetic")),
        Value::known(rate(bytes), nothing(bytes, "nothing is moved")),
        Value::known(speedup(measurement, all), "no FP32 kernel of this shape to compare with"),
        Value::known(share, no_roof),
        Value::known_text(
            found.as_ref().and_then(Interval::bound_by).map(|time| time.roof.as_str()),
            no_roof,
        ),
        measurement.clean().into(),
        measurement.samples.len().into(),
        Value::known(per_cycle, "no clock, or no arithmetic"),
        conditions.implementation.as_str().into(),
        conditions.state.id().into(),
        measurement.spec.family().into(),
        conditions.backend.as_str().into(),
        measurement.execution.id().into(),
        shown(|time| time.min),
        shown(|time| time.low),
        shown(|time| time.high),
        shown(|time| time.mad),
        Value::known(verification.map(|verification| verification.error), "not verified"),
        Value::known(verification.map(|verification| verification.tolerance), "not verified"),
        Value::known_text(verification.map(|verification| verification.against.as_str()), "not verified"),
        Value::known_text(
            measurement.work.arithmetic.map(|arithmetic| arithmetic.id()),
            "nothing is computed",
        ),
        Value::known(Some(measurement.work.flops * calls(measurement)), ""),
        Value::known(Some(bytes * calls(measurement)), ""),
        Value::known(measurement.clock.map(|clock| clock / 1e9), "clock not measurable"),
        Value::known_text(
            conditions.huge_pages.map(|huge| if huge { "yes" } else { "no" }),
            "not reported by the system",
        ),
        Value::known_text(dropped(measurement).as_deref(), "no samples dropped"),
        violations(measurement).map_or_else(|| "none".into(), Value::from),
    ]
}

/// What the roofs of a device say of a measurement's work.
pub(crate) fn predicted(measurement: &Measurement, device: &Device) -> Interval {
    let level = level(device, working_set(measurement), measurement.conditions.state);
    let mut chores = measurement.chores.clone();
    // Only where it was measured: on a datasheet it is not an unknown rate.
    if device.rate(HAND_OVER).is_some() {
        chores.push(Chore::hand_over(measurement.hand_overs()));
    }
    interval(&measurement.work, &chores, device, level)
}

/// Bytes that a kernel goes through. A call of a stream may go through them several times.
pub(crate) fn working_set(measurement: &Measurement) -> f64 {
    match measurement.spec {
        Spec::Stream { bytes, .. } => bytes as f64,
        _ => measurement.work.bytes(),
    }
}

/// `lost processor 3, switched 1`.
fn dropped(measurement: &Measurement) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for contamination in measurement.samples.iter().filter_map(|sample| sample.contamination) {
        *counts.entry(contamination.id()).or_default() += 1;
    }
    let texts: Vec<String> = counts.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

fn violations(measurement: &Measurement) -> Option<String> {
    let texts: Vec<String> = measurement.violations.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// How much faster it is than the FP32 kernel of the same shape under the same conditions.
fn speedup(measurement: &Measurement, all: &[&Measurement]) -> Option<f64> {
    let own = seconds(measurement)?;
    let same = |other: &&&Measurement| {
        name(&other.spec) == name(&measurement.spec)
            && is_fp32(&other.spec)
            && other.conditions.threads == measurement.conditions.threads
            && other.conditions.state == measurement.conditions.state
            && other.conditions.backend == measurement.conditions.backend
    };
    let base = all.iter().filter(same).filter_map(|other| seconds(other));
    Some(base.min_by(f64::total_cmp)? / own)
}

/// True for products and attention whose operands are all FP32: what narrower ones are compared with.
pub(super) fn is_fp32(spec: &Spec) -> bool {
    !matches!(spec, Spec::Stream { .. } | Spec::Fma { .. }) && spec.precision() == "fp32"
}

/// Kernels that could not be run.
pub(crate) fn refused(ran: &[Ran]) -> Table {
    let rows = ran.iter().filter_map(|one| match one {
        Ran::Refused { spec, why } => {
            Some(vec![name(spec).into(), spec.precision().into(), why.as_str().into()])
        }
        Ran::Measured(_) => None,
    });
    Table {
        id: "refused",
        title: "Not run",
        columns: vec![
            Column::new("name", "Kernel", Unit::None),
            Column::new("precision", "Precision", Unit::None),
            Column::new("reason", "Why", Unit::None),
        ],
        rows: rows.collect(),
    }
}
