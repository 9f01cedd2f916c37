//! How work is launched: how much at a time, how often, and whether every step does the same.

use std::collections::HashMap;

use eaves_model::{Interval, Ns, SliceId, SliceKind};
use serde::{Deserialize, Serialize};

use super::gaps::{Gap, Place};

use crate::RankView;

/// How the selected activities were launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Launches {
    /// Calls that launched anything.
    pub(super) calls: u64,
    /// Those among them that launched a graph.
    pub(super) graphs: u64,
    /// Gaps of the steady state in which the GPU waited for a launch.
    pub(super) gaps: u64,
    /// How long the activity before such a gap ran, the lower median.
    pub(super) work: Option<Ns>,
    /// From the launch of this activity to the launch that ended the gap, the lower median. It is longer than the work,
    /// or else there would be no gap.
    pub(super) interval: Option<Ns>,
    /// True if all selected steps but the first launch the same kernels with the same grids, and there are several.
    pub(super) is_same_every_step: bool,
}

impl Launches {
    /// Looks at the launches of the selected activities, and at gaps in which the GPU waited for one.
    pub(super) fn measure(rank: &RankView<'_>, mut gaps: Vec<Gap>) -> Self {
        // Nothing is launched behind the last activity.
        gaps.retain(|gap| gap.place != Place::Tail);
        let (trace, links) = (rank.trace, rank.links());
        let slices = &trace.slices;
        let mut calls: Vec<(Ns, SliceId)> = Vec::with_capacity(rank.gpu.len());
        let mut steps = vec![(0u64, 0u64); rank.steps.len()];
        for (index, &activity) in rank.gpu.row.iter().enumerate() {
            if let Some(call) = links.launch(activity) {
                calls.push((slices.start[call.index()], call));
            }
            let slice = trace.gpu.slice[activity.index()];
            if slices.kind[slice.index()] != SliceKind::Kernel {
                continue;
            }
            if let Some(step) = rank.steps.of_activity(trace, links, activity) {
                let grid = trace.gpu.grid[activity.index()].0;
                let (count, sum) = &mut steps[step];
                *count += 1;
                // A sum does not depend on the order, which streams may change.
                *sum = sum.wrapping_add(signature(rank.gpu.name[index].0, grid));
            }
        }
        calls.sort_unstable();
        calls.dedup();
        let is_graph = |&&(_, call): &&(Ns, SliceId)| trace.slice_name(call).contains("GraphLaunch");
        let (work, intervals) = before_gaps(rank, &gaps);
        // Steps without kernels are not selected, or do nothing.
        let mut steps = steps.into_iter().filter(|&(count, _)| count > 0).skip(1);
        let second = steps.next();
        let is_same_every_step = {
            let mut others = steps.peekable();
            others.peek().is_some() && others.all(|step| Some(step) == second)
        };
        Self {
            calls: calls.len() as u64,
            graphs: calls.iter().filter(is_graph).count() as u64,
            gaps: gaps.len() as u64,
            work: median(work),
            interval: median(intervals),
            is_same_every_step,
        }
    }
}

/// How long the activity before each gap ran, and how long the host took from its launch to the one that ended the gap.
fn before_gaps(rank: &RankView<'_>, gaps: &[Gap]) -> (Vec<Ns>, Vec<Ns>) {
    let (gpu, starts) = (&rank.gpu, &rank.trace.slices.start);
    let by_start: HashMap<Ns, &Gap> = gaps.iter().map(|gap| (gap.interval.start, gap)).collect();
    let pair = |(index, interval): (usize, &Interval)| {
        let gap = by_start.get(&interval.end)?;
        let before = rank.links().launch(gpu.row[index])?;
        Some((interval.length(), starts[gap.launch?.index()] - starts[before.index()]))
    };
    gpu.interval.iter().enumerate().filter_map(pair).filter(|(work, interval)| work < interval).unzip()
}

fn median(mut times: Vec<Ns>) -> Option<Ns> {
    let middle = times.len().checked_sub(1)? / 2;
    Some(*times.select_nth_unstable(middle).1)
}

/// A number for a name and a grid, mixed by SplitMix64 so that sums of different ones differ.
fn signature(name: u32, [x, y, z]: [u32; 3]) -> u64 {
    [name, x, y, z].into_iter().fold(0, |state: u64, part| {
        let state = (state ^ u64::from(part)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::super::gaps::gaps;
    use super::*;
    use crate::Options;
    use crate::test_trace::TestTrace;

    /// Steps of 100 with kernels of 2, 4 and 9 launched 10 apart; the first step has one more.
    fn trace(last: &str) -> TestTrace {
        let mut test = TestTrace::default();
        for step in 0..4 {
            let start = 100 * step;
            test.step(step as u64, start, start + 100);
            for (index, length) in [2, 4, 9].into_iter().enumerate() {
                let correlation = 10 * step + index as i64;
                let launched = start + 10 * index as i64;
                let name = if step == 3 && index == 2 { last } else { "same" };
                test.launch(correlation, launched, launched + 1);
                test.kernel(name, correlation, launched + 1, launched + 1 + length);
            }
        }
        test.launch(99, 50, 51).kernel("warm-up", 99, 51, 53);
        test
    }

    fn launches(test: &TestTrace) -> Launches {
        let options = Options::default();
        let rank = RankView::new(&test.trace, &options);
        Launches::measure(&rank, gaps(&rank))
    }

    #[test]
    fn values_by_hand() {
        let found = launches(&trace("same"));
        assert_eq!((found.calls, found.graphs), (13, 0));
        // Twelve gaps and the lead-in. Before them kernels of 2 (five times), 4 (four) and 9 (three).
        assert_eq!((found.gaps, found.work), (12, Some(Ns(4))));
        // The host took 10 eight times, 30, 50, 80 and 80 elsewhere.
        assert_eq!(found.interval, Some(Ns(10)));
        assert!(found.is_same_every_step);
        assert!(!launches(&trace("other")).is_same_every_step);
    }

    #[test]
    fn without_launches_nothing_is_said() {
        assert_eq!(launches(&TestTrace::default()), Launches::default());
    }

    #[test]
    fn a_graph_is_one_call() {
        let mut test = TestTrace::default();
        test.launch(1, 0, 10);
        test.trace.slices.name[0] = test.trace.strings.intern("cudaGraphLaunch");
        test.kernel("a", 1, 10, 20).kernel("b", 1, 20, 30);
        let found = launches(&test);
        assert_eq!((found.calls, found.graphs, found.interval), (1, 1, None));
    }
}
