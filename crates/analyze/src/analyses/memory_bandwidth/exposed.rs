//! Copies and sets that nothing hides, by what can be done about them.

use eaves_model::{IntervalSet, Ns};
use serde::{Deserialize, Serialize};

use super::Ranks;
use super::copies::{Copy, CopyKind, HostMemory};
use super::pageable::SMALL;
use crate::advice::Audience;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage};
use crate::{KernelType, RankView};

/// Shares of the time above which a finding is made: below, the gain is rarely worth the work.
const WARNING_PCT: f64 = 5.0;
const CRITICAL_PCT: f64 = 30.0;

/// The exposed time of a rank's copies and memsets in the steady state. No instant is in two of them.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
pub(super) struct Exposed {
    /// From and to the host, but for large copies of pageable memory, which has its own finding.
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
        // What has its own finding comes first.
        exposed(&is_pageable);
        let host = exposed(&|copy| {
            matches!(copy.kind, CopyKind::HostToDevice | CopyKind::DeviceToHost | CopyKind::HostToHost)
        });
        let device = exposed(&|copy| matches!(copy.kind, CopyKind::DeviceToDevice | CopyKind::PeerToPeer));
        Self { host, device, sets: exposed(&|copy| copy.kind == CopyKind::Set) }
    }
}

/// What a rule says of the copies of a kind.
struct Rule {
    id: &'static str,
    subject: &'static str,
    time: fn(&Exposed) -> Ns,
    /// What to do where kernels could hide them, and where they take longer than all kernels.
    next: [String; 2],
}

/// At most one finding a kind, about the rank where it costs most.
pub(super) fn findings(audience: Audience, ranks: &Ranks<'_>) -> Vec<Finding> {
    let alike = |next: String| [next.clone(), next];
    let rules = [
        Rule {
            id: "exposed_memory",
            subject: "exposed copies between host and device",
            time: |exposed| exposed.host,
            next: [
                audience.either(
                    "copy with `non_blocking=True` on a separate stream while the GPU computes, prefetch the next \
                    batch, and keep reused data on the device",
                    "copy asynchronously on a separate stream while the GPU computes (`cudaMemcpyAsync`, \
                    `hipMemcpyAsync` from pinned memory), and keep reused data on the device",
                ),
                audience.either(
                    "copy less: keep reused data on the device, copy smaller types, and pin memory \
                    (`pin_memory=True`) for faster copies",
                    "copy less: keep reused data on the device, copy smaller types, and pin memory \
                    (`cudaHostAlloc`, `hipHostMalloc`) for faster copies",
                ),
            ],
        },
        Rule {
            id: "device_copies",
            subject: "exposed copies inside the device",
            time: |exposed| exposed.device,
            next: alike(audience.either(
                "find the copying operators (`clone`, `contiguous`, `cat`, `copy_`): write results where they are \
                needed, keep one layout, use views",
                "find the copying calls: write results where they are needed, swap pointers, keep one layout",
            )),
        },
        Rule {
            id: "exposed_sets",
            subject: "exposed memsets",
            time: |exposed| exposed.sets,
            next: alike(audience.either(
                "zero less: use `torch.empty` instead of `torch.zeros` for tensors that are overwritten, and \
                `zero_grad(set_to_none=True)`",
                "zero less: skip buffers that are overwritten",
            )),
        },
    ];
    rules.iter().filter_map(|rule| finding(ranks, rule)).collect()
}

fn finding(ranks: &Ranks<'_>, rule: &Rule) -> Option<Finding> {
    let of = ranks.iter().map(|(rank, part)| (*rank, (rule.time)(&part.exposed)));
    let (rank, spent) = of.max_by(|(a, one), (b, other)| {
        percentage(*one, a.steady.time()).total_cmp(&percentage(*other, b.steady.time()))
    })?;
    let share = percentage(spent, rank.steady.time());
    if share < WARNING_PCT {
        return None;
    }
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    // Copies hide behind kernels no longer than these run.
    let hidden_at_most = rank.steady.times.total(KernelType::Compute).min(spent);
    let is_hidable = 2 * hidden_at_most.0 >= spent.0;
    let basis = if is_hidable {
        "all of it if it overlaps with kernels".to_owned()
    } else {
        format!(
            "all of it if nothing is copied; kernels run for {} and cannot hide more",
            duration(hidden_at_most)
        )
    };
    let gain = Gain::new(Ns::ZERO, spent, rank.steady.steps, basis).out_of(rank.rank, Budget::ExposedMemory);
    let per_step = if gain.per_step { " per step" } else { "" };
    let [hide, avoid] = &rule.next;
    Some(Finding {
        id: rule.id,
        severity: if share < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}{} take {} of the time ({}{per_step})",
            rule.subject,
            percent(spent, rank.steady.time()),
            duration(gain.high)
        ),
        evidence: format!("tables by_kind and by_name, rank {}", rank.rank),
        next: if is_hidable { hide } else { avoid }.clone(),
        gain: Some(gain),
    })
}
