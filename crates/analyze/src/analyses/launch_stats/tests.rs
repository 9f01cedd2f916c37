//! The section on traces made by hand.

use super::*;
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Options, Selection};

/// A kernel shorter than its launch, a longer one that waits, a graph, and a slow launch.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.launch(1, 0, 6_000)
        .kernel("short", 1, 8_000, 10_000)
        .launch(2, 10_000, 14_000)
        .kernel("long", 2, 120_000, 200_000)
        .runtime_call("cudaGraphLaunch", 3, 20_000, 50_000)
        .kernel("first of graph", 3, 200_000, 230_000)
        .kernel("second of graph", 3, 230_000, 240_000)
        .launch(4, 50_000, 110_000)
        .kernel("slow", 4, 240_000, 250_000);
    test
}

#[test]
fn values_by_hand() {
    let section = section_of(&run_of(vec![trace()]), "launch-stats");
    let of = |id| column(&section, "by_call", id);
    assert_eq!(of("name"), texts(["cudaLaunchKernel", "cudaGraphLaunch"]));
    assert_eq!(of("calls"), integers([3, 1]));
    assert_eq!(of("activities"), integers([3, 2]));
    assert_eq!(of("cpu_median_ns"), [6_000.0, 30_000.0].map(Value::Float));
    assert_eq!(of("cpu_max_ns"), integers([60_000, 30_000]));
    assert_eq!(of("gpu_total_ns"), integers([92_000, 40_000]));
    // 2 µs, 106 µs and 130 µs; 150 µs.
    assert_eq!(of("delay_median_ns"), [106_000.0, 150_000.0].map(Value::Float));
    assert_eq!(of("delay_mean_ns")[1], Value::Float(150_000.0));
    assert_eq!(of("short_kernels"), integers([1, 0]));
    assert_eq!(of("slow_calls"), integers([1, 0]));
    assert_eq!(of("delayed"), integers([2, 1]));
    assert_eq!(column_ids(&section, "by_call").len(), 15);
    assert_eq!(number(&section, "launches", Some(0)), Value::Integer(4));
    assert_eq!(number(&section, "short_kernels", Some(0)), Value::Integer(1));
    // The slow call takes longer than its kernel too, but may have waited for it.
    assert_eq!(number(&section, "short_kernels_pct", Some(0)), Value::Float(25.0));
    assert!(section.findings.is_empty());
    assert_eq!(section.tables.len(), 1);
}

#[test]
fn details_have_a_row_for_every_launch() {
    let run = run_of(vec![trace()]);
    let outcomes = crate::report(&run, &Options::default().with_details(true)).unwrap();
    let section = outcomes.iter().find(|outcome| outcome.id() == "launch-stats").unwrap().section().unwrap();
    let of = |id| column(section, "launches", id);
    assert_eq!(of("start_ns"), integers([0, 10_000, 20_000, 50_000]));
    assert_eq!(of("correlation"), integers([1, 2, 3, 4]));
    assert_eq!(of("delay_ns"), integers([2_000, 106_000, 150_000, 130_000]));
    assert_eq!(of("gpu_ns"), integers([2_000, 80_000, 40_000, 10_000]));
    assert_eq!(of("first")[2], Value::from("first of graph"));
    assert_eq!(column_ids(section, "launches").len(), 9);
}

#[test]
fn mostly_short_kernels_are_a_finding() {
    let mut test = TestTrace::default();
    for index in 0..400 {
        let start = 10_000 * index;
        let length = if index < 320 { 2_000 } else { 8_000 };
        test.launch(index, start, start + 5_000).kernel("tiny", index, start + 6_000, start + 6_000 + length);
    }
    let section = section_of(&run_of(vec![test]), "launch-stats");
    let finding = &section.findings[0];
    assert!(finding.claim.starts_with("320 of 400 launches on rank 0 take longer"), "{}", finding.claim);
    assert_eq!(finding.evidence, "table by_call, rank 0, name cudaLaunchKernel, column short_kernels");
    assert_eq!(finding.gain, None);
}

#[test]
fn without_calls_it_says_how_to_record_them() {
    let mut test = TestTrace::default();
    test.kernel("alone", 1, 0, 10);
    let outcome = analyse(&run_of(vec![test]), "launch-stats", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("launches")));
    let outcome = analyse(&run_of(vec![TestTrace::default()]), "launch-stats", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("GPU activity")));
}
