//! The roofs that measurements are compared with: of a device or file, or measured just now.

use std::time::Duration;

use eaves_roofline::Device;

use super::{Opened, Unavailable, guards};
use crate::roofs::{self, Effort, Progress, Second};
use crate::{Limits, Measurement, Protocol, opencl, timing};

/// Roofs, and the measurements behind them if they were measured just now.
#[derive(Clone, Debug, Default)]
pub struct KnownRoofs {
    /// The device as a whole and one core of it, or one of the two.
    pub devices: Vec<Device>,
    pub(super) measured: Option<roofs::Roofs>,
}

impl KnownRoofs {
    /// The roofs of devices that somebody else measured, or that datasheets have.
    pub fn of(devices: Vec<Device>) -> Self {
        Self { devices, measured: None }
    }

    /// Measures them. What was measured to exceed the last cache is what cold operands exceed from then on.
    ///
    /// # Errors
    /// If a backend cannot be measured as a whole.
    pub fn measure(
        opened: &mut Opened,
        effort: Effort,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, Unavailable> {
        let cpu = match opened {
            Opened::Cpu(cpu) => cpu,
            Opened::OpenCl(device) => {
                let seconds = match effort {
                    Effort::Quick => 1,
                    Effort::Default => 3,
                    Effort::Thorough => 20,
                };
                let limit = Duration::from_secs(seconds);
                let measured = opencl::roofs(device, &Protocol { limit, ..Protocol::default() });
                let (device, _) = measured.map_err(|error| Unavailable::new(error, "try --backend cpu"))?;
                return Ok(Self::of(vec![device]));
            }
            #[cfg(feature = "cuda")]
            Opened::Cuda(_) => {
                return Err(Unavailable::new(
                    "roofs of CUDA are not measured as a whole yet",
                    "`eaves bench fma` and `stream` with --backend cuda measure each; --device NAME gives a datasheet",
                ));
            }
        };
        // One thread a core: two would share its units and caches, and be neither one core nor two.
        let threads = timing::cores();
        let measured = roofs::measure_roofs(cpu, threads, effort, tell);
        cpu.last_cache = measured.last_cache;
        let mut one = measured.device(1);
        let mut devices = Vec::new();
        if threads > 1 {
            devices.push(measured.device(threads));
            one.id = format!("{}-one-core", one.id);
        }
        devices.push(one);
        Ok(Self { devices, measured: Some(measured) })
    }

    /// As analyses borrow them.
    pub fn roofs(&self) -> eaves_roofline::measured::Roofs<'_> {
        eaves_roofline::measured::Roofs::of(&self.devices)
    }

    /// What a measurement may not exceed.
    pub(super) fn limits(&self, measurement: &Measurement) -> Limits {
        match &self.measured {
            Some(measured) if measurement.conditions.backend == "cpu" => measured.limits(measurement),
            _ => guards::limits(measurement, self.roofs().over(measurement)),
        }
    }
}

impl Opened {
    /// A minute of multiply-adds, second by second.
    ///
    /// # Errors
    /// If it is not a processor, or it cannot be measured.
    pub fn sustained(&self, tell: &mut dyn FnMut(Progress<'_>)) -> Result<Vec<Second>, Unavailable> {
        let Self::Cpu(cpu) = self else {
            return Err(Unavailable::new(
                "only a processor can be measured for a minute",
                "leave out --sustained",
            ));
        };
        let minute = Duration::from_secs(60);
        roofs::sustained(cpu, timing::cores(), minute, tell)
            .map_err(|error| Unavailable::new(error, "leave out --sustained"))
    }
}
