//! What is kept of a rank: a row for each name of a range.

use std::collections::HashMap;

use eaves_model::{Interval, MaybeI64, Ns, SliceId, StringId, Trace};
use serde::{Deserialize, Serialize};

use super::{device, host};
use crate::{RankView, Statistics};

/// The most rows of kernels by range that are kept of a rank; programs may name a range for every request.
const MOST_KERNELS: usize = 1000;

/// What the analysis keeps of a rank.
#[derive(Default, Deserialize, Serialize)]
pub(in crate::analyses) struct Part {
    /// Ranges on device tracks.
    pub(super) gpu: Vec<Row>,
    /// Ranges on the host.
    pub(super) host: Vec<Row>,
    /// Activities by range and name, longest first.
    pub(super) kernels: Vec<KernelRow>,
    /// Every activity, if details are wanted.
    pub(super) activities: Vec<ActivityRow>,
    /// Summed duration of all selected activities.
    pub(super) gpu_time: Ns,
    /// That of the activities that belong to a range.
    pub(super) gpu_inside: Ns,
}

impl Part {
    pub(super) fn is_empty(&self) -> bool {
        self.gpu.is_empty() && self.host.is_empty()
    }
}

/// The ranges of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) statistics: Statistics,
    /// Time in which an activity launched in one of the ranges ran.
    pub(super) gpu_busy: Ns,
    /// How many activities were launched in them.
    pub(super) activities: u64,
}

/// Where a range that an activity belongs to is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub(super) enum Side {
    Gpu,
    Host,
}

impl Side {
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Host => "host",
        }
    }
}

/// A range by name, and where it is drawn.
pub(super) type Label = (Side, String);

/// The activities of one name in the ranges of one name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct KernelRow {
    pub(super) label: Option<Label>,
    pub(super) kernel: String,
    pub(super) calls: u64,
    pub(super) total: Ns,
}

/// One activity.
#[derive(Deserialize, Serialize)]
pub(super) struct ActivityRow {
    pub(super) kernel: String,
    pub(super) interval: Interval,
    pub(super) stream: MaybeI64,
    pub(super) label: Option<Label>,
}

pub(super) fn part(rank: &RankView<'_>) -> Part {
    let (device, host) = (device::match_ranges(rank), host::match_ranges(rank));
    let mut names = Names::new(rank.trace);
    let (gpu, ranges) = (gpu_rows(rank, &mut names, &device), host_rows(rank, &mut names, &host));
    if gpu.is_empty() && ranges.is_empty() {
        return Part::default();
    }
    let innermost = |index: usize| match (device.innermost[index].some(), host.innermost[index]) {
        (Some(range), _) => Some((Side::Gpu, range)),
        (None, Some(node)) => Some((Side::Host, host.tree.slice(node as usize))),
        (None, None) => None,
    };
    let mut kernels = kernel_rows(rank, &mut names, innermost);
    let sum = |rows: &mut dyn Iterator<Item = &KernelRow>| rows.map(|row| row.total).sum();
    let gpu_time = sum(&mut kernels.iter());
    let gpu_inside = sum(&mut kernels.iter().filter(|row| row.label.is_some()));
    kernels.truncate(MOST_KERNELS);
    let activities = if rank.options.details { activity_rows(rank, innermost) } else { Vec::new() };
    Part { gpu, host: ranges, kernels, activities, gpu_time, gpu_inside }
}

/// Names of ranges in places from 0. All profiler steps are one name.
struct Names<'a> {
    trace: &'a Trace,
    places: Vec<u32>,
    names: Vec<String>,
}

const NO_PLACE: u32 = u32::MAX;
const STEP: &str = "ProfilerStep#";

impl<'a> Names<'a> {
    fn new(trace: &'a Trace) -> Self {
        // Unnamed ranges share the place behind the last string, steps the one behind that.
        Self { trace, places: vec![NO_PLACE; trace.strings.len() + 2], names: Vec::new() }
    }

    fn place(&mut self, slice: SliceId) -> usize {
        let strings = &self.trace.strings;
        let name = self.trace.slices.name[slice.index()];
        let own = name.index().min(strings.len());
        if self.places[own] == NO_PLACE {
            let text = strings.get(name);
            let is_step = text.strip_prefix(STEP).is_some_and(|number| number.parse::<u64>().is_ok());
            let shared = if is_step { strings.len() + 1 } else { own };
            if self.places[shared] == NO_PLACE {
                self.places[shared] = self.names.len() as u32;
                self.names.push(if is_step { format!("{STEP}*") } else { text.to_owned() });
            }
            self.places[own] = self.places[shared];
        }
        self.places[own] as usize
    }
}

/// The row of a place, which is added if new.
fn row_at<'a>(rows: &'a mut Vec<Row>, names: &Names<'_>, place: usize) -> &'a mut Row {
    if rows.len() <= place {
        rows.resize(place + 1, Row::default());
    }
    let row = &mut rows[place];
    if row.name.is_empty() {
        row.name.clone_from(&names.names[place]);
    }
    row
}

fn sorted(rows: Vec<Row>) -> Vec<Row> {
    let used = |row: &Row| row.statistics.count() > 0 || row.activities > 0;
    let mut rows: Vec<Row> = rows.into_iter().filter(used).collect();
    sort(&mut rows);
    rows
}

fn sort(rows: &mut [Row]) {
    rows.sort_by(|a, b| b.statistics.total().cmp(&a.statistics.total()).then_with(|| a.name.cmp(&b.name)));
}

fn gpu_rows(rank: &RankView<'_>, names: &mut Names<'_>, device: &device::DeviceRanges) -> Vec<Row> {
    let mut rows = Vec::new();
    for &range in &device.selected {
        let place = names.place(range);
        row_at(&mut rows, names, place).statistics.add(rank.trace.slices.duration[range.index()]);
    }
    sorted(rows)
}

fn host_rows(rank: &RankView<'_>, names: &mut Names<'_>, host: &host::HostRanges) -> Vec<Row> {
    let (slices, gpu, tree) = (&rank.trace.slices, &rank.gpu, &host.tree);
    let places: Vec<u32> = (0..tree.len()).map(|node| names.place(tree.slice(node)) as u32).collect();
    let mut rows = Vec::new();
    for (node, &place) in places.iter().enumerate() {
        let slice = tree.slice(node).index();
        if rank.selects(slices.start[slice]) {
            row_at(&mut rows, names, place as usize).statistics.add(slices.duration[slice]);
        }
    }
    // In order of their starts the union of each name grows at its end only.
    let mut order: Vec<u32> = (0..gpu.len() as u32).collect();
    order.sort_by_key(|&index| gpu.interval[index as usize].start);
    let mut reached = vec![Ns::MIN; names.names.len()];
    let mut counted = vec![u32::MAX; names.names.len()];
    for index in order {
        let Interval { start, end } = gpu.interval[index as usize];
        let mut next = host.innermost[index as usize].map(|node| node as usize);
        while let Some(node) = next {
            let place = places[node] as usize;
            if counted[place] != index {
                counted[place] = index;
                let row = row_at(&mut rows, names, place);
                row.activities += 1;
                row.gpu_busy += Interval::new(start.max(reached[place]), end).length();
                reached[place] = reached[place].max(end);
            }
            next = tree.parent(node);
        }
    }
    sorted(rows)
}

fn kernel_rows(
    rank: &RankView<'_>,
    names: &mut Names<'_>,
    innermost: impl Fn(usize) -> Option<(Side, SliceId)>,
) -> Vec<KernelRow> {
    type Key = (Option<(Side, u32)>, StringId);
    let gpu = &rank.gpu;
    let mut sums: HashMap<Key, (u64, Ns)> = HashMap::new();
    for index in 0..gpu.len() {
        let label = innermost(index).map(|(side, range)| (side, names.place(range) as u32));
        let sum = sums.entry((label, gpu.name[index])).or_default();
        sum.0 += 1;
        sum.1 += gpu.duration(index);
    }
    let row = |((label, kernel), (calls, total)): (Key, (u64, Ns))| KernelRow {
        label: label.map(|(side, place)| (side, names.names[place as usize].clone())),
        kernel: rank.trace.strings.get(kernel).to_owned(),
        calls,
        total,
    };
    let mut rows: Vec<KernelRow> = sums.into_iter().map(row).collect();
    sort_kernels(&mut rows);
    rows
}

fn sort_kernels(rows: &mut [KernelRow]) {
    rows.sort_unstable_by(|a, b| {
        b.total.cmp(&a.total).then_with(|| (&a.label, &a.kernel).cmp(&(&b.label, &b.kernel)))
    });
}

fn activity_rows(
    rank: &RankView<'_>,
    innermost: impl Fn(usize) -> Option<(Side, SliceId)>,
) -> Vec<ActivityRow> {
    let row = |index: usize| ActivityRow {
        kernel: rank.trace.strings.get(rank.gpu.name[index]).to_owned(),
        interval: rank.gpu.interval[index],
        stream: rank.gpu.stream[index],
        label: innermost(index).map(|(side, range)| (side, rank.trace.slice_name(range).to_owned())),
    };
    (0..rank.gpu.len()).map(row).collect()
}

/// The rows of all ranks together. Times in which the GPUs were busy add up.
pub(super) fn over_ranks<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Row> {
    let mut merged: HashMap<&str, Row> = HashMap::new();
    for row in rows {
        let sum = merged.entry(&row.name).or_default();
        sum.name.clone_from(&row.name);
        sum.statistics.merge(&row.statistics);
        sum.gpu_busy += row.gpu_busy;
        sum.activities += row.activities;
    }
    let mut rows: Vec<Row> = merged.into_values().collect();
    sort(&mut rows);
    rows
}

/// The same for activities by range.
pub(super) fn kernels_over_ranks<'a>(rows: impl Iterator<Item = &'a KernelRow>) -> Vec<KernelRow> {
    let mut merged: HashMap<(&Option<Label>, &str), KernelRow> = HashMap::new();
    for row in rows {
        merged
            .entry((&row.label, &row.kernel))
            .and_modify(|sum| {
                sum.calls += row.calls;
                sum.total += row.total;
            })
            .or_insert_with(|| row.clone());
    }
    let mut rows: Vec<KernelRow> = merged.into_values().collect();
    sort_kernels(&mut rows);
    rows
}
