//! NVIDIA GPUs: kernels in CUDA with the matrix units as inline PTX, compiled when they are run by the NVRTC that the machine
//! has and timed by events. Nothing of CUDA is needed to build this, and a machine without a driver has no devices and
//! says why.

mod architecture;
mod attention;
mod device;
#[cfg(test)]
mod emulated;
mod fma;
mod gemm;
mod gemv;
mod numbers;
pub mod nvrtc;
mod plan;
pub mod programs;
mod stream;
mod tensor;

pub use architecture::{Architecture, UnknownArchitecture};
pub use nvrtc::{Compiled, Compiler};
pub use programs::{Needs, PROGRAMS, Program};
