//! What copies from and to pageable memory cost next to pinned memory.

use std::collections::HashMap;

use eaves_model::{IntervalSet, Ns};
use serde::{Deserialize, Serialize};

use super::Ranks;
use super::copies::{Copy, CopyKind, HostMemory};
use crate::advice::Audience;
use crate::analyses::replay::Change;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percent, percentage};
use crate::{KernelType, RankView};

/// Copies of fewer bytes take as long as they take to begin, whatever the memory. Up to 64 KB the host does not even
/// wait for a pageable copy to the device (CUDA C++ Programming Guide, "Concurrent Execution between Host and Device").
pub(super) const SMALL: u64 = 64 * 1024;

/// Share of the time from which pinning memory is worth a sentence.
const NOTICEABLE_PCT: f64 = 1.0;

/// The large pageable copies of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct Pageable {
    bytes: u64,
    /// Time in which any of them ran.
    time: Ns,
    /// Of it, the part in which nothing computed or communicated.
    exposed: Ns,
    /// What their bytes take at the rate of the large pinned copies of the same direction. Directions without such
    /// copies count as they are, so it says nothing if there are none at all.
    if_pinned: Option<Ns>,
    /// What the steady state would gain if the copies came from pinned memory, and if they also overlapped with kernels;
    /// nothing if no launch says what they kept waiting.
    replayed: Option<(Ns, Ns)>,
}

/// What pinned memory reaches over PCIe 3.0 x16, the slowest link of current servers, in bytes per microsecond.
const PINNED_BYTES_PER_MICROSECOND: i64 = 12_000;

/// Plays the launches again with copies of another length, for which the host does not wait.
fn replayed(rank: &RankView<'_>, copies: &[&Copy], pinned: impl Fn(&Copy) -> Option<Ns>) -> Option<(Ns, Ns)> {
    let is_known = |copy: &&Copy| rank.links().launch(rank.gpu.row[copy.index]).is_some();
    let replay = rank.replay().filter(|_| !copies.is_empty() && copies.iter().all(is_known))?;
    let waits = replay.waits_for(copies.iter().map(|copy| copy.index).collect());
    let gain = |length: &dyn Fn(&Copy) -> Ns| {
        replay.gain(&Change {
            removed: IntervalSet::union_of(waits.clone()),
            lengths: copies.iter().map(|copy| (copy.index, length(copy))).collect(),
            ..Change::default()
        })
    };
    let shorter = |copy: &Copy| {
        let bytes = copy.bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(i64::MAX);
        let usual = Ns(bytes.saturating_mul(1_000) / PINNED_BYTES_PER_MICROSECOND);
        pinned(copy).unwrap_or(usual).min(copy.interval.length())
    };
    let high = gain(&|_| Ns::ZERO);
    Some((gain(&shorter).min(high), high))
}

impl Pageable {
    pub(super) fn of(rank: &RankView<'_>, copies: &[Copy]) -> Self {
        let large = |direction: CopyKind, memory: HostMemory| {
            let strings = &rank.trace.strings;
            let matches = move |copy: &&Copy| {
                copy.kind == direction
                    && copy.size.is_some_and(|size| size >= SMALL)
                    && HostMemory::of(strings.get(copy.name)) == memory
            };
            let copies: Vec<&Copy> = copies.iter().filter(matches).collect();
            let bytes = copies.iter().filter_map(|copy| copy.bytes).fold(0, u64::saturating_add);
            let set = IntervalSet::union_of(copies.iter().map(|copy| copy.interval).collect());
            (bytes, set, copies)
        };
        let (mut slow, mut rates) = (Vec::new(), HashMap::new());
        let mut all = IntervalSet::default();
        let (mut bytes, mut compared, mut if_pinned) = (0u64, false, Ns::ZERO);
        for direction in [CopyKind::HostToDevice, CopyKind::DeviceToHost] {
            let (moved, set, copies) = large(direction, HostMemory::Pageable);
            let (pinned_bytes, pinned_set, _) = large(direction, HostMemory::Pinned);
            slow.extend(copies);
            if pinned_bytes > 0 {
                rates.insert(direction, pinned_set.measure().as_f64() / pinned_bytes as f64);
            }
            let measured = pinned_bytes > 0 && moved > 0;
            let time = if measured {
                Ns((moved as f64 / pinned_bytes as f64 * pinned_set.measure().as_f64()) as i64)
            } else {
                set.measure()
            };
            compared |= measured;
            bytes = bytes.saturating_add(moved);
            if_pinned += time;
            all = all.union(&set);
        }
        let pinned = |copy: &Copy| Some(Ns((copy.bytes? as f64 * rates.get(&copy.kind)?) as i64));
        let hidden =
            rank.sets.of_type(KernelType::Compute).union(rank.sets.of_type(KernelType::Communication));
        Self {
            bytes,
            time: all.measure(),
            exposed: all.difference(&hidden).measure(),
            if_pinned: compared.then_some(if_pinned),
            replayed: replayed(rank, &slow, pinned),
        }
    }

    /// What pinning can gain at least and at most: where nothing says what waited for the copies no more than they get
    /// shorter, and no more than nothing else hides.
    fn gain(&self) -> (Ns, Ns) {
        let shorter = self.if_pinned.map_or(self.time, |time| (self.time - time).max(Ns::ZERO));
        self.replayed.unwrap_or((Ns::ZERO, shorter.min(self.exposed)))
    }
}

pub(super) fn finding(audience: Audience, ranks: &Ranks<'_>) -> Option<Finding> {
    let (rank, pageable, span) = ranks
        .iter()
        .map(|(rank, part)| (*rank, &part.pageable, rank.steady.time()))
        .max_by_key(|(_, pageable, _)| pageable.gain().1)?;
    let (low, high) = pageable.gain();
    if percentage(high, span) < NOTICEABLE_PCT {
        return None;
    }
    let number = rank.rank;
    let basis = match pageable.if_pinned {
        _ if pageable.replayed.is_some() => {
            "from replaying the launches with asynchronous copies: at least at the rate of pinned memory (from \
            the recording, or 12 GB/s), at most hidden by kernels"
                .to_owned()
        }
        Some(time) => format!(
            "the time of these copies minus {}, their time at the rate of the recording's pinned copies; at most \
            the time with nothing else running",
            duration(time)
        ),
        None => "at most all of it: the recording has no large pinned copy to compare with".to_owned(),
    };
    // The host waits for the copies, so the GPU is idle behind them.
    let is_known = pageable.replayed.is_some();
    let budget = if is_known { Budget::NotComputing } else { Budget::ExposedMemory };
    Some(Finding {
        id: "pageable_copies",
        severity: Severity::Warning,
        claim: format!(
            "copies to and from pageable memory take {} of the time on rank {number} ({} for {:.1} MB)",
            percent(pageable.time, span),
            duration(pageable.time),
            pageable.bytes as f64 / 1e6
        ),
        gain: Some(Gain::new(low, high, rank.steady.steps, basis).out_of(number, budget)),
        evidence: format!("table by_name, rank {number}, names with Pageable"),
        next: audience.either(
            "pin the memory (`DataLoader(..., pin_memory=True)`, `tensor.pin_memory()`) and copy with `non_blocking=True`: \
             the copy is faster, overlaps with kernels and does not block the host",
            "pin the memory (`cudaHostAlloc`, `hipHostMalloc`) and copy asynchronously: the copy is faster, overlaps with \
             kernels and does not block the host",
        ),
    })
}
