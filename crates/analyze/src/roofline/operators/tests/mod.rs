//! Owners and times by hand, and a twin that looks at every instant and every operator by itself.

mod counters;
mod formulas;
mod gaps;
mod host;
mod inferred_shapes;
mod matching;

use std::collections::BTreeMap;

use eaves_model::{GpuId, MaybeU32, Ns, SliceKind, Trace};
use proptest::prelude::*;

use super::*;
use crate::test_threads::ThreadTrace;
use crate::{HostTree, Options};

/// In these tests operators whose names begin with `m` have formulas.
fn modelled(name: &str) -> bool {
    name.starts_with('m')
}

fn points(trace: &Trace) -> TracePoints {
    let options = Options::default();
    let rank = RankView::new(trace, &options);
    Attribution::with(&rank, &modelled).points(&rank)
}

/// Rows as `class name of: calls time counted`.
fn lines(points: &TracePoints) -> Vec<String> {
    let line = |row: &OperatorRow| {
        let (calls, time, counted) = (row.times.count(), row.time().0, row.counted.0);
        format!("{} {} {}: {calls} {time} {counted}", row.class.id(), row.name, row.of)
    };
    points.rows.iter().map(line).collect()
}

#[test]
fn the_outermost_operator_with_a_formula_owns_all_inside() {
    let mut test = ThreadTrace::default();
    test.op(1, "outer", (0, 100))
        .op(1, "m_norm", (10, 50))
        .op(1, "m_native_norm", (11, 40))
        .launch(1, 1, (12, 14))
        .op(1, "copy", (20, 30))
        .launch(1, 2, (21, 23))
        .launch(1, 3, (45, 46))
        .op(1, "plain", (60, 90))
        .op(1, "inner", (61, 70))
        .launch(1, 4, (62, 63))
        .kernel(7, "norm", 1, (100, 110))
        .kernel(7, "copy", 2, (110, 115))
        .kernel(8, "norm2", 3, (112, 130))
        .kernel(7, "inner", 4, (140, 150));
    let points = points(&test.trace);
    assert_eq!(lines(&points), ["operator m_norm : 1 30 30", "operator inner : 1 10 10"]);
    assert_eq!((points.time(), points.busy, points.overlap()), (Ns(40), Ns(40), Ns(0)));
}

#[test]
fn what_launches_itself_owns_all_inside_unless_that_has_a_formula() {
    let mut test = ThreadTrace::default();
    test.op(1, "plain", (0, 50))
        .launch(1, 1, (1, 2))
        .op(1, "inner", (10, 20))
        .launch(1, 2, (11, 12))
        .op(1, "loss", (60, 100))
        .launch(1, 3, (61, 62))
        .op(1, "m_mean", (70, 80))
        .launch(1, 4, (71, 72))
        .kernel(7, "a", 1, (100, 110))
        .kernel(7, "b", 2, (110, 120))
        .kernel(7, "c", 3, (120, 127))
        .kernel(7, "d", 4, (127, 130));
    let points = points(&test.trace);
    assert_eq!(
        lines(&points),
        ["operator plain : 1 20 20", "operator loss : 1 7 7", "operator m_mean : 1 3 3"]
    );
    assert!(points.rows[1].partly && !points.rows[0].partly);
}

#[test]
fn communication_and_what_no_operator_launched_have_rows_of_their_own() {
    let mut test = ThreadTrace::default();
    test.op(1, "m_all_reduce", (0, 50))
        .launch(1, 1, (1, 2))
        .launch(1, 2, (3, 4))
        .launch(1, 3, (60, 61))
        .kernel(7, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1, (100, 120))
        .kernel(8, "add", 2, (110, 130))
        .kernel(7, "outside", 3, (120, 128))
        .activity(7, SliceKind::Kernel, "unknown", None, (200, 201));
    let points = points(&test.trace);
    assert_eq!(
        lines(&points),
        [
            "operator m_all_reduce : 1 20 20",
            "communication ncclDevKernel_AllReduce_Sum_f32_RING_LL : 1 20 10",
            "unattributed outside cudaLaunchKernel: 1 8 0",
            "unattributed unknown : 1 1 1",
        ]
    );
    assert_eq!((points.time(), points.busy, points.overlap()), (Ns(49), Ns(31), Ns(18)));
    assert_eq!(points.counted(Class::Unattributed), Ns(1));
    let reasons: Vec<_> = points.rows[1..].iter().map(|row| row.load.clone().unwrap_err()).collect();
    assert_eq!(reasons[1], "cudaLaunchKernel was called outside any operator");
    assert_eq!(reasons[2], "launching call not recorded");
}

#[test]
fn devices_of_one_recording_are_busy_each_by_itself() {
    let mut test = ThreadTrace::default();
    test.op(1, "m_scatter", (0, 50))
        .launch(1, 1, (1, 2))
        .launch(1, 2, (3, 4))
        .kernel(7, "a", 1, (100, 110))
        .kernel(7, "b", 2, (105, 125));
    test.trace.gpu.device.set(1, MaybeU32::new(1));
    let points = points(&test.trace);
    assert_eq!((points.time(), points.busy), (Ns(30), Ns(30)));
}

#[test]
fn rows_of_ranks_are_put_together_by_name_and_arguments() {
    let mut test = ThreadTrace::default();
    test.op(1, "m_mm", (0, 50)).launch(1, 1, (1, 2)).kernel(7, "gemm", 1, (100, 110));
    let mut other = test.clone();
    other.op(1, "m_mm", (60, 70)).launch(1, 2, (61, 62)).kernel(7, "gemm", 2, (200, 205));
    other.trace.ops.input_dims[1] = other.trace.strings.intern("[[1]]");
    let merged = TracePoints::merged([&points(&test.trace), &points(&other.trace)]);
    assert_eq!(lines(&merged), ["operator m_mm : 2 20 20", "operator m_mm : 1 5 5"]);
    assert_eq!((merged.busy, merged.rows[1].arguments.dims.as_str()), (Ns(25), "[[1]]"));
}

const NAMES: [&str; 4] = ["m_a", "m_b", "c", "d"];

#[derive(Clone, Debug)]
struct Random {
    /// Thread, start, length, name.
    ops: Vec<(i64, i64, i64, usize)>,
    /// Thread and start; each launches the activity of its number.
    launches: Vec<(i64, i64)>,
    /// Device, start, length, whether it communicates, and whether its launch was recorded.
    activities: Vec<(u32, i64, i64, bool, bool)>,
}

fn random() -> impl Strategy<Value = Random> {
    let ops = prop::collection::vec((0i64..2, 0i64..60, 1i64..40, 0..NAMES.len()), 0..25);
    let launches = prop::collection::vec((0i64..2, 0i64..99), 20);
    let flag = prop::bool::weighted(0.2);
    let known = prop::bool::weighted(0.9);
    let activities = prop::collection::vec((0u32..2, 0i64..80, 0i64..20, flag, known), 0..20);
    (ops, launches, activities).prop_map(|(ops, launches, activities)| Random { ops, launches, activities })
}

impl Random {
    fn trace(&self) -> Trace {
        let mut test = ThreadTrace::default();
        for &(thread, start, length, name) in &self.ops {
            test.op(thread, NAMES[name], (start, start + length));
        }
        for (number, &(thread, start)) in (0..).zip(&self.launches) {
            test.launch(thread, number, (start, start + 1));
        }
        for (number, &(device, start, length, communicates, known)) in (0..).zip(&self.activities) {
            let name = if communicates { "ncclDevKernel_AllReduce_Sum_f32_RING_LL" } else { "kernel" };
            test.activity(7, SliceKind::Kernel, name, known.then_some(number), (start, start + length));
            let last = test.trace.gpu.len() - 1;
            test.trace.gpu.device.set(last, MaybeU32::new(device));
        }
        test.trace
    }
}

/// From the root downwards, as the rules say it: who owns what was launched inside an operator.
fn twin_owner(rank: &RankView<'_>, launched: &[Vec<usize>], launcher: usize) -> usize {
    let tree = rank.operators();
    let has = |node: usize| modelled(rank.trace.slice_name(tree.slice(node)));
    let launches = |node: usize| !launched[node].is_empty();
    let busy = |node: usize| tree.inside(node).any(launches);
    let mut path: Vec<usize> = tree.ancestors(launcher).collect();
    path.reverse();
    path.push(launcher);
    for node in path {
        if has(node) {
            return node;
        }
        let inside = (node + 1..tree.inside(node).end).any(|below| has(below) && busy(below));
        if !inside && launches(node) {
            return node;
        }
    }
    launcher
}

fn launched_by(rank: &RankView<'_>, tree: &HostTree) -> Vec<Vec<usize>> {
    let mut launched = vec![Vec::new(); tree.len()];
    for index in 0..rank.gpu.len() {
        if rank.gpu.kernel_type[index] != crate::KernelType::Communication
            && let Some(node) = tree.launcher(rank.links(), rank.gpu.row[index])
        {
            launched[node].push(index);
        }
    }
    launched
}

proptest! {
    #[test]
    fn every_instant_is_counted_once_and_every_activity_has_its_owner(random in random()) {
        let trace = random.trace();
        let options = Options::default();
        let rank = RankView::new(&trace, &options);
        let found = Attribution::with(&rank, &modelled);

        // Owners.
        let tree = rank.operators();
        let launched = launched_by(&rank, tree);
        for (index, &call) in found.call_of.iter().enumerate() {
            let activity = GpuId::from(index);
            let slice = trace.gpu.slice[index];
            let communicates = random.activities[index].3;
            let expected = match (communicates, tree.launcher(rank.links(), activity)) {
                (true, _) => slice,
                (false, None) => rank.links().launch(activity).unwrap_or(slice),
                (false, Some(launcher)) => tree.slice(twin_owner(&rank, &launched, launcher)),
            };
            prop_assert_eq!(found.calls[call as usize].slice, expected);
        }

        // Times, instant by instant.
        let mut times: BTreeMap<u32, i64> = BTreeMap::new();
        let mut counted: BTreeMap<u32, i64> = BTreeMap::new();
        let mut busy = 0;
        for (device, instant) in (0..2).flat_map(|device| (0..100).map(move |instant| (device, instant))) {
            let mut running: Vec<(bool, i64, usize)> = (0..random.activities.len())
                .filter(|&index| {
                    let (on, start, length, ..) = random.activities[index];
                    on == device && start <= instant && instant < start + length
                })
                .map(|index| (random.activities[index].3, random.activities[index].1, index))
                .collect();
            running.sort_unstable();
            let Some(&(.., first)) = running.first() else { continue };
            busy += 1;
            *counted.entry(found.call_of[first]).or_default() += 1;
            let mut calls: Vec<u32> = running.iter().map(|&(.., index)| found.call_of[index]).collect();
            calls.sort_unstable();
            calls.dedup();
            for call in calls {
                *times.entry(call).or_default() += 1;
            }
        }
        prop_assert_eq!(found.busy, Ns(busy));
        for (call, number) in found.calls.iter().zip(0u32..) {
            prop_assert_eq!(call.time.0, times.get(&number).copied().unwrap_or(0));
            prop_assert_eq!(call.counted.0, counted.get(&number).copied().unwrap_or(0));
        }

        // Rows: nothing is lost, and what is told twice is told.
        let points = found.points(&rank);
        let sum = |value: fn(&OperatorRow) -> Ns| points.rows.iter().map(value).sum::<Ns>();
        prop_assert_eq!(sum(|row| row.counted), points.busy);
        prop_assert_eq!(sum(OperatorRow::overlap), points.overlap());
        prop_assert_eq!(points.time(), points.busy + points.overlap());
        prop_assert!(points.rows.iter().all(|row| row.overlap() >= Ns::ZERO));
        let activities: u64 = points.rows.iter().map(|row| row.activities).sum();
        prop_assert_eq!(activities as usize, random.activities.len());
    }
}
