//! What rocprof-compute measured on a device: the columns of its `roofline.csv`.
//!
//! Rates are GB/s and GFLOP/s (or GOP/s), each with the lowest and highest it saw behind it; 0 stands for what the device
//! does not have. Some columns are spelt otherwise than their neighbors (`hbmBwHigh`, `MFMAFI8OpsLow`); those are bounds,
//! which we do not read.

use super::{Confidence, Device, Fact, Memory, Peak, Source};
use crate::{Arithmetic, Counts, Engine};

/// Memory levels, main memory first.
const LEVELS: [(&str, &str, &str); 5] = [
    ("HBMBw", "hbm", "HBM"),
    ("MALLBw", "llc", "Infinity Cache"),
    ("L2Bw", "l2", "L2"),
    ("L1Bw", "l1", "L1"),
    ("LDSBw", "lds", "LDS"),
];

/// Peaks. 64-bit integers (`I64Ops`) have no type of arithmetic here.
const PEAKS: [(&str, Arithmetic, Engine); 15] = [
    ("FP64Flops", Arithmetic::Fp64, Engine::Vector),
    ("FP32Flops", Arithmetic::Fp32, Engine::Vector),
    ("FP16Flops", Arithmetic::Fp16, Engine::Vector),
    ("BF16Flops", Arithmetic::Bf16, Engine::Vector),
    ("FP8Flops", Arithmetic::Fp8, Engine::Vector),
    ("I32Ops", Arithmetic::Int32, Engine::Vector),
    ("I8Ops", Arithmetic::Int8, Engine::Vector),
    ("MFMAF64Flops", Arithmetic::Fp64, Engine::Matrix),
    ("MFMAF32Flops", Arithmetic::Fp32, Engine::Matrix),
    ("MFMAF16Flops", Arithmetic::Fp16, Engine::Matrix),
    ("MFMABF16Flops", Arithmetic::Bf16, Engine::Matrix),
    ("MFMAF8Flops", Arithmetic::Fp8, Engine::Matrix),
    ("MFMAF6Flops", Arithmetic::Fp6, Engine::Matrix),
    ("MFMAF4Flops", Arithmetic::Fp4, Engine::Matrix),
    ("MFMAI8Ops", Arithmetic::Int8, Engine::Matrix),
];

/// True if a table with such columns is one of these.
pub(super) fn is_one(has: impl Fn(&str) -> bool) -> bool {
    has("HBMBw") && has("L2Bw") && has("FP32Flops")
}

/// Puts what was measured in the place of what the device is said to do. `source` is what to call the measurement. The
/// answer says whether there was anything.
pub(super) fn apply(device: &mut Device, source: &str, number: &dyn Fn(&str) -> Option<f64>) -> bool {
    let source = Source { text: source.to_owned(), confidence: Confidence::Measured };
    let rate = |name: &str| number(name).filter(|rate| rate.is_finite() && *rate > 0.0);
    let fact = |rate: f64| Fact { value: rate * 1e9, source: source.clone() };
    let mut any = false;
    let mut place = 0;
    for (column, id, name) in LEVELS {
        let known = device.memory.iter().position(|level| level.id == id);
        if let Some(rate) = rate(column) {
            any = true;
            let at = known.unwrap_or_else(|| {
                let level = Memory { id: id.to_owned(), name: name.to_owned(), ..Memory::default() };
                device.memory.insert(place.min(device.memory.len()), level);
                place
            });
            if let Some(level) = device.memory.get_mut(at) {
                level.bandwidth = Some(fact(rate));
            }
            place = at + 1;
        } else if let Some(known) = known {
            place = known + 1;
        }
    }
    for (column, arithmetic, engine) in PEAKS {
        let Some(rate) = rate(column) else { continue };
        any = true;
        let known = device
            .peaks
            .iter_mut()
            .find(|peak| peak.arithmetic == Some(arithmetic) && peak.engine == Some(engine));
        match known {
            Some(peak) => peak.dense = fact(rate),
            None => device.peaks.push(Peak {
                key: format!("{arithmetic}_{engine}"),
                arithmetic: Some(arithmetic),
                engine: Some(engine),
                dense: fact(rate),
                sparse: None,
                counts: Counts::Operations,
            }),
        }
    }
    any
}
