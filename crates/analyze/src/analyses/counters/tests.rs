use proptest::prelude::*;

use super::pair::pair;
use crate::section::{Section, Value};
use crate::test_threads::ThreadTrace;
use crate::test_trace::{analyse, column, column_ids, integers, number, run_of, section_of, texts};
use crate::{Options, Outcome, Selection, report};

const FFMA: &str = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
const HADD: &str = "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum";
const OCCUPANCY: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// Three launches in operators, three ranges that the profiler spread over the whole recording.
fn trace() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    test.op(1, "conv2d", (0, 100))
        .op(1, "cudnn_convolution", (10, 50))
        .launch(1, 1, (20, 25))
        .launch(1, 2, (60, 65))
        .op(1, "conv2d", (200, 300))
        .op(1, "cudnn_convolution", (210, 250))
        .launch(1, 3, (220, 225))
        .range("conv", (0, 100), &[(FFMA, 100.0), (HADD, 7.0), (OCCUPANCY, 50.0)])
        .range("bias", (100, 200), &[(FFMA, 0.0), (HADD, 5.0), (OCCUPANCY, 20.0)])
        .range("conv", (200, 300), &[(FFMA, 200.0), (HADD, 0.0), (OCCUPANCY, 60.0)]);
    test
}

fn section(test: ThreadTrace) -> Section {
    section_of(&run_of(vec![test.into()]), "counters")
}

#[test]
fn values_by_hand() {
    let section = section(trace());
    let expected = ["rank", "operator", "top_operator", "ranges", "flop", "flop_mean"];
    assert_eq!(column_ids(&section, "by_operator"), expected);
    let of = |id| column(&section, "by_operator", id);
    assert_eq!(of("operator"), texts(["cudnn_convolution", "conv2d"]));
    assert_eq!(of("top_operator"), texts(["conv2d", "conv2d"]));
    assert_eq!(of("ranges"), integers([2, 1]));
    // Two for each fused multiplication and addition: 207 and 400.
    assert_eq!(of("flop"), integers([607, 5]));
    assert_eq!(of("flop_mean"), [303.5, 5.0].map(Value::Float));
    assert_eq!(column(&section, "by_kernel", "name"), texts(["conv", "bias"]));
    let of = |id| column(&section, "counters_by_operator", id);
    assert_eq!(of("counter"), texts([OCCUPANCY, FFMA, HADD, OCCUPANCY, FFMA, HADD]));
    assert_eq!(of("mean"), [55.0, 150.0, 3.5, 20.0, 0.0, 5.0].map(Value::Float));
    assert_eq!(of("total")[..2], [Value::Missing("not additive"), Value::Float(300.0)]);
    assert_eq!(number(&section, "flop", Some(0)), Value::Integer(612));
    assert_eq!(number(&section, "ranges_without_launch", Some(0)), Value::Integer(0));
}

#[test]
fn every_range_with_details() {
    let outcomes = report(&run_of(vec![trace().into()]), &Options::default().with_details(true)).unwrap();
    let outcome = outcomes.iter().find(|outcome| outcome.id() == "counters").unwrap();
    let section = outcome.section().unwrap();
    let stacks = texts(["conv2d > cudnn_convolution", "conv2d", "conv2d > cudnn_convolution"]);
    assert_eq!(column(section, "ranges", "operators"), stacks);
    assert_eq!(column(section, "ranges", "launch_ns"), integers([20, 60, 220]));
    assert_eq!(column(section, "ranges", "flop"), integers([207, 5, 400]));
    assert_eq!(column(section, "range_counters", "range"), integers([0, 0, 0, 1, 1, 1, 2, 2, 2]));
}

#[test]
fn launches_without_counters_are_counted() {
    // Before the ranges begin, and after there was room for them.
    let mut test = trace();
    test.trace.slices.start.iter_mut().for_each(|start| start.0 += 1000);
    test.op(1, "early", (0, 50)).launch(1, 4, (10, 20)).op(1, "late", (1250, 1290)).launch(
        1,
        5,
        (1260, 1270),
    );
    let section = section(test);
    assert_eq!(column(&section, "by_operator", "flop"), integers([607, 5]));
    assert_eq!(number(&section, "launches_without_range", Some(0)), Value::Integer(1));
    assert_eq!(number(&section, "ranges_without_launch", Some(0)), Value::Integer(0));
}

#[test]
fn names_of_kernels_tell_which_launch_has_no_range() {
    let mut test = trace();
    test.op(1, "gelu", (120, 130)).launch(1, 9, (125, 126));
    for (name, correlation) in [("conv", 1), ("bias", 2), ("gelu", 9), ("conv", 3)] {
        test.kernel(7, name, correlation, (1000 + correlation, 1001 + correlation));
    }
    let section = section(test);
    assert_eq!(column(&section, "by_operator", "operator"), texts(["cudnn_convolution", "conv2d"]));
    assert_eq!(column(&section, "by_operator", "flop"), integers([607, 5]));
    assert_eq!(number(&section, "launches_without_range", Some(0)), Value::Integer(1));
}

#[test]
fn counters_of_the_whole_recording_belong_to_no_operator() {
    let mut test = ThreadTrace::default();
    test.op(1, "a", (0, 10)).launch(1, 1, (2, 3)).launch(1, 2, (4, 5)).range("all", (0, 10), &[(HADD, 3.0)]);
    let section = section(test);
    assert!(matches!(column(&section, "by_operator", "operator")[0], Value::Missing(_)));
    assert_eq!(number(&section, "flop", Some(0)), Value::Integer(3));
    assert_eq!(number(&section, "ranges_without_launch", Some(0)), Value::Integer(1));
}

#[test]
fn without_counters_it_says_how_to_record_them() {
    let mut test = ThreadTrace::default();
    test.op(1, "a", (0, 10));
    let outcome = analyse(&run_of(vec![test.into()]), "counters", Selection::default());
    assert!(
        matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("profiler_metrics"))
    );
}

#[test]
fn lists_are_paired_from_the_beginning_where_names_are_unknown() {
    assert_eq!(pair(&[None; 2], &[None; 4]), [(0, 0), (1, 1)]);
    assert_eq!(pair(&[None; 3], &[None; 1]), [(0, 0)]);
    assert_eq!(pair(&[], &[None]), []);
    // A launch without a range in the middle, and a range of unknown name.
    let ranges = [Some(1), Some(2), None, Some(4)];
    let launches = [Some(1), Some(9), Some(2), Some(3), Some(4)];
    assert_eq!(pair(&ranges, &launches), [(0, 0), (1, 2), (2, 3), (3, 4)]);
}

#[test]
fn lists_of_different_programs_do_not_cost_forever() {
    let ranges: Vec<_> = (0..20_000).map(Some).collect();
    let launches: Vec<_> = (0..20_000).map(|name| Some(20_000 + name)).collect();
    assert_eq!(pair(&ranges, &launches), []);
}

proptest! {
    /// Twin: the table of longest common lists.
    #[test]
    fn as_many_pairs_as_possible(
        ranges in prop::collection::vec(prop::option::weighted(0.8, 0u32..4), 0..25),
        launches in prop::collection::vec(prop::option::weighted(0.8, 0u32..4), 0..25),
    ) {
        let same = |range: usize, launch: usize| {
            ranges[range].is_none() || launches[launch].is_none() || ranges[range] == launches[launch]
        };
        let mut longest = vec![vec![0usize; launches.len() + 1]; ranges.len() + 1];
        for range in 0..ranges.len() {
            for launch in 0..launches.len() {
                longest[range + 1][launch + 1] = if same(range, launch) {
                    longest[range][launch] + 1
                } else {
                    longest[range][launch + 1].max(longest[range + 1][launch])
                };
            }
        }
        let pairs = pair(&ranges, &launches);
        prop_assert_eq!(pairs.len(), longest[ranges.len()][launches.len()]);
        prop_assert!(pairs.iter().all(|&(range, launch)| same(range, launch)));
        prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
    }
}
