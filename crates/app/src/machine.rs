//! This machine's measured roofs, saved in the user's cache directory by `eaves device measure`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use eaves_analyze::analyses::Analysis;
use eaves_analyze::{MeasuredMachine, Options};
use eaves_model::Run;
use eaves_roofline::device::detect::{Kind, Machine};
use eaves_roofline::device::{self, Device};

use crate::hinted;

/// Overrides the directory.
const FOLDER: &str = "EAVES_CACHE_DIR";

/// What the names of measured devices end with.
const MEASURED: &str = " (measured)";

/// The folder of files that can be made again.
fn folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = named(FOLDER) {
        return Some(folder);
    }
    let base = if cfg!(windows) {
        named("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        named("HOME").map(|home| home.join("Library/Caches"))
    } else {
        named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))
    };
    base.map(|base| base.join("eaves"))
}

/// The name of this machine in its network, which recordings have too.
fn host_name() -> Option<String> {
    let of_system = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = |name: &str| env::var(name).ok();
    let name = of_system.or_else(|| named("HOSTNAME")).or_else(|| named("COMPUTERNAME"))?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The file of this machine: several may share a home.
fn file() -> Option<PathBuf> {
    let host = host_name().unwrap_or_default();
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    Some(folder()?.join(format!("machine-{}.yaml", host.chars().map(letter).collect::<String>())))
}

/// Saves a measurement, replacing the previous one, and returns its path.
pub fn keep(devices: &[Device]) -> anyhow::Result<PathBuf> {
    let file = file()
        .ok_or_else(|| hinted("no directory to save the measurement in", format!("set {FOLDER} to one")))?;
    let told = |path: &PathBuf| format!("cannot write {}", path.display());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| told(&file))?;
    }
    // Under another name first: half a file would be no measurement.
    let mut unfinished: OsString = file.clone().into();
    unfinished.push(format!(".{}", std::process::id()));
    let unfinished = PathBuf::from(unfinished);
    fs::write(&unfinished, device::to_yaml(devices)).with_context(|| told(&unfinished))?;
    fs::rename(&unfinished, &file).with_context(|| told(&file))?;
    Ok(file)
}

/// This machine's measurement, if the processor has not changed.
pub fn measured() -> Option<MeasuredMachine> {
    let file = file()?;
    let text = fs::read_to_string(&file).ok()?;
    let devices = device::parse(&text, &file).ok().filter(|devices| !devices.is_empty())?;
    let here = Machine::here().detect().into_iter().find(|found| found.kind == Kind::Cpu);
    let is_same = here.is_none_or(|here| {
        devices.iter().all(|device| device.name.strip_suffix(MEASURED) == Some(here.reported.as_str()))
    });
    is_same.then_some(MeasuredMachine { devices, host_name: None })
}

/// The options with this machine, if recordings that name no device were made on it and somebody looks at roofs.
pub fn with_machine(options: &Options, run: &Run, analyses: &[&'static Analysis]) -> Options {
    let names_none = run.recordings.iter().all(|recording| recording.trace.metadata.devices.is_empty());
    let wanted = options.device.is_none() && analyses.iter().any(|analysis| analysis.id == "roofline");
    let machine = || {
        let machine = measured()?;
        Some(Arc::new(MeasuredMachine { host_name: Some(host_name()?), ..machine }))
    };
    options.clone().with_machine(if names_none && wanted { machine() } else { None })
}
