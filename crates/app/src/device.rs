//! The device that work is compared with.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use eaves_analyze::roofline;
use eaves_model::DeviceProperties;
use eaves_roofline::{Counts, Device, device};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Failure;

/// Which device, and how its peaks are read.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(next_help_heading = "Device")]
#[serde(default)]
pub struct Against {
    /// Catalog device, or a peaks file; FILE#ID for one of several
    #[arg(long, visible_alias = "peaks", value_name = "NAME|FILE")]
    #[serde(alias = "peaks")]
    pub device: Option<String>,
    /// Use structured sparsity peaks where known
    #[arg(long)]
    pub sparse: bool,
    /// Interpret the device's peaks as ops or macs
    #[arg(long, visible_alias = "counts", value_name = "UNIT", hide_possible_values = true)]
    #[serde(alias = "counts")]
    pub peak_unit: Option<PeakUnit>,
}

/// Unit of peaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PeakUnit {
    /// Additions and multiplications.
    Ops,
    /// Multiply-adds.
    Macs,
}

impl Against {
    /// The named device, or the one the input was recorded on.
    pub fn resolve(&self, reported: Option<&str>) -> Result<Device, Failure> {
        let found = match (&self.device, reported.map(str::trim).filter(|name| !name.is_empty())) {
            (Some(name), _) => named(name)?,
            (None, Some(name)) => device::find_reported(name).map_err(|unknown| {
                Failure::new(
                    format!("the input was recorded on `{name}`: {unknown}"),
                    format!("name the device with --device; {}", unknown.hint()),
                )
            })?,
            (None, None) => {
                return Err(Failure::new(
                    "the input does not name the device it was recorded on",
                    "name it with --device NAME, or pass its peaks with --device FILE; `eaves device list` lists all names",
                ));
            }
        };
        Ok(self.reading(found))
    }

    /// The named device, for predictions.
    pub fn resolve_named(&self) -> Result<Device, Failure> {
        if self.is_unnamed() {
            return Err(Failure::usage(
                "no device to predict for",
                "name one, such as --device h100-sxm, mi300x or b200, or pass its peaks with --device FILE; `eaves device list` lists all names",
            ));
        }
        self.resolve(None)
    }

    /// The device that was named, or the one that recordings were made on, with what they say about it.
    pub fn resolve_recorded(&self, devices: &[DeviceProperties]) -> Result<Device, Failure> {
        if self.device.is_none()
            && let Ok(device) = roofline::reported_device(devices)
        {
            return Ok(self.reading(device));
        }
        let mut names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [name] => self.resolve(Some(name)),
            _ => self.resolve(None),
        }
    }

    /// The file that was named, if a file is meant.
    pub fn files(&self) -> Vec<PathBuf> {
        self.device.as_deref().and_then(file_meant).into_iter().collect()
    }

    /// True if no device was named.
    pub fn is_unnamed(&self) -> bool {
        self.device.is_none()
    }

    /// True if no device option was given, so the recordings decide.
    pub fn is_silent(&self) -> bool {
        self.device.is_none() && !self.sparse && self.peak_unit.is_none()
    }

    /// A device with its peaks read as asked for.
    pub(crate) fn reading(&self, found: Device) -> Device {
        let found = if self.sparse { found.with_sparse_peaks() } else { found };
        match self.peak_unit {
            Some(PeakUnit::Ops) => found.counting(Counts::Operations),
            Some(PeakUnit::Macs) => found.counting(Counts::Macs),
            None => found,
        }
    }

    /// With this name or file if none was typed.
    pub fn or_named(mut self, name: Option<String>) -> Self {
        self.device = self.device.or(name);
        self
    }

    /// With the higher peaks of structured sparsity where they are known, if so.
    pub fn with_sparse(mut self, so: bool) -> Self {
        self.sparse = self.sparse || so;
        self
    }

    /// With this name or file, whatever was typed.
    pub fn named(mut self, name: String) -> Self {
        self.device = Some(name);
        self
    }

    /// With peaks that count multiply-adds, if so and nothing else was typed.
    pub fn or_macs(mut self, so: bool) -> Self {
        self.peak_unit = self.peak_unit.or(so.then_some(PeakUnit::Macs));
        self
    }
}

/// The path in `FILE` or `FILE#ID`.
fn file_of(name: &str) -> PathBuf {
    match name.rsplit_once('#') {
        Some((file, _)) if !Path::new(name).exists() => PathBuf::from(file),
        _ => PathBuf::from(name),
    }
}

/// The file that a name of a device means, if it means one; it need not exist.
pub(crate) fn file_meant(name: &str) -> Option<PathBuf> {
    let file = file_of(name);
    let has_ending = file.extension().is_some_and(|extension| {
        ["csv", "json", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    });
    (has_ending || name.contains(['/', '\\']) || file.is_file()).then_some(file)
}

/// The device of a name or of a file.
///
/// # Errors
/// If there is no such device, or the file describes none.
pub fn named(name: &str) -> Result<Device, Failure> {
    if file_meant(name).is_some() {
        let read = device::read(Path::new(name));
        return read.map_err(|error| Failure::new(error.to_string(), error.hint));
    }
    device::find(name).map_err(|unknown| Failure::usage(unknown.to_string(), unknown.hint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(device: Option<&str>) -> Against {
        Against { device: device.map(str::to_owned), ..Against::default() }
    }

    #[test]
    fn what_was_typed_wins_over_what_was_recorded() {
        let id = |typed, reported| arguments(typed).resolve(reported).unwrap().id;
        assert_eq!(id(Some("mi300x"), Some("NVIDIA H200")), "amd-mi300x");
        assert_eq!(id(None, Some("NVIDIA H200")), "nvidia-h200-sxm");
        assert_eq!(id(None, Some("AMD Instinct MI250X")), "amd-mi250x-gcd");
        assert_eq!(id(Some("AMD Instinct MI250X"), None), "amd-mi250x");
    }

    #[test]
    fn what_is_not_known_is_an_error_with_a_hint() {
        for (typed, reported, part) in [
            (None, None, "does not name"),
            (None, Some(" "), "does not name"),
            (None, Some("AMD Radeon Graphics"), "recorded on `AMD Radeon Graphics`"),
            (Some("mi30x"), None, "did you mean amd-mi300x"),
            (Some("absent.yaml"), None, "absent.yaml: cannot be read"),
            (Some("folder/absent"), None, "cannot be read"),
        ] {
            let error = arguments(typed).resolve(reported).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
            assert!(error.hint.is_some());
        }
    }

    #[test]
    fn a_prediction_without_a_device_names_some() {
        let failure = arguments(None).resolve_named().unwrap_err();
        assert_eq!(failure.message, "no device to predict for");
        let hint = failure.hint.unwrap();
        let named: Vec<&str> =
            ["h100-sxm", "mi300x", "b200"].into_iter().filter(|id| hint.contains(id)).collect();
        assert_eq!(named.len(), 3, "{hint}");
        assert!(named.iter().all(|id| arguments(Some(id)).resolve_named().is_ok()));
    }

    #[test]
    fn peaks_can_be_read_in_another_way() {
        let sparse = Against { sparse: true, ..arguments(Some("gb10-287")) };
        assert_eq!(sparse.resolve(None).unwrap().peak_by_key("fp4_matrix").unwrap().dense.value, 1e15);
        let macs = Against { peak_unit: Some(PeakUnit::Macs), ..arguments(Some("t4")) };
        assert!(macs.resolve(None).unwrap().peaks.iter().all(|peak| peak.counts == Counts::Macs));
    }
}
