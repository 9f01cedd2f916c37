//! The section on traces made by hand.

use eaves_model::MaybeF64;
use eaves_model::SliceKind::{Kernel, Memcpy, Memset};

use super::*;
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Options, Selection};

const PAGEABLE: &str = "Memcpy HtoD (Pageable -> Device)";
const PINNED: &str = "Memcpy HtoD (Pinned -> Device)";

/// Two copies side by side and one behind them, a set, and a copy without bytes.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.gpu(Memcpy, PAGEABLE, 0, 100)
        .bytes(400)
        .gpu(Memcpy, PINNED, 50, 100)
        .bytes(600)
        .gpu(Memcpy, PINNED, 100, 200)
        .bytes(1_000)
        .gpu(Memset, "Memset (Device)", 300, 310)
        .bytes(20)
        .gpu(Memcpy, "Memcpy DtoD (Device -> Device)", 400, 450);
    test
}

#[test]
fn values_by_hand() {
    let section = section_of(&run_of(vec![trace()]), "memory-bandwidth");
    let of = |id| column(&section, "by_kind", id);
    assert_eq!(of("name"), texts(["Memcpy HtoD", "Memcpy DtoD", "Memset"]));
    assert_eq!(of("calls"), integers([3, 1, 1]));
    let no_bytes = Value::Missing("bytes not recorded");
    assert_eq!(of("moved_bytes"), [Value::Integer(2_000), no_bytes.clone(), Value::Integer(20)]);
    assert_eq!(of("time_ns"), integers([200, 50, 10]));
    assert_eq!(of("bandwidth_gbps"), [Value::Float(10.0), no_bytes.clone(), Value::Float(2.0)]);
    assert_eq!(of("time_mean_gbps")[0], Value::Float(10.0));
    // 4, 16, then one of the two ends before the third starts: 4 or 12, 0, 10, 0.
    assert_eq!(of("changes"), integers([4, 0, 1]));
    assert_eq!(of("max_gbps")[0], Value::Float(16.0));
    assert_eq!(of("max_gbps")[1], no_bytes);
    assert_eq!(of("min_gbps")[0], Value::Float(4.0));
    let names = |id| column(&section, "by_name", id);
    assert_eq!(names("name")[..2], texts([PINNED, PAGEABLE]));
    assert_eq!(names("time_ns"), integers([150, 100, 50, 10]));
    assert_eq!(number(&section, "moved_bytes", Some(0)), Value::Integer(2_020));
    assert_eq!(number(&section, "time_ns", Some(0)), Value::Integer(260));
    assert_eq!(column_ids(&section, "by_kind").len(), 15);
    assert_eq!(section.tables.len(), 2);
    // Copies are too small to tell pageable memory from pinned. The set takes 10 of 450.
    let found: Vec<_> =
        section.findings.iter().map(|finding| (finding.id, finding.gain.as_ref().unwrap().high)).collect();
    assert_eq!(found, [("exposed_memory", Ns(200)), ("device_copies", Ns(50))]);
    assert!(!section.findings[1].next.contains("pin"), "{}", section.findings[1].next);
}

#[test]
fn the_profiler_knows_the_rate_better_than_short_times_do() {
    let mut test = TestTrace::default();
    // 1024 bytes in 1856 ns, of which the file has 1 µs.
    test.gpu(Memcpy, PAGEABLE, 0, 1_000).bytes(1_024);
    test.trace.gpu.bandwidth_gbps[0] = MaybeF64::new(0.5);
    test.gpu(Memcpy, PAGEABLE, 2_000, 3_000).bytes(1_000);
    test.trace.gpu.bandwidth_gbps[1] = MaybeF64::new(f64::INFINITY);
    let section = section_of(&run_of(vec![test]), "memory-bandwidth");
    assert_eq!(column(&section, "by_kind", "min_gbps"), [Value::Float(0.5)]);
    assert_eq!(column(&section, "by_kind", "max_gbps"), [Value::Float(1.0)]);
}

#[test]
fn a_window_of_time_takes_its_part_of_the_bytes() {
    let selection = Selection::default().with_time(Interval::new(Ns(25), Ns(75)));
    let outcome = analyse(&run_of(vec![trace()]), "memory-bandwidth", selection);
    let section = outcome.section().unwrap();
    // Half of the first copy and half of the second.
    assert_eq!(column(section, "by_kind", "moved_bytes"), integers([200 + 300]));
    assert_eq!(column(section, "by_kind", "time_ns"), integers([50]));
}

#[test]
fn details_have_a_row_for_every_change() {
    let run = run_of(vec![trace()]);
    let outcomes = crate::report(&run, &Options::default().with_details(true)).unwrap();
    let section =
        outcomes.iter().find(|outcome| outcome.id() == "memory-bandwidth").unwrap().section().unwrap();
    assert_eq!(column(section, "series", "time_ns"), integers([0, 50, 100, 100, 100, 200, 300, 310]));
    assert_eq!(column(section, "series", "bandwidth_gbps")[1], Value::Float(16.0));
}

#[test]
fn pageable_copies_are_compared_with_pinned_ones() {
    let large = 1_000_000;
    let mut test = TestTrace::default();
    test.gpu(Memcpy, PAGEABLE, 0, 100_000)
        .bytes(large)
        .gpu(Kernel, "gemm", 80_000, 100_000)
        .gpu(Memcpy, PINNED, 100_000, 120_000)
        .bytes(large)
        .gpu(Kernel, "gemm", 120_000, 1_000_000);
    let section = section_of(&run_of(vec![test]), "memory-bandwidth");
    let finding = &section.findings[0];
    assert_eq!(
        finding.claim,
        "copies to and from pageable memory take 10.0% of the time on rank 0 (100.00 µs for 1.0 MB)"
    );
    // 100 µs less 20 µs, of which a kernel hides nothing more: 80 µs are exposed.
    let gain = finding.gain.as_ref().unwrap();
    assert_eq!((gain.low, gain.high), (Ns(0), Ns(80_000)));
    assert!(gain.basis.contains("20.00 µs"), "{}", gain.basis);
}

#[test]
fn without_pinned_copies_the_gain_is_what_nothing_hides() {
    let mut test = TestTrace::default();
    test.gpu(Memcpy, "Memcpy DtoH (Device -> Pageable)", 0, 100).bytes(1 << 20).gpu(Kernel, "gemm", 90, 200);
    let section = section_of(&run_of(vec![test]), "memory-bandwidth");
    assert_eq!(section.findings[0].gain.as_ref().map(|gain| gain.high), Some(Ns(90)));
}

#[test]
fn small_hidden_or_short_copies_are_no_finding() {
    for (bytes, end, hidden) in [(60_000, 500, 0), (1 << 20, 500, 500), (1 << 20, 9, 0)] {
        let mut test = TestTrace::default();
        test.gpu(Memcpy, PAGEABLE, 0, end)
            .bytes(bytes)
            .gpu(Kernel, "gemm", 0, hidden)
            .gpu(Kernel, "gemm", 900, 1_000);
        let section = section_of(&run_of(vec![test]), "memory-bandwidth");
        assert!(section.findings.iter().all(|finding| finding.id != "pageable_copies"));
    }
}

#[test]
fn without_copies_it_says_so() {
    let mut test = TestTrace::default();
    test.gpu(Kernel, "gemm", 0, 10);
    let outcome = analyse(&run_of(vec![test]), "memory-bandwidth", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("memcpys")));
}
