//! The device that recordings were made on, with what they say about it.

use eaves_model::DeviceProperties;
use eaves_roofline::Device;
use eaves_roofline::device::Reported;

const NOT_RECORDED: &str = "the device name, which was not recorded";

/// The device of the catalog that recordings name, with what it reported in place of what the catalog says. All of
/// the names must mean one device; of several that do, the first counts.
///
/// # Errors
/// If none is named, one is not known, or they are several: what is missing, in words that follow it.
pub fn reported_device(devices: &[DeviceProperties]) -> Result<Device, String> {
    let mut found: Option<Device> = None;
    // Processors that a recorder lists among the devices have no architecture; recorders that say none list GPUs alone.
    let has_architectures = devices.iter().any(|device| !device.architecture.is_empty());
    let is_gpu = |device: &&DeviceProperties| !has_architectures || !device.architecture.is_empty();
    for properties in devices.iter().filter(is_gpu) {
        let reported = Reported {
            name: &properties.name,
            architecture: &properties.architecture,
            number: &|name| properties.number(name),
        };
        let device = reported.device().map_err(|unknown| match properties.name.as_str() {
            "" if properties.architecture.is_empty() => NOT_RECORDED.to_owned(),
            "" => format!("{NOT_RECORDED}: only that it is an `{}`", properties.architecture),
            _ => format!("peaks: {unknown}"),
        })?;
        match &found {
            Some(first) if first.id != device.id => {
                let names: Vec<&str> =
                    devices.iter().filter(is_gpu).map(|device| device.name.as_str()).collect();
                return Err(format!("one device: the recordings name {}", names.join(", ")));
            }
            Some(_) => {}
            None => found = Some(device),
        }
    }
    found.ok_or_else(|| NOT_RECORDED.to_owned())
}
