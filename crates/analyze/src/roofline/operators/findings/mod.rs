//! What follows from the distance to the roof.

mod attention;
mod small_batch;

use eaves_model::Ns;
use eaves_roofline::{Flag, Settings};

use super::section::{Held, Scope};
use super::unaligned::{is_unaligned, unaligned_products};
use super::{Class, OperatorRow, TracePoints, gaps};
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
/// Above its roof by this factor a row is not a rounding of clocks and boosts.
const ABOVE_PCT: f64 = 105.0;

pub(super) fn findings(
    points: &TracePoints,
    held: &[Held<'_>],
    scope: Scope,
    settings: &Settings,
) -> Vec<Finding> {
    let unaligned = unaligned_products(points, held, scope);
    let parts = attention::Parts::of(points);
    let unfused = attention::finding(points, held, &parts, scope, settings);
    // One cause, one finding.
    let is_said = |one: &Held<'_>| {
        unaligned.is_some() && is_unaligned(one.row) || unfused.is_some() && parts.has(one.row)
    };
    let mut found = headroom(points, held, scope, settings, is_said);
    found.extend(unfused);
    found.extend(unaligned);
    found.extend(above_roof(points, held));
    found.extend(small_batch::finding(points, held));
    found.extend(uncovered(points));
    found
}

/// A gain of some of the rows' time, for each rank.
fn gain_of(low: f64, high: f64, scope: Scope, basis: impl Into<String>) -> Gain {
    let each = |time: f64| Ns((time / scope.ranks.max(1) as f64) as i64);
    Gain::new(each(low.max(0.0)), each(high), scope.steps / scope.ranks.max(1), basis)
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
    let finding = |(held, headroom, pct): &(&Held<'_>, f64, f64)| {
        let row = held.row;
        let bound_by = held.found.as_ref().and_then(|found| found.bound_by.as_deref()).unwrap_or("its roof");
        // Reaching what counts as bound by the roof, and reaching the roof itself.
        let near = row.time().as_f64() - held.ideal().unwrap_or(0.0) * 100.0 / settings.bound_pct;
        let basis = format!(
            "time of its calls minus their best time on this device; at least up to {:.0}% of the roof",
            settings.bound_pct
        );
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
            gain: Some(Gain { budget: budget(row.class), ..gain_of(near, *headroom, scope, basis) }),
            evidence: "tables points and by_arguments".to_owned(),
            next: next(points, row).to_owned(),
        }
    };
    far.iter().take(MOST).map(finding).collect()
}

/// True for copies between host and device: the memory of the device, which is their roof, has no part in how long they
/// take. Section `memory-bandwidth` has them.
fn crosses_the_link(row: &OperatorRow) -> bool {
    2 * row.over_the_link > row.activities
}

fn next(points: &TracePoints, row: &OperatorRow) -> &'static str {
    match (points.is_of_host(), row.class, row.times.count()) {
        (false, Class::Kernel, _) => {
            "check its launch and memory accesses: too few blocks to fill the device, uncoalesced or repeated \
            loads, low occupancy"
        }
        (false, ..) => {
            "check its kernels: shapes too small to fill the device, layouts that force copies, a slow library \
            path, or work that a fused operator avoids"
        }
        // Libraries choose and generate code when they first see a shape.
        (true, _, 1) => "called once, and a first call includes one-time setup: record after a warm-up",
        (true, ..) => {
            "check how many threads it uses (`torch.get_num_threads()`) and whether its operands are contiguous; larger \
             batches, BF16 where the processor supports it and `torch.compile` help most"
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

/// What has no shape of its own in lists of operands.
const SCALARS: [&str; 3] = ["GenericList", "ScalarList", "scalar"];

pub(super) fn shapes(row: &OperatorRow) -> String {
    if row.arguments.dims.is_empty() {
        String::new()
    } else {
        let described = described(&row.arguments.dims, &row.arguments.types);
        let operands: Vec<&str> =
            described.split(", ").filter(|operand| !SCALARS.contains(operand)).collect();
        format!(" on {}", shortened(&operands.join(", ")))
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
    fn flag<'h>(held: &'h Held<'_>) -> Option<&'h Flag> {
        held.found.as_ref()?.flag.as_ref()
    }
    let cause = flag(worst).map(|flag| flag.cause()).unwrap_or_default();
    // Where the cause is known nothing is wrong, and little of it is not worth a sentence.
    let is_explained = above.iter().all(|(held, _)| flag(held).is_some_and(Flag::is_explained));
    let is_little = percentage(time, points.busy) < NOTABLE_PCT;
    if is_explained && is_little {
        return None;
    }
    let rows = match above.len() {
        1 => "one operator".to_owned(),
        count => format!("{count} operators"),
    };
    Some(Finding {
        id: "above_roof",
        severity: if is_little || is_explained { Severity::Info } else { Severity::Warning },
        claim: format!(
            "{} of the busy time is above the roof ({rows}), most in `{}`{} at {pct:.0}%: {cause}",
            percent(time, points.busy),
            shortened(&worst.row.name),
            shapes(worst.row),
        ),
        gain: None,
        evidence: "table points, column flag".to_owned(),
        next: if is_explained {
            "compare it with the cache it is served from; its share of the memory roof means nothing"
        } else {
            "check that the device and its peaks are right (`eaves device show`)"
        }
        .to_owned(),
    })
}

/// Time without a roofline model, by why; how to change that is said once for each reason.
fn uncovered(points: &TracePoints) -> Option<Finding> {
    let (covered, whole) = points.covered();
    if whole <= Ns::ZERO || percentage(covered, whole) >= COVERED_PCT {
        return None;
    }
    let groups = gaps::groups(points);
    let reasons: Vec<String> = groups.iter().map(|group| group.text(whole)).collect();
    let next: Vec<&str> = groups.iter().map(|group| group.gap.next()).collect();
    Some(Finding {
        id: "roofline_coverage",
        severity: Severity::Info,
        claim: format!(
            "{} of the busy time (excluding communication) has no roofline model: {}",
            percent(whole - covered, whole),
            reasons.join(", "),
        ),
        gain: None,
        evidence: "tables gaps and unmodelled".to_owned(),
        next: next.join("; "),
    })
}
