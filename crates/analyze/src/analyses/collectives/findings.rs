//! What follows from the tables.

use std::sync::Arc;

use eaves_model::Ns;

use super::super::Rank;
use super::across::{Across, Compared};
use super::tables::span;
use crate::advice::Audience;
use crate::collectives::{Calls, Place, SMALL_BYTES};
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage, size};

/// Shares of the span above which a finding is made: below, the gain is rarely worth the work.
const EXPOSED_WARNING_PCT: f64 = 5.0;
const EXPOSED_CRITICAL_PCT: f64 = 30.0;
const SMALL_WARNING_PCT: f64 = 5.0;

/// Most calls have to be small before bundling them is the thing to do.
const SMALL_CALLS_PCT: f64 = 50.0;

/// Bandwidth that varies more than this between calls of one size has a cause. A factor of two is usual when links
/// are shared with other traffic.
const SLOW_RATIO: f64 = 3.0;
/// Smaller calls last as long as it takes to start them, which varies.
const SLOW_BYTES: i64 = 1 << 20;
/// Fewer calls show no pattern.
const SLOW_CALLS: u64 = 4;

/// All findings.
pub(super) fn all(audience: Audience, ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>) -> Vec<Finding> {
    let small = small_messages(audience, ranks);
    let found = [exposed(audience, ranks, across, small.is_some()), small, slow_collective(across)];
    found.into_iter().flatten().collect()
}

/// A claim about one rank of several.
fn about(ranks: &[Rank<'_, Arc<Calls>>], rank: i64, claim: String) -> String {
    if ranks.len() > 1 { format!("rank {rank} is worst: {claim}") } else { claim }
}

/// `small_apart` says that the small calls have their own finding, so that their time is not in this one.
fn exposed(
    audience: Audience,
    ranks: &[Rank<'_, Arc<Calls>>],
    across: &Across<'_>,
    small_apart: bool,
) -> Option<Finding> {
    let time = |rank: &Rank<'_, Arc<Calls>>| rank.steady.times.exposed_communication();
    let share = |rank: &Rank<'_, Arc<Calls>>| percentage(time(rank), rank.steady.time());
    let (index, rank) =
        ranks.iter().enumerate().max_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)))?;
    if share(rank) < EXPOSED_WARNING_PCT {
        return None;
    }
    let (exposed, whole) = (time(rank), rank.steady.time());
    let mut claim = format!(
        "exposed communication takes {} of the time ({} of {})",
        percent(exposed, whole),
        duration(exposed),
        duration(whole)
    );
    // Of all calls; those of the warm-up divide as the others do.
    let all = rank.times.exposed_communication();
    let transfer = across.exposed_transfer(index, rank.part, all).map(|transfer| {
        Ns((transfer.as_f64() / all.as_f64().max(1.0) * exposed.as_f64()).round() as i64).min(exposed)
    });
    if let Some(transfer) = transfer.filter(|&transfer| transfer < exposed) {
        claim.push_str(&format!(
            ", of which at least {} is waiting for other ranks",
            duration(exposed - transfer)
        ));
    }
    let small = if small_apart { rank.part.totals(Place::Gpu).small_busy } else { Ns::ZERO };
    // The small ones of the steady state, which has a part of all communication.
    let small = Ns((small.as_f64() / all.as_f64().max(1.0) * exposed.as_f64()).round() as i64);
    let gained = (transfer.unwrap_or(exposed) - small).max(Ns::ZERO);
    if small_apart && percentage(exposed - small, whole) < EXPOSED_WARNING_PCT {
        return None;
    }
    let waits_most = transfer.is_some_and(|transfer| transfer.0 < exposed.0 / 2);
    let next = if waits_most {
        "most of it is waiting: find the late rank and the cause (`eaves report --section stragglers`)"
            .to_owned()
    } else {
        audience.either(
            "overlap it with computation (DDP bucket size, FSDP prefetch, a separate stream), or send less \
            (gradient accumulation, lower precision)",
            "overlap it with computation on a separate stream, or send less (fewer exchanges, lower precision)",
        )
    };
    let basis = match transfer {
        Some(_) => "at most the exposed time that may be transfer; waiting counts toward the late rank",
        None => {
            "at most all of it, including waiting for other ranks: calls could not be matched across ranks"
        }
    };
    Some(Finding {
        id: "exposed_communication",
        severity: if share(rank) < EXPOSED_CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: about(ranks, rank.rank, claim),
        gain: Some(
            Gain::new(Ns::ZERO, gained, rank.steady.steps, basis)
                .out_of(rank.rank, Budget::ExposedCommunication),
        ),
        evidence: format!("table by_rank, rank {}, column exposed_ns", rank.rank),
        next,
    })
}

fn small_messages(audience: Audience, ranks: &[Rank<'_, Arc<Calls>>]) -> Option<Finding> {
    let places = ranks.iter().flat_map(|rank| [(rank, Place::Gpu), (rank, Place::Host)]);
    let share = |&(rank, place): &(&Rank<'_, Arc<Calls>>, Place)| {
        percentage(rank.part.totals(place).small_busy, span(rank, place))
    };
    let mostly_small = |&(rank, place): &(&Rank<'_, Arc<Calls>>, Place)| {
        let totals = rank.part.totals(place);
        100.0 * totals.small as f64 > SMALL_CALLS_PCT * totals.sized as f64
    };
    let worst = places.filter(mostly_small).max_by(|one, other| share(one).total_cmp(&share(other)))?;
    if share(&worst) < SMALL_WARNING_PCT {
        return None;
    }
    let (rank, place) = worst;
    let (totals, whole) = (rank.part.totals(place), span(rank, place));
    let mean = totals.small_busy.0 / i64::try_from(totals.small).unwrap_or(i64::MAX).max(1);
    let one_each = Ns(mean.saturating_mul(i64::try_from(rank.steps).unwrap_or(i64::MAX).max(1)));
    let one_each = one_each.min(totals.small_busy);
    let claim = format!(
        "{} of {} collectives of known size move less than {} and take {} ({}) of a span of {}",
        totals.small,
        totals.sized,
        size(SMALL_BYTES),
        percent(totals.small_busy, whole),
        duration(totals.small_busy),
        duration(whole)
    );
    Some(Finding {
        id: "small_messages",
        severity: Severity::Warning,
        claim: about(ranks, rank.rank, claim),
        gain: Some(
            Gain::new(
                totals.small_busy - one_each,
                totals.small_busy + totals.small_pauses,
                rank.steps,
                "at most the time of the small collectives and the pauses between them; at least all but one per \
                step",
            )
            .out_of(
                rank.rank,
                // Pauses between them are idle time.
                Budget::NotComputing,
            ),
        ),
        evidence: format!("table by_collective, rows of less than {}", size(SMALL_BYTES)),
        next: audience.either(
            "bundle them: larger DDP buckets (`bucket_cap_mb`), `torch.distributed._coalescing_manager`, one flat tensor \
             instead of many, metrics reduced once per step",
            "bundle them: one flat buffer instead of many, calls in one group (`ncclGroupStart`), one reduction per step",
        ),
    })
}

fn slow_collective(across: &Across<'_>) -> Option<Finding> {
    let excess = |compared: &&Compared<'_>| {
        let count = i64::try_from(compared.transfer.count()).unwrap_or(i64::MAX);
        let best = Ns(compared.transfer.min().unwrap_or(Ns::ZERO).0.saturating_mul(count));
        compared.transfer.total() - best
    };
    let ratio = |compared: &Compared<'_>| {
        let (shortest, longest) = (compared.transfer.min()?, compared.transfer.max()?);
        (shortest > Ns::ZERO).then(|| longest.as_f64() / shortest.as_f64())
    };
    let varies = |compared: &&Compared<'_>| {
        compared.transfer.count() >= SLOW_CALLS
            && compared.size.is_some_and(|size| size >= SLOW_BYTES)
            && ratio(compared).is_some_and(|ratio| ratio > SLOW_RATIO)
    };
    let worst = across.compared.iter().filter(varies).max_by_key(excess)?;
    let bytes = worst.size?;
    Some(Finding {
        id: "slow_collective",
        severity: Severity::Info,
        claim: format!(
            "{} of {} takes between {} and {} once all ranks have joined: bandwidth varies by a factor of {:.1} \
            over {} collectives",
            worst.row.kind.id(),
            size(bytes),
            duration(worst.transfer.min()?),
            duration(worst.transfer.max()?),
            ratio(worst)?,
            worst.transfer.count()
        ),
        gain: None,
        evidence: format!("table skew, {} of {}", worst.row.kind.id(), size(bytes)),
        next: "check what else runs during the slow ones: other collectives and copies on the same link, kernels \
            that occupy all multiprocessors, or network traffic from other jobs"
            .to_owned(),
    })
}
