//! `eaves device detect`: the devices of this machine, and a peaks file of them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use eaves_assess::devices;
use eaves_roofline::Device;
use eaves_roofline::device::detect::{Detected, Kind, Machine};
use eaves_roofline::device::{read, to_yaml};

use crate::arguments::{OutputArguments, check_output};
use crate::failure::hinted;
use eaves_app::{HELP_TEMPLATE, machine};

/// Find the devices of this machine and write a peaks file
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device detect
  eaves device detect -o peaks.yaml
  tprof peaks --json > tprof.json
  eaves device detect --from tprof.json -o peaks.yaml"
)]
pub(super) struct Arguments {
    /// Take the device from this file: any peaks file, or `tprof peaks --json`
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    from: Option<PathBuf>,
    /// Look at the system that is mounted here
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

/// Finds them, and writes or shows them.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let is_peaks = |path: &std::path::Path| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("yaml") || end.eq_ignore_ascii_case("yml"))
    };
    let peaks_file = output.one_path()?.is_some_and(is_peaks);
    if let Some(file) = &arguments.from {
        check_output(output.one_path()?, std::slice::from_ref(file))?;
        let device = read(file).map_err(|error| hinted(error.to_string(), error.hint))?;
        return match peaks_file {
            true => output.write_text(&to_yaml(&[device])),
            false => super::write(devices::show(&device), output),
        };
    }
    let machine = match &arguments.root {
        Some(root) => Machine { root: root.clone(), nvidia_smi: None },
        None => Machine { nvidia_smi: nvidia_smi(), ..Machine::here() },
    };
    let mut found = machine.detect();
    if arguments.root.is_none() {
        take_measured(&mut found);
    }
    if found.is_empty() {
        return Err(hinted(
            "no device was found: there is neither /proc/cpuinfo nor a driver of a GPU that says what it has",
            "describe the device in a peaks file: see docs/devices.md",
        ));
    }
    match peaks_file {
        true => {
            output.write_text(&peaks_of(&found))?;
            for one in found.iter().filter(|one| !one.has_roofs()) {
                output.printer().note(&format!(
                    "note: peaks and bandwidth of {} are not known; {}\n",
                    one.reported,
                    advice(one.kind)
                ));
            }
            Ok(())
        }
        false => super::write(devices::detected(&found), output),
    }
}

/// Puts what `eaves device measure` kept of this machine in the place of a processor without roofs.
fn take_measured(found: &mut [Detected]) {
    let Some(processor) = found.iter_mut().find(|one| one.kind == Kind::Cpu && !one.has_roofs()) else {
        return;
    };
    // The machine as a whole is first, one core of it follows.
    if let Some(device) = machine::measured().and_then(|machine| machine.devices.into_iter().next()) {
        processor.device = device;
    }
}

/// How to come by the roofs of a device that the catalogue does not have.
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
        text.push_str(&format!(
            "# Peaks and bandwidth of {} are not known; {}.\n",
            one.device.id,
            advice(one.kind)
        ));
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
