//! What is kept of a rank: counters by operator and by kernel.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use eaves_model::{GpuId, Ns, SliceId, SliceKind, StringId, Trace};
use serde::{Deserialize, Serialize};

use super::kernels::{Kernel, Remark};
use super::pair::pair;
use crate::RankView;

/// What the analysis keeps of a rank.
#[derive(Default, Deserialize, Serialize)]
pub(in crate::analyses) struct Part {
    /// Selected ranges.
    pub(super) ranges: u64,
    /// Ranges of the recording without a launch.
    pub(super) ranges_without_launch: u64,
    /// Launches of the recording without a range.
    pub(super) launches_without_range: u64,
    pub(super) by_operator: Vec<Row>,
    pub(super) by_kernel: Vec<Row>,
    /// Every range, if details are wanted.
    pub(super) details: Vec<Detail>,
    /// Kernels with counters of their own.
    pub(super) kernels: Vec<Kernel>,
    /// What the profiler remarks.
    pub(super) remarks: Vec<Remark>,
}

impl Part {
    /// True if there is nothing to say.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges == 0 && self.kernels.is_empty() && self.remarks.is_empty()
    }

    /// Floating-point operations of everything selected.
    pub(super) fn flop(&self) -> Option<i64> {
        self.by_operator.iter().filter_map(|row| row.flop).reduce(i64::saturating_add)
    }
}

/// The ranges of an operator, or of a kernel and the operator that launched it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct Row {
    pub(super) kernel: String,
    pub(super) place: Place,
    pub(super) ranges: u64,
    pub(super) flop: Option<i64>,
    /// Sum and number of values by counter.
    pub(super) counters: BTreeMap<String, (f64, u64)>,
}

/// The operators around a launch; empty if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub(super) struct Place {
    pub(super) operator: String,
    pub(super) top: String,
}

/// One range.
#[derive(Deserialize, Serialize)]
pub(super) struct Detail {
    pub(super) kernel: String,
    pub(super) launch: Option<Ns>,
    /// Operators around the launch, outermost first.
    pub(super) operators: Vec<String>,
    pub(super) flop: Option<i64>,
    pub(super) counters: Vec<(String, f64)>,
}

/// What the profiler calls a kernel whose name it does not know.
const UNKNOWN: &str = "__missing__";

pub(super) fn part(rank: &RankView<'_>) -> Part {
    let trace = rank.trace;
    let ranges = in_order(trace, SliceKind::CounterRange, |_| true);
    let launches = launches(rank, &ranges);
    let pairs = pairs(rank, &ranges, &launches);
    let mut launch_of = vec![None; ranges.len()];
    pairs.iter().for_each(|&(range, launch)| launch_of[range] = Some(launches[launch]));
    let counters = counters_by_range(trace);
    let mut part = Part {
        ranges_without_launch: (ranges.len() - pairs.len()) as u64,
        launches_without_range: (launches.len() - pairs.len()) as u64,
        ..Part::default()
    };
    let (mut by_operator, mut by_kernel) = (HashMap::new(), HashMap::new());
    for (&range, launch) in ranges.iter().zip(launch_of) {
        let at = trace.slices.start[launch.unwrap_or(range).index()];
        if !rank.selects(at) {
            continue;
        }
        part.ranges += 1;
        let values = counters.get(&range).map_or(&[][..], Vec::as_slice);
        let operators = launch.map_or_else(Vec::new, |launch| operators_around(rank, launch));
        let place = Place {
            operator: operators.last().cloned().unwrap_or_default(),
            top: operators.first().cloned().unwrap_or_default(),
        };
        let kernel = trace.slice_name(range).to_owned();
        let flop = flop(trace, values);
        add(&mut by_operator, (String::new(), place.clone()), trace, values, flop);
        add(&mut by_kernel, (kernel.clone(), place), trace, values, flop);
        if rank.options.details {
            let text = |&(metric, value): &(StringId, f64)| (trace.strings.get(metric).to_owned(), value);
            let counters = values.iter().map(text).collect();
            let launch = launch.map(|_| at);
            part.details.push(Detail { kernel, launch, operators, flop, counters });
        }
    }
    part.by_operator = rows(by_operator);
    part.by_kernel = rows(by_kernel);
    part
}

/// Slices of a kind in time order.
fn in_order(trace: &Trace, kind: SliceKind, keep: impl Fn(SliceId) -> bool) -> Vec<SliceId> {
    let rows = (0..trace.slices.len()).filter(|&row| trace.slices.kind[row] == kind);
    let mut slices: Vec<SliceId> = rows.map(SliceId::from).filter(|&slice| keep(slice)).collect();
    slices.sort_by_key(|slice| trace.slices.start[slice.index()]);
    slices
}

/// The calls that launch kernels. If they are not as many as the ranges, those before the first range begins and after
/// the last one ends are skipped: ranges begin and end with the recording of counters.
fn launches(rank: &RankView<'_>, ranges: &[SliceId]) -> Vec<SliceId> {
    let (trace, slices) = (rank.trace, &rank.trace.slices);
    // `cudaLaunchKernel`, `cudaLaunchCooperativeKernel`, `cuLaunchKernelEx`; graphs launch many at once.
    let is_kernel: Vec<bool> =
        trace.strings.iter().map(|name| name.contains("Launch") && name.contains("Kernel")).collect();
    let launches_kernel = |slice: SliceId| {
        let name = slices.name[slice.index()];
        is_kernel.get(name.index()).copied().unwrap_or(false)
    };
    let mut launches = in_order(trace, SliceKind::Runtime, launches_kernel);
    if launches.len() != ranges.len()
        && let Some(first) = ranges.first().map(|range| slices.start[range.index()])
    {
        let last = ranges.iter().map(|range| slices.end(range.index())).max().unwrap_or(first);
        launches.retain(|launch| (first..last).contains(&slices.start[launch.index()]));
    }
    launches
}

fn pairs(rank: &RankView<'_>, ranges: &[SliceId], launches: &[SliceId]) -> Vec<(usize, usize)> {
    if ranges.len() == 1 && launches.len() > 1 {
        // Counters of the whole recording (`profiler_measure_per_kernel=False`) belong to no launch.
        return Vec::new();
    }
    let trace = rank.trace;
    let known = |name: StringId| (trace.strings.get(name) != UNKNOWN).then_some(name.0);
    let mut kernels: HashMap<SliceId, StringId> = HashMap::new();
    for row in 0..trace.gpu.len() {
        if let Some(launch) = rank.links().launch(GpuId::from(row)) {
            kernels.insert(launch, trace.slices.name[trace.gpu.slice[row].index()]);
        }
    }
    let of_ranges: Vec<_> = ranges.iter().map(|range| known(trace.slices.name[range.index()])).collect();
    let of_launches: Vec<_> =
        launches.iter().map(|launch| kernels.get(launch).and_then(|&name| known(name))).collect();
    pair(&of_ranges, &of_launches)
}

fn counters_by_range(trace: &Trace) -> HashMap<SliceId, Vec<(StringId, f64)>> {
    let table = &trace.range_counters;
    let mut counters: HashMap<SliceId, Vec<(StringId, f64)>> = HashMap::new();
    for row in 0..table.len() {
        if let Some(value) = table.value[row].get().filter(|value| value.is_finite()) {
            counters.entry(table.slice[row]).or_default().push((table.metric[row], value));
        }
    }
    counters
}

/// The operators around a launch, outermost first.
fn operators_around(rank: &RankView<'_>, launch: SliceId) -> Vec<String> {
    let tree = rank.operators();
    let Some(innermost) = tree.around(launch) else { return Vec::new() };
    let nodes = std::iter::once(innermost).chain(tree.ancestors(innermost));
    let mut names: Vec<String> =
        nodes.map(|node| rank.trace.slice_name(tree.slice(node)).to_owned()).collect();
    names.reverse();
    names
}

/// Floating-point operations by the instructions that SASS executed, as HTA weighs them: a fused multiplication and
/// addition is two.
fn flop(trace: &Trace, values: &[(StringId, f64)]) -> Option<i64> {
    let weighed = values.iter().filter_map(|&(metric, value)| {
        let name = trace.strings.get(metric);
        let operation =
            name.strip_prefix("smsp__sass_thread_inst_executed_op_")?.strip_suffix("_pred_on.sum")?;
        let weight = match operation {
            "dfma" | "ffma" | "hfma" => 2.0,
            "dadd" | "dmul" | "fadd" | "fmul" | "hadd" | "hmul" => 1.0,
            _ => return None,
        };
        // A float beyond the range becomes its end.
        Some((weight * value) as i64)
    });
    weighed.reduce(i64::saturating_add)
}

fn add(
    rows: &mut HashMap<(String, Place), Row>,
    key: (String, Place),
    trace: &Trace,
    values: &[(StringId, f64)],
    flop: Option<i64>,
) {
    let row = rows.entry(key).or_default();
    row.ranges += 1;
    row.flop = row.flop.into_iter().chain(flop).reduce(i64::saturating_add);
    for &(metric, value) in values {
        let name = trace.strings.get(metric);
        let (sum, count) = match row.counters.get_mut(name) {
            Some(known) => known,
            None => row.counters.entry(name.to_owned()).or_default(),
        };
        *sum += value;
        *count += 1;
    }
}

/// Most operations first.
fn rows(rows: HashMap<(String, Place), Row>) -> Vec<Row> {
    let named = |((kernel, place), row): ((String, Place), Row)| Row { kernel, place, ..row };
    let mut rows: Vec<Row> = rows.into_iter().map(named).collect();
    rows.sort_by(|a, b| {
        let key = |row: &Row| (Reverse(row.flop), Reverse(row.ranges));
        key(a).cmp(&key(b)).then_with(|| (&a.place, &a.kernel).cmp(&(&b.place, &b.kernel)))
    });
    rows
}
