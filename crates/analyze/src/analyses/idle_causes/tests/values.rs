//! Values by hand.

use eaves_model::SliceKind::{Annotation, Kernel, Memset, Op, Overhead, Python, Runtime};
use eaves_model::{Interval, Ns};

use super::{Cause, lead_in, part, times};
use crate::section::Value;
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Options, Outcome, Selection, report};

const LOADER: &str = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

/// Kernels at 100..200, 500..600, 700..800 and 900..1000. The second waits for the host, which first waits for the
/// device; the third was launched in time; the launch of the fourth is missing.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.step(1, 0, 1000)
        .host(Annotation, LOADER, 0, 40)
        .launch(1, 50, 60)
        .kernel("a", 1, 100, 200)
        .host(Python, "train.py(1): train", 100, 1000)
        .host(Op, "aten::item", 150, 300)
        .host(Runtime, "cudaStreamSynchronize", 160, 290)
        .host(Op, "aten::mul", 400, 480)
        .launch(2, 450, 470)
        .kernel("b", 2, 500, 600)
        .launch(3, 550, 560)
        .kernel("c", 3, 700, 800)
        .gpu(Kernel, "d", 900, 1000);
    test
}

#[test]
fn every_instant_has_one_cause() {
    let part = part(&trace(), &Options::default());
    let expected = [
        (Cause::Synchronisation, 100),
        (Cause::Launching, 20),
        (Cause::Operators, 50),
        (Cause::Python, 100),
        // From the end of the launch at 470.
        (Cause::Latency, 30),
        (Cause::Device, 100),
        (Cause::Unknown, 100),
    ];
    assert_eq!(times(&part), expected);
    assert_eq!(part.gaps, 3);
    let expected =
        [(Cause::DataLoading, 40), (Cause::Launching, 10), (Cause::Nothing, 10), (Cause::Latency, 40)];
    assert_eq!(lead_in(&part), expected);
    // The gap began inside the wait for the device, so what came behind is its doing.
    assert_eq!(part.after_sync(), Ns(200));
    // The work of the host before the first activity happens once.
    assert_eq!(part.host_work(), Ns::ZERO);
}

#[test]
fn names_are_the_innermost_and_places_those_of_the_caller() {
    let section = section_of(&run_of(vec![trace()]), "idle-causes");
    let columns = ["rank", "cause", "name", "time_ns", "idle_pct", "lead_in_ns"];
    assert_eq!(column_ids(&section, "by_name"), columns);
    let names = [
        "train.py(1): train",
        "cudaStreamSynchronize",
        "aten::mul",
        "cudaLaunchKernel",
        "aten::item",
        LOADER,
    ];
    assert_eq!(column(&section, "by_name", "name"), texts(names));
    assert_eq!(column(&section, "by_name", "time_ns"), integers([100, 90, 50, 20, 10, 0]));
    assert_eq!(column(&section, "by_name", "lead_in_ns"), integers([0, 0, 0, 10, 0, 40]));
    let columns = ["rank", "name", "python", "operator", "gaps", "time_ns", "after_ns"];
    assert_eq!(column_ids(&section, "synchronising_calls"), columns);
    let of = |id| column(&section, "synchronising_calls", id);
    assert_eq!([of("name"), of("operator")], [texts(["cudaStreamSynchronize"]), texts(["aten::item"])]);
    assert_eq!(of("python"), texts(["train.py(1): train"]));
    assert_eq!([of("gaps"), of("time_ns"), of("after_ns")], [1, 100, 200].map(|value| integers([value])));
}

#[test]
fn tables_and_numbers_by_hand() {
    let section = section_of(&run_of(vec![trace()]), "idle-causes");
    let columns = ["rank", "cause", "time_ns", "idle_pct", "span_pct", "gaps", "longest_ns", "lead_in_ns"];
    assert_eq!(column_ids(&section, "by_cause"), columns);
    let causes = [
        "synchronisation",
        "Python",
        "launched already",
        "launch not recorded",
        "operators",
        "launch latency",
        "launching",
        "data loading",
        "nothing recorded",
    ];
    let of = |id| column(&section, "by_cause", id);
    assert_eq!(of("cause"), texts(causes));
    assert_eq!(of("time_ns"), integers([100, 100, 100, 100, 50, 30, 20, 0, 0]));
    // The idle time is 500.
    assert_eq!(of("idle_pct")[..2], [20.0, 20.0].map(Value::Float));
    assert_eq!(of("gaps"), integers([1, 1, 1, 1, 1, 1, 1, 0, 0]));
    assert_eq!(of("longest_ns"), integers([100, 100, 100, 100, 50, 30, 20, 0, 0]));
    assert_eq!(number(&section, "idle_gaps", Some(0)), Value::Integer(3));
    assert_eq!(number(&section, "host_wait_ns", Some(0)), Value::Integer(300));
    assert_eq!(number(&section, "host_wait_share_pct", Some(0)), Value::Float(100.0 / 3.0));
}

#[test]
fn details_have_a_row_for_each_gap() {
    let run = run_of(vec![trace()]);
    let outcomes = report(&run, &Options::default().with_details(true)).unwrap();
    let section = outcomes.iter().find(|outcome| outcome.id() == "idle-causes").unwrap().section().unwrap();
    let of = |id| column(section, "by_gap", id);
    assert_eq!(of("start_ns"), integers([0, 200, 600, 800]));
    assert_eq!(of("length_ns"), integers([100, 300, 100, 100]));
    let causes = ["data loading", "synchronisation", "launched already", "launch not recorded"];
    assert_eq!(of("cause"), texts(causes));
    assert_eq!(of("what")[..2], texts([LOADER, "cudaStreamSynchronize"]));
    assert_eq!(of("ended_by"), texts(["a", "b", "c", "d"]));
}

#[test]
fn work_from_before_the_recording_may_fill_the_lead_in() {
    let at = |start: i64| {
        let mut test = TestTrace::default();
        test.step(1, 0, 10_000_000).launch(1, 50, 60).kernel("a", 1, start, start + 10);
        lead_in(&part(&test, &Options::default())).iter().map(|&(_, time)| time).sum::<i64>()
    };
    // Up to 30 µs behind its launch a kernel has not waited for others.
    assert_eq!([at(30_060), at(30_061)], [30_060, 0]);
}

#[test]
fn a_selected_step_has_its_lead_in_behind_the_work_of_the_last_one() {
    let mut test = TestTrace::default();
    test.step(1, 0, 100)
        .step(2, 100, 300)
        .launch(1, 10, 20)
        .kernel("a", 1, 30, 130)
        .host(Annotation, LOADER, 110, 160)
        .launch(2, 170, 180)
        .kernel("b", 2, 190, 200);
    let options = Options::default().with_selection(Selection::default().with_steps(2..=2));
    let expected =
        [(Cause::DataLoading, 30), (Cause::Launching, 10), (Cause::Nothing, 10), (Cause::Latency, 10)];
    assert_eq!(lead_in(&part(&test, &options)), expected);
    let window = Interval::new(Ns(140), Ns(300));
    let options = Options::default().with_selection(Selection::default().with_time(window));
    let expected =
        [(Cause::DataLoading, 20), (Cause::Launching, 10), (Cause::Nothing, 10), (Cause::Latency, 10)];
    assert_eq!(lead_in(&part(&test, &options)), expected);
    // A kernel that the window cuts leaves nothing before it.
    let window = Interval::new(Ns(120), Ns(300));
    let options = Options::default().with_selection(Selection::default().with_time(window));
    assert_eq!(lead_in(&part(&test, &options)), []);
    assert_eq!(times(&part(&test, &options)).iter().map(|&(_, time)| time).sum::<i64>(), 60);
}

#[test]
fn the_thread_that_launches_is_looked_at() {
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).kernel("a", 1, 1, 10);
    // The main thread loads data while the backward thread works.
    test.host(Annotation, LOADER, 10, 100).host_on(77, Op, "MulBackward0", 20, 90);
    test.launch(2, 80, 85).kernel("b", 2, 90, 95);
    let backward =
        test.trace.tracks.get_or_add(eaves_model::Ident::number(1), eaves_model::Ident::number(77));
    let launch = test.trace.runtime.slice[1];
    test.trace.slices.track[launch.index()] = backward;
    let found = times(&part(&test, &Options::default()));
    let expected = [(Cause::Launching, 5), (Cause::Operators, 60), (Cause::Nothing, 10), (Cause::Latency, 5)];
    assert_eq!(found, expected);
}

#[test]
fn overhead_belongs_to_its_thread_if_the_thread_is_known() {
    let launching = |thread: i64| {
        let mut test = TestTrace::default();
        test.launch(1, 0, 1).kernel("a", 1, 1, 10).launch(2, 20, 60).kernel("b", 2, 60, 95);
        test.host_on(77, Op, "MulBackward0", 100, 110).launch(3, 102, 104).kernel("c", 3, 110, 120);
        let (process, number) = (eaves_model::Ident::number(1), eaves_model::Ident::number(77));
        let track = test.trace.tracks.get_or_add(process, number);
        let launch = test.trace.runtime.slice[2];
        test.trace.slices.track[launch.index()] = track;
        test.host_on(thread, Overhead, "Activity Buffer Request", 30, 50);
        times(&part(&test, &Options::default()))
    };
    let waits = |found: &[(Cause, i64)]| found.contains(&(Cause::Profiler, 20));
    assert!(waits(&launching(Runtime as i64)));
    assert!(waits(&launching(0)), "a thread that is nobody's");
    assert!(!waits(&launching(77)));
}

#[test]
fn gaps_end_with_what_was_launched_first() {
    // Two kernels begin together; one of them was launched before the gap began.
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).launch(2, 5, 6).kernel("a", 1, 1, 10).launch(3, 50, 60);
    test.kernel("late", 3, 70, 80).kernel("early", 2, 70, 75);
    assert_eq!(times(&part(&test, &Options::default())), [(Cause::Device, 60)]);
    // What has no length ends nothing but the span.
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).kernel("a", 1, 1, 10).gpu(Memset, "Memset (Device)", 30, 30);
    assert_eq!(times(&part(&test, &Options::default())), [(Cause::Unknown, 20)]);
}

#[test]
fn a_quarantined_slice_explains_nothing() {
    let mut test = TestTrace::default();
    test.host(Op, "aten::mul", 0, i64::MAX).quarantine_last();
    test.launch(1, 0, 1).kernel("a", 1, 1, 10).launch(2, 20, 30).kernel("b", 2, 30, 40);
    let expected = [(Cause::Launching, 10), (Cause::Nothing, 10)];
    assert_eq!(times(&part(&test, &Options::default())), expected);
}

#[test]
fn without_gpu_activity_it_says_how_to_record_it() {
    let outcome = analyse(&run_of(vec![TestTrace::default()]), "idle-causes", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("CUDA")));
}

#[test]
fn one_activity_has_no_gap() {
    let mut test = TestTrace::default();
    test.gpu(Kernel, "a", 0, 10);
    let section = section_of(&run_of(vec![test]), "idle-causes");
    assert_eq!((section.tables.len(), section.findings.len()), (0, 0));
}
