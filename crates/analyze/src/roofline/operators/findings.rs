//! What follows from the distance to the roof.

mod small_batch;

use eaves_model::Ns;
use eaves_roofline::{Settings, ops};

use super::section::{Held, Scope};
use super::unaligned::{is_unaligned, unaligned_products};
use super::{Class, OperatorRow, TracePoints};
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage, shortened};
use eaves_roofline::operand_text::described;

/// How many rows with headroom are worth a sentence each.
const MOST: usize = 3;
/// Headroom below this share of the busy time is not worth one.
pub(super) const NOTABLE_PCT: f64 = 5.0;
/// Calls shorter than this are made of starting and ending a kernel rather than of work, and have no roof to reach.
pub(super) const SHORTEST_CALL_NS: f64 = 10_000.0;
/// Less of the busy time with a formula is said.
const COVERED_PCT: f64 = 97.0;
/// Above its roof by this factor a row is no rounding of clocks and boosts.
const ABOVE_PCT: f64 = 105.0;

pub(super) fn findings(
    points: &TracePoints,
    held: &[Held<'_>],
    scope: Scope,
    settings: &Settings,
) -> Vec<Finding> {
    let unaligned = unaligned_products(points, held, scope);
    // One cause, one finding.
    let is_said = |one: &Held<'_>| unaligned.is_some() && is_unaligned(one.row);
    let mut found = headroom(points, held, scope, settings, is_said);
    found.extend(unaligned);
    found.extend(above_roof(points, held));
    found.extend(small_batch::finding(points, held));
    found.extend(uncovered(points));
    found
}

/// The rows with most time above their best time.
fn headroom(
    points: &TracePoints,
    held: &[Held<'_>],
    scope: Scope,
    settings: &Settings,
    is_said: impl Fn(&Held<'_>) -> bool,
) -> Vec<Finding> {
    let mut far: Vec<(&Held<'_>, f64, f64)> = held
        .iter()
        .filter(|held| !is_said(held) && !crosses_the_link(held.row))
        .filter(|held| held.row.times.mean().is_some_and(|mean| mean >= SHORTEST_CALL_NS))
        .filter_map(|held| Some((held, held.headroom()?, held.found.as_ref()?.pct_of_roof?)))
        .filter(|(_, headroom, pct)| {
            *pct < settings.bound_pct && 100.0 * headroom >= NOTABLE_PCT * points.busy.as_f64()
        })
        .collect();
    far.sort_by(|a, b| b.1.total_cmp(&a.1));
    far.iter()
        .take(MOST)
        .map(|(held, headroom, pct)| {
            let row = held.row;
            let bound_by = held.found.as_ref().and_then(|found| found.bound_by.as_deref()).unwrap_or("its roof");
            // Reaching what counts as bound by the roof, and reaching the roof itself.
            let near = row.time().as_f64() - held.ideal().unwrap_or(0.0) * 100.0 / settings.bound_pct;
            let each = |time: f64| Ns((time / scope.ranks.max(1) as f64) as i64);
            let gain = Gain::new(
                each(near.max(0.0)),
                each(*headroom),
                scope.steps / scope.ranks.max(1),
                format!(
                    "time of its calls less their best time on this device; the lower end at {:.0}% of the roof",
                    settings.bound_pct
                ),
            );
            let gain = Gain { budget: budget(row.class), ..gain };
            Finding {
                id: "roofline_headroom",
                severity: Severity::Info,
                claim: format!(
                    "`{}`{} reaches {pct:.1}% of its roof ({bound_by}) and takes {} of the busy time ({})",
                    shortened(&row.name),
                    shapes(row),
                    percent(row.counted, points.busy),
                    duration(row.time()),
                ),
                gain: Some(gain),
                evidence: "tables points and by_arguments".to_owned(),
                next: next(points, row).to_owned(),
            }
        })
        .collect()
}

/// True for copies between host and device: the memory of the device, which is their roof, has no part in how long they
/// take. Section `memory-bandwidth` has them.
fn crosses_the_link(row: &OperatorRow) -> bool {
    2 * row.over_the_link > row.activities
}

fn next(points: &TracePoints, row: &OperatorRow) -> &'static str {
    match (points.is_of_host(), row.times.count()) {
        (false, _) => {
            "look at its kernels: shapes that do not fill the device, layouts that force copies, a slow path of the library, \
             or work that a fused operator would save"
        }
        // Libraries choose and generate code when they first see a shape.
        (true, 1) => {
            "it was called once, and a first call also prepares what later calls use: record after a warm-up"
        }
        (true, _) => {
            "see on how many threads it runs (`torch.get_num_threads()`) and whether its operands are contiguous; larger \
             batches, BF16 where the processor has it, and `torch.compile`, which fuses elementwise operators, help most"
        }
    }
}

/// What the time of a row is taken from.
fn budget(class: Class) -> Budget {
    match class {
        Class::Communication => Budget::ExposedCommunication,
        _ => Budget::Compute,
    }
}

pub(super) fn shapes(row: &OperatorRow) -> String {
    if row.arguments.dims.is_empty() {
        String::new()
    } else {
        format!(" on {}", shortened(&described(&row.arguments.dims, &row.arguments.types)))
    }
}

/// Rows that cannot be: more than the device can do.
fn above_roof(points: &TracePoints, held: &[Held<'_>]) -> Option<Finding> {
    let above: Vec<(&Held<'_>, f64)> = held
        .iter()
        .filter_map(|held| Some((held, held.found.as_ref()?.pct_of_roof?)))
        .filter(|(_, pct)| *pct > ABOVE_PCT)
        .collect();
    let (worst, pct) = above.iter().max_by_key(|(held, _)| held.row.counted)?;
    let time: Ns = above.iter().map(|(held, _)| held.row.counted).sum();
    let cause = worst.found.as_ref()?.flag.as_ref().map(|flag| flag.cause()).unwrap_or_default();
    Some(Finding {
        id: "above_roof",
        severity: if percentage(time, points.busy) < NOTABLE_PCT {
            Severity::Info
        } else {
            Severity::Warning
        },
        claim: format!(
            "{} above the roof, {} of the busy time; the longest is `{}`{} at {pct:.0}%: {cause}",
            if above.len() == 1 { "one row is".to_owned() } else { format!("{} rows are", above.len()) },
            percent(time, points.busy),
            shortened(&worst.row.name),
            shapes(worst.row),
        ),
        gain: None,
        evidence: "table points, column flag".to_owned(),
        next: "check that the device and its peaks are the right ones (`eaves device show`)".to_owned(),
    })
}

/// Time that no formula speaks of, by why; how to change that is said once for each reason.
fn uncovered(points: &TracePoints) -> Option<Finding> {
    let (covered, whole) = points.covered();
    if whole <= Ns::ZERO || percentage(covered, whole) >= COVERED_PCT {
        return None;
    }
    let missing: Vec<(&OperatorRow, &str)> = points
        .rows
        .iter()
        .filter(|row| row.class != Class::Communication)
        .filter_map(|row| Some((row, row.load.as_ref().err()?.as_str())))
        .collect();
    let sum = |is_in: &dyn Fn(&OperatorRow, &str) -> bool| -> Ns {
        missing.iter().filter(|(row, reason)| is_in(row, reason)).map(|(row, _)| row.counted).sum()
    };
    let has_no_shapes =
        |row: &OperatorRow, reason: &str| row.class == Class::Operator && reason == ops::NO_SHAPES;
    let without_shapes = sum(&has_no_shapes);
    let replayed = sum(&|row, _| row.class == Class::Replay);
    let mut reasons = Vec::new();
    let mut next = Vec::new();
    if without_shapes > Ns::ZERO {
        reasons.push(format!("operators without shapes ({})", percent(without_shapes, whole)));
        next.push("record shapes with `record_shapes=True`");
    }
    if replayed > Ns::ZERO {
        reasons.push(format!("replayed graphs ({})", percent(replayed, whole)));
        next.push("profile one step without graphs to see which operators they replay");
    }
    let others: Vec<_> = missing
        .iter()
        .filter(|(row, reason)| row.class != Class::Replay && !has_no_shapes(row, reason))
        .collect();
    for (row, reason) in others.iter().take(MOST) {
        // How to record it is in the table.
        let reason = reason.split("; record ").next().unwrap_or(reason);
        reasons.push(format!("`{}` ({}: {reason})", shortened(&row.name), percent(row.counted, whole)));
    }
    if others.len() > MOST {
        reasons.push(format!("{} more", others.len() - MOST));
    }
    if others.iter().any(|(_, reason)| reason.contains("launched it was not recorded")) {
        next.push("begin to record before the work is launched: a warm-up step in the schedule");
    }
    if others.iter().any(|(row, _)| row.class == Class::Operator) {
        next.push("say what your own operators do with `--ops`");
    }
    if next.is_empty() {
        next.push(
            "record hardware counters of the kernels: the table unmodelled says which, docs/counters.md how",
        );
    }
    Some(Finding {
        id: "roofline_coverage",
        severity: Severity::Info,
        claim: format!(
            "{} of the busy time, communication apart, has no formula: {}",
            percent(whole - covered, whole),
            reasons.join(", "),
        ),
        gain: None,
        evidence: "tables unmodelled and by_class".to_owned(),
        next: next.join("; "),
    })
}
