//! The `validate` section: predictions compared with measurements.
//!
//! Roofs are calibrated on streams, multiply-adds and rates of chores alone. What is judged is everything that was not
//! calibrated on: streams of other sizes, products, attention. The prediction is the interval of the three roofs; its
//! middle is the number that errors are of, its lower end the one that efficiency is of.

mod baseline;
mod causes;
mod classes;
mod rows;

use eaves_roofline::Device;
use eaves_roofline::measured::{ESTIMATE, Interval, Measurement, Ran, Roofs, Spec, quantile};
use eaves_section::{Chart, Column, Finding, Number, Section, Severity, Table, Unit, Value};

use crate::bench::results::{predicted, refused};
use crate::bench::seconds;

pub use baseline::{Baseline, Compared};
pub use causes::{Twin, twins};

/// Rows with a larger error, in percent, must have a cause.
const EXPLAINED_ABOVE: f64 = 20.0;

/// A measurement is inside an interval that is wider by this share: roofs and times are measured to about as much.
pub(crate) const TOLERANCE: f64 = 0.05;

/// What is judged, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Suite<'a> {
    /// The kernels that were run.
    pub ran: &'a [Ran],
    /// The measured roofs.
    pub roofs: Roofs<'a>,
    /// For each kernel that was run, the roofs next to it; those above hold where there are none.
    pub beside: &'a [Option<Beside>],
    /// What the vendor says of the device, if that is known.
    pub datasheet: Option<&'a Device>,
    /// The kernels of rows with large errors, run with their operands in a cache.
    pub twins: &'a [Twin],
}

/// The roofs of the seconds in which a kernel ran, measured in alternation with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// At [`ESTIMATE`] of their samples.
    pub middle: Device,
    /// At the faster end of their spread.
    pub quick: Device,
    /// At the slower end.
    pub slow: Device,
}

/// One measurement against its prediction.
struct Judged<'a> {
    /// Its place in the suite.
    index: usize,
    measurement: &'a Measurement,
    device: &'a Device,
    interval: Interval,
    /// The ends of the prediction: the longest of the roofs at their fastest, the sum of them at their slowest.
    ends: Option<(f64, f64)>,
    /// Whether roofs were measured in alternation with it.
    is_beside: bool,
    datasheet: Option<Interval>,
}

impl Judged<'_> {
    /// Seconds, read at the same share of the samples as the roofs were.
    fn measured(&self) -> Option<f64> {
        self.read(self.measurement)
    }

    fn read(&self, measurement: &Measurement) -> Option<f64> {
        let median = seconds(measurement)?;
        if self.is_beside { quantile(&measurement.samples, ESTIMATE) } else { Some(median) }
    }

    /// `|predicted - measured| / predicted`, in percent.
    fn error(&self) -> Option<f64> {
        error(self.interval.middle()?, self.measured()?)
    }

    fn datasheet_error(&self) -> Option<f64> {
        error(self.datasheet.as_ref()?.middle()?, self.measured()?)
    }

    /// The best time in percent of the time taken.
    fn efficiency(&self) -> Option<f64> {
        Some(100.0 * self.interval.low()? / self.measured()?)
    }

    /// `ln(measured / predicted)`: positive if it was slower than predicted. Its size is the same for twice as long and half
    /// as long.
    fn logarithm(&self) -> Option<f64> {
        Some((self.measured()? / self.interval.middle()?).ln())
    }

    fn is_inside(&self) -> Option<bool> {
        let (low, high) = self.ends?;
        Some(((1.0 - TOLERANCE) * low..=(1.0 + TOLERANCE) * high).contains(&self.measured()?))
    }

    /// How wide the prediction is, in percent of its middle.
    fn width(&self) -> Option<f64> {
        let (low, high) = self.ends?;
        Some(100.0 * (high - low) / self.interval.middle()?)
    }

    fn needs_cause(&self) -> bool {
        self.error().is_some_and(|error| error > EXPLAINED_ABOVE)
    }
}

fn error(predicted: f64, measured: f64) -> Option<f64> {
    (predicted > 0.0).then(|| 100.0 * (predicted - measured).abs() / predicted)
}

/// What is judged; roofs are calibrated on multiply-adds and exponentials, which are not.
fn judged<'a>(suite: &Suite<'a>) -> Vec<Judged<'a>> {
    let judge = |(index, ran): (usize, &'a Ran)| {
        let measurement = ran.measured()?;
        class(&measurement.spec)?;
        let beside = suite.beside.get(index).and_then(Option::as_ref);
        let device = match beside {
            Some(beside) => &beside.middle,
            None => suite.roofs.over(measurement)?,
        };
        let interval = predicted(measurement, device);
        let ends = match beside {
            Some(beside) => {
                predicted(measurement, &beside.quick).low().zip(predicted(measurement, &beside.slow).high())
            }
            None => interval.low().zip(interval.high()),
        };
        Some(Judged {
            index,
            measurement,
            device,
            interval,
            ends,
            is_beside: beside.is_some(),
            // A datasheet is of the whole device.
            datasheet: suite
                .datasheet
                .filter(|_| !suite.roofs.are_of_more_than(measurement))
                .map(|device| predicted(measurement, device)),
        })
    };
    suite.ran.iter().enumerate().filter_map(judge).collect()
}

/// The class that a kernel is judged in; `None` if it is not.
pub(crate) fn class(spec: &Spec) -> Option<&'static str> {
    match spec {
        Spec::Stream { .. } => Some("stream"),
        Spec::Gemm { .. } => Some("gemm"),
        Spec::Gemv { weights, .. } if weights.element_bits >= 32.0 => Some("gemv"),
        Spec::Gemv { .. } => Some("quantised gemv"),
        Spec::Attention { .. } => Some("attention"),
        _ => None,
    }
}

/// Predictions against measurements.
pub fn section(suite: &Suite<'_>) -> Section {
    let judged = judged(suite);
    let causes = causes::causes(&judged, suite.twins);
    let mut tables = vec![classes::table(&judged), rows::table(&judged), causes::table(&judged, &causes)];
    tables.push(calibration(&suite.roofs));
    tables.push(refused(suite.ran));
    Section {
        id: "validate",
        title: "Theoretical and measured roofs",
        numbers: numbers(suite, &judged, &causes),
        tables,
        charts: vec![Chart::Validation { kernels: "rows" }],
        findings: findings(&judged, &causes),
    }
}

fn numbers(suite: &Suite<'_>, judged: &[Judged<'_>], causes: &[causes::Cause]) -> Vec<Number> {
    let number = Number::measured;
    let all = classes::Errors::of(judged.iter());
    let unexplained = causes.iter().filter(|cause| !cause.explains).count();
    let of_all = |value: Option<f64>| Value::known(value, "nothing was judged");
    let device = |device: Option<&Device>, otherwise| {
        Value::known_text(device.map(|device| device.name.as_str()), otherwise)
    };
    vec![
        number(
            "device",
            device(suite.roofs.all.or(suite.roofs.one), "no roofs measured"),
            Unit::None,
            "Device whose measured roofs make the predictions.",
        ),
        number(
            "datasheet",
            device(suite.datasheet, "device not in the catalog: --datasheet NAME"),
            Unit::None,
            "Catalog device used for datasheet predictions.",
        ),
        number(
            "rows",
            all.count.into(),
            Unit::Count,
            "Measurements with a number and a prediction. Streams also calibrate the roofs; these use other sizes.",
        ),
        number(
            "median_error_pct",
            of_all(all.median),
            Unit::Percent,
            "Median of |predicted - measured| / predicted, with the middle of the interval as prediction.",
        ),
        number("p90_error_pct", of_all(all.p90), Unit::Percent, "90th percentile of the errors."),
        number(
            "inside_pct",
            of_all(all.inside),
            Unit::Percent,
            "Share of measurements inside their interval, widened by 5%. The interval runs from the longest roof \
            at its fastest to the sum of all roofs at their slowest: 10th and 90th percentile of samples taken \
            in alternation with the kernel.",
        ),
        number(
            "median_width_pct",
            of_all(all.width),
            Unit::Percent,
            "Median width of the intervals, in percent of their middle.",
        ),
        number(
            "median_ln_error",
            of_all(all.logarithm),
            Unit::None,
            "Median of |ln(measured / predicted)|, which weighs too fast and too slow equally.",
        ),
        number(
            "datasheet_median_error_pct",
            Value::known(all.datasheet, "no datasheet"),
            Unit::Percent,
            "The same error for predictions from the datasheet.",
        ),
        number(
            "unexplained",
            unexplained.into(),
            Unit::Count,
            "Measurements more than 20% off without a measured cause.",
        ),
    ]
}

fn findings(judged: &[Judged<'_>], causes: &[causes::Cause]) -> Vec<Finding> {
    let mut found: Vec<Finding> = judged
        .iter()
        .flat_map(|row| row.measurement.violations.iter().map(move |violation| (row, violation)))
        .map(|(row, violation)| Finding {
            id: "impossible_number",
            severity: Severity::Critical,
            claim: format!("{}: {violation}.", rows::name(row)),
            gain: None,
            evidence: "rows".to_owned(),
            next: "do not use this number; report it with the --json output".to_owned(),
        })
        .collect();
    let unexplained: Vec<String> = causes
        .iter()
        .filter(|cause| !cause.explains)
        .filter_map(|cause| judged.iter().find(|row| row.index == cause.of))
        .map(rows::name)
        .collect();
    if !unexplained.is_empty() {
        found.push(Finding {
            id: "unexplained",
            severity: Severity::Warning,
            claim: format!("No measured cause explains the error of {}.", unexplained.join(", ")),
            gain: None,
            evidence: "causes".to_owned(),
            next: "run again; if it persists, the kernel or its byte count is wrong".to_owned(),
        });
    }
    found
}

/// The roofs that predictions are made of, each with its source.
fn calibration(roofs: &Roofs<'_>) -> Table {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for (scope, device) in [("one core", roofs.one), ("all", roofs.all)] {
        let Some(device) = device else { continue };
        let mut push =
            |kind: &str, name: &str, rate: f64, unit: &str, fact: &eaves_roofline::device::Fact| {
                rows.push(vec![
                    name.into(),
                    kind.into(),
                    scope.into(),
                    Value::known(Some(rate), ""),
                    unit.into(),
                    fact.source.confidence.id().into(),
                    fact.source.text.as_str().into(),
                ]);
            };
        for level in &device.memory {
            let kinds = [
                (level.name.clone(), &level.bandwidth),
                (format!("{} write", level.name), &level.write),
                (format!("{} copy", level.name), &level.copy),
                (format!("{} triad", level.name), &level.triad),
            ];
            for (name, fact) in kinds {
                if let Some(fact) = fact {
                    push("memory", &name, fact.value / 1e9, "GB/s", fact);
                }
            }
        }
        for peak in &device.peaks {
            push("arithmetic", &peak.key, peak.dense.value / 1e9, "GFLOP/s", &peak.dense);
        }
        for rate in &device.rates {
            push("chore", &rate.key, rate.per_second.value / 1e9, "G/s", &rate.per_second);
        }
    }
    Table {
        id: "calibration",
        title: "Roofs used for predictions",
        columns: vec![
            Column::new("name", "Roof", Unit::None),
            Column::new("kind", "Kind", Unit::None),
            Column::new("scope", "Of", Unit::None),
            Column::new("rate", "Rate", Unit::None),
            Column::new("unit", "Unit", Unit::None),
            Column::new("confidence", "Confidence", Unit::None),
            Column::new("source", "Source", Unit::None),
        ],
        rows,
    }
}

#[cfg(test)]
mod tests;
