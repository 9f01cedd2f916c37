//! Operators of the CPU: who owns the time of a thread, and the level of memory that operands fit in.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use eaves_model::Ns;
use eaves_roofline::{Settings, device};
use proptest::prelude::*;

use super::super::host;
use super::lines;
use crate::roofline::{Scope, TracePoints, trace_points, trace_section};
use crate::section::Value;
use crate::test_threads::ThreadTrace;
use crate::test_trace::{TestTrace, column, number, run_of, texts};
use crate::{MeasuredMachine, Options, Outcome, RankView, report};

/// A product of matrices of FP32: 2 n^3 operations, 12 n^2 bytes.
fn product(test: &mut ThreadTrace, thread: i64, size: u64, span: (i64, i64)) {
    test.op(thread, "aten::mm", span);
    let trace = &mut test.trace;
    let dims = trace.strings.intern(&format!("[[{size},{size}],[{size},{size}]]"));
    let types = trace.strings.intern(r#"["float","float"]"#);
    let concrete = trace.strings.intern(r#"["",""]"#);
    *trace.ops.input_dims.last_mut().unwrap() = dims;
    *trace.ops.input_types.last_mut().unwrap() = types;
    *trace.ops.concrete_inputs.last_mut().unwrap() = concrete;
}

fn points(test: &ThreadTrace) -> TracePoints {
    let options = Options::default();
    trace_points(&RankView::new(&test.trace, &options))
}

#[test]
fn an_operator_with_a_formula_has_its_whole_time_and_others_what_is_left() {
    let mut test = ThreadTrace::default();
    test.op(1, "my::thing", (0, 100));
    product(&mut test, 1, 64, (10, 60));
    test.op(1, "aten::empty", (20, 30)).op(1, "aten::other", (70, 90)).op(1, "aten::inside", (71, 80)).op(
        2,
        "c10d::allreduce_",
        (50, 120),
    );
    let points = points(&test);
    assert_eq!(
        lines(&points),
        [
            "communication c10d::allreduce_ : 1 70 20",
            "operator aten::mm : 1 50 50",
            "operator my::thing : 1 30 30",
            "operator aten::other : 1 20 20",
        ]
    );
    assert_eq!((points.busy, points.overlap()), (Ns(120), Ns(50)));
    assert!(points.rows[2].partly && points.is_of_host());
}

#[test]
fn functions_that_ask_for_a_collective_communicate() {
    let mut test = ThreadTrace::default();
    test.op(1, "All2All_Pooled_Req", (0, 40)).op(1, "ReduceScatterBase_WaitBackward", (40, 60));
    test.op(1, "My_Req", (60, 90));
    product(&mut test, 1, 64, (10, 20));
    assert_eq!(
        lines(&points(&test)),
        [
            "operator My_Req : 1 30 30",
            "communication All2All_Pooled_Req : 1 30 30",
            "communication ReduceScatterBase_WaitBackward : 1 20 20",
            "operator aten::mm : 1 10 10",
        ]
    );
}

#[test]
fn the_framework_s_own_time_is_a_class_of_its_own() {
    let mut test = ThreadTrace::default();
    // Between the operators inside it, an operator of PyTorch calls them; one of the user may compute.
    test.op(1, "aten::linear", (0, 100));
    product(&mut test, 1, 64, (10, 60));
    test.op(1, "aten::t", (100, 120)).op(1, "autograd::engine::evaluate_function: TBackward0", (120, 130));
    test.op(1, "my::function", (130, 160)).op(
        1,
        "autograd::engine::evaluate_function: MineBackward",
        (160, 200),
    );
    let points = points(&test);
    assert_eq!(
        lines(&points),
        [
            "operator aten::mm : 1 50 50",
            "framework aten::linear : 1 50 50",
            "operator autograd::engine::evaluate_function: MineBackward : 1 40 40",
            "operator my::function : 1 30 30",
            "framework aten::t : 1 20 20",
            "framework autograd::engine::evaluate_function: TBackward0 : 1 10 10",
        ]
    );
    // 80 of 200 are the framework's, and of the rest 50 have a formula.
    assert_eq!(points.covered(), (Ns(50), Ns(120)));
}

/// One core with caches of 1 KiB, 1 MiB and 32 MiB, and 10 GB/s of memory; two cores of twice the speed.
const MACHINE: &str = "
source: made up
confidence: low
devices:
  - id: two
    name: Two (measured)
    scope: 2 cores
    compute_peaks_GFLOPs: {fp32: 200}
    memory:
      - {id: hbm, name: DRAM, bw_GBps: 20}
      - {id: l2, name: L2, bw_GBps: 200, size_MiB: 2}
      - {id: l1, name: L1, bw_GBps: 400, size_KiB: 2}
  - id: one
    name: One (measured)
    scope: one core
    compute_peaks_GFLOPs: {fp32: 100}
    memory:
      - {id: hbm, name: DRAM, bw_GBps: 10}
      - {id: l3, name: L3, size_MiB: 32}
      - {id: l2, name: L2, bw_GBps: 100, size_MiB: 1}
      - {id: l1, name: L1, bw_GBps: 200, size_KiB: 1}
";

fn machine(host_name: Option<&str>) -> Arc<MeasuredMachine> {
    let devices = device::parse(MACHINE, Path::new("machine.yaml")).unwrap();
    Arc::new(MeasuredMachine { devices, host_name: host_name.map(str::to_owned) })
}

/// Products whose operands fit in the first cache of one core, in the second, in the third, and in none.
fn products() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    for (place, size) in [8, 128, 1024, 4096].into_iter().enumerate() {
        let start = place as i64 * 100_000_000;
        product(&mut test, 1, size, (start, start + 80_000_000));
    }
    test
}

#[test]
fn operands_are_in_the_smallest_level_that_holds_them() {
    let machine = machine(None);
    let section = trace_section(
        &points(&products()),
        Scope { ranks: 1, steps: 0 },
        machine.device(Some(1)).unwrap(),
        &Settings::default(),
    );
    let bound = column(&section, "points", "bound_by");
    assert!(bound.iter().all(|bound| *bound == Value::from("fp32")), "{bound:?}");
    let distances = column(&section, "points", "delta_log10_oi_to_knee");
    // Knees of 0.5 (L1), 1 (L2) and 10 (DRAM). How fast L3 is nobody knows, but no faster than L2. The intensity is that of
    // 2 n^3 operations on 12 n^2 bytes.
    let mut expected: Vec<f64> = [(8.0_f64, 0.5_f64), (128.0, 1.0), (1024.0, 1.0), (4096.0, 10.0)]
        .map(|(size, knee)| (size / 6.0 / knee).log10())
        .to_vec();
    let mut found: Vec<f64> = distances
        .iter()
        .map(|value| match value {
            Value::Float(value) => *value,
            other => panic!("{other:?}"),
        })
        .collect();
    expected.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
}

fn roofline(test: ThreadTrace, machine: Option<Arc<MeasuredMachine>>) -> Outcome {
    let run = run_of(vec![TestTrace::from(test)]);
    let outcomes = report(&run, &Options::default().with_machine(machine)).unwrap();
    outcomes.into_iter().find(|outcome| outcome.id() == "roofline").unwrap()
}

#[test]
fn a_recording_is_held_against_the_machine_it_was_made_on() {
    let on = |host: &str, threads: Option<&str>| {
        let mut test = products();
        test.trace.metadata.host_name = Some(host.to_owned());
        let threads = threads.map(|threads| ("eaves_operator_threads".to_owned(), threads.to_owned()));
        test.trace.metadata.versions = threads.into_iter().collect();
        test
    };
    let device = |outcome: &Outcome| number(outcome.section().unwrap(), "device", None);
    let here = Some(machine(Some("here")));
    assert_eq!(device(&roofline(on("here", None), here.clone())), Value::from("Two (measured)"));
    assert_eq!(device(&roofline(on("here", Some("1")), here.clone())), Value::from("One (measured)"));
    assert_eq!(device(&roofline(on("elsewhere", None), Some(machine(None)))), Value::from("Two (measured)"));
    for outcome in [roofline(on("elsewhere", None), here), roofline(on("here", None), None)] {
        let Outcome::Skipped(skipped) = outcome else { panic!("{outcome:?}") };
        assert!(skipped.how_to_record.contains("eaves device measure"), "{skipped:?}");
    }
    let said = roofline(on("elsewhere", None), Some(machine(None)));
    let number = said.section().unwrap().numbers.iter().find(|number| number.id == "device").unwrap();
    assert!(number.explain.contains("names no device"), "{}", number.explain);
    assert_eq!(column(said.section().unwrap(), "by_class", "class")[..1], texts(["operator"]));
}

proptest! {
    /// Twin: every instant of a thread belongs to the outermost operator around it that has a formula, or has none with a
    /// formula inside it, and otherwise to the innermost.
    #[test]
    fn every_instant_of_a_thread_has_its_owner(
        spans in prop::collection::vec((0i64..2, prop::bool::ANY, 0i64..8, 0u32..4), 1..25)
    ) {
        // Operators nest: halves of halves of 64 ns.
        let mut spans: Vec<(i64, bool, i64, i64)> = spans.iter().map(|&(thread, known, place, depth)| {
            let length = 64 >> depth;
            let start = (place * length) % 64;
            (thread, known, start, start + length)
        }).collect();
        spans.sort_by_key(|&(thread, _, start, end)| (thread, start, -end));
        spans.dedup_by_key(|&mut (thread, _, start, end)| (thread, start, end));
        let mut test = ThreadTrace::default();
        for &(thread, known, start, end) in &spans {
            if known {
                product(&mut test, thread, 8, (start, end));
            } else {
                test.op(thread, "aten::thing", (start, end));
            }
        }
        let options = Options::default();
        let found = host::attribution(&RankView::new(&test.trace, &options));
        let inside = |outer: usize, inner: usize| {
            let (one, other) = (spans[outer], spans[inner]);
            one.0 == other.0 && one.2 <= other.2 && other.3 <= one.3
        };
        let owns = |row: usize| {
            spans[row].1 || !(0..spans.len()).any(|other| spans[other].1 && inside(row, other))
        };
        let mut times: BTreeMap<usize, i64> = BTreeMap::new();
        let mut busy = [false; 64];
        for (thread, at) in (0..2).flat_map(|thread| (0..64).map(move |at| (thread, at))) {
            let mut open: Vec<usize> = (0..spans.len())
                .filter(|&row| spans[row].0 == thread && spans[row].2 <= at && at < spans[row].3)
                .collect();
            open.sort_by_key(|&row| (spans[row].2, -spans[row].3));
            let owner = open.iter().copied().find(|&row| owns(row)).or(open.last().copied());
            if let Some(owner) = owner {
                *times.entry(owner).or_default() += 1;
                busy[at as usize] = true;
            }
        }
        let calls: BTreeMap<usize, i64> =
            found.calls.iter().map(|call| (call.slice.index(), call.time.0)).collect();
        prop_assert_eq!(calls, times);
        prop_assert_eq!(found.busy.0, busy.iter().filter(|busy| **busy).count() as i64);
    }
}
