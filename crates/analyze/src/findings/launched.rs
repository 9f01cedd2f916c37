//! How much of a rank's GPU time compiled code launches, how much graphs replay, and whether an optimizer runs.

use std::collections::HashMap;

use eaves_model::{Interval, IntervalSet, Ns, TrackId};
use serde::{Deserialize, Serialize};

use crate::RankView;

/// How the selected GPU activities came to run, as summed durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Launched {
    /// All of them; nothing unless some are of the other two.
    pub all: Ns,
    /// Launched inside a compiled region, or made by Inductor.
    pub compiled: Ns,
    /// Replayed by a graph.
    pub graphs: Ns,
    /// True if an optimizer runs.
    pub trains: bool,
}

/// What `torch.compile` records around compiled code, and what AOTAutograd calls its backward.
const REGIONS: [&str; 3] = ["Torch-Compiled Region", "CompiledFunction", "## Call CompiledFxGraph"];
/// What Inductor names its kernels by: pointwise, reduction, persistent reduction, template, for each.
const KERNELS: [&str; 5] = ["triton_poi_", "triton_red_", "triton_per_", "triton_tem_", "triton_for_"];
/// `cudaGraphLaunch`, `hipGraphLaunch`.
const REPLAY: &str = "GraphLaunch";
/// What PyTorch records around a step of an optimizer.
const OPTIMIZER: &str = "Optimizer.step#";

impl Launched {
    /// Counts them. A recording without such names costs one look at each name.
    pub(crate) fn of(rank: &RankView<'_>) -> Self {
        let (trace, gpu) = (rank.trace, &rank.gpu);
        let names =
            |matches: &dyn Fn(&str) -> bool| -> Vec<bool> { trace.strings.iter().map(matches).collect() };
        let is_region = names(&|name| REGIONS.iter().any(|region| name.starts_with(region)));
        let is_inductor = names(&|name| KERNELS.iter().any(|kernel| name.starts_with(kernel)));
        let is_replay = names(&|name| name.contains(REPLAY));
        let is_training = |name: &str| name.starts_with(OPTIMIZER);
        let mut found = Self { trains: trace.strings.iter().any(is_training), ..Self::default() };
        if [&is_region, &is_inductor, &is_replay].iter().all(|names| !names.contains(&true)) {
            return found;
        }
        let has = |names: &[bool], index: usize| names.get(index).copied().unwrap_or(false);
        let mut regions: HashMap<TrackId, Vec<Interval>> = HashMap::new();
        for index in
            (0..trace.slices.len()).filter(|&index| has(&is_region, trace.slices.name[index].index()))
        {
            regions.entry(trace.slices.track[index]).or_default().push(trace.slices.interval(index));
        }
        let regions: HashMap<TrackId, IntervalSet> =
            regions.into_iter().map(|(track, intervals)| (track, IntervalSet::union_of(intervals))).collect();
        for index in 0..gpu.len() {
            let time = gpu.duration(index);
            found.all += time;
            let launch = rank.links().launch(gpu.row[index]).map(|call| call.index());
            let is_inside = launch.is_some_and(|call| {
                let region = regions.get(&trace.slices.track[call]);
                region.is_some_and(|region| contains(region, trace.slices.start[call]))
            });
            if is_inside || has(&is_inductor, gpu.name[index].index()) {
                found.compiled += time;
            }
            if launch.is_some_and(|call| has(&is_replay, trace.slices.name[call].index())) {
                found.graphs += time;
            }
        }
        found
    }
}

impl std::ops::AddAssign for Launched {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.compiled += other.compiled;
        self.graphs += other.graphs;
        self.trains |= other.trains;
    }
}

fn contains(set: &IntervalSet, time: Ns) -> bool {
    let intervals = set.as_slice();
    let next = intervals.partition_point(|interval| interval.end <= time);
    intervals.get(next).is_some_and(|interval| interval.start <= time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::test_trace::TestTrace;

    #[test]
    fn regions_kernels_and_graphs_by_hand() {
        let of = |test: &TestTrace| Launched::of(&RankView::new(&test.trace, &Options::default()));
        let mut test = TestTrace::default();
        test.op("Torch-Compiled Region: 0/0", 0, 100).launch(1, 10, 20).kernel("gemm", 1, 20, 50);
        test.launch(2, 200, 210).kernel("triton_poi_fused_add_0", 2, 210, 220);
        test.launch(3, 300, 310).kernel("gemm", 3, 310, 315);
        test.runtime_call("cudaGraphLaunch", 4, 400, 410).kernel("softmax", 4, 410, 412);
        assert_eq!(of(&test), Launched { all: Ns(47), compiled: Ns(40), graphs: Ns(2), trains: false });
        let mut plain = TestTrace::default();
        plain.launch(1, 0, 1).kernel("gemm", 1, 1, 5);
        assert_eq!(of(&plain), Launched::default());
        plain.op("Optimizer.step#Adam.step", 0, 9);
        assert!(of(&plain).trains);
    }
}
