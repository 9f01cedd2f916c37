use eaves_roofline::measured::{CacheState, Store, Stream};
use eaves_roofline::{Engine, Precision};

use super::*;
use crate::cpu::InstructionSet;
use crate::roofs::{ChoreRate, Level, Pair, Peak};

fn rate(spec: Spec, state: CacheState) -> Pair {
    let origin = Origin { spec, state, instructions: InstructionSet::best(), share: 1.0 };
    let rate = Rate { median: 1e9, best: 1e9, by: "test".to_owned(), clean: 9, origin: Some(origin) };
    Pair { one: Some(rate), all: None }
}

fn stream(stream: Stream, bytes: usize) -> Spec {
    Spec::Stream { stream, bytes }
}

/// A core with a second cache, main memory, a peak and the rate of one chore.
fn roofs() -> Roofs {
    let read = Stream::Read { streams: 4 };
    let traffic = |bytes: usize, state: CacheState| Traffic {
        read: rate(stream(read, bytes), state),
        triad: rate(stream(Stream::Triad(Store::Normal), bytes), state),
        ..Traffic::default()
    };
    let level = |id: &str, fits: Option<usize>, traffic: Traffic| Level {
        id: id.to_owned(),
        name: id.to_uppercase(),
        fits,
        traffic,
        ..Level::default()
    };
    let gemv = Spec::Gemv { n: 64, k: 64, weights: Precision::BF16, activations: Precision::FP32 };
    Roofs {
        name: "EX".to_owned(),
        instructions: InstructionSet::best(),
        threads: 1,
        clock: None,
        clock_of_all: None,
        bandwidths: Vec::new(),
        accesses: Vec::new(),
        levels: vec![
            level("l2", Some(1 << 20), traffic(1 << 16, CacheState::Hot)),
            level("hbm", None, traffic(1 << 16, CacheState::Cold)),
        ],
        last_cache: 1 << 20,
        peaks: vec![Peak {
            arithmetic: Arithmetic::Fp32,
            rate: rate(Spec::Fma { arithmetic: Arithmetic::Fp32 }, CacheState::Hot),
            per_cycle: None,
            most_per_cycle: None,
        }],
        rates: vec![ChoreRate { key: "dequantise bf16/fp32".to_owned(), rate: rate(gemv, CacheState::Hot) }],
        hand_over: None,
        missing: Vec::new(),
        measurements: Vec::new(),
    }
}

fn cpu() -> Cpu {
    Cpu { last_cache: 1 << 20, ..Cpu::detect() }
}

fn options(state: CacheState) -> Options {
    let limit = std::time::Duration::from_millis(20);
    let protocol = Protocol { warm_up: limit / 20, limit, clean: 5, ..Protocol::default() };
    Options { threads: 1, state, protocol }
}

#[test]
fn a_kernel_is_measured_beside_the_roofs_that_bound_it() {
    let roofs = roofs();
    let gauges = Gauges::new(&cpu(), &roofs, 1);
    let targets = |spec: Spec, state: CacheState| {
        let kernel = cpu().kernel(&spec, &options(state)).unwrap();
        let wanted = gauges.wanted(&*kernel);
        wanted.into_iter().map(|(target, _)| target).collect::<Vec<_>>()
    };
    let traffic = |level: &str, kind| Target::Traffic { level: level.to_owned(), kind };
    let peak = Target::Peak(Arithmetic::Fp32);
    let gemv = |weights| Spec::Gemv { n: 256, k: 256, weights, activations: Precision::FP32 };
    assert_eq!(targets(gemv(Precision::FP32), CacheState::Cold), [peak.clone(), traffic("hbm", "read")]);
    assert_eq!(
        targets(gemv(Precision::BF16), CacheState::Hot),
        [peak.clone(), traffic("l2", "read"), Target::Chore("dequantise bf16/fp32".to_owned())]
    );
    let triad = stream(Stream::Triad(Store::Normal), 3 << 16);
    assert_eq!(targets(triad, CacheState::Hot), [peak, traffic("l2", "triad")]);
    // Copying was not measured before, and is now.
    let copy = stream(Stream::Copy(Store::Normal), 1 << 16);
    assert_eq!(
        targets(copy, CacheState::Cold),
        ["read", "write", "copy", "triad"].map(|kind| traffic("hbm", kind))
    );
}

/// On a busy machine there may have been time for the levels alone.
#[test]
fn roofs_that_there_was_no_time_for_are_measured_beside_it() {
    let mut roofs = roofs();
    roofs.peaks.clear();
    roofs.rates.clear();
    roofs.levels.iter_mut().for_each(|level| level.traffic = Traffic::default());
    let mut gauges = Gauges::new(&cpu(), &roofs, 1);
    let spec = Spec::Gemv { n: 256, k: 256, weights: Precision::BF16, activations: Precision::FP32 };
    let kernel = cpu().kernel(&spec, &options(CacheState::Hot)).unwrap();
    let wanted = gauges.wanted(&*kernel);
    assert_eq!(wanted.len(), 3, "{wanted:?}");
    drop(kernel);
    let device = roofs.device(1);
    let gauge = gauges.measure(&spec, &options(CacheState::Hot)).unwrap().1;
    let mut gauge = gauge;
    gauge.iter_mut().for_each(|gauge| gauge.samples = [1000; 5].map(sample).to_vec());
    let named: Vec<_> =
        wanted.iter().zip(&gauge).map(|((target, origin), gauge)| (target, origin, gauge)).collect();
    let adjusted = adjusted(&device, &named, ESTIMATE);
    assert!(device.peaks.is_empty() && device.rates.is_empty());
    assert!(adjusted.peak(Arithmetic::Fp32, Engine::Vector).is_some());
    assert!(adjusted.rate("dequantise bf16/fp32").is_some());
    assert!(adjusted.memory.iter().any(|level| level.id == "l2" && level.bandwidth.is_some()));
}

/// Whatever the machine does meanwhile, every gauge ran in alternation with the kernel, and is kept for the next one.
#[test]
fn gauges_run_in_turns_with_the_kernel_and_are_made_once() {
    let roofs = roofs();
    let mut gauges = Gauges::new(&cpu(), &roofs, 1);
    let spec = Spec::Gemv { n: 256, k: 256, weights: Precision::BF16, activations: Precision::FP32 };
    for _ in 0..2 {
        let (measurement, beside, devices) = gauges.measure(&spec, &options(CacheState::Hot)).unwrap();
        assert_eq!(measurement.spec, spec);
        assert_eq!(beside.len(), 3);
        assert!(beside.iter().all(|gauge| !gauge.samples.is_empty()));
        assert!(devices.gauges <= 3);
        assert_eq!(gauges.made.len(), 3);
    }
    assert!(gauges.measure(&stream(Stream::Read { streams: 3 }, 4096), &options(CacheState::Hot)).is_err());
}

/// Samples of 1, 2, 4, 8 and 16 us: a quarter of them are not above 2, a tenth not above 1.4, nine tenths not above 12.8.
#[test]
fn rates_are_those_of_the_samples_beside_it() {
    let roofs = roofs();
    let device = roofs.device(1);
    let mut gauge = cpu_measurement();
    gauge.samples = [1, 2, 4, 8, 16].map(|time| sample(1000 * time)).to_vec();
    let (read, peak) =
        (Target::Traffic { level: "l2".to_owned(), kind: "read" }, Target::Peak(Arithmetic::Fp32));
    let amounts = (gauge.work.bytes(), gauge.work.flops);
    let whole =
        Origin { spec: gauge.spec, state: CacheState::Hot, instructions: InstructionSet::best(), share: 1.0 };
    for (share, microseconds) in [(ESTIMATE, 2.0), (SPREAD.0, 1.4), (SPREAD.1, 12.8)] {
        // Half of the time of the second is what its rate is of.
        let half = Origin { share: 0.5, ..whole };
        let adjusted = adjusted(&device, &[(&read, &whole, &gauge), (&peak, &half, &gauge)], share);
        let level = adjusted.memory.iter().find(|level| level.id == "l2").unwrap();
        let near = |got: f64, amount: f64| {
            assert!((got * microseconds * 1e-6 / amount - 1.0).abs() < 1e-9, "{got} {amount}");
        };
        near(level.bandwidth.as_ref().unwrap().value, amounts.0);
        near(adjusted.peak(Arithmetic::Fp32, Engine::Vector).unwrap().dense.value, 2.0 * amounts.1);
        // What was not measured next to it stays.
        assert_eq!(adjusted.memory[0], device.memory[0]);
        assert_eq!(level.triad.as_ref().unwrap().value, 1e9);
    }
}

fn sample(wall_ns: u64) -> eaves_roofline::measured::Sample {
    eaves_roofline::measured::Sample { calls: 1, wall_ns, ..Default::default() }
}

/// A product that was run for its work alone.
fn cpu_measurement() -> Measurement {
    let spec = Spec::Gemv { n: 64, k: 64, weights: Precision::FP32, activations: Precision::FP32 };
    let mut kernel = cpu().kernel(&spec, &options(CacheState::Hot)).unwrap();
    timing::measure(&mut [&mut *kernel], 1, "EX", &options(CacheState::Hot).protocol).remove(0)
}

#[test]
fn traffic_is_of_the_kinds_on_both_sides_of_what_is_written() {
    assert_eq!(kinds(0.0), ["read"]);
    assert_eq!(kinds(0.2), ["read", "triad"]);
    assert_eq!(kinds(1.0 / 3.0), ["triad"]);
    assert_eq!(kinds(0.5), ["read", "write", "copy", "triad"]);
}
