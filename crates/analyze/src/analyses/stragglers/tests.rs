//! Values by hand.

use eaves_model::SliceKind::Kernel;
use eaves_model::{Ns, Run};

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
        finding.claim.starts_with("the others wait for rank 1: it comes last in 4 of 4"),
        "{}",
        finding.claim
    );
    // 950 µs over five steps.
    let gain = finding.gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high, gain.per_step), (Ns(0), Ns(190 * US), true));
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
    assert!(missing(&same).starts_with("ranks that can be told apart"));
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
         the group in the step; 1 calls not matched: no other rank of the group recorded it"
    );
    let mut silent = TestTrace::default();
    silent.gpu(Kernel, "gemm", 0, 10);
    let mut other = TestTrace::default();
    other.gpu(Kernel, "gemm", 0, 10);
    assert!(missing(&run_of(vec![silent, other])).starts_with("communication"));
}
