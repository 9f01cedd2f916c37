use eaves_model::SliceKind::{Annotation, Op, Runtime};
use proptest::prelude::*;

use super::*;
use crate::test_threads::ThreadTrace;
use crate::{Options, RankView};

/// Thread 1: an operator that calls itself and another; thread 2: one operator. A kernel of each launch.
fn trace() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    test.op(1, "outer", (0, 100))
        .launch(1, 1, (5, 10))
        .op(1, "outer", (20, 60))
        .op(1, "inner", (30, 50))
        .launch(1, 2, (35, 40))
        .op(2, "other", (0, 10))
        .launch(2, 3, (2, 3))
        .launch(1, 4, (150, 160))
        .kernel(7, "a", 1, (100, 110))
        .kernel(7, "b", 2, (200, 220))
        .kernel(7, "c", 3, (300, 340))
        .kernel(7, "outside", 4, (400, 401));
    test
}

#[test]
fn values_by_hand() {
    let (test, options) = (trace(), Options::default());
    let rank = RankView::new(&test.trace, &options);
    let tree = rank.operators();
    let names: Vec<&str> = (0..tree.len()).map(|node| test.trace.slice_name(tree.slice(node))).collect();
    assert_eq!(names, ["outer", "outer", "inner", "other"]);
    assert_eq!([0, 1, 2, 3].map(|node| tree.parent(node)), [None, Some(0), Some(1), None]);
    assert_eq!(tree.ancestors(2).collect::<Vec<_>>(), [1, 0]);
    assert_eq!([0, 1, 2, 3].map(|node| tree.inside(node)), [0..3, 1..3, 2..3, 3..4]);
    assert_eq!(tree.depths(), [0, 1, 2, 0]);
    assert_eq!(tree.outermost_of_name(&test.trace), [true, false, true, true]);
    assert_eq!(tree.own_times(&test.trace.slices), [60, 20, 20, 10].map(Ns));

    let own = tree.gpu_work(rank.links(), &rank.gpu);
    assert_eq!(own.iter().map(|work| work.time).collect::<Vec<_>>(), [10, 0, 20, 40].map(Ns));
    let total = tree.totals(own);
    assert_eq!(total.iter().map(|work| work.time).collect::<Vec<_>>(), [30, 20, 20, 40].map(Ns));
    assert_eq!(total[0].span(), Some(Interval::new(Ns(100), Ns(220))));
    assert_eq!((total[0].activities, total[1].activities), (2, 1));
    assert_eq!(GpuWork::default().span(), None);
}

#[test]
fn kinds_that_are_kept_decide_what_is_own() {
    let (test, options) = (trace(), Options::default());
    let rank = RankView::new(&test.trace, &options);
    let tree = HostTree::build(&test.trace, rank.tree(), SliceKind::is_host_call);
    // The launch takes 5 of the 60 that the operator has to itself otherwise.
    assert_eq!(tree.own_times(&test.trace.slices)[0], Ns(55));
    let own = tree.gpu_work(rank.links(), &rank.gpu);
    assert_eq!((own[0].activities, own[1].activities), (0, 1));
    assert_eq!(own.iter().map(|work| work.activities).sum::<u64>(), 4);
}

#[test]
fn an_impossible_duration_contains_nothing() {
    let mut test = ThreadTrace::default();
    test.op(1, "broken", (0, i64::MAX)).op(1, "sound", (10, 20));
    test.trace.quarantined.push(SliceId(0));
    let tree = HostTree::build(&test.trace, &CallTree::build(&test.trace.slices), |kind| kind == Op);
    assert_eq!((tree.len(), tree.parent(0)), (1, None));
    assert_eq!(tree.around(SliceId(0)), None);
}

/// Slices of three kinds on two threads: kind, thread, start, length.
type Shape = (usize, i64, i64, i64);

fn random(shapes: &[Shape], kernels: &[(usize, i64, i64)]) -> ThreadTrace {
    let mut test = ThreadTrace::default();
    for (row, &(kind, thread, start, length)) in shapes.iter().enumerate() {
        let span = (start, start + length);
        match kind {
            0 => test.op(thread, ["x", "y", "z"][row % 3], span),
            1 => test.annotation(thread, "step", span),
            _ => test.launch(thread, row as i64, span),
        };
    }
    for &(correlation, start, length) in kernels {
        test.kernel(7, "k", correlation as i64, (start, start + length));
    }
    test
}

/// Nested spans: each node splits its room among its children.
fn nested(splits: &[(i64, i64, usize)]) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut rooms = vec![(0i64, 200i64)];
    for &(from, length, kind) in splits {
        let Some((start, end)) = rooms.pop() else { break };
        let begin = start + from.min(end - start);
        let finish = (begin + length).min(end);
        shapes.push((kind, 1, begin, finish - begin));
        if finish < end {
            rooms.insert(0, (finish, end));
        }
        if begin < finish {
            rooms.push((begin, finish));
        }
    }
    shapes
}

proptest! {
    /// Twins: walk the chain of each launch, look at each instant.
    #[test]
    fn sums_agree_with_counting_one_by_one(
        shapes in prop::collection::vec((0usize..3, 1i64..3, 0i64..60, 0i64..30), 0..40),
        kernels in prop::collection::vec((0usize..40, 0i64..100, 0i64..20), 0..30),
        kept in prop::sample::subsequence(vec![Op, Annotation, Runtime], 0..=3),
    ) {
        let (test, options) = (random(&shapes, &kernels), Options::default());
        let rank = RankView::new(&test.trace, &options);
        let (slices, calls) = (&test.trace.slices, rank.tree());
        let keep = |slice: SliceId| kept.contains(&slices.kind[slice.index()]);
        let tree = HostTree::build(&test.trace, calls, |kind| kept.contains(&kind));

        let chain = |slice: SliceId| -> Vec<SliceId> {
            std::iter::once(slice).chain(calls.ancestors(slice)).filter(|&slice| keep(slice)).collect()
        };
        let mut own = vec![GpuWork::default(); slices.len()];
        let mut total = own.clone();
        for (row, interval) in rank.gpu.row.iter().zip(&rank.gpu.interval) {
            let Some(launch) = rank.links().launch(*row) else { continue };
            let chain = chain(launch);
            if let Some(first) = chain.first() {
                own[first.index()].add(*interval);
            }
            chain.iter().for_each(|slice| total[slice.index()].add(*interval));
        }
        let work = tree.gpu_work(rank.links(), &rank.gpu);
        let totals = tree.totals(work.clone());
        let times = tree.own_times(slices);
        let (depths, outermost) = (tree.depths(), tree.outermost_of_name(&test.trace));
        let expected: usize = (0..slices.len()).map(SliceId::from).filter(|&slice| keep(slice)).count();
        prop_assert_eq!(tree.len(), expected);
        for node in 0..tree.len() {
            let slice = tree.slice(node);
            prop_assert_eq!(work[node], own[slice.index()]);
            prop_assert_eq!(totals[node], total[slice.index()]);
            let above = &chain(slice)[1..];
            prop_assert_eq!(depths[node] as usize, above.len());
            prop_assert_eq!(tree.ancestors(node).map(|node| tree.slice(node)).collect::<Vec<_>>(), above);
            let name = test.trace.slice_name(slice);
            prop_assert_eq!(outermost[node], !above.iter().any(|&slice| test.trace.slice_name(slice) == name));
            let children: Vec<usize> = (0..tree.len()).filter(|&other| tree.parent(other) == Some(node)).collect();
            let busy = |time: i64| children.iter().any(|&child| {
                let Interval { start, end } = slices.interval(tree.slice(child).index());
                start.0 <= time && time < end.0
            });
            let Interval { start, end } = slices.interval(slice.index());
            let idle = (start.0..end.0).filter(|&time| !busy(time)).count() as i64;
            prop_assert_eq!(times[node], Ns(idle));
            let inside: Vec<usize> = (0..tree.len())
                .filter(|&other| other == node || tree.ancestors(other).any(|above| above == node))
                .collect();
            prop_assert_eq!(tree.inside(node).collect::<Vec<_>>(), inside);
        }
    }

    /// Nothing is lost and nothing counts twice.
    #[test]
    fn own_times_add_up_to_the_roots(
        splits in prop::collection::vec((0i64..10, 0i64..120, 0usize..3), 0..40),
        kernels in prop::collection::vec((0usize..40, 0i64..100, 0i64..20), 0..30),
    ) {
        let (test, options) = (random(&nested(&splits), &kernels), Options::default());
        let rank = RankView::new(&test.trace, &options);
        let tree = rank.operators();
        let slices = &test.trace.slices;
        let work = tree.gpu_work(rank.links(), &rank.gpu);
        let (totals, times) = (tree.totals(work.clone()), tree.own_times(slices));
        let roots = || (0..tree.len()).filter(|&node| tree.parent(node).is_none());
        let durations: Ns = roots().map(|node| slices.duration[tree.slice(node).index()]).sum();
        prop_assert_eq!(times.iter().copied().sum::<Ns>(), durations);
        prop_assert_eq!(tree.totals(times), (0..tree.len())
            .map(|node| slices.duration[tree.slice(node).index()]).collect::<Vec<_>>());
        let sum = |nodes: &[GpuWork]| nodes.iter().map(|work| work.time).sum::<Ns>();
        prop_assert_eq!(sum(&work), roots().map(|node| totals[node].time).sum::<Ns>());
        for node in 0..tree.len() {
            let children = (0..tree.len()).filter(|&child| tree.parent(child) == Some(node));
            prop_assert!(totals[node].time >= children.map(|child| totals[child].time).sum::<Ns>());
        }
    }

    /// Twin: among all slices of the track that hold the instant, the one whose chain is longest and begins last.
    #[test]
    fn a_walk_finds_what_runs(
        splits in prop::collection::vec((0i64..10, 0i64..120, 0usize..2), 0..40),
        mut times in prop::collection::vec((0u32..3, 0i64..220), 0..30),
    ) {
        let test = random(&nested(&splits), &[]);
        let slices = &test.trace.slices;
        let tree = HostTree::build(&test.trace, &CallTree::build(slices), |kind| kind == Op);
        times.sort_unstable();
        let mut walk = tree.walk(slices);
        for (track, time) in times {
            let (track, time) = (TrackId(track), Ns(time));
            let expected = (0..tree.len()).rev().find(|&node| {
                let slice = tree.slice(node).index();
                let Interval { start, end } = slices.interval(slice);
                slices.track[slice] == track && start <= time && time < end
            });
            prop_assert_eq!(walk.at(track, time), expected);
        }
    }
}
