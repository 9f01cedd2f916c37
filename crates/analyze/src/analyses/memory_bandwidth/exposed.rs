//! Copies and sets that nothing hides, by what can be done about them.

use eaves_model::{IntervalSet, Ns};
use serde::{Deserialize, Serialize};

use super::Ranks;
use super::copies::{Copy, CopyKind, HostMemory};
use super::pageable::SMALL;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage};
use crate::{KernelType, RankView};

/// Shares of the time above which a finding is made: below, the gain is rarely worth the work.
const WARNING_PCT: f64 = 5.0;
const CRITICAL_PCT: f64 = 30.0;

/// The exposed time of a rank's copies and sets in the steady state. No instant is in two of them.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
pub(super) struct Exposed {
    /// From and to the host, but for large copies of pageable memory, which has a finding of its own.
    host: Ns,
    /// On a device or between devices.
    device: Ns,
    sets: Ns,
}

impl Exposed {
    pub(super) fn of(rank: &RankView<'_>, copies: &[Copy]) -> Self {
        let Some(window) = rank.steady().window else { return Self::default() };
        let is_pageable = |copy: &Copy| {
            copy.size.is_some_and(|size| size >= SMALL)
                && HostMemory::of(rank.trace.strings.get(copy.name)) == HostMemory::Pageable
        };
        let mut seen =
            rank.sets.of_type(KernelType::Compute).union(rank.sets.of_type(KernelType::Communication));
        let mut exposed = |keep: &dyn Fn(&Copy) -> bool| {
            let kept = copies.iter().filter(|copy| keep(copy)).filter_map(|copy| copy.interval.clip(window));
            let set = IntervalSet::union_of(kept.collect());
            let time = set.difference(&seen).measure();
            seen = seen.union(&set);
            time
        };
        // What has a finding of its own comes first.
        exposed(&is_pageable);
        let host = exposed(&|copy| {
            matches!(copy.kind, CopyKind::HostToDevice | CopyKind::DeviceToHost | CopyKind::HostToHost)
        });
        let device = exposed(&|copy| matches!(copy.kind, CopyKind::DeviceToDevice | CopyKind::PeerToPeer));
        Self { host, device, sets: exposed(&|copy| copy.kind == CopyKind::Set) }
    }
}

/// At most one finding a kind, about the rank where it costs most.
pub(super) fn findings(ranks: &Ranks<'_>) -> Vec<Finding> {
    let rules = [
        finding(
            ranks,
            |exposed| exposed.host,
            "exposed_memory",
            "copies between host and device that nothing hides",
            "copy with `non_blocking=True` on a stream of its own while the GPU computes, prefetch the next batch, and \
             keep on the device what is used again",
        ),
        finding(
            ranks,
            |exposed| exposed.device,
            "device_copies",
            "copies inside the device that nothing hides",
            "find the operators that copy (`clone`, `contiguous`, `cat`, `copy_`): write results where they are needed, \
             keep one layout, use views; the host's memory has no part in it",
        ),
        finding(
            ranks,
            |exposed| exposed.sets,
            "exposed_sets",
            "memsets that nothing hides",
            "zero less: `torch.empty` in place of `torch.zeros` where all is written anyway, \
             `zero_grad(set_to_none=True)`",
        ),
    ];
    rules.into_iter().flatten().collect()
}

fn finding(
    ranks: &Ranks<'_>,
    time: fn(&Exposed) -> Ns,
    id: &'static str,
    subject: &str,
    next: &str,
) -> Option<Finding> {
    let of = ranks.iter().map(|(rank, part)| (*rank, time(&part.exposed)));
    let (rank, spent) = of.max_by(|(a, one), (b, other)| {
        percentage(*one, a.steady.time()).total_cmp(&percentage(*other, b.steady.time()))
    })?;
    let share = percentage(spent, rank.steady.time());
    if share < WARNING_PCT {
        return None;
    }
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    let basis = "all of it at most: what remains of them can run beside kernels";
    let gain = Gain::new(Ns::ZERO, spent, rank.steady.steps, basis).out_of(rank.rank, Budget::ExposedMemory);
    let per_step = if gain.per_step { " per step" } else { "" };
    Some(Finding {
        id,
        severity: if share < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}{subject} take {} of the time ({}{per_step})",
            percent(spent, rank.steady.time()),
            duration(gain.high)
        ),
        gain: Some(gain),
        evidence: format!("tables by_kind and by_name, rank {}", rank.rank),
        next: next.to_owned(),
    })
}
