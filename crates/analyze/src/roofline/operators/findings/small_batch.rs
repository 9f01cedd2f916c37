//! Matrix products of few rows: the weights are read for little arithmetic, as when a model decodes for few sequences.

use eaves_model::Ns;

use super::super::TracePoints;
use super::super::section::Held;
use crate::section::{Finding, Severity};
use crate::text::{percent, percentage};

/// Share of the busy time that such products must have.
const NOTABLE_PCT: f64 = 30.0;
/// So much of the arithmetic that memory would feed is left undone: at least this many times the rows take no longer.
const SPARE: f64 = 8.0;

pub(super) fn finding(points: &TracePoints, held: &[Held<'_>]) -> Option<Finding> {
    let spare = |held: &Held<'_>| {
        let found = held.found.as_ref()?;
        let (intensity, knee) = (found.intensity?, found.knee?);
        let is_product = matches!(held.row.category, "gemm" | "grouped-gemm");
        (is_product && intensity > 0.0 && knee >= SPARE * intensity).then_some(knee / intensity)
    };
    let mut few: Vec<(f64, Ns)> =
        held.iter().filter_map(|held| Some((spare(held)?, held.row.counted))).collect();
    let time: Ns = few.iter().map(|(_, time)| *time).sum();
    if percentage(time, points.busy) < NOTABLE_PCT {
        return None;
    }
    // What half of their time has to spare.
    few.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut seen = Ns::ZERO;
    let (spare, _) = few.iter().find(|(_, of)| {
        seen += *of;
        2 * seen.0 >= time.0
    })?;
    Some(Finding {
        id: "small_batch",
        severity: Severity::Info,
        claim: format!(
            "matrix products with few rows take {} of the busy time: they are bound by reading weights, and about \
            {spare:.0} times the rows would take as long",
            percent(time, points.busy)
        ),
        // A larger batch does more in the same time, which is no shorter step.
        gain: None,
        evidence: "tables points and by_arguments, intensity left of the knee".to_owned(),
        next: "batch more: larger batches, continuous batching, more concurrent sequences; narrower weights (FP8, \
            INT4) are read faster"
            .to_owned(),
    })
}
