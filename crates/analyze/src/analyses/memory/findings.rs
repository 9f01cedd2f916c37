//! What follows from the tables.

use super::super::Rank;
use super::{DeviceMemory, RankMemory, StepMemory, snapshot_findings, tables};
use crate::advice::Audience;
use crate::section::{Finding, Severity};
use crate::text::{duration, percent, percentage, size};

/// Steps in a row that grow alike before it is called a habit.
pub(super) const GROWING_STEPS: usize = 3;
/// Less growth in a step is noise: counters, statistics, log entries.
pub(super) const GROWTH_BYTES: i64 = 1_000_000;
/// How far the growths of these steps may lie apart: a leak repeats itself, a warm-up does not.
const GROWTH_RATIO: f64 = 1.25;

/// Share of a device's memory that is nearly all: the rest goes to the context, to libraries and to fragments.
const RESERVED_PCT: f64 = 90.0;
/// Share of the steps' time on the host above which calls into the driver are worth a sentence.
const DRIVER_PCT: f64 = 1.0;

/// All findings.
pub(super) fn all(audience: Audience, ranks: &[Rank<'_, RankMemory>]) -> Vec<Finding> {
    snapshot_findings::all(ranks)
        .into_iter()
        .chain([pressure(audience, ranks), growth(audience, ranks)].into_iter().flatten())
        .collect()
}

/// The longest run of steps that grow alike.
fn growing(steps: &[StepMemory]) -> Option<&[StepMemory]> {
    let mut longest: Option<&[StepMemory]> = None;
    for first in 0..steps.len() {
        let (mut least, mut most) = (i64::MAX, 0);
        let mut end = first;
        while let Some(step) = steps.get(end) {
            let follows = end == first || steps[end - 1].number.checked_add(1) == Some(step.number);
            (least, most) = (least.min(step.growth()), most.max(step.growth()));
            if !follows || least < GROWTH_BYTES || most as f64 > GROWTH_RATIO * least as f64 {
                break;
            }
            end += 1;
        }
        let run = &steps[first..end];
        if run.len() >= GROWING_STEPS && longest.is_none_or(|longest| longest.len() < run.len()) {
            longest = Some(run);
        }
    }
    longest
}

fn growth(audience: Audience, ranks: &[Rank<'_, RankMemory>]) -> Option<Finding> {
    let devices = ranks.iter().flat_map(|rank| rank.part.devices.iter().map(move |device| (rank, device)));
    let runs = devices.filter_map(|(rank, device)| Some((rank, device, growing(&device.steps)?)));
    let total = |run: &[StepMemory]| run.iter().fold(0i64, |sum, step| sum.saturating_add(step.growth()));
    let (rank, device, run) = runs.max_by_key(|(_, _, run)| total(run))?;
    let mean = total(run) / i64::try_from(run.len()).unwrap_or(i64::MAX).max(1);
    let (first, last) = (run.first()?.number, run.last()?.number);
    let name = device.device.name();
    Some(Finding {
        id: "memory_growth",
        severity: Severity::Warning,
        claim: format!(
            "memory in use on {name} of rank {} grows by about {} per step, from step {first} to {last}",
            rank.rank,
            size(mean)
        ),
        gain: None,
        evidence: format!("table by_step, rank {}, device {name}, column growth_bytes", rank.rank),
        next: audience.either(
            "look for tensors that outlive their step: losses summed without `.item()` or `.detach()`, outputs kept in \
             lists, caches that only grow; table at_peak says which operator made them",
            "look for buffers that outlive their step, and caches that only grow",
        ),
    })
}

/// The device of which most is reserved, with that share.
fn fullest(rank: &RankMemory) -> Option<(&DeviceMemory, f64)> {
    let share = |device| {
        let (part, whole) = tables::reserved_share(device)?;
        Some((device, 100.0 * part as f64 / whole as f64))
    };
    rank.devices.iter().filter_map(share).max_by(|(_, one), (_, other)| one.total_cmp(other))
}

fn pressure(audience: Audience, ranks: &[Rank<'_, RankMemory>]) -> Option<Finding> {
    let driver_share =
        |rank: &Rank<'_, RankMemory>| percentage(rank.part.driver.time(), rank.part.driver.steps_time);
    let reserved_share = |rank: &Rank<'_, RankMemory>| fullest(rank.part).map_or(0.0, |(_, share)| share);
    let slowest = ranks.iter().max_by(|one, other| driver_share(one).total_cmp(&driver_share(other)))?;
    let tightest = ranks.iter().max_by(|one, other| reserved_share(one).total_cmp(&reserved_share(other)))?;
    let next = audience.either(
        "use less (smaller batches, activation checkpointing, lower precision), or waste less \
         (`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, no `torch.cuda.empty_cache()` in the loop)",
        "use less (smaller batches, lower precision, recomputation), or waste less: reuse buffers, use a pool \
        instead of allocating in the loop",
    );
    if driver_share(slowest) >= DRIVER_PCT {
        let driver = &slowest.part.driver;
        let names: Vec<&str> = driver.functions.iter().map(|function| function.name).collect();
        let reserved = match fullest(slowest.part) {
            Some((device, share)) if share >= RESERVED_PCT => {
                format!("; {share:.1}% of {} is reserved", device.device.name())
            }
            _ => String::new(),
        };
        return Some(Finding {
            id: "memory_pressure",
            severity: Severity::Warning,
            claim: format!(
                "rank {} calls {} {} times after the first step, for {} ({}) of the host time{reserved}",
                slowest.rank,
                names.join(", "),
                driver.calls(),
                percent(driver.time(), driver.steps_time),
                duration(driver.time())
            ),
            // What the GPU waits for it is idle time, which section idle-causes counts.
            gain: None,
            evidence: format!("table driver_calls, rank {}", slowest.rank),
            next,
        });
    }
    // What a server reserves when it starts is its own choice, and it neither grows nor fails.
    let (device, share) =
        fullest(tightest.part).filter(|&(device, share)| share >= RESERVED_PCT && device.reserved_grew)?;
    Some(Finding {
        id: "memory_pressure",
        severity: Severity::Info,
        claim: format!(
            "{share:.1}% of {} on rank {} is reserved at the peak (of {})",
            device.device.name(),
            tightest.rank,
            size(device.capacity?)
        ),
        gain: None,
        evidence: format!("table by_device, rank {}, column reserved_pct", tightest.rank),
        next,
    })
}
