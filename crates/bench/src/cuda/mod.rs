//! NVIDIA GPUs: kernels in CUDA with the matrix units as inline PTX, compiled when they are run by the NVRTC that the machine
//! has and timed by events. Nothing of CUDA is needed to build this, and a machine without a driver has no devices and
//! says why.

mod architecture;
mod attention;
mod backend;
mod device;
mod driver;
#[cfg(test)]
mod emulated;
mod exp;
mod fma;
mod gemm;
mod gemv;
mod numbers;
mod nvml;
pub mod nvrtc;
mod plan;
pub mod programs;
mod sampling;
mod stream;
mod tensor;
mod vendor;

pub use architecture::{Architecture, UnknownArchitecture};
pub use backend::{Cuda, Kernels, compile_only, compile_only_with};
pub use driver::{DeviceInfo, Devices, devices};
pub use nvrtc::{Compiled, Compiler};
pub use programs::{Needs, PROGRAMS, Program};
pub use vendor::has_cublaslt;
