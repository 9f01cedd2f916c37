use eaves_roofline::device::{Confidence, Fact, Memory, Peak, Source};
use eaves_roofline::{Arithmetic, Counts, Device, Precision};

use super::stand_in::StandIn;
use super::*;
use crate::cpu::InstructionSet;
use crate::{CacheState, Protocol, Violation};

fn gemv(n: usize) -> Spec {
    Spec::Gemv { n, k: 1000, weights: Precision::FP32, activations: Precision::FP32 }
}

fn options() -> Options {
    Options { threads: 1, state: CacheState::Cold, protocol: Protocol::default() }
}

fn task(spec: Spec) -> Task {
    Task { spec, options: options(), code: Code::Own }
}

fn ran(backend: &StandIn, tasks: &[Task], roofs: &KnownRoofs) -> Vec<Ran> {
    Runner::new(backend, &mut |_| {}).run(tasks, roofs)
}

/// What the first measurement breaks.
fn violations(ran: &[Ran]) -> &[Violation] {
    let Some(Ran::Measured(measurement)) = ran.first() else { panic!("{ran:?}") };
    &measurement.violations
}

/// A core of 10 GFLOP/s and 20 GB/s, measured.
fn core() -> Device {
    let fact = |value| Fact {
        value,
        source: Source { text: "measured here".into(), confidence: Confidence::Measured },
    };
    Device {
        id: "core".into(),
        name: "Core".into(),
        scope: Some("one core".into()),
        peaks: vec![Peak {
            key: "fp32".into(),
            arithmetic: Some(Arithmetic::Fp32),
            engine: None,
            dense: fact(10e9),
            sparse: None,
            counts: Counts::Operations,
        }],
        memory: vec![Memory {
            id: "hbm".into(),
            name: "DRAM".into(),
            bandwidth: Some(fact(20e9)),
            ..Memory::default()
        }],
        ..Device::default()
    }
}

/// 10^6 weights in 200 us are 10 GFLOP/s and 20 GB/s: just what the roofs allow. In 100 us it is twice that.
#[test]
fn a_number_that_cannot_be_true_says_so() {
    let roofs = KnownRoofs::of(vec![core()]);
    assert!(roofs.roofs().one.is_some() && roofs.roofs().all.is_none());
    let tasks = [task(gemv(1000))];
    let sound = ran(&StandIn { microseconds: 200, error: 0.0 }, &tasks, &roofs);
    assert!(violations(&sound).is_empty(), "{sound:?}");
    let broken = ran(&StandIn { microseconds: 100, error: 0.0 }, &tasks, &roofs);
    let Violation::AbovePeak { peak, share } = &violations(&broken)[0] else { panic!("{broken:?}") };
    assert!(peak == "fp32" && (share - 2.0).abs() < 1e-6, "{peak} {share}");
    // Without roofs the instruction set is still a limit: 2 TFLOP/s at 3 GHz are 667 in a cycle.
    let fast = ran(&StandIn { microseconds: 1, error: 0.0 }, &tasks, &KnownRoofs::default());
    let known = InstructionSet::best().most_per_cycle(Arithmetic::Fp32).is_some();
    assert_eq!(!violations(&fast).is_empty(), known);
}

/// A file says 20 GB/s at the median. One sample at 40 does not break it, a median of 40 does: four bytes each of 10^6
/// weights in 100 us. The peak of the file is far away here.
#[test]
fn the_median_is_held_against_the_median_of_a_file() {
    let mut device = core();
    device.peaks[0].dense.value = 1e12;
    let roofs = KnownRoofs::of(vec![device]);
    let mut one = match ran(&StandIn { microseconds: 210, error: 0.0 }, &[task(gemv(1000))], &roofs).remove(0)
    {
        Ran::Measured(measurement) => measurement,
        refused => panic!("{refused:?}"),
    };
    one.samples[0].wall_ns = 100_000;
    one.time = eaves_roofline::measured::summary(&one.samples, 1);
    guards::check(&mut one, &roofs);
    assert!(one.violations.is_empty(), "{:?}", one.violations);
    let all = ran(&StandIn { microseconds: 100, error: 0.0 }, &[task(gemv(1000))], &roofs);
    assert!(matches!(&violations(&all)[0], Violation::AbovePeak { peak, .. } if peak == "DRAM"));
}

#[test]
fn a_wrong_result_says_so() {
    let wrong = ran(&StandIn { microseconds: 200, error: 1e-3 }, &[task(gemv(1000))], &KnownRoofs::default());
    assert_eq!(violations(&wrong), [Violation::WrongResult { error: 1e-3, tolerance: 1e-6 }]);
}

#[test]
fn what_cannot_be_run_is_told_and_the_rest_runs() {
    let gemm = Spec::Gemm { m: 8, n: 8, k: 8, weights: Precision::FP32, activations: Precision::FP32 };
    let tasks = [task(gemv(10)), task(gemm), task(gemv(20))];
    let ran = ran(&StandIn { microseconds: 200, error: 0.0 }, &tasks, &KnownRoofs::default());
    assert!(matches!(&ran[1], Ran::Refused { why, .. } if why.contains("gemv alone")));
    assert_eq!(ran.iter().filter_map(Ran::measured).count(), 2);
}

#[test]
fn kernels_run_in_turns_if_conditions_are_the_same_and_memory_suffices() {
    let small = task(gemv(10));
    let other = Task { options: Options { threads: 2, ..options() }, ..small.clone() };
    // Cold ones have copies that are together four times the last cache.
    let tasks = vec![small.clone(); 20];
    let copies = groups::operand_bytes(&small);
    assert!(copies >= 4 << 20, "{copies}");
    assert_eq!(groups::together(&tasks, &small, 8 * copies), 8);
    // With room for all of them, all are in alternation.
    assert_eq!(groups::together(&tasks, &small, 20 * copies), 20);
    assert_eq!(groups::together(&[small.clone(), other, small.clone()], &small, groups::MOST_MEMORY), 1);
    let hot = Task { options: Options { state: CacheState::Hot, ..options() }, ..small };
    assert_eq!(groups::together(&vec![hot.clone(); 20], &hot, groups::MOST_MEMORY), 20);
}
