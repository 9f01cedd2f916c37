//! The driver: which GPUs there are, their memory, and running kernels on them.
//!
//! `cudarc` loads the driver when it is first called and panics if there is none, or if it lacks a function, so both are
//! looked for before.
#![expect(unsafe_code, reason = "memory of a device has addresses, and kernels take them")]

use std::cell::RefCell;
use std::sync::Arc;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, LaunchConfig,
    PushKernelArg,
};
use cudarc::nvrtc::Ptx;

use super::device::{Device, Function, Memory};
use super::{Architecture, Compiler, Program};
use crate::backend::BenchError;

/// A GPU, as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number.
    pub ordinal: usize,
    /// Its name.
    pub name: String,
    /// What kernels are compiled for.
    pub architecture: Architecture,
    /// Multiprocessors.
    pub units: u32,
    /// Bytes of its last cache.
    pub last_cache: usize,
    /// Bytes of its memory.
    pub memory: usize,
}

/// GPUs of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Devices {
    /// All of them.
    pub devices: Vec<DeviceInfo>,
    /// Why there are none, if so.
    pub reason: Option<String>,
}

/// What is called of the driver, here and by `cudarc` on the way. All of them are in every driver since CUDA 11.2.
const FUNCTIONS: &[&str] = &[
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFree_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoD_v2",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamSynchronize",
];

/// Why the driver cannot be called, if so.
fn unusable() -> Option<String> {
    // SAFETY: NVIDIA's library, which does nothing when it is loaded.
    if !unsafe { sys::is_culib_present() } {
        return Some("there is no NVIDIA driver (libcuda) on this machine".to_owned());
    }
    // SAFETY: it is there, and a function is looked for, not called.
    let has = |name: &&&str| unsafe { sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()).is_ok() };
    let missing = FUNCTIONS.iter().find(|name| !has(name))?;
    Some(format!("the NVIDIA driver is too old: it has no {missing}"))
}

/// GPUs of this machine, or why there are none.
pub fn devices() -> Devices {
    let none = |reason: String| Devices { devices: Vec::new(), reason: Some(reason) };
    if let Some(reason) = unusable() {
        return none(reason);
    }
    let found = || -> Result<Vec<DeviceInfo>, DriverError> {
        result::init()?;
        (0..result::device::get_count()?).map(describe).collect()
    };
    match found() {
        Ok(devices) if devices.is_empty() => none("the NVIDIA driver knows no device".to_owned()),
        Ok(devices) => Devices { devices, reason: None },
        Err(error) => none(format!("the NVIDIA driver failed: {:?}", error.0)),
    }
}

fn describe(ordinal: i32) -> Result<DeviceInfo, DriverError> {
    let device = result::device::get(ordinal)?;
    let number = |attribute| -> Result<u32, DriverError> {
        // SAFETY: the device was just told by the driver.
        let value = unsafe { result::device::get_attribute(device, attribute) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let major = number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(DeviceInfo {
        ordinal: usize::try_from(ordinal).unwrap_or(0),
        name: result::device::get_name(device)?,
        architecture: Architecture::of_device(major, minor),
        units: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        last_cache: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as usize,
        // SAFETY: as above.
        memory: unsafe { result::device::total_mem(device) }?,
    })
}

/// An open GPU.
pub(super) struct Gpu {
    pub(super) info: DeviceInfo,
    pub(super) stream: Arc<CudaStream>,
    context: Arc<CudaContext>,
    compiler: Compiler,
    /// Programs with their macros, and what was made of them.
    modules: RefCell<Vec<(String, Arc<CudaModule>)>>,
    start: CudaEvent,
    end: CudaEvent,
}

impl Gpu {
    /// Opens a device and loads the compiler.
    pub(super) fn open(info: &DeviceInfo) -> Result<Self, BenchError> {
        let failed = |cause| BenchError::Device { device: info.name.clone(), cause };
        if let Some(reason) = unusable() {
            return Err(failed(reason));
        }
        let driver = |error: DriverError| failed(format!("{:?}", error.0));
        let compiler = Compiler::find()?;
        let context = CudaContext::new(info.ordinal).map_err(driver)?;
        let event = || context.new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).map_err(driver);
        let (start, end) = (event()?, event()?);
        Ok(Self {
            info: info.clone(),
            stream: context.default_stream(),
            context,
            compiler,
            modules: RefCell::default(),
            start,
            end,
        })
    }

    /// What the driver said went wrong.
    pub(super) fn failed(&self, error: DriverError) -> BenchError {
        BenchError::Device { device: self.info.name.clone(), cause: format!("{:?}", error.0) }
    }

    /// Which compiler.
    pub(super) fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Milliseconds between two moments of the device, one before and one after what `launch` starts. Waits for it.
    pub(super) fn timed(&self, launch: impl FnOnce() -> Result<(), BenchError>) -> Result<f64, BenchError> {
        self.start.record(&self.stream).map_err(|error| self.failed(error))?;
        launch()?;
        self.end.record(&self.stream).map_err(|error| self.failed(error))?;
        self.start.elapsed_ms(&self.end).map(f64::from).map_err(|error| self.failed(error))
    }

    fn module(&self, program: &Program, defines: &[String]) -> Result<Arc<CudaModule>, BenchError> {
        let key = format!("{} {defines:?}", program.id);
        let known =
            self.modules.borrow().iter().find(|(made, _)| *made == key).map(|(_, module)| Arc::clone(module));
        if let Some(module) = known {
            return Ok(module);
        }
        let compiled = self.compiler.compile(program, defines, self.info.architecture)?;
        let module =
            self.context.load_module(Ptx::from_binary(compiled.cubin)).map_err(|error| self.failed(error))?;
        self.modules.borrow_mut().push((key, Arc::clone(&module)));
        Ok(module)
    }
}

impl Device for Gpu {
    fn allocate(&self, bytes: usize) -> Result<Memory, BenchError> {
        // SAFETY: nothing is read before it was written, by an upload or a kernel.
        let slice: CudaSlice<u8> =
            unsafe { self.stream.alloc(bytes.max(16)) }.map_err(|error| match error.0 {
                sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    BenchError::Memory { what: format!("{bytes} bytes on {}", self.info.name) }
                }
                _ => self.failed(error),
            })?;
        let address = slice.device_ptr(&self.stream).0;
        Ok(Memory { address, bytes, owner: Box::new(slice) })
    }

    fn upload(&self, memory: &Memory, offset: usize, bytes: &[u8]) -> Result<(), BenchError> {
        if offset.checked_add(bytes.len()).is_none_or(|end| end > memory.bytes) {
            return Err(BenchError::Memory {
                what: format!("{} bytes at {offset} of {}", bytes.len(), memory.bytes),
            });
        }
        self.context.bind_to_thread().map_err(|error| self.failed(error))?;
        // SAFETY: inside of the memory, which is alive.
        unsafe { result::memcpy_htod_sync(memory.address + offset as u64, bytes) }
            .map_err(|error| self.failed(error))
    }

    fn download(&self, memory: &Memory, bytes: usize) -> Result<Vec<u8>, BenchError> {
        let mut all = vec![0; bytes.min(memory.bytes)];
        self.stream.synchronize().map_err(|error| self.failed(error))?;
        // SAFETY: inside of the memory, which is alive; nothing is under way.
        unsafe { result::memcpy_dtoh_sync(&mut all, memory.address) }.map_err(|error| self.failed(error))?;
        Ok(all)
    }

    fn load(&self, program: &Program, defines: &[String]) -> Result<Vec<Box<dyn Function>>, BenchError> {
        let module = self.module(program, defines)?;
        let function = |name: &&str| {
            let function = module.load_function(name).map_err(|error| self.failed(error))?;
            let stream = Arc::clone(&self.stream);
            Ok(Box::new(Loaded { function, stream, device: self.info.name.clone() }) as Box<dyn Function>)
        };
        program.functions.iter().map(function).collect()
    }
}

struct Loaded {
    function: CudaFunction,
    stream: Arc<CudaStream>,
    device: String,
}

impl Function for Loaded {
    fn launch(&self, [x, y, z]: [u32; 3], threads: u32, arguments: &[u64]) -> Result<(), BenchError> {
        let mut builder = self.stream.launch_builder(&self.function);
        for argument in arguments {
            builder.arg(argument);
        }
        let config = LaunchConfig { grid_dim: (x, y, z), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: plans give each kernel the arguments of its source, all of 64 bits, and memory that outlives the call;
        // the emulation in tests runs the same plans with fences around memory.
        let launched = unsafe { builder.launch(config) };
        launched.map(|_| ()).map_err(|error| BenchError::Device {
            device: self.device.clone(),
            cause: format!("{:?}", error.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever this runs: with a driver there are devices, without one there is a reason, and nothing panics.
    #[test]
    fn devices_or_a_reason() {
        let Devices { devices, reason } = devices();
        assert_eq!(devices.is_empty(), reason.is_some());
        if let (Some(reason), None) = (&reason, devices.first()) {
            assert!(reason.contains("NVIDIA"), "{reason}");
            let info = DeviceInfo {
                ordinal: 0,
                name: "none".to_owned(),
                architecture: Architecture::of_device(9, 0),
                units: 1,
                last_cache: 0,
                memory: 0,
            };
            assert!(Gpu::open(&info).is_err());
        }
    }
}
