//! The `bench` section: kernels that were run, each with its time, how sure it is, and what is wrong with it.

mod findings;
mod points;
pub(crate) mod results;
mod roofs;
mod samples;
mod sweep;
#[cfg(test)]
pub(crate) mod test_measurements;

use eaves_roofline::measured::{Execution, Measurement, Ran, Roofs, Spec};
use eaves_section::quantity;
use eaves_section::{Chart, Number, Section, Unit, Value};

pub use points::points;
pub use roofs::roofs;

/// The section of these kernels.
pub fn section(ran: &[Ran], roofs: &Roofs<'_>) -> Section {
    let measured: Vec<&Measurement> = ran.iter().filter_map(Ran::measured).collect();
    let mut tables = Vec::new();
    let (swept, crossings) = sweep::tables(&measured);
    let charts = swept.iter().map(|table| Chart::Sweep { values: table.id, is_measured: true }).collect();
    tables.extend(swept);
    tables.push(results::table(&measured, roofs));
    tables.extend(crossings.iter().map(sweep::Crossings::table));
    tables.extend(Some(results::refused(ran)).filter(|table| !table.rows.is_empty()));
    tables.push(samples::table(&measured));
    let mut found = findings::findings(&measured);
    found.extend(crossings.iter().flat_map(sweep::Crossings::findings));
    let numbers = numbers(&measured);
    Section { id: "bench", title: "Measured kernels", numbers, tables, charts, findings: found }
}

/// Display name of a kernel: `gemv 1x4096x4096`, `triad-nt 192.0 MiB`.
pub fn name(spec: &Spec) -> String {
    match spec {
        Spec::Stream { stream, bytes } => {
            format!("{stream} {}", quantity::size(i64::try_from(*bytes).unwrap_or(i64::MAX)))
        }
        _ => format!("{} {}", spec.family(), spec.shape()).trim_end().to_owned(),
    }
}

/// Why a measurement has no number, if so.
pub(crate) fn without_number(measurement: &Measurement) -> Option<&'static str> {
    if measurement.execution == Execution::CompiledOnly {
        return Some("compiled only, not run");
    }
    if measurement.verification.as_ref().is_some_and(|verification| !verification.holds()) {
        return Some("wrong result");
    }
    if !measurement.violations.is_empty() {
        return Some("impossible result");
    }
    measurement.time.is_none().then_some("contaminated: too few clean samples")
}

/// The seconds of one call that may be shown.
pub(crate) fn seconds(measurement: &Measurement) -> Option<f64> {
    if without_number(measurement).is_some() {
        return None;
    }
    measurement.time.as_ref().map(|time| time.median)
}

/// Times of a measurement are shown multiplied by this. A call of a stream goes through a small set several times and through
/// a part of a large one; what is shown is going through the set once.
pub(crate) fn calls(measurement: &Measurement) -> f64 {
    match measurement.spec {
        Spec::Stream { bytes, .. } if measurement.work.bytes() > 0.0 => {
            bytes as f64 / measurement.work.bytes()
        }
        _ => 1.0,
    }
}

fn numbers(measured: &[&Measurement]) -> Vec<Number> {
    let number = Number::measured;
    let samples: usize = measured.iter().map(|measurement| measurement.samples.len()).sum();
    let clean: usize = measured.iter().map(|measurement| measurement.clean()).sum();
    let sound = measured.iter().filter(|measurement| without_number(measurement).is_none()).count();
    let mut devices: Vec<&str> =
        measured.iter().map(|measurement| measurement.conditions.device.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    let device = match devices.as_slice() {
        [] => Value::Missing("nothing was run"),
        devices => devices.join(", ").into(),
    };
    vec![
        number("device", device, Unit::None, "Device name, as reported."),
        number("kernels", measured.len().into(), Unit::Count, "Kernels run or compiled."),
        number(
            "sound",
            sound.into(),
            Unit::Count,
            "Kernels with a valid number: enough clean samples, verified, possible.",
        ),
        number("samples", samples.into(), Unit::Count, "Samples taken."),
        number(
            "clean_pct",
            Value::percent(
                i64::try_from(clean).unwrap_or(i64::MAX),
                i64::try_from(samples).unwrap_or(i64::MAX),
            ),
            Unit::Percent,
            "Share of undisturbed samples; the others do not count.",
        ),
    ]
}

#[cfg(test)]
mod tests;
