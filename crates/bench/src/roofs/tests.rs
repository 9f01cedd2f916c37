use std::path::Path;

use eaves_roofline::device::{self, Confidence};
use eaves_roofline::measured::{
    CacheState, Conditions, Execution, Measurement, Sample, Spec, Stream, Violation, summary, violations,
};
use eaves_roofline::{Engine, Precision, Work};

use super::*;

fn pair(one: f64, all: f64) -> Pair {
    let rate = |median: f64| {
        Some(Rate { median, best: 1.1 * median, by: "read-4, avx2".to_owned(), clean: 20, origin: None })
    };
    Pair { one: rate(one), all: rate(all) }
}

fn level(id: &str, fits: Option<usize>, is_shared: bool, read: Pair) -> Level {
    let name = if fits.is_some() { id.to_uppercase() } else { "DRAM".to_owned() };
    let traffic = Traffic { read, ..Traffic::default() };
    Level { id: id.to_owned(), name, fits, beyond: None, is_shared, latency: None, traffic }
}

/// A processor of four cores at 3 GHz.
fn roofs() -> Roofs {
    Roofs {
        name: "EX".to_owned(),
        instructions: InstructionSet::Avx2,
        threads: 4,
        clock: Some(Clock { hertz: 3e9, spread: 0.01, readings: 400 }),
        clock_of_all: Some(2.7e9),
        bandwidths: Vec::new(),
        accesses: Vec::new(),
        levels: vec![
            level("l1", Some(32 << 10), false, pair(200e9, 800e9)),
            level("l2", Some(16 << 20), true, pair(100e9, 300e9)),
            level("hbm", None, false, pair(20e9, 50e9)),
        ],
        last_cache: 32 << 20,
        peaks: vec![Peak {
            arithmetic: Arithmetic::Fp32,
            rate: pair(90e9, 350e9),
            per_cycle: Some(32.0),
            most_per_cycle: Some(32.0),
        }],
        rates: vec![ChoreRate { key: "exp".to_owned(), rate: pair(3e9, 12e9) }],
        hand_over: Some(1e-6),
        missing: Vec::new(),
        measurements: Vec::new(),
    }
}

fn measurement(spec: Spec, work: Work, threads: usize, state: CacheState, nanoseconds: u64) -> Measurement {
    let sample = Sample {
        piece: 0,
        calls: 1,
        wall_ns: nanoseconds,
        other_ns: None,
        switches: None,
        steal: None,
        clock: Some(3e9),
        contamination: None,
    };
    let samples = vec![sample; 5];
    Measurement {
        spec,
        conditions: Conditions {
            backend: "cpu".to_owned(),
            device: "EX".to_owned(),
            implementation: "made".to_owned(),
            threads,
            state,
            huge_pages: None,
        },
        work,
        chores: Vec::new(),
        time: summary(&samples, 1),
        samples,
        clock: Some(3e9),
        verification: None,
        execution: Execution::Executed,
        violations: Vec::new(),
    }
}

#[test]
fn a_device_has_the_measured_numbers_of_one_core_or_all() {
    let roofs = roofs();
    let (one, all) = (roofs.device(1), roofs.device(4));
    let bandwidths = |device: &device::Device| {
        let value = |level: &device::Memory| level.bandwidth.as_ref().unwrap().value;
        device.memory.iter().map(value).collect::<Vec<_>>()
    };
    // Main memory first, then caches from the largest.
    assert_eq!(bandwidths(&one), [20e9, 100e9, 200e9]);
    assert_eq!(bandwidths(&all), [50e9, 300e9, 800e9]);
    let size = |device: &device::Device, id: &str| {
        device.memory.iter().find(|level| level.id == id).unwrap().size.as_ref().unwrap().value
    };
    // Four first caches, one second.
    assert_eq!((size(&one, "l1"), size(&one, "l2")), (32768.0, 16_777_216.0));
    assert_eq!((size(&all, "l1"), size(&all, "l2")), (4.0 * 32768.0, 16_777_216.0));
    // The best is the peak: 1.1 times the median.
    let peak = all.peak(Arithmetic::Fp32, Engine::Matrix).unwrap();
    assert!((peak.dense.value / 385e9 - 1.0).abs() < 1e-12);
    assert_eq!(all.rate("exp").unwrap().value, 12e9);
    assert_eq!((one.units.as_ref().unwrap().value, all.units.as_ref().unwrap().value), (1.0, 4.0));
    // All cores are slower together, and must be handed their calls.
    assert_eq!((one.clock.as_ref().unwrap().value, all.clock.as_ref().unwrap().value), (3e9, 2.7e9));
    assert_eq!((one.rate("hand over"), all.rate("hand over").unwrap().value), (None, 1e6));
    // Main memory's size is what the system says; everything else was measured.
    let measured = |device: &device::Device| {
        device.facts().iter().filter(|fact| fact.source.confidence == Confidence::Measured).count()
    };
    assert!(measured(&all) + 1 >= all.facts().len());
}

#[test]
fn a_device_file_is_read_as_it_was_written() {
    let device = roofs().device(4);
    let text = device::to_yaml(std::slice::from_ref(&device));
    assert_eq!(device::parse(&text, Path::new("measured.yaml")).unwrap(), [device], "{text}");
}

#[test]
fn what_exceeds_a_peak_is_caught() {
    let roofs = roofs();
    let gemm = |threads: usize, flops_per_second: f64| {
        let macs = 5e5;
        let (m, n, k) = (100, 100, 50);
        let spec = Spec::Gemm { m, n, k, weights: Precision::FP32, activations: Precision::FP32 };
        let nanoseconds = 2.0 * macs / flops_per_second * 1e9;
        let work = Work::matrix(macs, Precision::FP32);
        let measured = measurement(spec, work, threads, CacheState::Hot, nanoseconds as u64);
        violations(&measured, &roofs.limits(&measured))
    };
    // 99 GFLOP/s is the best of one core, 385 that of four; two have twice one.
    assert_eq!(gemm(1, 95e9), []);
    assert!(matches!(gemm(1, 102e9)[..], [Violation::AbovePeak { .. }, ..]));
    assert_eq!(gemm(2, 190e9), []);
    assert!(matches!(gemm(2, 210e9)[..], [Violation::AbovePeak { .. }, ..]));
    assert_eq!(gemm(4, 380e9), []);
    assert!(matches!(gemm(4, 400e9)[..], [Violation::AbovePeak { .. }, ..]));
}

#[test]
fn what_exceeds_the_bandwidth_of_its_level_is_caught() {
    let roofs = roofs();
    let read = |bytes: usize, state: CacheState, rate: f64| {
        let spec = Spec::Stream { stream: Stream::Read { streams: 1 }, bytes };
        // Ten times through it.
        let moved = 10.0 * bytes as f64;
        let work = Work::movement().reads("a", moved / 4.0, Precision::FP32);
        let measured = measurement(spec, work, 1, state, (moved / rate * 1e9) as u64);
        violations(&measured, &roofs.limits(&measured))
    };
    let above = |found: &[Violation], level: &str| matches!(found, [Violation::AbovePeak { peak, .. }] if peak == level);
    // The best are 220, 110 and 22 GB/s.
    assert_eq!(read(16 << 10, CacheState::Hot, 215e9), []);
    assert!(above(&read(16 << 10, CacheState::Hot, 230e9), "L1"));
    assert!(above(&read(4 << 20, CacheState::Hot, 120e9), "L2"));
    assert!(above(&read(64 << 20, CacheState::Hot, 30e9), "DRAM"));
    assert!(above(&read(2 << 20, CacheState::Cold, 30e9), "DRAM"));
    assert_eq!(read(2 << 20, CacheState::Cold, 21e9), []);
    assert_eq!(read(4 << 20, CacheState::LastLevel, 105e9), []);
}

/// A "peak" that moves 170 bytes per thousand operations is a bandwidth.
#[test]
fn arithmetic_that_is_really_movement_is_caught() {
    let roofs = roofs();
    let mut work = Work::matrix(5e5, Precision::FP32);
    work = work.reads("a", 4e4, Precision::FP32);
    let spec = Spec::Fma { arithmetic: Arithmetic::Fp32 };
    // 160 kB in 10.7 us are 15 GB/s, of the 22 that memory has.
    let measured = measurement(spec, work, 1, CacheState::Cold, 10_700);
    let found = violations(&measured, &roofs.limits(&measured));
    assert!(found.iter().any(|found| matches!(found, Violation::BandwidthBound { .. })), "{found:?}");
}

#[test]
fn more_operations_a_cycle_than_the_instruction_set_has_are_caught() {
    let mut roofs = roofs();
    roofs.peaks.clear();
    let Some(most) = InstructionSet::best().most_per_cycle(Arithmetic::Fp32) else {
        return eaves_testing::skip("no instruction set with a known peak per cycle");
    };
    let per_cycle = |share: f64| {
        let flops = most * share * 3e9 * 1e-5;
        let work = Work::matrix(flops / 2.0, Precision::FP32);
        let spec = Spec::Fma { arithmetic: Arithmetic::Fp32 };
        let measured = measurement(spec, work, 1, CacheState::Hot, 10_000);
        violations(&measured, &roofs.limits(&measured))
    };
    assert_eq!(per_cycle(1.0), []);
    assert!(matches!(per_cycle(1.05)[..], [Violation::AboveInstructionSet { .. }]));
}

#[test]
fn operations_a_cycle_are_those_of_undisturbed_samples() {
    let spec = Spec::Fma { arithmetic: Arithmetic::Fp32 };
    let work = Work::matrix(480_000.0, Precision::FP32);
    let mut measured = measurement(spec, work, 1, CacheState::Hot, 10_000);
    // Of a busy machine: most samples are slower than the arithmetic, most chains slower than the clock, and one reading
    // of the clock is an error.
    measured.samples = vec![measured.samples[0].clone(); 20];
    for (index, sample) in measured.samples.iter_mut().enumerate() {
        sample.wall_ns = if index < 4 { 10_000 } else { 11_000 };
        sample.clock = Some(if index % 4 == 0 { 3e9 } else { 2.9e9 });
    }
    measured.samples[7].clock = Some(9e9);
    measured.time = summary(&measured.samples, 1);
    // 960 000 operations in 10 us at 3 GHz.
    let per_cycle = measured.flops_per_cycle().unwrap();
    assert!((per_cycle - 32.0).abs() < 1e-9, "{per_cycle}");
}
