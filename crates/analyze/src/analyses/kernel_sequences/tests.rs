use proptest::prelude::*;

use super::*;
use crate::section::Section;
use crate::test_threads::ThreadTrace;
use crate::test_trace::{analyse, column, column_ids, integers, run_of, section_of, texts};
use crate::{Options, Selection};
use eaves_model::{Ns, SliceKind};

/// A call of an operator with an operator inside, which launches kernels of 10 ns each.
fn call(test: &mut ThreadTrace, name: &str, at: i64, kernels: &[&str]) {
    test.op(1, name, (at, at + 100)).op(1, "inner", (at + 1, at + 99));
    for (index, kernel) in kernels.iter().enumerate() {
        let correlation = at + index as i64;
        test.launch(1, correlation, (at + 2 + index as i64, at + 3 + index as i64));
        let start = 10_000 + 100 * at + 10 * index as i64;
        test.kernel(7, kernel, correlation, (start, start + 10 + index as i64));
    }
}

fn trace() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    call(&mut test, "norm", 0, &["mean", "var", "scale", "scale"]);
    call(&mut test, "norm", 200, &["mean", "var", "scale", "scale"]);
    call(&mut test, "norm", 400, &["mean", "scale", "var"]);
    call(&mut test, "linear", 600, &["gemm", "bias"]);
    test
}

fn section(test: ThreadTrace) -> Section {
    section_of(&run_of(vec![test.into()]), "kernel-sequences")
}

#[test]
fn values_by_hand() {
    let section = section(trace());
    let of = |id| column(&section, "by_sequence", id);
    let expected = ["operator", "kernels", "length", "count", "gpu_ns", "cpu_ns", "share_pct"];
    assert_eq!(column_ids(&section, "by_sequence"), expected);
    assert_eq!(of("operator"), texts(["norm", "norm"]));
    assert_eq!(of("kernels"), texts(["mean ; var ; scale x2", "mean ; scale ; var"]));
    assert_eq!(of("length"), integers([4, 3]));
    assert_eq!(of("count"), integers([2, 1]));
    // 10 + 11 + 12 + 13, twice; 10 + 11 + 12 once.
    assert_eq!(of("gpu_ns"), integers([92, 33]));
    assert_eq!(of("cpu_ns"), integers([200, 100]));
}

#[test]
fn a_repeated_sequence_of_short_kernels_is_worth_fusing() {
    let section = section(trace());
    let finding = &section.findings[0];
    assert_eq!((finding.id, finding.evidence.as_str()), ("fusion_candidate", "table by_sequence, row 1"));
    // All but the 13 ns of the last kernel, in two calls.
    let gain = finding.gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high), (Ns(0), Ns(66)));
    assert!(
        finding.claim.starts_with("`norm` launches the same 4 short kernels in each of 2 calls, ")
            && finding.claim.contains(" on rank 0 (92 ns): "),
        "{}",
        finding.claim
    );
}

#[test]
fn long_rare_or_communicating_sequences_are_not() {
    let mut rare = ThreadTrace::default();
    call(&mut rare, "norm", 0, &["mean", "var", "scale"]);
    assert!(section(rare).findings.is_empty());
    let mut talking = ThreadTrace::default();
    let kernels = ["a", "b", "c", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"];
    call(&mut talking, "norm", 0, &kernels);
    call(&mut talking, "norm", 200, &kernels);
    assert!(section(talking).findings.is_empty());
    let mut long = trace();
    // Longer than short on average, and next to it the others are less than 5 %.
    for at in [0, 200] {
        long.kernel(7, "gemm", at, (100_000 + 50_000 * at, 150_000 + 50_000 * at));
    }
    assert!(section(long).findings.is_empty());
}

#[test]
fn a_wrapper_around_many_kernels_is_looked_into() {
    let mut test = ThreadTrace::default();
    test.op(1, "CompiledFunction", (0, 10_000));
    for index in 0..20 {
        call(&mut test, "norm", 200 * index + 1, &["mean", "var", "scale"]);
    }
    let section = section(test);
    assert_eq!(column(&section, "by_sequence", "operator"), texts(["norm"]));
    assert_eq!(column(&section, "by_sequence", "count"), integers([20]));
}

#[test]
fn operators_are_found_by_a_part_of_their_name() {
    let (test, options) = (trace(), Options::default());
    let rank = RankView::new(&test.trace, &options);
    let found = |operator, min_len| -> Vec<(String, usize, u64)> {
        let sequences = sequences_of(&rank, operator, min_len);
        sequences.into_iter().map(|one| (one.operator, one.kernels.len(), one.count)).collect()
    };
    assert_eq!(found("line", 1), [("linear".to_owned(), 2, 1)]);
    assert_eq!(found("line", 3), []);
    // `n` is in `norm`, `linear` and in `inner`, which is inside both and does not count again.
    assert_eq!(found("n", 1).iter().map(|found| found.2).collect::<Vec<_>>(), [2, 1, 1]);
    assert_eq!(found("absent", 1), []);
}

#[test]
fn what_is_missing_is_said() {
    let mut no_operators = ThreadTrace::default();
    no_operators.activity(7, SliceKind::Kernel, "gemm", None, (0, 10));
    let outcome = analyse(&run_of(vec![no_operators.into()]), "kernel-sequences", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.contains("operators")));
    let mut no_gpu = ThreadTrace::default();
    no_gpu.op(1, "linear", (0, 10));
    let outcome = analyse(&run_of(vec![no_gpu.into()]), "kernel-sequences", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.contains("GPU activity")));
}

proptest! {
    /// Twin: for each operator that is in no other of its pattern, collect what was launched inside its time.
    #[test]
    fn sequences_agree_with_collecting_call_by_call(
        calls in prop::collection::vec((0usize..3, prop::collection::vec(0usize..3, 0..5)), 0..20),
        min_len in 0usize..4,
    ) {
        let mut test = ThreadTrace::default();
        let mut expected: std::collections::BTreeMap<(String, Vec<String>), u64> = Default::default();
        for (index, (name, kernels)) in calls.iter().enumerate() {
            let (name, at) = (["xa", "xb", "y"][*name], 200 * index as i64);
            let names: Vec<&str> = kernels.iter().map(|&kernel| ["p", "q", "r"][kernel]).collect();
            call(&mut test, name, at, &names);
            if name.contains('x') && !names.is_empty() && names.len() >= min_len {
                let key = (name.to_owned(), names.iter().map(|name| (*name).to_owned()).collect());
                *expected.entry(key).or_default() += 1;
            }
        }
        let options = Options::default();
        let rank = RankView::new(&test.trace, &options);
        let found: std::collections::BTreeMap<_, _> = sequences_of(&rank, "x", min_len)
            .into_iter()
            .map(|one| ((one.operator, one.kernels), one.count))
            .collect();
        prop_assert_eq!(found, expected);
    }
}
