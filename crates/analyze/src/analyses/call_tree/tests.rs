use eaves_model::{Ns, SliceKind};

use crate::section::{Section, Value};
use crate::test_threads::ThreadTrace;
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Options, Outcome, Selection, report};

/// `linear` calls itself (as `matmul` does for views) and `addmm`; `relu` is on the backward thread.
fn trace() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    test.op(1, "linear", (1000, 1100))
        .launch(1, 1, (1005, 1010))
        .op(1, "linear", (1020, 1060))
        .op(1, "addmm", (1030, 1050))
        .launch(1, 2, (1035, 1040))
        .backward(2, "relu", (1000, 1010))
        .launch(2, 3, (1002, 1003))
        .launch(1, 4, (1150, 1160))
        .kernel(7, "a", 1, (2100, 2110))
        .kernel(7, "b", 2, (2200, 2220))
        .kernel(7, "c", 3, (2300, 2340))
        .kernel(7, "outside", 4, (2400, 2430));
    test
}

fn section(test: ThreadTrace) -> Section {
    section_of(&run_of(vec![test.into()]), "call-tree")
}

#[test]
fn values_by_hand() {
    let mut test = trace();
    test.allocation(1, 1035, 512, 1)
        .allocation(1, 1036, -512, 1)
        .allocation(1, 1055, 64, 1)
        .allocation(1, 1004, 8, 0)
        .allocation(1, 1120, 1 << 20, 1)
        .allocation(2, 1010, 4, 1);
    let section = section(test);
    let of = |id| column(&section, "by_operator", id);
    let expected = [
        "operator",
        "calls",
        "gpu_total_ns",
        "gpu_self_ns",
        "activities",
        "cpu_total_ns",
        "cpu_self_ns",
        "device_allocated_bytes",
        "host_allocated_bytes",
    ];
    assert_eq!(column_ids(&section, "by_operator"), expected);
    assert_eq!(of("operator"), texts(["relu", "addmm", "linear"]));
    assert_eq!(of("calls"), integers([1, 1, 2]));
    assert_eq!(of("gpu_total_ns"), integers([40, 20, 30]));
    assert_eq!(of("gpu_self_ns"), integers([40, 20, 10]));
    assert_eq!(of("activities"), integers([1, 1, 2]));
    // The inner `linear` is inside the outer one, so its time counts once; itself it has 100 - 40 and 40 - 20.
    assert_eq!(of("cpu_total_ns"), integers([10, 20, 100]));
    assert_eq!(of("cpu_self_ns"), integers([10, 20, 80]));
    assert_eq!(of("device_allocated_bytes"), integers([0, 512, 576]));
    assert_eq!(of("host_allocated_bytes"), integers([0, 0, 8]));
    assert_eq!(number(&section, "gpu_in_operators_pct", None), Value::Float(70.0));
    assert_eq!(number(&section, "calls", None), Value::Integer(4));
}

#[test]
fn what_was_not_recorded_is_missing_and_not_zero() {
    let mut test = ThreadTrace::default();
    test.op(1, "linear", (0, 10));
    let section = section(test);
    let missing = |id| matches!(column(&section, "by_operator", id)[0], Value::Missing(_));
    assert!(missing("gpu_total_ns") && missing("device_allocated_bytes") && !missing("cpu_total_ns"));
    let mut frames = ThreadTrace::default();
    frames.host(1, SliceKind::Python, "main.py(1): main", (0, 10));
    let outcome = analyse(&run_of(vec![frames.into()]), "call-tree", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("CPU")));
}

#[test]
fn every_call_with_details() {
    let run = run_of(vec![trace().into()]);
    let outcomes = report(&run, &Options::default().with_details(true)).unwrap();
    let section = outcomes.iter().find(|outcome| outcome.id() == "call-tree").unwrap().section().unwrap();
    let of = |id| column(section, "calls", id);
    assert_eq!(of("operator"), texts(["linear", "linear", "addmm", "relu"]));
    assert_eq!(of("start_ns"), integers([0, 20, 30, 0]));
    assert_eq!(of("depth"), integers([0, 1, 2, 0]));
    assert_eq!(of("gpu_total_ns"), integers([30, 20, 20, 40]));
    assert_eq!(of("first_activity_start_ns"), integers([1100, 1200, 1200, 1300]));
    assert_eq!(of("last_activity_end_ns"), integers([1220, 1220, 1220, 1340]));
    assert_eq!(of("activity_span_ns"), integers([120, 20, 20, 40]));
    assert!(section_of(&run, "call-tree").tables.iter().all(|table| table.id != "calls"));
}

#[test]
fn ranks_are_summed_first_and_listed_second() {
    let section =
        section_of(&run_of(vec![trace().into(), trace().into(), TestTrace::default()]), "call-tree");
    assert_eq!(column(&section, "by_operator", "gpu_self_ns"), integers([80, 40, 20]));
    assert_eq!(column(&section, "by_rank_and_operator", "rank"), integers([0, 0, 0, 1, 1, 1]));
}

#[test]
fn a_selection_keeps_calls_that_begin_in_it() {
    // From 1025 on the trace's clock: the outer calls began before, what they launched inside counts.
    let window = eaves_model::Interval::new(Ns(25), Ns(1225));
    let outcome = analyse(&run_of(vec![trace().into()]), "call-tree", Selection::default().with_time(window));
    let section = outcome.section().unwrap();
    assert_eq!(column(section, "by_operator", "operator"), texts(["addmm", "linear"]));
    assert_eq!(column(section, "by_operator", "calls"), integers([1, 0]));
    assert_eq!(column(section, "by_operator", "gpu_total_ns"), integers([20, 30]));
    assert_eq!(column(section, "by_operator", "cpu_total_ns"), integers([20, 0]));
}
