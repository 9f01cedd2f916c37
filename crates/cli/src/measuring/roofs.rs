//! The roofs that measurements are held against: of a device or file, or measured just now.

use anyhow::{Context, Result};
use eaves_analyze::ONE_CORE;
use eaves_assess::bench::Roofs;
use eaves_bench::roofs::{self, Effort, Progress, Second};
use eaves_bench::{Limits, Measurement, Protocol, opencl};
use eaves_roofline::{Device, device};

use super::{Opened, Steps, guards};
use crate::arguments::OutputArguments;
use crate::failure::hinted;

/// Roofs, and the measurements behind them if they were measured just now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Against {
    /// The device as a whole and one core of it, or one of the two.
    pub(crate) devices: Vec<Device>,
    pub(super) measured: Option<roofs::Roofs>,
}

impl Against {
    /// The devices of a name or of a file, which may have several.
    pub(crate) fn named(name: &str) -> Result<Self> {
        let path = std::path::Path::new(name);
        let devices = if path.is_file() {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            device::parse(&text, path).map_err(|error| hinted(error.to_string(), error.hint))?
        } else {
            vec![eaves_app::device::named(name)?]
        };
        Ok(Self { devices, measured: None })
    }

    /// Measures them. What was measured to exceed the last cache is what cold operands exceed from then on.
    pub(crate) fn measure(opened: &mut Opened, effort: Effort, output: &OutputArguments) -> Result<Self> {
        let cpu = match opened {
            Opened::Cpu(cpu) => cpu,
            Opened::OpenCl(device) => {
                let seconds = match effort {
                    Effort::Quick => 1,
                    Effort::Default => 3,
                    Effort::Thorough => 20,
                };
                let limit = std::time::Duration::from_secs(seconds);
                let measured = opencl::roofs(device, &Protocol { limit, ..Protocol::default() });
                let (device, _) = measured.map_err(|error| hinted(error.to_string(), "try --backend cpu"))?;
                return Ok(Self { devices: vec![device], measured: None });
            }
            #[cfg(feature = "cuda")]
            Opened::Cuda(_) => {
                return Err(hinted(
                    "roofs of CUDA are not measured as a whole yet",
                    "`eaves bench fma` and `stream` with --backend cuda measure each; --device NAME gives a datasheet",
                ));
            }
        };
        let steps = Steps::new(&output.printer());
        let mut progress = |progress: Progress<'_>| steps.show_share(progress.share, progress.what);
        // One thread a core: two would share its units and caches, and be neither one core nor two.
        let threads = eaves_bench::timing::cores();
        let measured = roofs::measure_roofs(cpu, threads, effort, &mut progress);
        steps.finish();
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
    pub(crate) fn roofs(&self) -> Roofs<'_> {
        let is_one = |device: &&Device| device.scope.as_deref() == Some(ONE_CORE);
        let one = self.devices.iter().find(is_one);
        let all = self.devices.iter().find(|device| !is_one(device));
        Roofs { all, one }
    }

    /// What a measurement may not exceed.
    pub(super) fn limits(&self, measurement: &Measurement) -> Limits {
        match &self.measured {
            Some(measured) if measurement.conditions.backend == "cpu" => measured.limits(measurement),
            _ => guards::limits(measurement, self.roofs().over(measurement)),
        }
    }
}

/// A minute of multiply-adds, second by second.
pub(crate) fn sustained(opened: &Opened, output: &OutputArguments) -> Result<Vec<Second>> {
    let Opened::Cpu(cpu) = opened else {
        return Err(hinted("only a processor can be measured for a minute", "leave out --sustained"));
    };
    let steps = Steps::new(&output.printer());
    let mut progress = |progress: Progress<'_>| steps.show_share(progress.share, progress.what);
    let minute = std::time::Duration::from_secs(60);
    let seconds = roofs::sustained(cpu, eaves_bench::timing::cores(), minute, &mut progress);
    steps.finish();
    seconds.map_err(|error| hinted(error.to_string(), "leave out --sustained"))
}
