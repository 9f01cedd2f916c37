//! Timing by events of the device, with the host's clock next to it.

use std::time::Instant;

use eaves_roofline::measured::{Contamination, Verification};

use super::Program;
use super::device::{Device, Function};
use super::driver::Gpu;
use super::nvml::Monitor;
use super::plan::Prepared;
use crate::backend::BenchError;
use crate::timing::{Order, Outcome, Runner};

/// The two clocks may run apart by this share.
const CLOCKS_APART: f64 = 1e-3;

/// What events are good to, in nanoseconds (`cuEventElapsedTime`: "a resolution of approximately 0.5 microseconds").
const RESOLUTION: f64 = 500.0;

/// The device is kept busy for so long for each launch that is queued meanwhile, in nanoseconds, and at most so long.
const LAUNCH: u64 = 8_000;
const LONGEST_SPIN: u64 = 20_000_000;

/// Something that is called again and again.
pub(super) trait Call {
    /// Starts one call.
    fn launch(&self, turn: usize) -> Result<(), BenchError>;

    /// Holds the result of the last one against a reference.
    fn verify(&self, device: &dyn Device) -> Result<Verification, BenchError>;
}

impl Call for Prepared {
    fn launch(&self, turn: usize) -> Result<(), BenchError> {
        Self::launch(self, turn)
    }

    fn verify(&self, device: &dyn Device) -> Result<Verification, BenchError> {
        Self::verify(self, device)
    }
}

/// A GPU that runs kernels.
pub(super) struct GpuRunner<'a> {
    gpu: &'a Gpu,
    calls: &'a [Box<dyn Call>],
    /// Keeps the device busy.
    spin: Box<dyn Function>,
    monitor: Option<&'a Monitor>,
    /// Why each kernel was given up.
    pub(super) errors: Vec<Option<BenchError>>,
}

impl<'a> GpuRunner<'a> {
    pub(super) fn new(
        gpu: &'a Gpu,
        calls: &'a [Box<dyn Call>],
        monitor: Option<&'a Monitor>,
    ) -> Result<Self, BenchError> {
        let lost = || BenchError::Device {
            device: gpu.info.name.clone(),
            cause: "no kernel to wait with".to_owned(),
        };
        let program = Program::named("stream").ok_or_else(lost)?;
        let functions = gpu.load(program, &[])?;
        let spin = program.functions.iter().zip(functions).find(|(name, _)| **name == "spin");
        let (_, spin) = spin.ok_or_else(lost)?;
        Ok(Self { gpu, calls, spin, monitor, errors: calls.iter().map(|_| None).collect() })
    }

    fn attempt(&self, order: Order) -> Result<Option<Outcome>, BenchError> {
        let Some(call) = self.calls.get(order.kernel) else { return Ok(None) };
        let start = Instant::now();
        // Launches that wait behind a busy device follow each other without gaps.
        let wait = (u64::from(order.calls) + 3) * LAUNCH;
        self.spin.launch([1, 1, 1], 1, &[wait.min(LONGEST_SPIN)])?;
        let milliseconds = self
            .gpu
            .timed(|| (0..order.calls as usize).try_for_each(|index| call.launch(order.turn + index)))?;
        let host_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let (wall_ns, mut contamination) = judged(milliseconds * 1e6, host_ns);
        let state = self.monitor.map(Monitor::read);
        if contamination.is_none() && state.is_some_and(|state| state.is_throttled) {
            contamination = Some(Contamination::SlowClock);
        }
        let clock = state.and_then(|state| state.clock);
        Ok(Some(Outcome {
            wall_ns,
            other_ns: Some(host_ns),
            switches: None,
            steal: None,
            clock,
            contamination,
        }))
    }
}

impl Runner for GpuRunner<'_> {
    fn run(&mut self, order: Order) -> Option<Outcome> {
        self.attempt(order).unwrap_or_else(|error| {
            if let Some(slot) = self.errors.get_mut(order.kernel) {
                slot.get_or_insert(error);
            }
            None
        })
    }
}

/// Nanoseconds that the device says passed, and what is wrong with that.
fn judged(device_ns: f64, host_ns: u64) -> (u64, Option<Contamination>) {
    // Saturates, and is zero for what is not a number.
    let wall_ns = device_ns.round() as u64;
    let contamination = if wall_ns == 0 {
        Some(Contamination::Backwards)
    } else {
        let most = host_ns as f64 * (1.0 + CLOCKS_APART) + RESOLUTION;
        (device_ns > most).then_some(Contamination::DeviceAboveHost)
    };
    (wall_ns, contamination)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_that_cannot_be_are_found_out() {
        assert_eq!(judged(1e6, 1_000_100), (1_000_000, None));
        assert_eq!(judged(1e6, 1_000_000).1, None);
        assert_eq!(judged(1e6, 900_000).1, Some(Contamination::DeviceAboveHost));
        assert_eq!(judged(0.0, 1000).1, Some(Contamination::Backwards));
        assert_eq!(judged(-5.0, 1000).1, Some(Contamination::Backwards));
        assert_eq!(judged(f64::NAN, 1000).1, Some(Contamination::Backwards));
    }
}
