//! What the machine does now: processors, memory, processes, GPUs. What a system does not tell is left out.

mod amd;
mod nvidia;
mod processes;
mod system;

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

pub use self::processes::Processes;
pub use self::system::{Cores, Memory};

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
    before: Option<(Instant, Vec<system::Ticks>)>,
    program_before: Option<(Instant, u64)>,
    nvidia: Option<nvidia::Nvml>,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sampler").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Sampler {
    /// Watches the machine, and a process with everything that it starts.
    pub fn new(process: Option<u32>) -> Self {
        let before = system::ticks().map(|ticks| (Instant::now(), ticks));
        Self { root: process, before, program_before: None, nvidia: nvidia::Nvml::open() }
    }

    /// The machine now.
    pub fn sample(&mut self) -> Sample {
        let now = Instant::now();
        let ticks = system::ticks();
        let cpu = match (&self.before, &ticks) {
            (Some((_, before)), Some(after)) => system::shares(before, after),
            _ => None,
        };
        self.before = ticks.map(|ticks| (now, ticks));
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut gpus = self.nvidia.as_ref().map(nvidia::Nvml::gpus).unwrap_or_default();
        gpus.extend(amd::gpus());
        Sample {
            time_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            cpu,
            memory: system::memory(),
            load: system::load(),
            program: self.program(now),
            gpus,
        }
    }

    fn program(&mut self, now: Instant) -> Option<Processes> {
        let mut program = processes::below(self.root?)?;
        if let Some((then, ticks)) = self.program_before {
            let seconds = now.duration_since(then).as_secs_f64().max(1e-3);
            let used = program.ticks.saturating_sub(ticks) as f64 / system::TICKS_PER_SECOND;
            program.cpu_pct = Some(100.0 * used / seconds);
        }
        self.program_before = Some((now, program.ticks));
        Some(program)
    }
}

/// The NVIDIA GPUs now; nothing if the driver's library is not there.
pub(crate) fn nvidia_gpus() -> Option<Vec<Gpu>> {
    nvidia::Nvml::open().map(|nvml| nvml.gpus())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_of_this_machine() {
        let mut sampler = Sampler::new(Some(std::process::id()));
        // Something to count: the clock of ticks is a hundredth of a second.
        let mut value = 1u64;
        let begun = Instant::now();
        while begun.elapsed().as_millis() < 50 {
            value = value.wrapping_mul(6364136223846793005).wrapping_add(1);
        }
        assert_ne!(value, 0);
        let sample = sampler.sample();
        let memory = sample.memory.unwrap();
        assert!(memory.available_bytes <= memory.total_bytes && memory.total_bytes > 0);
        let program = sample.program.unwrap();
        assert!(program.count >= 1 && program.memory_bytes > 0);
        assert!(program.ticks > 0, "this test has used time");
        let cores = std::thread::available_parallelism().unwrap().get();
        if let Some(cpu) = sample.cpu {
            assert!(cpu.cores_pct.len() >= cores.min(1));
            assert!(cpu.cores_pct.iter().all(|share| (0.0..=100.0).contains(share)));
        }
    }
}
