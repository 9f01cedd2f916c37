//! Conditions on a comparison: when a change is too much.

use super::change::Change;
use super::comparison::Comparison;
use super::metric::Metric;
use crate::section::Unit;
use crate::text::{duration, size};

/// Subject of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A quantity of the run.
    Metric(Metric),
    /// Kernels of a name.
    Kernel(String),
}

impl Subject {
    fn unit(&self) -> Unit {
        match self {
            Self::Metric(metric) => metric.unit(),
            Self::Kernel(_) => Unit::Nanoseconds,
        }
    }
}

/// How much change is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// Percent of the base.
    Percent(f64),
    /// Nanoseconds, bytes or a count.
    Amount(i64, Unit),
}

/// A change that is too much, such as `step>+3%`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As the user wrote it.
    pub text: String,
    /// What it is about.
    pub subject: Subject,
    /// True if it holds above the threshold, false if below.
    pub above: bool,
    /// How much change, with its sign.
    pub threshold: Threshold,
}

/// Why a condition cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConditionError {
    /// Not both runs have the quantity.
    NotThere,
    /// Neither run has such a kernel.
    NoSuchKernel,
    /// The threshold has another unit than the quantity.
    OtherUnit(Unit),
    /// The base is zero, so there are no percent.
    NoPercent,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkup {
    /// It holds, and the change is more than noise.
    Fails,
    /// It holds, but the change may be noise.
    Noise,
    /// It does not hold.
    Passes,
}

impl Checkup {
    /// The name in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Noise => "noise",
            Self::Passes => "passes",
        }
    }
}

/// A condition that was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The condition as the user wrote it.
    pub text: String,
    /// How the check ended.
    pub result: Checkup,
    /// The change in percent of the base.
    pub percent: Option<f64>,
    /// The values that decided, in a sentence.
    pub message: String,
}

impl Condition {
    /// Checks it.
    ///
    /// # Errors
    /// If the comparison has not what the condition is about.
    pub fn check(&self, comparison: &Comparison) -> Result<Checked, ConditionError> {
        let change = match &self.subject {
            Subject::Metric(metric) => comparison.metric(*metric).cloned().ok_or(ConditionError::NotThere)?,
            Subject::Kernel(name) => comparison.kernels_named(name).ok_or(ConditionError::NoSuchKernel)?,
        };
        let unit = self.subject.unit();
        let (value, limit) = match self.threshold {
            Threshold::Percent(limit) => (change.percent().ok_or(ConditionError::NoPercent)?, limit),
            Threshold::Amount(limit, given) if given == unit => {
                (change.numerator() as f64 / change.denominator() as f64, limit as f64)
            }
            Threshold::Amount(..) => return Err(ConditionError::OtherUnit(unit)),
        };
        let holds = if self.above { value > limit } else { value < limit };
        let result = match (holds, change.is_noise()) {
            (false, _) => Checkup::Passes,
            (true, true) => Checkup::Noise,
            (true, false) => Checkup::Fails,
        };
        let message = sentence(&change, unit);
        Ok(Checked { text: self.text.clone(), result, percent: change.percent(), message })
    }
}

/// The values and the band in a sentence.
fn sentence(change: &Change, unit: Unit) -> String {
    let amount = |value: i64| match unit {
        Unit::Nanoseconds => duration(eaves_model::Ns(value)),
        Unit::Bytes => size(value),
        _ => value.to_string(),
    };
    let percent = change.percent().map_or_else(String::new, |percent| format!(" ({percent:+.2}%)"));
    let band = match (change.band(), change.band_percent()) {
        (Some(band), Some(percent)) => format!("noise ±{} (±{percent:.2}%)", amount(band.round() as i64)),
        (Some(band), None) => format!("noise ±{}", amount(band.round() as i64)),
        (None, _) => "unknown noise".to_owned(),
    };
    let (base, new) = (amount(change.base.value()), amount(change.new.value()));
    format!("{new} instead of {base}{percent}; {band}")
}
