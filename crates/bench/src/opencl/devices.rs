//! Which platforms and devices there are, and what they say of themselves.

use opencl3::device::{
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device,
};
use opencl3::error_codes::{
    CL_DEVICE_NOT_FOUND, CL_PLATFORM_NOT_FOUND_KHR, ClError, DLOPEN_RUNTIME_LOAD_FAILED,
};
use opencl3::platform::get_platforms;

use crate::backend::BenchError;

/// Kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The processor, or a part of it.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Something else that computes.
    Accelerator,
}

impl Kind {
    /// The name on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Accelerator => "accelerator",
        }
    }
}

/// An implementation of OpenCL.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Its name: `Portable Computing Language`.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// Its version: `OpenCL 3.0 PoCL 3.1`.
    pub version: String,
    /// Its devices.
    pub devices: Vec<DeviceInfo>,
}

/// Properties a device reports about itself; empty or zero if not reported.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// The version of OpenCL it has.
    pub version: String,
    /// The version of its driver.
    pub driver: String,
    /// What it is.
    pub kind: Kind,
    /// Compute units.
    pub units: u32,
    /// Bytes of its memory.
    pub memory: u64,
    /// Bytes of one buffer at most.
    pub largest_buffer: u64,
    /// Bytes of its last cache.
    pub cache: Option<u64>,
    /// Bytes of a line of that cache.
    pub cache_line: Option<u32>,
    /// Bytes of memory that a work group shares.
    pub local_memory: u64,
    /// Work items in a group at most.
    pub largest_group: usize,
    /// Single-precision numbers in its own vectors.
    pub vector: u32,
    /// Whether it computes in half precision (`cl_khr_fp16`). Storing halves needs no extension.
    pub fp16: bool,
    /// Whether it computes in double precision (`cl_khr_fp64`).
    pub fp64: bool,
    /// Whether it has products of four bytes in one word (`cl_khr_integer_dot_product`).
    pub dot: bool,
    /// All extensions.
    pub extensions: Vec<String>,
    /// Its clock in hertz, as reported. Often the base clock or that of the time-stamp counter: no peak is made of it.
    pub reported_clock: Option<f64>,
    /// Nanoseconds between two values of its timestamps.
    pub timer_resolution: u64,
    pub(super) device: Device,
}

/// All platforms with their devices; none if there is no platform. An error means that the library is not there, or that
/// a driver failed.
pub fn platforms() -> Result<Vec<Platform>, BenchError> {
    let found = match get_platforms() {
        Ok(found) => found,
        Err(ClError(CL_PLATFORM_NOT_FOUND_KHR)) => return Ok(Vec::new()),
        Err(error) => {
            let cause = match error {
                ClError(DLOPEN_RUNTIME_LOAD_FAILED) => "its library is not installed".to_owned(),
                error => error.to_string(),
            };
            return Err(BenchError::Device { device: "OpenCL".to_owned(), cause });
        }
    };
    let mut platforms = Vec::with_capacity(found.len());
    for platform in found {
        let name = text(platform.name());
        let devices = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Ok(ids) => ids.into_iter().map(|id| describe(Device::new(id))).collect(),
            Err(ClError(CL_DEVICE_NOT_FOUND)) => Vec::new(),
            Err(error) => return Err(BenchError::Device { device: name, cause: error.to_string() }),
        };
        platforms.push(Platform {
            vendor: text(platform.vendor()),
            version: text(platform.version()),
            name,
            devices,
        });
    }
    Ok(platforms)
}

/// Texts of drivers are padded with blanks, and end with a zero.
fn text(text: Result<String, ClError>) -> String {
    text.map(|text| text.trim_matches(['\0', ' ']).to_owned()).unwrap_or_default()
}

fn describe(device: Device) -> DeviceInfo {
    let extensions: Vec<String> =
        text(device.extensions()).split_ascii_whitespace().map(str::to_owned).collect();
    let has = |name: &str| extensions.iter().any(|extension| extension == name);
    let kind = match device.dev_type().unwrap_or_default() {
        kind if kind & CL_DEVICE_TYPE_GPU != 0 => Kind::Gpu,
        kind if kind & CL_DEVICE_TYPE_CPU != 0 => Kind::Cpu,
        kind if kind & CL_DEVICE_TYPE_ACCELERATOR != 0 => Kind::Accelerator,
        _ => Kind::Gpu,
    };
    DeviceInfo {
        name: text(device.name()),
        vendor: text(device.vendor()),
        version: text(device.version()),
        driver: text(device.driver_version()),
        kind,
        units: device.max_compute_units().unwrap_or_default(),
        memory: device.global_mem_size().unwrap_or_default(),
        largest_buffer: device.max_mem_alloc_size().unwrap_or_default(),
        cache: device.global_mem_cache_size().ok().filter(|bytes| *bytes > 0),
        cache_line: device.global_mem_cacheline_size().ok().filter(|bytes| *bytes > 0),
        local_memory: device.local_mem_size().unwrap_or_default(),
        largest_group: device.max_work_group_size().unwrap_or_default(),
        vector: device.native_vector_width_float().unwrap_or_default(),
        fp16: has("cl_khr_fp16"),
        fp64: has("cl_khr_fp64"),
        dot: has("cl_khr_integer_dot_product"),
        reported_clock: device
            .max_clock_frequency()
            .ok()
            .filter(|megahertz| *megahertz > 0)
            .map(|megahertz| f64::from(megahertz) * 1e6),
        timer_resolution: device.profiling_timer_resolution().map_or(1, |nanoseconds| nanoseconds as u64),
        extensions,
        device,
    }
}
