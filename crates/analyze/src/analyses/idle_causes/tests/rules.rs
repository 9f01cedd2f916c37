//! When a finding is made, and what it says.

use eaves_model::Ns;
use eaves_model::SliceKind::{self, Annotation, Kernel, Op, Overhead, Python, Runtime};

use crate::section::{Finding, Severity};
use crate::test_trace::{TestTrace, run_of, section_of};

/// Two steps of 1000, from 500 on. In the middle of each the GPU is idle for `idle`, in which the host does one thing.
/// It is busy from before the first step to 500 after the last. What was launched before the steps is done at 1000, and
/// the last step at 3000, so the time that counts is 2000.
fn trace(idle: i64, kind: SliceKind, name: &str) -> TestTrace {
    let mut test = TestTrace::default();
    test.launch(100, 0, 1).kernel("first", 100, 1, 100);
    for step in 1..=2 {
        let start = 1000 * step;
        test.step(step as u64, start - 500, start + 500);
        // The pause ends with the launch, which takes no time that counts.
        test.launch(step, start + idle, start + idle).kernel("gemm", step, start + idle, start + 1000);
        test.host(kind, name, start, start + idle);
        if step == 1 {
            test.launch(99, 5, 6).kernel("gemm", 99, 100, 1000);
        }
    }
    test
}

fn findings(test: TestTrace) -> Vec<Finding> {
    section_of(&run_of(vec![test]), "idle-causes").findings
}

#[test]
fn each_cause_has_its_finding() {
    let expected = [
        (Annotation, "## load_batch ##", "data_loading"),
        (Runtime, "cudaStreamSynchronize", "synchronisation"),
        (Python, "Python GC", "garbage_collection"),
        (Runtime, "cudaMalloc", "allocator_calls"),
        (Annotation, "compile_inner (dynamo_timed)", "compilation"),
        (Op, "aten::mul", "host_bound"),
        (Python, "train.py(3): step", "host_bound"),
        (Python, "torch/profiler/profiler.py(821): step", "profiler_overhead"),
    ];
    for (kind, name, id) in expected {
        let found = findings(trace(100, kind, name));
        assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), [id], "{name}");
        let finding = &found[0];
        let share =
            if id == "profiler_overhead" { "10.0% (200 ns)" } else { "10.0% of the time (100 ns per step)" };
        assert!(finding.claim.contains(share), "{}", finding.claim);
        assert_eq!(finding.severity, Severity::Warning);
        match &finding.gain {
            Some(gain) => assert_eq!((gain.high, gain.per_step), (Ns(100), true)),
            None => assert_eq!(id, "profiler_overhead"),
        }
        assert!(!finding.evidence.is_empty() && !finding.next.is_empty());
        // Twice 19 of 2000 is less than 2 %.
        assert_eq!(findings(trace(19, kind, name)), [], "{name}");
        assert_eq!(findings(trace(500, kind, name))[0].severity, Severity::Critical, "{name}");
    }
}

#[test]
fn gains_of_a_rank_add_up_to_its_idle_time_at_most() {
    let mut test = trace(300, Op, "aten::mul");
    for start in [1000, 2000] {
        test.host(Annotation, "## load_batch ##", start + 100, start + 200);
        test.host(Runtime, "cudaFree", start + 200, start + 280);
    }
    let found = findings(test);
    let ids: Vec<_> = found.iter().map(|finding| finding.id).collect();
    assert_eq!(ids, ["host_bound", "data_loading", "allocator_calls"]);
    let gains: Vec<i64> = found.iter().map(|finding| finding.gain.as_ref().unwrap().high.0).collect();
    assert_eq!(gains, [120, 100, 80]);
}

#[test]
fn a_synchronising_call_has_the_gap_it_began() {
    let mut test = trace(300, Op, "aten::mul");
    for start in [1000, 2000] {
        test.host(Op, "aten::item", start - 50, start + 100);
        test.runtime_call("cudaStreamSynchronize", start, start - 50, start + 100);
    }
    let found = findings(test);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].claim,
        "`cudaStreamSynchronize` of `aten::item` drains the GPU and leaves it idle for 10.0% of the time (100 ns per step)"
    );
    // The first call begins before the time that counts. The second takes 150, and so much earlier is the last launch
    // without it, as the host launches nothing ahead. It waits for 50 of that; played again they may be off by 5 %.
    let gain = found[0].gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high), (Ns((50 - 2) / 2), Ns(150 / 2)));
}

#[test]
fn pauses_that_are_not_the_hosts_need_more_to_be_worth_a_sentence() {
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).launch(2, 2, 3).kernel("a", 1, 10, 100).kernel("b", 2, 109, 200);
    assert_eq!(findings(test), []);
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).launch(2, 2, 3).kernel("a", 1, 10, 100).kernel("b", 2, 120, 200);
    assert_eq!(findings(test)[0].id, "kernel_gaps");
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).launch(2, 2, 3).kernel("a", 1, 10, 100_000).kernel("b", 2, 130_001, 140_000);
    let found = findings(test);
    assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["device_wait"]);
    let mut test = TestTrace::default();
    test.gpu(Kernel, "a", 10, 100).gpu(Kernel, "b", 150, 200);
    let found = findings(test);
    assert_eq!((found[0].id, found[0].severity), ("unexplained_idle", Severity::Critical));
    assert!(found[0].next.contains("ProfilerActivity.CPU"));
}

#[test]
fn launches_that_repeat_ask_for_a_graph() {
    let steps = |last: &str| {
        let mut test = TestTrace::default();
        for step in 0..4 {
            let start = 10_000 * step;
            test.step(step as u64, start, start + 10_000);
            for launch in 0..100 {
                let (correlation, at) = (100 * step + launch, start + 100 * launch);
                let name = if step == 3 && launch == 99 { last } else { "add" };
                test.host(Op, "aten::add", at, at + 60);
                test.launch(correlation, at + 40, at + 50).kernel(name, correlation, at + 50, at + 70);
            }
        }
        findings(test).remove(0)
    };
    let same = steps("add");
    assert_eq!(same.id, "host_bound");
    assert!(same.next.contains("CUDA graph"), "{}", same.next);
    // The gaps of the three steps behind the first: 40 in operators, 10 launching, and 30 outside both.
    let facts = "launching 12%, operators 50%, nothing recorded 38%; 100 launches per step; medians of 300 gaps: 100 ns \
                 from launch to launch, 20 ns of GPU work";
    assert!(same.evidence.ends_with(facts), "{}", same.evidence);
    assert!(steps("other").next.starts_with("launch less"));
}

#[test]
fn the_profiler_is_named_even_if_nothing_waits_for_it() {
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).kernel("gemm", 1, 1, 1000).host_on(0, Overhead, "Buffer Flush", 100, 150);
    let found = findings(test);
    assert_eq!(
        found[0].claim,
        "the profiler was busy for 5.0% (50 ns) of the time on rank 0, so times are inflated"
    );
    assert_eq!((found[0].id, &found[0].gain), ("profiler_overhead", &None));
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).kernel("gemm", 1, 1, 1000).host_on(0, Overhead, "Lazy Function Loading", 100, 150);
    assert_eq!(findings(test), []);
}

#[test]
fn the_worst_rank_is_named() {
    let run = run_of(vec![trace(100, Op, "aten::mul"), trace(200, Op, "aten::mul")]);
    let found = section_of(&run, "idle-causes").findings;
    assert_eq!(found.len(), 1);
    assert!(found[0].claim.starts_with("rank 1 is worst: "), "{}", found[0].claim);
}

#[test]
fn what_starts_long_after_its_launch_waited_for_something_else() {
    // Launched 900,000 before it starts, though the GPU was idle when it was launched.
    let mut test = TestTrace::default();
    test.launch(1, 0, 1).kernel("a", 1, 10, 100_000);
    test.launch(2, 100_000, 100_001).launch(3, 100_001, 100_010).kernel("b", 3, 1_000_010, 1_100_000);
    let found = findings(test);
    assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["device_wait", "host_bound"]);
    // All but the 100,000 that a launch may take, and its 10 on the host.
    let gain = found[0].gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high), (Ns::ZERO, Ns(800_000)));
    assert!(
        found[0].evidence.contains("launched, not started: 1 gaps, the longest 800.00 µs"),
        "{}",
        found[0].evidence
    );
}

#[test]
fn idle_time_between_kernels_with_counters_says_nothing_of_the_program() {
    let mut test = TestTrace::default();
    test.gpu(Kernel, "a", 0, 100).counters(&[("SQ_WAVES", 64.0)]);
    test.gpu(Kernel, "b", 500, 600).counters(&[("SQ_WAVES", 64.0)]);
    let found = findings(test);
    assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["counter_collection"]);
    assert!(found[0].claim.starts_with("66.7% of the time on rank 0 is idle"), "{}", found[0].claim);
    assert_eq!((found[0].severity, &found[0].gain), (Severity::Info, &None));
}

#[test]
fn advice_fits_what_the_host_does() {
    // Four gaps of 2 ms in a range of that name.
    let long = |kind: SliceKind, name: &str| {
        let mut test = TestTrace::default();
        test.launch(100, 0, 10).kernel("gemm", 100, 10, 1_000_000);
        for step in 1..=5 {
            let start = 3_000_000 * step;
            test.step(step as u64, start - 2_000_000, start + 1_000_000);
            test.host(kind, name, start - 2_000_000, start);
            test.launch(step, start, start).kernel("gemm", step, start, start + 1_000_000);
        }
        findings(test).remove(0)
    };
    let range = long(Annotation, "solve on the host");
    assert_eq!(range.id, "host_bound");
    assert!(range.next.starts_with("most of it is host work in `solve on the host`"), "{}", range.next);
    let python = long(Python, "train.py(3): log");
    assert!(python.next.contains("`train.py(3): log`: shorten it"), "{}", python.next);
    let operators = long(Op, "aten::nonzero");
    assert!(operators.next.starts_with("launch less"), "{}", operators.next);
}
