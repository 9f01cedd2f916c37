//! What the machine does now: processors, memory, processes, GPUs. What a system does not tell is skipped.

mod amd;
mod nvidia;
mod system;

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

pub use self::system::{Cores, Memory, Processes};

/// The machine at one moment. Shares are of the time since the sample before.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// Milliseconds since 1970.
    pub time_ms: u64,
    /// The processors; nothing in the first sample.
    pub cpu: Option<Cores>,
    /// The memory of the host.
    pub memory: Option<Memory>,
    /// Runnable processes on average over 1, 5 and 15 minutes.
    pub load: Option<[f64; 3]>,
    /// The program that is watched, with everything it started.
    pub program: Option<Processes>,
    /// The GPUs.
    pub gpus: Vec<Gpu>,
}

/// A GPU at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gpu {
    /// As it calls itself.
    pub name: String,
    /// Share of the time in which something ran on it.
    pub utilisation_pct: Option<f64>,
    /// Memory in use.
    pub memory_used_bytes: Option<u64>,
    /// Memory in all.
    pub memory_total_bytes: Option<u64>,
    /// Power it draws.
    pub power_w: Option<f64>,
    /// Power it may draw.
    pub power_limit_w: Option<f64>,
    /// Degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Clock of its cores.
    pub clock_mhz: Option<f64>,
    /// Clock of its memory.
    pub memory_clock_mhz: Option<f64>,
    /// Such as `9.0`, of NVIDIA's.
    pub compute_capability: Option<String>,
}

/// Takes samples.
pub struct Sampler {
    root: Option<u32>,
    system: system::System,
    nvidia: Option<nvml_wrapper::Nvml>,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sampler").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Sampler {
    /// Watches the machine, and a process with everything that it starts.
    pub fn new(process: Option<u32>) -> Self {
        Self { root: process, system: system::System::new(), nvidia: nvidia::open() }
    }

    /// The machine now.
    pub fn sample(&mut self) -> Sample {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut gpus = self.nvidia.as_ref().map(nvidia::gpus).unwrap_or_default();
        gpus.extend(amd::gpus());
        Sample {
            time_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            cpu: self.system.cores(),
            memory: self.system.memory(),
            load: system::load(),
            program: self.root.and_then(|root| self.system.processes(root)),
            gpus,
        }
    }
}

/// The NVIDIA GPUs now; nothing if the driver's library is not there.
pub(crate) fn nvidia_gpus() -> Option<Vec<Gpu>> {
    nvidia::open().map(|nvml| nvidia::gpus(&nvml))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_of_this_machine() {
        let mut sampler = Sampler::new(Some(std::process::id()));
        // However rarely this test has a processor: it ends when all of its work was seen.
        let sample = loop {
            let sample = sampler.sample();
            let program = sample.program.as_ref().unwrap();
            if sample.cpu.is_some() && program.cpu_pct.is_some_and(|share| share > 0.0) {
                break sample;
            }
        };
        let memory = sample.memory.unwrap();
        assert!(memory.available_bytes <= memory.total_bytes && memory.total_bytes > 0);
        let program = sample.program.unwrap();
        assert!(program.count >= 1 && program.memory_bytes > 0);
        assert!(
            program.threads.is_none_or(|threads| threads > program.count),
            "tests have a thread of their own"
        );
        let cpu = sample.cpu.unwrap();
        assert!(!cpu.cores_pct.is_empty());
        assert!(cpu.cores_pct.iter().all(|share| (0.0..=100.0).contains(share)));
        assert_eq!(Sampler::new(Some(u32::MAX)).sample().program, None);
    }
}
