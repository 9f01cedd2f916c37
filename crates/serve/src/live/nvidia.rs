//! NVIDIA's GPUs, by the library that comes with their driver, loaded if it is there.

use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::{Device, Nvml};

use super::Gpu;

/// Loads the library; nothing if there is no driver.
pub(super) fn open() -> Option<Nvml> {
    Nvml::init().ok()
}

/// The GPUs there are. What one of them does not tell is left out.
pub(super) fn gpus(nvml: &Nvml) -> Vec<Gpu> {
    let count = nvml.device_count().unwrap_or(0);
    let device = |index| Some(gpu(index, &nvml.device_by_index(index).ok()?));
    (0..count).filter_map(device).collect()
}

fn gpu(index: u32, device: &Device<'_>) -> Gpu {
    let memory = device.memory_info().ok();
    let watts = |milliwatts: u32| f64::from(milliwatts) / 1e3;
    let capability = device.cuda_compute_capability().ok();
    Gpu {
        name: device.name().unwrap_or_else(|_| format!("GPU {index}")),
        utilisation_pct: device.utilization_rates().ok().map(|rates| f64::from(rates.gpu)),
        // With what the driver keeps for itself, which nobody can allocate.
        memory_used_bytes: memory.as_ref().map(|memory| memory.total.saturating_sub(memory.free)),
        memory_total_bytes: memory.as_ref().map(|memory| memory.total),
        power_w: device.power_usage().ok().map(watts),
        power_limit_w: device.enforced_power_limit().ok().map(watts),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok().map(f64::from),
        clock_mhz: device.clock_info(Clock::SM).ok().map(f64::from),
        memory_clock_mhz: device.clock_info(Clock::Memory).ok().map(f64::from),
        compute_capability: capability.map(|version| format!("{}.{}", version.major, version.minor)),
    }
}
