//! Values worked out by hand.

use eaves_model::SliceKind::{Annotation, Kernel, Memcpy, Op, Python, Runtime};
use eaves_model::{Interval, Ns, SliceId};

use super::*;
use crate::flame::{FrameKind, Grouping, NOT_LAUNCHED, Order, SMALL, difference, outcome};
use crate::section::Value;

/// Two steps on thread 0, a backward on thread 1, two launches, one activity without.
fn training() -> TestTrace {
    let mut test = TestTrace::default();
    test.call(0, Python, "train", (0, 100))
        .call(0, Annotation, "ProfilerStep#7", (10, 50))
        .call(0, Op, "mm", (15, 45))
        .call_with(0, Runtime, "cudaLaunchKernel", (20, 25), Some(1))
        .call(0, Annotation, "ProfilerStep#8", (50, 90))
        .call(0, Op, "mm", (60, 80))
        .call_with(0, Runtime, "cudaLaunchKernel", (65, 70), Some(2))
        .call(1, Op, "backward", (30, 40))
        .kernel("gemm", 1, 30, 60)
        .kernel("gemm", 2, 95, 130)
        .gpu(Memcpy, "Memcpy HtoD", 5, 7)
        .allocate(0, 46, 64)
        .allocate(0, 65, 32)
        .allocate(0, 66, -32)
        .allocate(0, 95, 8)
        .allocate(0, 100, 4)
        .allocate(2, 3, 2);
    test
}

const STEP: &str = "thread 1000;train;ProfilerStep#*";

#[test]
fn calls_are_merged_by_path_and_steps_whatever_their_number() {
    let flame = flame(training());
    check(&flame.merged);
    let merged = |metric| amounts(&flame.names, &flame.merged, metric);
    let path = |rest: &str| format!("{STEP}{rest}");
    assert_eq!(
        merged(Metric::Cpu),
        expected(&[
            ("thread 1000;train", 20),
            (STEP, 30),
            (&path(";mm"), 40),
            (&path(";mm;cudaLaunchKernel"), 10),
            ("thread 1001;backward", 10),
        ])
    );
    assert_eq!(
        merged(Metric::Gpu),
        expected(&[(&format!("{NOT_LAUNCHED};Memcpy HtoD"), 2), (&path(";mm;cudaLaunchKernel;gemm"), 65),])
    );
    // At 100 the thread has left `train`; a thread that only allocates is there too; releases do not count.
    assert_eq!(
        merged(Metric::Bytes),
        expected(&[
            ("thread 1000", 4),
            ("thread 1000;train", 8),
            (STEP, 64),
            (&path(";mm;cudaLaunchKernel"), 32),
            ("thread 1002", 2),
        ])
    );
    assert_eq!(flame.merged.whole(Metric::Calls), 8 + 3);
    assert_eq!(flame.merged.whole(Metric::Cpu), 100 + 10);
}

#[test]
fn in_order_of_time_every_call_is_a_frame() {
    let flame = flame(training());
    let chart = flame.chart.unwrap();
    check(&chart);
    let starts = |name: &str| -> Vec<i64> {
        let named = |kind| move |node: &&super::super::Node| node.kind == kind;
        let kind = if name == "mm" { FrameKind::Op } else { FrameKind::Annotation };
        chart
            .nodes
            .iter()
            .filter(named(kind))
            .filter(|node| flame.names[node.name as usize] == name)
            .map(|node| node.start.0)
            .collect()
    };
    assert_eq!(starts("mm"), [15, 60]);
    assert_eq!(starts("ProfilerStep#8"), [50]);
    assert_eq!(chart.whole(Metric::Gpu), 67);
}

#[test]
fn a_call_that_overlaps_cuts_the_earlier_one_short() {
    let mut test = TestTrace::default();
    // b begins in a and ends after it; c is in both; d touches b and lasts no time.
    test.call(0, Op, "outer", (0, 30))
        .call(0, Op, "a", (2, 10))
        .call(0, Op, "in_a", (4, 8))
        .call(0, Op, "b", (6, 16))
        .call(0, Op, "c", (7, 9))
        .call(0, Op, "d", (16, 16));
    let flame = flame(test);
    check(&flame.merged);
    assert_eq!(
        amounts(&flame.names, &flame.merged, Metric::Cpu),
        expected(&[
            ("thread 1000;outer", 2 + 14),
            ("thread 1000;outer;a", 2),
            ("thread 1000;outer;a;in_a", 2),
            ("thread 1000;outer;b", 8),
            ("thread 1000;outer;b;c", 2),
        ])
    );
    assert_eq!(paths(&flame.names, &flame.merged)["thread 1000;outer;d"][Metric::Calls], 1);
}

#[test]
fn a_window_of_time_cuts_calls_and_keeps_the_way_to_activities() {
    let window = Selection::default().with_time(Interval::new(Ns(40), Ns(62)));
    let flame = flame_of(vec![training()], window, false);
    check(&flame.merged);
    let path = |rest: &str| format!("{STEP}{rest}");
    assert_eq!(
        amounts(&flame.names, &flame.merged, Metric::Cpu),
        expected(&[(STEP, 5 + 10), (&path(";mm"), 5 + 2)])
    );
    // The call that launched it was before the window, but it is the way there.
    assert_eq!(
        amounts(&flame.names, &flame.merged, Metric::Gpu),
        expected(&[(&path(";mm;cudaLaunchKernel;gemm"), 20)])
    );
    assert_eq!(flame.merged.whole(Metric::Bytes), 64);
    let launch = &paths(&flame.names, &flame.merged)[&path(";mm;cudaLaunchKernel")];
    assert_eq!(launch[Metric::Calls], 0);
    let empty = paths(&flame.names, &flame.merged).keys().any(|path| path.contains("backward"));
    assert!(!empty, "frames without anything selected are left out");
}

#[test]
fn a_step_has_the_time_of_its_instants_on_every_thread() {
    let flame = flame_of(vec![training()], Selection::default().with_steps(7..=7), false);
    check(&flame.merged);
    assert_eq!(flame.merged.whole(Metric::Cpu), 40 + 10);
    assert_eq!(
        amounts(&flame.names, &flame.merged, Metric::Gpu),
        expected(&[(&format!("{STEP};mm;cudaLaunchKernel;gemm"), 30)])
    );
    let missing = Selection::default().with_steps(1..=2);
    let run = run_of(vec![training()]);
    let options = Options::default().with_selection(missing);
    let parts = [measure(&RankView::new(&run.recordings[0].trace, &options), &FlameOptions::default())];
    assert!(assemble(&run.recordings, &parts, &options, false).is_err());
}

#[test]
fn a_duration_that_cannot_be_true_is_around_nothing() {
    let mut test = training();
    test.call(0, Op, "broken", (12, i64::MAX));
    let broken = SliceId::from(test.trace.slices.len() - 1);
    test.trace.quarantined.push(broken);
    let (with, without) = (flame(test), flame(training()));
    assert_eq!(paths(&with.names, &with.merged), paths(&without.names, &without.merged));
}

#[test]
fn sums_that_do_not_fit_are_cut_and_still_add_up() {
    let mut test = TestTrace::default();
    for thread in 0..4 {
        test.call(thread, Op, "outer", (i64::MIN, i64::MAX)).call(thread, Op, "inner", (i64::MIN, 0));
        test.gpu(Kernel, "gemm", 0, i64::MAX).allocate(thread, 3, i64::MAX);
    }
    let flame = flame(test);
    for tree in [&flame.merged, flame.chart.as_ref().unwrap(), &flame.merged.inverted()] {
        check(tree);
        assert_eq!(tree.whole(Metric::Gpu), i64::MAX);
    }
}

#[test]
fn ranks_are_frames_if_there_are_several() {
    let flame = flame_of(vec![training(), training()], Selection::default(), false);
    check(&flame.merged);
    let ranks: Vec<&str> = flame
        .merged
        .nodes
        .iter()
        .filter(|node| node.parent == 0)
        .skip(1)
        .map(|node| flame.names[node.name as usize].as_str())
        .collect();
    assert_eq!(ranks, ["rank 0", "rank 1"]);
    assert_eq!(flame.merged.whole(Metric::Cpu), 220);
    let one = flame_of(vec![training(), training()], Selection::default().with_ranks(vec![1]), false);
    assert_eq!(one.merged.whole(Metric::Cpu), 110);
}

#[test]
fn inverted_the_callee_is_above_its_callers() {
    let flame = flame(training());
    let inverted = flame.merged.inverted();
    check(&inverted);
    assert_eq!(inverted.most_callers, None);
    let gpu = amounts(&flame.names, &inverted, Metric::Gpu);
    let way = "gemm;cudaLaunchKernel;mm;ProfilerStep#*;train;thread 1000";
    let copy = format!("Memcpy HtoD;{NOT_LAUNCHED}");
    assert_eq!(gpu, expected(&[(&copy, 2), (way, 65)]));
}

#[test]
fn small_frames_become_one_and_deep_ones_part_of_the_last() {
    let flame = flame(training());
    let grouping = Grouping { metrics: &[Metric::Cpu], least_share: 200_000, ..Grouping::default() };
    let grouped = flame.view(Order::LeftHeavy, &grouping);
    check(&grouped);
    // 22 of 110 are the least: the launches (10), the second thread (10) and what has no host time are less.
    assert_eq!(
        amounts(&flame.names, &grouped, Metric::Cpu),
        expected(&[
            (SMALL, 10),
            ("thread 1000;train", 20),
            (STEP, 30),
            (&format!("{STEP};mm"), 40),
            (&format!("{STEP};mm;{SMALL}"), 10),
        ])
    );
    // Thread 1001 and backward, thread 1002, what was not launched and its copy; the launch and its kernel.
    assert_eq!(grouped.grouped(), 5 + 2);
    let flat = flame.view(Order::LeftHeavy, &Grouping { most_levels: Some(2), ..Grouping::default() });
    check(&flat);
    assert_eq!(flat.too_deep, 3);
    assert_eq!(paths(&flame.names, &flat)[STEP].0, [80, 65, 2 + 2 + 2 + 2, 96]);
    let longer = Grouping { least_duration: Ns(36), ..Grouping::default() };
    let kept = flame.view(Order::LeftHeavy, &longer);
    // By GPU time the way to the kernels of 65 ns stays.
    assert!(paths(&flame.names, &kept).contains_key(&format!("{STEP};mm;cudaLaunchKernel;gemm")));
    assert!(!paths(&flame.names, &kept).contains_key("thread 1001"));
}

#[test]
fn in_order_of_time_only_neighbours_are_grouped() {
    let mut test = TestTrace::default();
    test.call(0, Op, "outer", (0, 100));
    for (start, end) in [(0, 1), (2, 3), (10, 50), (60, 61), (70, 71), (80, 81)] {
        test.call(0, Op, "call", (start, end));
    }
    let flame = flame(test);
    let grouping = Grouping { least_duration: Ns(5), ..Grouping::default() };
    let chart = flame.view(Order::Time, &grouping);
    check(&chart);
    let small: Vec<(i64, u32, i64)> = chart
        .nodes
        .iter()
        .filter(|node| node.kind == FrameKind::Small)
        .map(|node| (node.start.0, node.grouped, node.total[Metric::Cpu]))
        .collect();
    assert_eq!(small, [(0, 2, 2), (60, 3, 3)]);
}

#[test]
fn differences_have_both_amounts() {
    let mut faster = TestTrace::default();
    faster
        .call(5, Python, "train", (0, 60))
        .call(5, Annotation, "ProfilerStep#2", (10, 50))
        .call(5, Op, "mm", (15, 25))
        .call(5, Op, "relu", (30, 31));
    let base = flame_of(vec![training()], Selection::default(), true);
    let new = flame_of(vec![faster], Selection::default(), true);
    let (names, tree) = difference((&base.names, &base.merged), (&new.names, &new.merged));
    check(&tree);
    let find = |wanted: &str| {
        let index = tree.nodes.iter().position(|node| names[node.name as usize] == wanted).unwrap();
        (tree.base[index].total[Metric::Cpu], tree.nodes[index].total[Metric::Cpu])
    };
    assert_eq!(find("all"), (110, 60));
    assert_eq!(find("thread *"), (110, 60));
    assert_eq!(find("ProfilerStep#*"), (80, 40));
    assert_eq!(find("mm"), (50, 10));
    assert_eq!(find("relu"), (0, 1));
    assert_eq!(find("cudaLaunchKernel"), (10, 0));
    let grouped = tree.group(&Grouping { least_share: 100_000, ..Grouping::default() });
    check(&grouped);
    assert_eq!(grouped.base[0].total, tree.base[0].total);
}

#[test]
fn a_hundred_thousand_levels_are_no_problem() {
    let depth = 100_000;
    let mut test = TestTrace::default();
    for level in 0..depth {
        test.call(0, Op, if level % 2 == 0 { "even" } else { "odd" }, (level, 2 * depth - level));
    }
    let flame = flame(test);
    for order in Order::ALL {
        let tree = flame.view(order, &Grouping::default());
        check(&tree);
        assert_eq!(tree.whole(Metric::Cpu), 2 * depth);
        let few = Grouping { most_nodes: Some(100), most_levels: Some(1_000), ..Grouping::default() };
        let few = tree.group(&few);
        check(&few);
        assert!((100..=300).contains(&few.nodes.len()), "{}", few.nodes.len());
        outcome(&flame.names, &few, Metric::Cpu);
    }
    assert!(flame.merged.inverted().most_callers.is_some());
    let (_, tree) = difference((&flame.names, &flame.merged), (&flame.names, &flame.merged));
    check(&tree);
}

#[test]
fn the_section_lists_frames_after_their_parents_and_says_what_is_missing() {
    let flame = flame(training());
    let outcome_of = |flame: &Flame| outcome(&flame.names, &flame.merged, Metric::Gpu);
    let outcome = outcome_of(&flame);
    let table = &outcome.section().unwrap().tables[0];
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    let mut seen = Vec::new();
    for row in &table.rows {
        assert!(matches!(row[1], Value::Missing(_)) == seen.is_empty());
        assert!(seen.is_empty() || seen.contains(&row[1]));
        seen.push(row[0].clone());
    }
    // The heaviest by GPU time comes first.
    assert_eq!(table.rows[1][2], Value::from("thread 1000"));
    let nothing = flame_of(vec![TestTrace::default()], Selection::default(), false);
    assert!(outcome_of(&nothing).section().is_none());
}
