//! What the summary keeps of one rank.

use std::collections::HashMap;

use eaves_model::{Ns, SliceId, SliceKind, StringId};
use serde::{Deserialize, Serialize};

use crate::analyses::kernels::{Row, rows_of};
use crate::section::Value;
use crate::{KernelType, RankView, Statistics};

/// One rank.
#[derive(Deserialize, Serialize)]
pub(in crate::analyses) struct Part {
    pub(super) kernels: Vec<Row>,
    pub(super) launches: Launches,
    /// Communication by the name of the collective, longest first.
    pub(super) collectives: Vec<(String, Statistics)>,
    pub(super) copies: Copies,
}

impl Part {
    pub(super) fn measure(rank: &RankView<'_>) -> Self {
        Self {
            kernels: rows_of(rank),
            launches: Launches::measure(rank),
            collectives: collectives(rank),
            copies: Copies::measure(rank),
        }
    }
}

/// Kernels and the calls that launched them.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Launches {
    pub(super) kernels: u64,
    /// Kernels whose launching call was recorded.
    pub(super) launched: u64,
    /// The calls; one may launch many kernels.
    pub(super) calls: Statistics,
    /// Durations of the kernels.
    pub(super) durations: Statistics,
    /// From the end of the call to the start of the kernel; nothing if it started earlier (HTA's `launch_delay`).
    pub(super) delays: Statistics,
    /// Kernels that ran shorter than their call took.
    pub(super) short: u64,
}

impl Launches {
    fn measure(rank: &RankView<'_>) -> Self {
        let (trace, links) = (rank.trace, rank.links());
        let mut launches = Self::default();
        let mut calls: Vec<SliceId> = Vec::new();
        for (index, &activity) in rank.gpu.row.iter().enumerate() {
            let slice = trace.gpu.slice[activity.index()].index();
            if trace.slices.kind[slice] != SliceKind::Kernel {
                continue;
            }
            let duration = rank.gpu.duration(index);
            launches.kernels += 1;
            launches.durations.add(duration);
            let Some(call) = links.launch(activity) else { continue };
            calls.push(call);
            launches.launched += 1;
            let delay = trace.slices.start[slice] - trace.slices.end(call.index());
            launches.delays.add(delay.max(Ns::ZERO));
            launches.short += u64::from(duration < trace.slices.duration[call.index()]);
        }
        calls.sort_unstable();
        calls.dedup();
        for call in calls {
            launches.calls.add(trace.slices.duration[call.index()]);
        }
        launches
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.kernels += other.kernels;
        self.launched += other.launched;
        self.calls.merge(&other.calls);
        self.durations.merge(&other.durations);
        self.delays.merge(&other.delays);
        self.short += other.short;
    }
}

/// Copies and sets that tell how many bytes they moved.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Copies {
    bytes: u128,
    time: u128,
    count: u64,
}

impl Copies {
    fn measure(rank: &RankView<'_>) -> Self {
        let mut copies = Self::default();
        for (index, &activity) in rank.gpu.row.iter().enumerate() {
            let bytes =
                rank.trace.gpu.bytes[activity.index()].get().and_then(|bytes| u64::try_from(bytes).ok());
            let Some(bytes) = bytes.filter(|_| rank.gpu.kernel_type[index] == KernelType::Memory) else {
                continue;
            };
            copies.bytes += u128::from(bytes);
            copies.time += u128::from(rank.gpu.duration(index).0.unsigned_abs());
            copies.count += 1;
        }
        copies
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.time += other.time;
        self.count += other.count;
    }

    /// Bytes per nanosecond are gigabytes per second.
    pub(super) fn bandwidth(&self) -> Value {
        match (self.count, self.time) {
            (0, _) => Value::Missing("no memcpy or memset has a known size"),
            (_, 0) => Value::Missing("the copies took no time"),
            _ => Value::Float(self.bytes as f64 / self.time as f64),
        }
    }
}

/// Communication by collective: what the recording calls it, else the kernel.
fn collectives(rank: &RankView<'_>) -> Vec<(String, Statistics)> {
    let table = &rank.trace.collectives;
    let recorded: HashMap<SliceId, StringId> = table
        .slice
        .iter()
        .zip(&table.name)
        .filter(|&(_, &name)| name != StringId::NONE)
        .map(|(&slice, &name)| (slice, name))
        .collect();
    let mut found: HashMap<StringId, Statistics> = HashMap::new();
    for (index, &activity) in rank.gpu.row.iter().enumerate() {
        if rank.gpu.kernel_type[index] == KernelType::Communication {
            let slice = rank.trace.gpu.slice[activity.index()];
            let name = recorded.get(&slice).copied().unwrap_or(rank.gpu.name[index]);
            found.entry(name).or_default().add(rank.gpu.duration(index));
        }
    }
    let text = |(name, statistics)| (rank.trace.strings.get(name).to_owned(), statistics);
    let mut collectives: Vec<(String, Statistics)> = found.into_iter().map(text).collect();
    collectives.sort_by(|a, b| b.1.total().cmp(&a.1.total()).then_with(|| a.0.cmp(&b.0)));
    collectives
}
