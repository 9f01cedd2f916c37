//! What is kept of a rank: a row for each name of an operator.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::AddAssign;

use eaves_model::{Bytes, Interval, Ns, SliceId};
use serde::{Deserialize, Serialize};

use super::Rank;
use crate::{GpuWork, HostTree, RankView};

/// What the analysis keeps of a rank.
#[derive(Default, Deserialize, Serialize)]
pub(in crate::analyses) struct Part {
    /// A row for each name, most GPU time of its own first.
    pub(super) rows: Vec<Row>,
    /// A row for each call, if details are wanted.
    pub(super) calls: Vec<Call>,
    /// True if allocations were recorded.
    pub(super) recorded_memory: bool,
    /// Summed duration of all selected GPU activities.
    pub(super) gpu_time: Ns,
    /// That of the activities launched in operators.
    pub(super) gpu_inside: Ns,
}

/// The calls of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) calls: u64,
    pub(super) cpu_total: Ns,
    pub(super) cpu_own: Ns,
    pub(super) gpu_total: Ns,
    pub(super) gpu_own: Ns,
    pub(super) activities: u64,
    pub(super) memory: Memory,
}

/// One call.
#[derive(Deserialize, Serialize)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) span: Interval,
    pub(super) depth: u32,
    pub(super) cpu_own: Ns,
    pub(super) own: GpuWork,
    pub(super) total: GpuWork,
}

/// Bytes taken; what is released is not taken off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::analyses) struct Memory {
    pub(in crate::analyses) device: Bytes,
    pub(in crate::analyses) host: Bytes,
}

impl AddAssign for Memory {
    fn add_assign(&mut self, other: Self) {
        self.device += other.device;
        self.host += other.host;
    }
}

/// What belongs to a call on top of its own duration.
#[derive(Clone, Copy, Default)]
struct Sums {
    activities: u64,
    gpu: Ns,
    memory: Memory,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.activities += other.activities;
        self.gpu += other.gpu;
        self.memory += other.memory;
    }
}

pub(super) fn part(rank: &RankView<'_>) -> Part {
    let tree = rank.operators();
    if tree.is_empty() {
        return Part::default();
    }
    let times = tree.own_times(&rank.trace.slices);
    let rows = rows(rank, tree, &times);
    Part {
        calls: if rank.options.details { calls(rank, tree, &times) } else { Vec::new() },
        recorded_memory: !rank.trace.allocations.is_empty(),
        gpu_time: (0..rank.gpu.len()).map(|index| rank.gpu.duration(index)).sum(),
        gpu_inside: rows.iter().map(|row| row.gpu_own).sum(),
        rows,
    }
}

/// Sums by name. Totals are those of the outermost calls of a name, so an operator inside itself counts once.
fn rows(rank: &RankView<'_>, tree: &HostTree, times: &[Ns]) -> Vec<Row> {
    let (trace, slices) = (rank.trace, &rank.trace.slices);
    // One after the other into the same place: a column for each would be most of the memory of the report.
    let mut sums = vec![Sums::default(); tree.len()];
    launched(rank, tree, |node, time| sums[node] += Sums { activities: 1, gpu: time, ..Sums::default() });
    allocated(rank, tree, |node, memory| sums[node].memory += memory);
    let total = tree.totals(sums);
    let outermost = tree.outermost_of_name(trace);
    // Unnamed operators share the place behind the last string.
    let place_of = |slice: SliceId| slices.name[slice.index()].index().min(trace.strings.len());
    let mut places = vec![u32::MAX; trace.strings.len() + 1];
    let mut rows: Vec<Row> = Vec::new();
    for node in 0..tree.len() {
        let slice = tree.slice(node);
        let selected = rank.selects(slices.start[slice.index()]);
        if !selected && total[node].activities == 0 {
            continue;
        }
        let place = &mut places[place_of(slice)];
        if *place == u32::MAX {
            *place = rows.len() as u32;
            rows.push(Row { name: trace.slice_name(slice).to_owned(), ..Row::default() });
        }
        let row = &mut rows[*place as usize];
        if outermost[node] {
            row.gpu_total += total[node].gpu;
            row.activities += total[node].activities;
            row.memory += total[node].memory;
        }
        if selected {
            row.calls += 1;
            row.cpu_own += times[node];
            if outermost[node] {
                row.cpu_total += slices.duration[slice.index()];
            }
        }
    }
    launched(rank, tree, |node, time| {
        // An operator that launched anything has a row.
        if let Some(row) = rows.get_mut(places[place_of(tree.slice(node))] as usize) {
            row.gpu_own += time;
        }
    });
    sort(&mut rows);
    rows
}

fn sort(rows: &mut [Row]) {
    rows.sort_unstable_by(|a, b| {
        let key = |row: &Row| (Reverse(row.gpu_own), Reverse(row.cpu_own));
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
}

/// Visits what each operator launched itself: the operator, and how long an activity ran.
fn launched(rank: &RankView<'_>, tree: &HostTree, mut visit: impl FnMut(usize, Ns)) {
    for (index, &activity) in rank.gpu.row.iter().enumerate() {
        if let Some(node) = tree.launcher(rank.links(), activity) {
            visit(node, rank.gpu.duration(index));
        }
    }
}

/// Visits what was allocated while each operator ran, but no operator inside it.
pub(in crate::analyses) fn allocated(
    rank: &RankView<'_>,
    tree: &HostTree,
    mut visit: impl FnMut(usize, Memory),
) {
    let table = &rank.trace.allocations;
    let mut order: Vec<u32> = (0..table.len() as u32).collect();
    order.sort_by_key(|&row| (table.track[row as usize], table.time[row as usize]));
    let mut walk = tree.walk(&rank.trace.slices);
    for row in order.into_iter().map(|row| row as usize) {
        let node = walk.at(table.track[row], table.time[row]);
        let taken = table.bytes[row].get().and_then(|bytes| u64::try_from(bytes).ok());
        if let (Some(node), Some(taken)) = (node, taken)
            && rank.selects(table.time[row])
        {
            // PyTorch's `DeviceType` 0 is the host.
            let on_host = table.device_type[row].get() == Some(0);
            let mut memory = Memory::default();
            *(if on_host { &mut memory.host } else { &mut memory.device }) = Bytes(taken);
            visit(node, memory);
        }
    }
}

fn calls(rank: &RankView<'_>, tree: &HostTree, times: &[Ns]) -> Vec<Call> {
    let own = tree.gpu_work(rank.links(), &rank.gpu);
    let total = tree.totals(own.clone());
    let depths = tree.depths();
    let call = |node: usize| {
        let slice: SliceId = tree.slice(node);
        let span = rank.trace.slices.interval(slice.index());
        rank.selects(span.start).then(|| Call {
            name: rank.trace.slice_name(slice).to_owned(),
            span,
            depth: depths[node],
            cpu_own: times[node],
            own: own[node],
            total: total[node],
        })
    };
    (0..tree.len()).filter_map(call).collect()
}

/// The rows of all ranks together.
pub(super) fn over_ranks(ranks: &[&Rank<'_, Part>]) -> Vec<Row> {
    let mut merged: HashMap<&str, Row> = HashMap::new();
    for row in ranks.iter().flat_map(|rank| &rank.part.rows) {
        let sum = merged.entry(&row.name).or_insert_with(|| Row { name: row.name.clone(), ..Row::default() });
        sum.calls += row.calls;
        sum.cpu_total += row.cpu_total;
        sum.cpu_own += row.cpu_own;
        sum.gpu_total += row.gpu_total;
        sum.gpu_own += row.gpu_own;
        sum.activities += row.activities;
        sum.memory += row.memory;
    }
    let mut rows: Vec<Row> = merged.into_values().collect();
    sort(&mut rows);
    rows
}
