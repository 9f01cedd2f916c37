//! What a device could do at the clocks of the run, where a report of Nsight Compute carries it.
//!
//! Its roofline sections record the most that a unit can do in a cycle (`.sum.peak_sustained`) and how many cycles a second
//! had. These follow the clock during profiling, which `--clock-control base` lowers, so they hold for the kernels of the
//! same run and for no other.

use super::level;
use crate::device::{Confidence, Device, Fact, Memory, Peak, Source};
use crate::{Arithmetic, Counts, Engine};

/// How numbers of this origin are called.
const SOURCE: &str = "reported by Nsight Compute: maximum per cycle at the clock of the run";

/// Memory levels: the id, and the unit whose cycles count.
const LEVELS: [(&str, &str, &str); 3] = [
    (level::MAIN, "dram__bytes", "dram"),
    (level::L2, "lts__t_bytes", "lts"),
    (level::L1, "l1tex__t_bytes", "l1tex"),
];

/// Multiply-adds of threads: operations of one instruction. Those of 16 bits work on pairs.
const PEAKS: [(&str, Arithmetic, f64); 3] =
    [("dfma", Arithmetic::Fp64, 2.0), ("ffma", Arithmetic::Fp32, 2.0), ("hfma", Arithmetic::Fp16, 4.0)];

/// Ceilings of one run, per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    levels: Vec<(&'static str, f64)>,
    peaks: Vec<(Arithmetic, f64)>,
}

impl Ceilings {
    /// Those that a report carries, if they are complete: a bandwidth of main memory and a peak of single precision.
    pub fn of(lookup: &dyn Fn(&str) -> Option<f64>) -> Option<Self> {
        let positive = |name: String| lookup(&name).filter(|value| value.is_finite() && *value > 0.0);
        let clock = |unit: &str| positive(format!("{unit}__cycles_elapsed.avg.per_second"));
        let mut found = Self::default();
        for (id, metric, unit) in LEVELS {
            let most = positive(format!("{metric}.sum.peak_sustained"));
            found.levels.extend(most.zip(clock(unit)).map(|(most, clock)| (id, most * clock)));
        }
        for (operation, arithmetic, weight) in PEAKS {
            let most =
                positive(format!("sm__sass_thread_inst_executed_op_{operation}_pred_on.sum.peak_sustained"));
            found
                .peaks
                .extend(most.zip(clock("sm")).map(|(most, clock)| (arithmetic, most * weight * clock)));
        }
        let has_memory = found.levels.first().is_some_and(|(id, _)| *id == level::MAIN);
        let has_peak = found.peaks.iter().any(|(arithmetic, _)| *arithmetic == Arithmetic::Fp32);
        (has_memory && has_peak).then_some(found)
    }

    /// The higher of both everywhere: clocks of kernels of one run differ a little.
    #[must_use]
    pub fn max(mut self, other: &Self) -> Self {
        for (id, rate) in &other.levels {
            match self.levels.iter_mut().find(|(known, _)| known == id) {
                Some((_, known)) => *known = known.max(*rate),
                None => self.levels.push((id, *rate)),
            }
        }
        for (arithmetic, rate) in &other.peaks {
            match self.peaks.iter_mut().find(|(known, _)| known == arithmetic) {
                Some((_, known)) => *known = known.max(*rate),
                None => self.peaks.push((*arithmetic, *rate)),
            }
        }
        self
    }

    /// The device with these in place of what it is said to do.
    #[must_use]
    pub fn applied_to(&self, mut device: Device) -> Device {
        let fact = |value: f64| {
            Some(Fact { value, source: Source { text: SOURCE.to_owned(), confidence: Confidence::High } })
        };
        for &(id, rate) in &self.levels {
            match device.memory.iter_mut().find(|memory| memory.id == id) {
                Some(memory) => memory.bandwidth = fact(rate),
                None => {
                    let name = if id == level::MAIN { "Memory".to_owned() } else { id.to_uppercase() };
                    device.memory.push(Memory {
                        id: id.to_owned(),
                        name,
                        bandwidth: fact(rate),
                        ..Memory::default()
                    });
                }
            }
        }
        for &(arithmetic, rate) in &self.peaks {
            let is_it =
                |peak: &&mut Peak| peak.arithmetic == Some(arithmetic) && peak.engine == Some(Engine::Vector);
            let Some(dense) = fact(rate) else { continue };
            match device.peaks.iter_mut().find(is_it) {
                Some(peak) => peak.dense = dense,
                None => device.peaks.push(Peak {
                    key: format!("{arithmetic}_vector"),
                    arithmetic: Some(arithmetic),
                    engine: Some(Engine::Vector),
                    dense,
                    sparse: None,
                    counts: Counts::Operations,
                }),
            }
        }
        device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An A100 at 1410 MHz: 108 multiprocessors of 64 lanes give 19.5 TFLOP/s, as its datasheet says; 5120 bits at
    /// 1215 MHz, both edges, give 1555 GB/s.
    #[test]
    fn an_a100_at_its_boost_clock_is_its_datasheet() {
        let counters = [
            ("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 108.0 * 64.0),
            ("sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 108.0 * 128.0),
            ("sm__cycles_elapsed.avg.per_second", 1.41e9),
            ("dram__bytes.sum.peak_sustained", 5120.0 / 8.0 * 2.0),
            ("dram__cycles_elapsed.avg.per_second", 1.215e9),
        ];
        let lookup = |name: &str| counters.iter().find(|(key, _)| *key == name).map(|&(_, value)| value);
        let found = Ceilings::of(&lookup).unwrap();
        let device = found.applied_to(crate::device::find("a100-sxm-40").unwrap());
        let fp32 = device.peak(Arithmetic::Fp32, Engine::Vector).unwrap().dense.value;
        assert!((fp32 / 19.5e12 - 1.0).abs() < 1e-3, "{fp32}");
        let fp16 = device.peak(Arithmetic::Fp16, Engine::Vector).unwrap().dense.value;
        assert!((fp16 / 78e12 - 1.0).abs() < 1e-3, "{fp16}");
        let bandwidth = device.main_memory().unwrap().bandwidth.as_ref().unwrap();
        assert!((bandwidth.value / 1555e9 - 1.0).abs() < 1e-3);
        assert_eq!(bandwidth.source.text, SOURCE);
        // Without the clock of the memory they are not complete.
        assert_eq!(Ceilings::of(&|name| lookup(name).filter(|_| !name.starts_with("dram__cycles"))), None);
    }
}
