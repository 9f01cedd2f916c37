//! What a device can do, measured: its memory's bandwidth, its peaks, and its exponentials.

use eaves_roofline::device::{Confidence, Fact, Memory, Peak, Rate, Source};
use eaves_roofline::measured::{CacheState, Measurement, Spec, Store, Stream};
use eaves_roofline::{Arithmetic, Counts, Device, Engine};

use super::backend::OpenCl;
use crate::backend::{Backend, BenchError, Options};
use crate::timing::Protocol;

/// Bytes of a stream: of a graphics processor long enough to fill it, and a small part of its memory.
const STREAM_BYTES: usize = 48 << 20;

/// Streams of which the fastest is the bandwidth.
const STREAMS: [Stream; 4] = [
    Stream::Read { streams: 1 },
    Stream::Read { streams: 4 },
    Stream::Copy(Store::Normal),
    Stream::Triad(Store::Normal),
];

/// Types that OpenCL computes in.
const PEAKS: [Arithmetic; 4] = [Arithmetic::Fp64, Arithmetic::Fp32, Arithmetic::Fp16, Arithmetic::Int8];

/// Measures the device. What it cannot do is absent; so is what was contaminated, or broke a limit. The measurements are
/// those that the numbers are made of, and those that were dropped.
pub fn roofs(backend: &OpenCl, protocol: &Protocol) -> Result<(Device, Vec<Measurement>), BenchError> {
    let options = |state| Options { threads: 1, state, protocol: *protocol };
    let streams = STREAMS.map(|stream| Spec::Stream { stream, bytes: STREAM_BYTES });
    let mut peaks = Vec::from(PEAKS.map(|arithmetic| Spec::Fma { arithmetic }));
    peaks.push(Spec::Exp);
    let mut measured = Vec::new();
    let answers = backend
        .measure(&streams, &options(CacheState::Cold))
        .into_iter()
        .chain(backend.measure(&peaks, &options(CacheState::Hot)));
    for answer in answers {
        match answer {
            Ok(measurement) => measured.push(measurement),
            // A device need not have every type.
            Err(BenchError::Unsupported { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((described(backend, &measured), measured))
}

/// The device that these measurements tell of.
pub(super) fn described(backend: &OpenCl, measured: &[Measurement]) -> Device {
    let info = backend.info();
    let text = format!("measured by eaves, {} {}", info.version, info.driver);
    let source = Source { text, confidence: Confidence::Measured };
    let fact = |value: f64| Fact { value, source: source.clone() };
    let reported = |value: f64| Fact {
        value,
        source: Source { text: "reported by its driver".to_owned(), confidence: Confidence::Medium },
    };
    let sound = || measured.iter().filter(|measurement| measurement.is_sound());
    let best = sound()
        .filter(|measurement| matches!(measurement.spec, Spec::Stream { .. }))
        .filter_map(|measurement| measurement.bytes_per_second(true))
        .max_by(f64::total_cmp);
    let peaks = sound().filter_map(|measurement| {
        let Spec::Fma { arithmetic } = measurement.spec else { return None };
        Some(Peak {
            key: format!("{arithmetic}_{}", Engine::Vector),
            arithmetic: Some(arithmetic),
            engine: Some(Engine::Vector),
            dense: fact(measurement.flops_per_second(true)?),
            sparse: None,
            counts: Counts::Operations,
        })
    });
    let rates = sound().filter(|measurement| measurement.spec == Spec::Exp).filter_map(|measurement| {
        let (chore, time) = (measurement.chores.first()?, measurement.time?);
        Some(Rate { key: chore.rate.clone(), per_second: fact(chore.amount / time.min) })
    });
    let main = Memory {
        id: "hbm".to_owned(),
        name: "memory".to_owned(),
        bandwidth: best.map(fact),
        size: (info.memory > 0).then(|| reported(info.memory as f64)),
        ..Memory::default()
    };
    Device {
        id: identifier(&info.name),
        name: info.name.clone(),
        reports: vec![info.name.clone()],
        vendor: (!info.vendor.is_empty()).then(|| info.vendor.clone()),
        units: (info.units > 0).then(|| reported(f64::from(info.units))),
        unit_kind: (info.units > 0).then(|| "CU".to_owned()),
        peaks: peaks.collect(),
        memory: vec![main],
        rates: rates.collect(),
        notes: Some(
            "Vector units and main memory through OpenCL; matrix units and caches are not measured."
                .to_owned(),
        ),
        ..Device::default()
    }
}

/// A name in lower case with dashes.
fn identifier(name: &str) -> String {
    let words: Vec<String> = name
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    format!("opencl-{}", words.join("-"))
}
