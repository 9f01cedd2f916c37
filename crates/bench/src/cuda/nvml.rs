//! The clock of a GPU and whether it was slowed down, from NVIDIA's management library where there is one.
#![expect(unsafe_code, reason = "functions of a library that is loaded at run time")]

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use libloading::Library;

const NAMES: &[&str] = if cfg!(windows) { &["nvml.dll"] } else { &["libnvidia-ml.so.1", "libnvidia-ml.so"] };

/// `NVML_CLOCK_SM`.
const SM: c_uint = 1;

/// Slowed down by the hardware, by heat or by the power supply (`nvmlClocksThrottleReasonHwSlowdown`, `SwThermalSlowdown`,
/// `HwThermalSlowdown`, `HwPowerBrakeSlowdown`). The power limit is not among them: it is how every large GPU works.
const SLOWED: c_ulonglong = 0x08 | 0x20 | 0x40 | 0x80;

type Handle = *mut c_void;

/// What a GPU does at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Of its multiprocessors, in hertz.
    pub(super) clock: Option<f64>,
    pub(super) is_throttled: bool,
}

/// Watches a GPU.
pub(super) struct Monitor {
    device: Handle,
    clock: unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int,
    reasons: unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int,
    shutdown: unsafe extern "C" fn() -> c_int,
    // Dropped after the functions that point into it were last used.
    _library: Library,
}

impl Monitor {
    /// Watches the only GPU of the machine; the library numbers several in another order than the driver, so that of those
    /// none is watched.
    pub(super) fn of_only_device() -> Option<Self> {
        // SAFETY: NVIDIA's library, which does nothing when it is loaded; the types are those of `nvml.h`.
        unsafe {
            let library = NAMES.iter().find_map(|name| Library::new(*name).ok())?;
            let start: unsafe extern "C" fn() -> c_int = *library.get(b"nvmlInit_v2").ok()?;
            let shutdown: unsafe extern "C" fn() -> c_int = *library.get(b"nvmlShutdown").ok()?;
            let count: unsafe extern "C" fn(*mut c_uint) -> c_int =
                *library.get(b"nvmlDeviceGetCount_v2").ok()?;
            let get: unsafe extern "C" fn(c_uint, *mut Handle) -> c_int =
                *library.get(b"nvmlDeviceGetHandleByIndex_v2").ok()?;
            let clock = *library.get(b"nvmlDeviceGetClockInfo").ok()?;
            let reasons = *library.get(b"nvmlDeviceGetCurrentClocksThrottleReasons").ok()?;
            if start() != 0 {
                return None;
            }
            let (mut devices, mut device) = (0, std::ptr::null_mut());
            if count(&mut devices) != 0 || devices != 1 || get(0, &mut device) != 0 {
                shutdown();
                return None;
            }
            Some(Self { device, clock, reasons, shutdown, _library: library })
        }
    }

    /// What it does now.
    pub(super) fn read(&self) -> State {
        let (mut megahertz, mut reasons) = (0, 0);
        // SAFETY: the device is the library's own, and both numbers are written.
        let (clock, slowed) = unsafe {
            ((self.clock)(self.device, SM, &mut megahertz), (self.reasons)(self.device, &mut reasons))
        };
        State {
            clock: (clock == 0 && megahertz > 0).then(|| f64::from(megahertz) * 1e6),
            is_throttled: slowed == 0 && reasons & SLOWED != 0,
        }
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        // SAFETY: it was started when this was made.
        unsafe { (self.shutdown)() };
    }
}
