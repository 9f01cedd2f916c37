//! Measurement files compared with a device's roofs, for `roofline` and `report`.

use std::path::Path;

use anyhow::Result;
use eaves_assess::roofline::{self, Reading, Transfer};
use eaves_model::Measurements;
use eaves_roofline::scripts::Script;
use eaves_roofline::{Device, Precision, Settings, device};
use eaves_section::{Number, Outcome, Unit};

use crate::npu_config::{self, NpuConfig};
use crate::{Against, Context, hinted};

/// The name of a script next to an input.
const SCRIPT: &str = "ops.rhai";
/// What files of NPU commands are.
const COMMANDS: &str = "commands";

/// How measurement files are read and what they are compared with.
pub(crate) struct Measuring<'a> {
    /// The device that was named.
    pub(crate) device: &'a Against,
    /// The configuration of NPU commands for which no device was named; without one, the file next to them.
    pub(crate) config: Option<&'a Path>,
    /// Formulas of the user; without any, the file next to the input.
    pub(crate) ops: Option<&'a Path>,
    /// The type of records that name none.
    pub(crate) dtype: Option<&'a str>,
    /// The link of messages that name none.
    pub(crate) link: Option<&'a str>,
    /// Counts NPU commands as the first tool of that format did.
    pub(crate) compatibility: bool,
    /// The limits, by the configuration of NPU commands if there is one.
    pub(crate) settings: &'a dyn Fn(Option<&NpuConfig>) -> Settings,
}

impl Measuring<'_> {
    /// The device and the limits of a file: as asked for, as the file says, or as the configuration of NPU commands
    /// says.
    ///
    /// # Errors
    /// If nobody names a device, it is not known, or a configuration cannot be read.
    pub(crate) fn against(
        &self,
        measurements: &Measurements,
        context: &Context<'_>,
    ) -> Result<(Device, Settings)> {
        let is_open =
            measurements.format == COMMANDS && measurements.device.is_none() && self.device.is_unnamed();
        if !is_open {
            let device = self.device.resolve(measurements.device.as_deref())?;
            return Ok((self.checked(device)?, (self.settings)(None)));
        }
        let beside = Path::new(&measurements.path).with_file_name(npu_config::NAME);
        let file = self.config.or(Some(&*beside).filter(|beside| beside.is_file()));
        let Some(file) = file else {
            context.progress.note(
                "no device named; assuming the default peaks of NPU dashboards, 32 TOPS and 50 GB/s (name yours with --config or --device)",
            );
            let device = self.device.reading(device::default_npu());
            return Ok((self.checked(device)?, (self.settings)(None)));
        };
        if self.config.is_none() {
            context.progress.note(&format!("peaks and thresholds from {}", file.display()));
        }
        let config = NpuConfig::read(file, context.progress)?;
        let device = device::read(file).map_err(|error| hinted(error.to_string(), error.hint))?;
        Ok((self.checked(self.device.reading(device))?, (self.settings)(Some(&config))))
    }

    /// The device, checked to have what `--dtype` asks for.
    pub(crate) fn checked(&self, device: Device) -> Result<Device> {
        if let Some(dtype) = self.dtype
            && device.peak_by_key(dtype).is_none()
            && let Err(unknown) = dtype.parse::<Precision>()
        {
            let mut keys: Vec<&str> = device.peaks.iter().map(|peak| peak.key.as_str()).collect();
            keys.sort_unstable();
            return Err(hinted(
                format!("`--dtype {dtype}`: {unknown}"),
                format!("{} has {}", device.name, keys.join(", ")),
            ));
        }
        Ok(device)
    }

    /// The roofline of a file, and that of its messages.
    ///
    /// # Errors
    /// If a script is wrong.
    pub(crate) fn outcomes(
        &self,
        measurements: &Measurements,
        (device, settings): (&Device, &Settings),
    ) -> Result<Vec<Outcome>> {
        let script = script(self.ops, Path::new(&measurements.path))?;
        let custom =
            |name: &str, record: &str| script.as_ref().and_then(|script| script.command(name, record));
        let reading =
            Reading { device, dtype: self.dtype, compatibility: self.compatibility, custom: Some(&custom) };
        let points = roofline::points(measurements, &reading);
        let transfers = roofline::transfers(measurements);
        let mut outcomes = Vec::new();
        // A file of messages alone has no kernels to speak of; an empty one is about kernels.
        if !points.is_empty() || transfers.is_empty() {
            let section = roofline::section(&points, device, settings);
            outcomes.push(roofline::classified(Outcome::Section(section)));
        }
        outcomes.extend(self.communication(&transfers, device));
        Ok(outcomes)
    }

    fn communication(&self, transfers: &[Transfer], device: &Device) -> Option<Outcome> {
        let section = || Outcome::Section(roofline::communication(transfers, device, self.link));
        (!transfers.is_empty()).then(section)
    }
}

/// The user's formulas: those that were named, or those next to the input.
///
/// # Errors
/// If the script cannot be read or is wrong.
pub(crate) fn script(named: Option<&Path>, input: &Path) -> Result<Option<Script>> {
    let beside = input.with_file_name(SCRIPT);
    let path = match named {
        Some(path) => path,
        None if beside.is_file() => &beside,
        None => return Ok(None),
    };
    let read = Script::read(path);
    read.map(Some).map_err(|error| hinted(error.to_string(), "`eaves ops check` tests a script by itself"))
}

/// Sections of several inputs have the same name: a number says whose they are.
pub(crate) fn name_input(outcome: &mut Outcome, label: &str) {
    let Outcome::Section(section) = outcome else { return };
    let explain = "The input of this section.";
    let number = Number::counter("input", label.into(), Unit::None, explain);
    section.numbers.insert(0, number);
}
