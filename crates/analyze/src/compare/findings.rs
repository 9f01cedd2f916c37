//! What follows from a comparison.

use eaves_model::Ns;

use super::change::{Change, Verdict};
use super::comparison::{Comparison, Row};
use super::metric::{Basis, Metric};
use crate::section::{Finding, Gain, Severity};
use crate::text::{duration, shortened};

/// At most one: whether the run as a whole became slower or faster, or whether that is not to be told from noise.
pub(super) fn of(comparison: &Comparison) -> Vec<Finding> {
    let per_step = comparison.terms.basis == Basis::Step;
    let metric = if per_step { Metric::Step } else { Metric::Span };
    let Some(change) = comparison.metric(metric) else { return Vec::new() };
    let subject = if per_step { "a step takes" } else { "the GPU span is" };
    let (base, new) = (Ns(change.base.value()), Ns(change.new.value()));
    let percent = change.percent().map_or_else(String::new, |percent| format!(" ({percent:+.1}%)"));
    let values = format!("{subject} {} instead of {}{percent}", duration(new), duration(base));
    let values = format!("{values}{}", if per_step { left_out(comparison) } else { "" });
    let (id, severity, claim) = match change.verdict(Verdict::Faster, Verdict::Slower) {
        Verdict::Slower => ("slower", Severity::Warning, format!("{values}{}", band_text(change))),
        Verdict::Faster => ("faster", Severity::Info, format!("{values}{}", band_text(change))),
        Verdict::Noise => (
            "within_noise",
            Severity::Info,
            format!("{values}, within the variation of repeated steps{}", band_text(change)),
        ),
        _ => return Vec::new(),
    };
    let next = match id {
        "within_noise" => "record more steps of both runs if a difference this small matters".to_owned(),
        _ => next(comparison, change.numerator() > 0),
    };
    vec![Finding {
        id,
        severity,
        claim,
        gain: (id == "slower").then(|| gain(change, per_step)),
        evidence: format!("table summary, row {}", metric.id()),
        next,
    }]
}

/// Which run's first step is not among them.
fn left_out(comparison: &Comparison) -> &'static str {
    match (comparison.base.left_out > 0, comparison.new.left_out > 0) {
        (true, true) => ", without the first step of each run",
        (true, false) => ", without the first step of the base",
        (false, true) => ", without the first step of the new run",
        (false, false) => "",
    }
}

fn band_text(change: &Change) -> String {
    match change.band() {
        Some(band) => format!("; noise is ±{}", duration(Ns(band.round() as i64))),
        None => "; noise unknown".to_owned(),
    }
}

/// What going back to the base would give.
fn gain(change: &Change, per_step: bool) -> Gain {
    let (delta, band) = (change.delta(), change.band().unwrap_or(0.0).round() as i64);
    Gain::new(
        Ns(delta.saturating_sub(band).max(0)),
        Ns(delta),
        u64::from(per_step),
        "the difference from the base; at least the part beyond noise",
    )
}

/// The row that moved most in the direction of the whole.
fn next(comparison: &Comparison, slower: bool) -> String {
    let largest = |rows: &[Row]| {
        let moved = |row: &&Row| {
            row.time.delta() != 0 && (row.time.numerator() > 0) == slower && !row.time.is_noise()
        };
        rows.iter()
            .filter(moved)
            .max_by_key(|row| row.time.numerator().unsigned_abs())
            .map(|row| (shortened(row.new_name.as_ref().unwrap_or(&row.name)), row.time.delta()))
    };
    let kernel = largest(&comparison.kernels);
    let operator = comparison.operators.as_deref().and_then(largest);
    let text = |what: &str, (name, delta): (String, i64)| {
        let sign = if delta > 0 { "+" } else { "" };
        format!("{what} `{name}` ({sign}{})", duration(Ns(delta)))
    };
    let parts: Vec<String> =
        [kernel.map(|row| text("table kernels:", row)), operator.map(|row| text("table operators:", row))]
            .into_iter()
            .flatten()
            .collect();
    if parts.is_empty() {
        "no kernel or operator changed beyond noise: see idle and exposed_comm in table summary".to_owned()
    } else {
        format!("the largest changes in this direction are in {}", parts.join(", and in "))
    }
}
