//! AMD GPUs: the topology of the kernel driver, `/sys/class/kfd/kfd/topology/nodes/*/properties`.

use super::{Detected, Kind, Machine, id_of, told};
use crate::device::{Device, Memory, Unknown, catalogue, find_reported};

pub(super) fn detect(machine: &Machine) -> Vec<Detected> {
    machine
        .entries("sys/class/kfd/kfd/topology/nodes")
        .into_iter()
        .filter_map(|folder| node(machine, &folder))
        .collect()
}

/// `key value` lines.
struct Properties(String);

impl Properties {
    fn get(&self, key: &str) -> Option<f64> {
        let mut lines = self.0.lines();
        lines.find_map(|line| line.split_once(' ').filter(|(name, _)| *name == key))?.1.trim().parse().ok()
    }
}

fn node(machine: &Machine, folder: &str) -> Option<Detected> {
    let path = format!("{folder}/properties");
    let properties = Properties(machine.text(&path)?);
    // Processors are nodes too; they have no SIMD units.
    let simds = properties.get("simd_count").filter(|count| *count > 0.0)?;
    let units = properties.get("simd_per_cu").filter(|count| *count > 0.0).map(|each| simds / each);
    let isa = properties.get("gfx_target_version").and_then(instructions);
    let product = properties.get("drm_render_minor").and_then(|minor| {
        let name = machine.text(&format!("sys/class/drm/renderD{minor}/device/product_name"))?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    });
    let banks = machine.entries(&format!("{folder}/mem_banks"));
    let size: f64 = banks
        .iter()
        .filter_map(|bank| Properties(machine.text(&format!("{bank}/properties"))?).get("size_in_bytes"))
        .sum();
    let reported = product.clone().or_else(|| isa.clone()).unwrap_or_else(|| "AMD GPU".to_owned());
    let mut seen = Device {
        id: id_of(&reported),
        name: reported.clone(),
        vendor: Some("AMD".to_owned()),
        isa,
        units: units.and_then(|units| told(units, &path)),
        unit_kind: Some("CU".to_owned()),
        clock: properties.get("max_engine_clk_fcompute").and_then(|clock| told(clock * 1e6, &path)),
        ..Device::default()
    };
    let size = told(size, &format!("{folder}/mem_banks"));
    if size.is_some() {
        seen.memory.push(Memory { id: "hbm".into(), name: "Memory".into(), size, ..Memory::default() });
    }
    let by_name = product.as_deref().map(find_reported);
    let (device, unknown) = match by_name {
        Some(Ok(device)) => (device, None),
        by_name => match by_properties(&seen) {
            Ok(device) => (device, None),
            Err(unknown) => (seen, Some(by_name.and_then(Result::err).unwrap_or(unknown))),
        },
    };
    Some(Detected { kind: Kind::Gpu, reported, place: format!("/{path}"), count: 1, unknown, device })
}

/// `90402` is `gfx942`: the last two parts are single hexadecimal digits.
fn instructions(version: f64) -> Option<String> {
    let version = version as u32;
    let (major, minor, step) = (version / 10000, version / 100 % 100, version % 100);
    (major > 0).then(|| format!("gfx{major}{minor:x}{step:x}"))
}

/// The device of the catalog with the same instruction set and number of units, and about the same memory and clock. Devices of the same silicon differ in nothing else.
fn by_properties(seen: &Device) -> Result<Device, Unknown> {
    let value = |device: &Device| device.units.as_ref().map(|units| units.value);
    let size =
        |device: &Device| device.main_memory().and_then(|memory| memory.size.as_ref()).map(|size| size.value);
    let clock = |device: &Device| device.clock.as_ref().map(|clock| clock.value);
    // What is reserved for the driver is missing from the size, and labels are decimal where memory is binary.
    let about = |a: Option<f64>, b: Option<f64>, within: f64| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= within * b,
        _ => true,
    };
    let near: Vec<&'static Device> = catalogue()
        .iter()
        .filter(|device| seen.isa.is_some() && device.isa == seen.isa)
        .filter(|device| value(seen).is_some() && value(device) == value(seen))
        .filter(|device| about(size(seen), size(device), 0.1) && about(clock(seen), clock(device), 0.02))
        .collect();
    match near.as_slice() {
        [first, rest @ ..] if rest.iter().all(|device| device.has_roofs_of(first)) => Ok((*first).clone()),
        several => Err(Unknown {
            asked: seen.name.clone(),
            near: several.iter().map(|device| device.id.as_str()).collect(),
            ambiguous: several.len() > 1,
        }),
    }
}
