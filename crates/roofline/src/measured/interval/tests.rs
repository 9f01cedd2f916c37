use super::*;
use crate::device::{Confidence, Fact, Peak, Rate, Source};
use crate::{Arithmetic, Precision};

fn fact(value: f64) -> Fact {
    Fact { value, source: Source { text: "test".into(), confidence: Confidence::Measured } }
}

fn memory(id: &str, gigabytes: f64, size: Option<f64>) -> Memory {
    Memory {
        id: id.into(),
        name: id.to_uppercase(),
        bandwidth: Some(fact(gigabytes * 1e9)),
        size: size.map(fact),
        ..Memory::default()
    }
}

/// One core of the processor that `dequantise` and other rates were published for: 103.7 GFLOP/s, 25.6 GB/s from memory.
fn device() -> Device {
    let rate = |key: &str, giga: f64| Rate { key: key.into(), per_second: fact(giga * 1e9) };
    Device {
        id: "core".into(),
        name: "Core".into(),
        peaks: vec![Peak {
            key: "fp32".into(),
            arithmetic: Some(Arithmetic::Fp32),
            engine: None,
            dense: fact(103.7e9),
            sparse: None,
            counts: Counts::Operations,
        }],
        memory: vec![
            memory("hbm", 25.6, None),
            memory("l3", 80.0, Some(32.0 * 1024.0 * 1024.0)),
            memory("l2", 104.0, Some(512.0 * 1024.0)),
            memory("l1", 206.0, Some(32.0 * 1024.0)),
        ],
        rates: vec![rate("dequantise int8/int8", 38.0), rate("dequantise mxfp4/int8", 29.0)],
        ..Device::default()
    }
}

/// A product of a matrix of this many weights and a vector, of which the weights alone count.
fn product(weights: f64, precision: &str) -> Work {
    let precision: Precision = precision.parse().expect(precision);
    let mut work = Work::matrix(weights, Precision::FP32).reads("weight", weights, precision);
    work.arithmetic = Some(Arithmetic::Fp32);
    work
}

fn dequantise(key: &str, amount: f64) -> Chore {
    Chore { rate: format!("dequantise {key}"), amount }
}

/// As if operands were where the state says.
fn interval(work: &Work, chores: &[Chore], device: &Device, state: CacheState) -> Interval {
    super::interval(work, chores, device, level(device, work.bytes(), state))
}

/// 10^9 weights by hand: of one byte 39.06 ms from memory, 26.32 ms to widen and 19.29 ms of arithmetic; of 17/32 byte
/// 20.75, 34.48 and 19.29 ms.
#[test]
fn an_interval_goes_from_the_longest_roof_to_their_sum() {
    for (name, key, memory, chore, bound) in [
        ("int8", "int8/int8", 39.0625, 26.3158, "HBM"),
        ("mxfp4", "mxfp4/int8", 20.7520, 34.4828, "dequantise mxfp4/int8"),
    ] {
        let found = interval(&product(1e9, name), &[dequantise(key, 1e9)], &device(), CacheState::Cold);
        let near = |got: Option<f64>, milliseconds: f64| {
            let got = got.unwrap() * 1e3;
            assert!((got / milliseconds - 1.0).abs() < 1e-4, "{name}: {got} {milliseconds}");
        };
        let arithmetic = 19.2864;
        near(found.low(), f64::max(memory, chore));
        // The rate of widening is that of widening and multiplying, so arithmetic passes once.
        near(found.high(), memory + chore);
        near(found.middle(), (f64::max(memory, chore) + memory + chore) / 2.0);
        let sum: f64 = found.times.iter().map(|time| time.seconds).sum();
        near(Some(sum), memory + chore + arithmetic);
        assert_eq!(found.bound_by().map(|time| time.roof.as_str()), Some(bound));
        assert!(found.unknown.is_empty() && found.missing.is_none());
    }
}

/// The measurements behind these rates: 17.7, 24.5 and 6.2 10^9 weights a second from memory.
#[test]
fn published_measurements_lie_in_their_intervals() {
    for (name, key, measured) in [("int8", "int8/int8", 17.7), ("mxfp4", "mxfp4/int8", 24.5)] {
        let found = interval(&product(1e9, name), &[dequantise(key, 1e9)], &device(), CacheState::Cold);
        assert_eq!(found.holds(1.0 / measured, 0.05), Some(true), "{name} {found:?}");
        // Half as fast is outside, and so is faster than memory.
        assert_eq!(found.holds(3.0 / measured, 0.05), Some(false), "{name}");
        assert_eq!(found.holds(0.5 / measured, 0.05), Some(false), "{name}");
    }
    let plain = interval(&product(1e9, "fp32"), &[], &device(), CacheState::Cold);
    assert_eq!(plain.holds(1.0 / 6.2, 0.05), Some(true), "{plain:?}");
}

#[test]
fn operands_come_from_the_smallest_level_that_holds_them() {
    let device = device();
    let of = |bytes: f64, state| level(&device, bytes, state).map(|level| level.id.as_str());
    for (kilobytes, hot) in [(16.0, "l1"), (32.0, "l1"), (33.0, "l2"), (600.0, "l3"), (33_000.0, "hbm")] {
        let bytes = kilobytes * 1024.0;
        assert_eq!(of(bytes, CacheState::Hot), Some(hot), "{kilobytes}");
        assert_eq!(of(bytes, CacheState::Cold), Some("hbm"));
        assert_eq!(of(bytes, CacheState::LastLevel), Some("l3"));
    }
}

#[test]
fn bytes_that_a_cache_gives_again_and_again_are_a_chore_of_its_bandwidth() {
    let work = product(1e6, "fp32");
    let panels = [Chore { rate: "read l2".into(), amount: 104e9 }];
    let found = interval(&work, &panels, &device(), CacheState::Cold);
    assert_eq!(found.low(), Some(1.0));
}

#[test]
fn what_is_not_known_is_named_and_not_invented() {
    let work = product(1e9, "int8");
    let chores = [dequantise("int8/fp32", 1e9), Chore { rate: "exp".into(), amount: 0.0 }];
    let found = interval(&work, &chores, &device(), CacheState::Cold);
    assert_eq!(found.unknown, ["dequantise int8/fp32"]);
    assert!(found.low().is_some());
    let mut without = device();
    without.peaks.clear();
    let found = interval(&work, &[], &without, CacheState::Cold);
    assert_eq!((found.low(), found.missing.as_deref()), (None, Some("fp32 matrix peak")));
    let mut without = device();
    without.memory[2].bandwidth = None;
    let found = interval(&product(1e5, "fp32"), &[], &without, CacheState::Hot);
    assert_eq!((found.high(), found.missing.as_deref()), (None, Some("bandwidth of L2")));
    // Nothing to do needs nothing to be known, and takes no time that could be said.
    let nothing = interval(&Work::movement(), &[], &Device::default(), CacheState::Cold);
    assert_eq!((nothing.low(), nothing.missing), (None, None));
}

/// 12 GB by hand at 100 GB/s of reading, 75 of the triad, 60 of copying, 50 of writing: 120, 160, 200 and 240 ms; with a
/// sixth written, the middle of reading and the triad.
#[test]
fn bytes_take_the_time_of_what_is_done_with_them() {
    let mut level = memory("l2", 100.0, None);
    let each = |level: &Memory, written: f64| 12e9 * seconds_per_byte(level, written).unwrap() * 1e3;
    let near =
        |got: f64, milliseconds: f64| assert!((got - milliseconds).abs() < 1e-9, "{got} {milliseconds}");
    for written in [0.0, 0.4, 1.0] {
        near(each(&level, written), 120.0);
    }
    level.write = Some(fact(50e9));
    near(each(&level, 0.5), 180.0);
    level.triad = Some(fact(75e9));
    level.copy = Some(fact(60e9));
    for (written, milliseconds) in
        [(0.0, 120.0), (1.0 / 6.0, 140.0), (1.0 / 3.0, 160.0), (0.5, 200.0), (0.75, 220.0), (1.0, 240.0)]
    {
        near(each(&level, written), milliseconds);
    }
    level.bandwidth = None;
    assert_eq!(seconds_per_byte(&level, 1.0), None);
}

/// A triad is what its roof was measured by: it has no time next to it. The same arithmetic on a level whose triad is not
/// known does.
#[test]
fn the_multiply_add_of_the_triad_is_in_its_roof() {
    let work = Work { flops: 2e9, macs: 1e9, arithmetic: Some(Arithmetic::Fp32), ..Work::movement() }
        .reads("b", 1e9, Precision::FP32)
        .reads("c", 1e9, Precision::FP32)
        .writes("a", 1e9, Precision::FP32);
    let mut device = device();
    let apart = interval(&work, &[], &device, CacheState::Cold);
    assert!(apart.high().unwrap() > 1.02 * apart.low().unwrap());
    device.memory[0].triad = Some(fact(12e9));
    let found = interval(&work, &[], &device, CacheState::Cold);
    assert!(
        (found.low().unwrap() - 1.0).abs() < 1e-9 && (found.high().unwrap() - 1.0).abs() < 1e-9,
        "{found:?}"
    );
}

#[test]
fn operations_that_nobody_asked_for_are_a_chore_at_the_peak() {
    let chores = [Chore { rate: "fma fp32".into(), amount: 103.7e9 }];
    let found = interval(&product(1e6, "fp32"), &chores, &device(), CacheState::Cold);
    assert!((found.low().unwrap() - 1.0).abs() < 1e-9);
}
