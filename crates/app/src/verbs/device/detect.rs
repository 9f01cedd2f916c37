//! `device detect`: this machine's devices, as a peaks file.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use eaves_assess::devices;
use eaves_present::Document;
use eaves_roofline::device::detect::{Detected, Kind, Machine};
use eaves_roofline::device::{Device, read, to_yaml};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer;
use crate::{Answer, Context, Drawing, Failure, Form, Look, machine};

/// The devices of a machine, or of another tool's file.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Detect {
    /// Read the device from this file: any peaks file, or `tprof peaks --json`
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    pub from: Option<PathBuf>,
    /// Inspect the system mounted here
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// A peaks file next to the document.
pub(super) struct PeaksFile(pub(super) String);

impl Drawing for PeaksFile {
    fn draw(&self, _: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        Ok((form == Form::Yaml).then(|| self.0.clone().into_bytes()))
    }
}

impl Detect {
    pub(super) fn answer(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        match &self.from {
            Some(_) if self.root.is_some() => {
                Err(Failure::usage("--from and --root are mutually exclusive", "drop one of them"))
            }
            Some(file) => {
                let device = read(file).map_err(|error| Failure::new(error.to_string(), error.hint))?;
                let section = devices::show(&device);
                Ok(answer(section).drawn_by(PeaksFile(to_yaml(&[device]))))
            }
            None => self.detected(context),
        }
    }

    fn detected(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let machine = match &self.root {
            Some(root) => Machine { root: root.clone(), nvidia_smi: None },
            None => Machine { nvidia_smi: nvidia_smi(), ..Machine::here() },
        };
        let mut found = machine.detect();
        if self.root.is_none() {
            take_measured(&mut found);
        }
        if found.is_empty() {
            return Err(Failure::new(
                "no device found: neither /proc/cpuinfo nor a GPU driver is available",
                "describe the device in a peaks file: see docs/devices.md",
            ));
        }
        let mut answer = answer(devices::detected(&found)).drawn_by(PeaksFile(peaks_of(&found)));
        if context.wants(Form::Yaml) {
            let unknown = found.iter().filter(|one| !one.has_roofs());
            answer.notes.extend(
                unknown.map(|one| {
                    format!("unknown peaks and bandwidth: {}; {}", one.reported, advice(one.kind))
                }),
            );
        }
        Ok(answer)
    }
}
/// Replaces a processor without roofs by what `eaves device measure` saved.
fn take_measured(found: &mut [Detected]) {
    let Some(processor) = found.iter_mut().find(|one| one.kind == Kind::Cpu && !one.has_roofs()) else {
        return;
    };
    // The machine as a whole is first, one core of it follows.
    if let Some(device) = machine::measured().and_then(|machine| machine.devices.into_iter().next()) {
        processor.device = device;
    }
}

/// How to come by the roofs of a device that the catalog does not have.
fn advice(kind: Kind) -> &'static str {
    match kind {
        Kind::Cpu => "`eaves device measure -o roofs.yaml` measures them",
        Kind::Gpu => {
            "`eaves device measure --backend opencl -o roofs.yaml` measures them, or add `hbm_bw_GBps` and \
             `compute_peaks_GFLOPs` from a datasheet"
        }
    }
}

/// The peaks file of what was found, with a remark where something must be added before it can be used.
fn peaks_of(found: &[Detected]) -> String {
    let mut text = String::new();
    for one in found.iter().filter(|one| !one.has_roofs()) {
        text.push_str(&format!("# Unknown peaks and bandwidth: {}; {}.\n", one.device.id, advice(one.kind)));
    }
    let devices: Vec<Device> = found.iter().map(|one| one.device.clone()).collect();
    format!("{text}{}", to_yaml(&devices))
}

/// The names that NVIDIA's tool knows, for systems where its driver has no files; nothing where there is no such tool.
fn nvidia_smi() -> Option<String> {
    let answer = Command::new("nvidia-smi")
        .args(["--query-gpu=name", "--format=csv,noheader"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).into_owned())
}
