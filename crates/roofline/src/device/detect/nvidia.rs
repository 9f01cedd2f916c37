//! NVIDIA GPUs: `/proc/driver/nvidia/gpus/*/information`, or what `nvidia-smi` printed.

use super::{Detected, Kind, Machine, id_of};
use crate::device::{Device, find_reported};

pub(super) fn detect(machine: &Machine) -> Vec<Detected> {
    let model = |folder: String| {
        let path = format!("{folder}/information");
        let text = machine.text(&path)?;
        let model = text.lines().find_map(|line| line.strip_prefix("Model:"))?.trim().to_owned();
        Some(named(model, format!("/{path}")))
    };
    let found: Vec<Detected> =
        machine.entries("proc/driver/nvidia/gpus").into_iter().filter_map(model).collect();
    if !found.is_empty() {
        return found;
    }
    let printed = machine.nvidia_smi.as_deref().unwrap_or_default();
    let names = printed.lines().map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| named(name.to_owned(), "nvidia-smi".to_owned())).collect()
}

fn named(reported: String, place: String) -> Detected {
    let (device, unknown) = match find_reported(&reported) {
        Ok(device) => (device, None),
        Err(unknown) => {
            let vendor = Some("NVIDIA".to_owned());
            (
                Device { id: id_of(&reported), name: reported.clone(), vendor, ..Device::default() },
                Some(unknown),
            )
        }
    };
    Detected { kind: Kind::Gpu, reported, place, count: 1, unknown, device }
}
