//! NVIDIA's GPUs, by the library that comes with their driver, loaded if it is there.
//! <https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceQueries.html>.

#![expect(unsafe_code, reason = "functions of a C library, called as its manual declares them")]

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

use libloading::Library;

use super::Gpu;

/// What every function answers; 0 is done.
type Return = c_int;
/// A device of the library.
type Handle = *mut c_void;

#[repr(C)]
#[derive(Default)]
struct Utilisation {
    gpu: c_uint,
    memory: c_uint,
}

#[repr(C)]
#[derive(Default)]
struct MemoryInfo {
    total: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

/// The library, ready.
pub(super) struct Nvml {
    library: Library,
}

impl Nvml {
    /// Loads it; nothing if there is no driver.
    pub(super) fn open() -> Option<Self> {
        let name = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };
        // SAFETY: NVIDIA's library does nothing when it is loaded but prepare itself.
        let library = unsafe { Library::new(name) }.ok()?;
        // SAFETY: `nvmlReturn_t nvmlInit_v2(void)`.
        let done = unsafe { library.get::<unsafe extern "C" fn() -> Return>(b"nvmlInit_v2").ok()?() };
        (done == 0).then_some(Self { library })
    }

    /// The GPUs there are.
    pub(super) fn gpus(&self) -> Vec<Gpu> {
        let mut count: c_uint = 0;
        // SAFETY: `nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *)`.
        let done = unsafe {
            self.library
                .get::<unsafe extern "C" fn(*mut c_uint) -> Return>(b"nvmlDeviceGetCount_v2")
                .map_or(1, |get| get(&raw mut count))
        };
        if done == 0 { (0..count.min(64)).filter_map(|index| self.gpu(index)).collect() } else { Vec::new() }
    }

    fn gpu(&self, index: c_uint) -> Option<Gpu> {
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: `nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int, nvmlDevice_t *)`.
        let done = unsafe {
            self.library
                .get::<unsafe extern "C" fn(c_uint, *mut Handle) -> Return>(b"nvmlDeviceGetHandleByIndex_v2")
                .ok()?(index, &raw mut handle)
        };
        if done != 0 {
            return None;
        }
        let utilisation: Option<Utilisation> = self.filled(b"nvmlDeviceGetUtilizationRates", handle);
        let memory: Option<MemoryInfo> = self.filled(b"nvmlDeviceGetMemoryInfo", handle);
        let milliwatts = |name| self.filled::<c_uint>(name, handle).map(|power| f64::from(power) / 1e3);
        Some(Gpu {
            name: self.name(handle).unwrap_or_else(|| format!("GPU {index}")),
            utilisation_pct: utilisation.map(|rates| f64::from(rates.gpu)),
            memory_used_bytes: memory.as_ref().map(|memory| memory.used),
            memory_total_bytes: memory.as_ref().map(|memory| memory.total),
            power_w: milliwatts(b"nvmlDeviceGetPowerUsage"),
            power_limit_w: milliwatts(b"nvmlDeviceGetEnforcedPowerLimit"),
            // The sensor of the chip.
            temperature_c: self.selected(b"nvmlDeviceGetTemperature", handle, 0),
            // Of the multiprocessors, and of the memory.
            clock_mhz: self.selected(b"nvmlDeviceGetClockInfo", handle, 1),
            memory_clock_mhz: self.selected(b"nvmlDeviceGetClockInfo", handle, 2),
            compute_capability: self.capability(handle),
        })
    }

    /// What a function `(device, T *)` fills in.
    fn filled<T: Default>(&self, name: &[u8], handle: Handle) -> Option<T> {
        let mut value = T::default();
        // SAFETY: callers name functions that fill in a `T`; the handle is one of the library's.
        let done = unsafe {
            self.library.get::<unsafe extern "C" fn(Handle, *mut T) -> Return>(name).ok()?(
                handle,
                &raw mut value,
            )
        };
        (done == 0).then_some(value)
    }

    /// What a function `(device, int, unsigned int *)` fills in.
    fn selected(&self, name: &[u8], handle: Handle, which: c_int) -> Option<f64> {
        let mut value: c_uint = 0;
        // SAFETY: callers name functions that take a choice and fill in a number.
        let done = unsafe {
            self.library.get::<unsafe extern "C" fn(Handle, c_int, *mut c_uint) -> Return>(name).ok()?(
                handle,
                which,
                &raw mut value,
            )
        };
        (done == 0).then_some(f64::from(value))
    }

    fn name(&self, handle: Handle) -> Option<String> {
        /// `NVML_DEVICE_NAME_V2_BUFFER_SIZE`.
        const LENGTH: usize = 96;
        let mut letters = [0u8; LENGTH];
        // SAFETY: `nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char *, unsigned int)` writes at most so many letters.
        let done = unsafe {
            self.library
                .get::<unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> Return>(b"nvmlDeviceGetName")
                .ok()?(handle, letters.as_mut_ptr().cast(), LENGTH as c_uint)
        };
        let end = letters.iter().position(|&letter| letter == 0).unwrap_or(LENGTH);
        (done == 0).then(|| String::from_utf8_lossy(&letters[..end]).into_owned())
    }

    fn capability(&self, handle: Handle) -> Option<String> {
        let (mut major, mut minor): (c_int, c_int) = (0, 0);
        // SAFETY: `nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t, int *, int *)`.
        let done = unsafe {
            self.library
                .get::<unsafe extern "C" fn(Handle, *mut c_int, *mut c_int) -> Return>(
                    b"nvmlDeviceGetCudaComputeCapability",
                )
                .ok()?(handle, &raw mut major, &raw mut minor)
        };
        (done == 0).then(|| format!("{major}.{minor}"))
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: `nvmlReturn_t nvmlShutdown(void)`; what it answers changes nothing.
        unsafe {
            if let Ok(shutdown) = self.library.get::<unsafe extern "C" fn() -> Return>(b"nvmlShutdown") {
                shutdown();
            }
        }
    }
}
