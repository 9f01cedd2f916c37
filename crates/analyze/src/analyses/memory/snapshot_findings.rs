//! What follows from snapshots.

use super::super::Rank;
use super::snapshot::Allocator;
use super::{DeviceMemory, RankMemory, tables};
use crate::section::{Finding, Severity};
use crate::text::size;

/// Share of what is reserved that is unused at the peak, in percent, above which it is worth a sentence.
const UNUSED_PCT: i64 = 20;
/// Less than this is nobody's trouble.
const UNUSED_BYTES: i64 = 256 << 20;
/// Share of the peak from before the recording, in percent, above which the peak is not explained.
const BEFORE_PCT: i64 = 50;
/// Share of memory in use that is lost to rounding, in percent.
const ROUNDING_PCT: i64 = 5;

struct Place<'a> {
    rank: i64,
    device: &'a DeviceMemory,
    allocator: &'a Allocator,
}

/// What may be found at one place, and its weight among the same of other places.
type Rule = fn(&Place<'_>) -> Option<(i64, Finding)>;

/// All findings, most important first.
pub(super) fn all(ranks: &[Rank<'_, RankMemory>]) -> Vec<Finding> {
    let places: Vec<Place<'_>> = ranks
        .iter()
        .flat_map(|rank| rank.part.devices.iter().map(move |device| (rank.rank, device)))
        .filter_map(|(rank, device)| Some(Place { rank, device, allocator: device.allocator.as_deref()? }))
        .collect();
    let each: [Rule; 7] = [out_of_memory, leak, retries, fragmentation, before, dropped, rounding];
    let worst = |finding: Rule| {
        places.iter().filter_map(finding).max_by_key(|(weight, _)| *weight).map(|(_, finding)| finding)
    };
    each.into_iter().filter_map(worst).collect()
}

fn where_is(place: &Place<'_>) -> String {
    format!("{} of rank {}", place.device.device.name(), place.rank)
}

fn out_of_memory(place: &Place<'_>) -> Option<(i64, Finding)> {
    let failure = place.allocator.failures.last()?;
    let verdict = match (failure.is_fragmented(), failure.unused()) {
        (Some(true), Some(unused)) => format!(
            "{} were reserved but unused and {} free on the device, enough in total but not in one piece: \
            fragmentation",
            size(unused),
            size(failure.free)
        ),
        (Some(false), Some(unused)) => format!(
            "only {} were reserved but unused and {} free on the device: the device was full",
            size(unused),
            size(failure.free)
        ),
        _ => format!("{} were free on the device", size(failure.free)),
    };
    let next = if failure.is_fragmented() == Some(true) {
        "set `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`; use few distinct input sizes"
    } else {
        "use less there: smaller batches, activation checkpointing, lower precision, sharded optimizer states; \
        table at_failure_by_stack lists the lines that hold most"
    };
    Some((
        failure.asked,
        Finding {
            id: "out_of_memory",
            severity: Severity::Critical,
            claim: format!(
                "a request for {} failed on {} with {} in use; {verdict}",
                size(failure.asked),
                where_is(place),
                size(failure.in_use)
            ),
            gain: None,
            evidence: format!("tables out_of_memory and at_failure_by_stack, {}", where_is(place)),
            next: next.to_owned(),
        },
    ))
}

fn leak(place: &Place<'_>) -> Option<(i64, Finding)> {
    let growth = place.allocator.growth.first()?;
    let line = growth.place.as_deref().unwrap_or("a line without a stack");
    Some((
        growth.last.saturating_sub(growth.first),
        Finding {
            id: "memory_leak",
            severity: Severity::Warning,
            claim: format!(
                "memory allocated at {line} grew by about {} in each of the last {} steps on {}",
                size(growth.per_step()),
                growth.steps,
                where_is(place)
            ),
            gain: None,
            evidence: format!("table growth_by_stack, {}", where_is(place)),
            next: "find what keeps these tensors: losses summed without `.item()` or `.detach()`, outputs kept in \
                lists, caches that only grow"
                .to_owned(),
        },
    ))
}

fn retries(place: &Place<'_>) -> Option<(i64, Finding)> {
    let churn = place.allocator.churn;
    (churn.retries > 0).then(|| {
        let times = if churn.retries == 1 { "once".to_owned() } else { format!("{} times", churn.retries) };
        (
            i64::try_from(churn.retries).unwrap_or(i64::MAX),
            Finding {
                id: "allocator_retries",
                severity: Severity::Warning,
                claim: format!(
                    "the allocator emptied its cache {times} to serve a request on {}: {} segments were taken and {} given \
                     back while recording",
                    where_is(place),
                    churn.taken,
                    churn.given_back
                ),
                gain: None,
                evidence: format!("table allocator, {}", where_is(place)),
                next: "each time, the device waits for all work to finish; use less, or waste less \
                    (`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`)"
                    .to_owned(),
            },
        )
    })
}

fn fragmentation(place: &Place<'_>) -> Option<(i64, Finding)> {
    let unused = tables::unused(place.device)?;
    let reserved = place.device.peak.reserved.get()?;
    let is_much = unused >= UNUSED_BYTES && unused.saturating_mul(100) >= reserved.saturating_mul(UNUSED_PCT);
    is_much.then(|| {
        (
            unused,
            Finding {
                id: "memory_fragmentation",
                severity: Severity::Warning,
                claim: format!(
                    "{} of {} that the allocator held at the peak on {} were not in use ({:.1}%)",
                    size(unused),
                    size(reserved),
                    where_is(place),
                    100.0 * unused as f64 / reserved as f64
                ),
                gain: None,
                evidence: format!(
                    "table by_device, {}, columns unused_bytes and peak_reserved_bytes",
                    where_is(place)
                ),
                next: "gaps between blocks are too small for larger requests: set \
                    `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, use few distinct input sizes, and \
                    allocate long-lived tensors first"
                    .to_owned(),
            },
        )
    })
}

fn before(place: &Place<'_>) -> Option<(i64, Finding)> {
    let (older, peak) = (&place.allocator.alive.older, place.device.peak.bytes);
    let is_much = older.bytes > 0 && older.bytes.saturating_mul(100) >= peak.saturating_mul(BEFORE_PCT);
    is_much.then(|| {
        (
            older.bytes,
            Finding {
                id: "allocated_before_recording",
                severity: Severity::Info,
                claim: format!(
                    "{} of the {} peak on {} ({} blocks) were allocated before the first recorded event",
                    size(older.bytes),
                    size(peak),
                    where_is(place),
                    older.allocations
                ),
                gain: None,
                evidence: format!(
                    "table allocator, {}, columns before_blocks and before_bytes",
                    where_is(place)
                ),
                next:
                    "call `torch.cuda.memory._record_memory_history()` before creating the model, with more \
                    `max_entries`, to see where they come from"
                        .to_owned(),
            },
        )
    })
}

fn dropped(place: &Place<'_>) -> Option<(i64, Finding)> {
    let dropped = place.allocator.dropped;
    (dropped > 0).then(|| {
        (
            i64::try_from(dropped).unwrap_or(i64::MAX),
            Finding {
                id: "history_dropped",
                severity: Severity::Info,
                claim: format!(
                    "the recorder dropped its oldest events: {dropped} blocks on {} have a stack, and no event of their \
                     allocation is left; a peak before the first event that is left is not in these numbers",
                    where_is(place)
                ),
                gain: None,
                evidence: format!("table allocator, {}", where_is(place)),
                next: "record with more `max_entries`, or take the snapshot earlier".to_owned(),
            },
        )
    })
}

fn rounding(place: &Place<'_>) -> Option<(i64, Finding)> {
    let (lost, whole) = (place.allocator.end.rounding(), place.allocator.end.in_blocks);
    let is_much = lost >= UNUSED_BYTES && lost.saturating_mul(100) >= whole.saturating_mul(ROUNDING_PCT);
    is_much.then(|| {
        (
            lost,
            Finding {
                id: "memory_rounding",
                severity: Severity::Info,
                claim: format!(
                    "{} of {} in use at the end on {} are rounding: blocks larger than requested",
                    size(lost),
                    size(whole),
                    where_is(place)
                ),
                gain: None,
                evidence: format!("table allocator, {}, column end_rounding_bytes", where_is(place)),
                next: "small tensors round up to 512 bytes each, and large ones take whole blocks: combine small \
                    ones, or lower `roundup_power2_divisions`"
                    .to_owned(),
            },
        )
    })
}
