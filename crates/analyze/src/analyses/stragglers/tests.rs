//! Values by hand.

use eaves_model::SliceKind::Kernel;
use eaves_model::{DistributedInfo, Ns, ProcessGroup, Run};

use crate::section::{Severity, Value};
use crate::test_trace::{TestTrace, analyse, column, column_ids, integers, number, run_of, section_of};
use crate::{Outcome, Selection};

const ALL_REDUCE: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
const US: i64 = 1_000;

/// Ranks by how many microseconds they come before the last one, in each of some all-reduces of 20 µs.
fn run(early: &[&[i64]]) -> Run {
    let rank = |early: &[i64]| {
        let mut test = TestTrace::default();
        for (step, &early) in early.iter().enumerate() {
            let zero = step as i64 * 1_000 * US;
            test.step(step as u64, zero, zero + 1_000 * US);
            let end = zero + 800 * US;
            test.gpu(Kernel, "gemm", zero, zero + 100 * US)
                .gpu(Kernel, ALL_REDUCE, end - (20 + early) * US, end)
                .collective("allreduce", (1000, 1000), "Float", ("0", 3));
        }
        test
    };
    run_of(early.iter().map(|early| rank(early)).collect())
}

#[test]
fn the_rank_that_others_wait_for_is_named() {
    let run = run(&[&[300, 310, 0, 300, 290], &[0, 0, 5, 0, 0], &[200, 210, 3, 100, 190]]);
    let section = section_of(&run, "stragglers");
    let expected = [
        "rank",
        "collectives",
        "last_count",
        "last_pct",
        "others_waited_ns",
        "mean_other_waited_ns",
        "own_wait_ns",
        "launch_skew_ns",
    ];
    assert_eq!(column_ids(&section, "by_rank"), expected);
    let by_rank = |id| column(&section, "by_rank", id);
    assert_eq!((by_rank("collectives"), by_rank("last_count")), (integers([5, 5, 5]), integers([1, 4, 0])));
    assert_eq!(by_rank("last_pct"), [20.0, 80.0, 0.0].map(Value::Float));
    assert_eq!(by_rank("others_waited_ns"), integers([8 * US, 1900 * US, 0]));
    assert_eq!(by_rank("mean_other_waited_ns"), integers([4 * US, 950 * US, 0]));
    assert_eq!(by_rank("own_wait_ns"), integers([1200 * US, 5 * US, 703 * US]));
    assert_eq!(number(&section, "waited_ns", None), Value::Integer(1908 * US));
    assert_eq!(number(&section, "collectives", None), Value::Integer(5));
    // In the third nobody waits 10 µs.
    assert_eq!(number(&section, "notable_collectives", None), Value::Integer(4));
    let finding = &section.findings[0];
    assert_eq!((finding.id, finding.severity), ("straggler", Severity::Critical));
    assert!(
        finding.claim.ends_with("(175.00 µs per step): it comes last in 3 of 3 collectives"),
        "{}",
        finding.claim
    );
    // Behind the first step rank 0 waits 900 µs and rank 2 500 µs, over four steps.
    let gain = finding.gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high, gain.per_step), (Ns(125 * US), Ns(175 * US), true));
}

/// Three collectives are few, but nobody would overlook a rank that waits most of its time in them.
#[test]
fn few_collectives_must_have_taken_long() {
    let claims = |early: i64, count: usize| {
        let run = run(&[&vec![early; count], &vec![0; count]]);
        let section = section_of(&run, "stragglers");
        section.findings.iter().map(|finding| finding.claim.clone()).collect::<Vec<_>>()
    };
    let claim = &claims(700, 3)[0];
    assert!(claim.ends_with("it comes last in 3 of 3 collectives"), "{claim}");
    assert_eq!(claims(700, 2).len(), 1);
    assert!(claims(700, 1).is_empty(), "one shows no habit");
    // The span of rank 1 is 2.8 ms, so three times 60 µs are 6.4% of it and three times 70 µs 7.5%; 6.7% are needed.
    assert_eq!((claims(60, 3).len(), claims(70, 3).len()), (0, 1));
    // Of 25 a hundredth is enough: 24.8 ms.
    assert_eq!((claims(9, 25).len(), claims(11, 25).len()), (0, 1));
}

/// Ranks that come at the same times, one because it launches late, one because its device is busy.
#[test]
fn a_late_launch_is_told_from_a_late_device() {
    let rank = |launched: i64, came: i64| {
        let mut test = TestTrace::default();
        for step in 1..5 {
            let zero = step * 1_000 * US;
            test.launch(step, zero + launched * US, zero + launched * US + 500)
                .kernel(ALL_REDUCE, step, zero + came * US, zero + 900 * US)
                .collective("allreduce", (1000, 1000), "Float", ("0", 2));
        }
        test
    };
    let finding = |first: i64, launched: i64| {
        let section = section_of(&run_of(vec![rank(first, 100), rank(launched, 800)]), "stragglers");
        let skew = column(&section, "by_rank", "launch_skew_ns")[1].clone();
        (skew, section.findings[0].claim.clone(), section.findings[0].next.clone())
    };
    // Launched 5 µs before it comes, 700 µs after the other.
    let (skew, claim, next) = finding(95, 795);
    assert_eq!(skew, Value::Integer(4 * 700 * US));
    assert!(claim.ends_with("; it launches late"), "{claim}");
    assert!(next.contains("its host"), "{next}");
    // Launched with the other.
    let (skew, claim, _) = finding(95, 95);
    assert_eq!(skew, Value::Integer(0));
    assert!(claim.ends_with("; it launches in time, but its device takes longer"), "{claim}");
    // Launched before the other came, but 60 µs after that was launched.
    assert_eq!(finding(0, 60).0, Value::Integer(4 * 60 * US));
    // Launched 305 µs after the other, and then behind 400 µs of other work.
    assert_eq!(finding(95, 400).0, Value::Integer(4 * 305 * US));
}

/// No GPU, no launches, three steps: rank 1 sleeps 24 of 30 ms in each.
#[test]
fn three_steps_of_gloo_show_the_rank_that_sleeps() {
    let rank = |came: i64| {
        let mut test = TestTrace::default();
        for step in 0..3 {
            let zero = i64::from(step) * 30_000 * US;
            test.step(step as u64, zero, zero + 30_000 * US).annotation(
                "gloo:all_reduce",
                zero + came * US,
                zero + 29_000 * US,
                "[[131584]]",
                r#"["float"]"#,
            );
        }
        test.trace.metadata.distributed = Some(DistributedInfo {
            groups: vec![ProcessGroup { size: Some(2), ranks: vec![0, 1], ..ProcessGroup::default() }],
            ..DistributedInfo::default()
        });
        test
    };
    let section = section_of(&run_of(vec![rank(3_000), rank(27_000)]), "stragglers");
    assert_eq!(column(&section, "by_rank", "own_wait_ns"), integers([72_000 * US, 0]));
    let finding = &section.findings[0];
    assert_eq!((finding.id, finding.severity), ("straggler", Severity::Critical));
    let claim = "the other ranks wait for rank 1 for 80.0% of the time (24.00 ms per step): it comes last in 3 of 3 \
                 collectives";
    assert_eq!(finding.claim, claim);
}

#[test]
fn steps_name_who_was_waited_for() {
    let run = run(&[&[300, 0], &[0, 100], &[200, 50]]);
    let section = section_of(&run, "stragglers");
    let by_step = |id| column(&section, "by_step", id);
    assert_eq!(by_step("step"), integers([0, 1]));
    assert_eq!(by_step("waited_ns"), integers([500 * US, 150 * US]));
    assert_eq!((by_step("last_rank"), by_step("last_count")), (integers([1, 0]), integers([1, 1])));
}

#[test]
fn no_habit_no_finding() {
    // By turns, too little, too rarely.
    let turns = run(&[&[300, 0, 300, 0, 300, 0], &[0, 300, 0, 300, 0, 300]]);
    assert!(section_of(&turns, "stragglers").findings.is_empty());
    let little = run(&[&[9, 9, 9, 9, 9], &[0, 0, 0, 0, 0]]);
    assert!(section_of(&little, "stragglers").findings.is_empty());
    let rarely = run(&[&[300, 0], &[0, 1]]);
    assert!(section_of(&rarely, "stragglers").findings.is_empty());
    // One wait that is longer than all others together: the ranks did not begin at the same time.
    let once = run(&[&[600, 12, 12, 12], &[0, 0, 0, 0]]);
    assert!(section_of(&once, "stragglers").findings.is_empty());
}

#[test]
fn what_is_missing_is_said() {
    let missing = |run: &Run| match analyse(run, "stragglers", Selection::default()) {
        Outcome::Skipped(skipped) => skipped.missing,
        Outcome::Section(_) => panic!("no section expected"),
    };
    assert!(missing(&run(&[&[300]])).starts_with("a second rank"));
    let mut same = run(&[&[300], &[0]]);
    same.recordings[1].rank = 0;
    assert!(missing(&same).starts_with("distinct ranks"));
    let mut one_more = TestTrace::default();
    one_more.step(0, 0, 100).gpu(Kernel, ALL_REDUCE, 0, 10).collective(
        "allreduce",
        (1, 1),
        "Float",
        ("0", 3),
    );
    one_more.gpu(Kernel, ALL_REDUCE, 20, 30).collective("allreduce", (1, 1), "Float", ("0", 3));
    one_more.gpu(Kernel, ALL_REDUCE, 200, 210).collective("allreduce", (1, 1), "Float", ("0", 3));
    let mut different = run(&[&[300], &[0]]);
    different.recordings[1].trace = one_more.trace;
    assert_eq!(
        missing(&different),
        "collectives that two ranks have in common: 3 calls not matched: ranks have different numbers of calls of \
         the group in the step; 1 calls not matched: not recorded on another rank of the group"
    );
    let mut silent = TestTrace::default();
    silent.gpu(Kernel, "gemm", 0, 10);
    let mut other = TestTrace::default();
    other.gpu(Kernel, "gemm", 0, 10);
    assert!(missing(&run_of(vec![silent, other])).starts_with("communication"));
}
