//! NVIDIA GPUs: kernels in CUDA with the matrix units as inline PTX, compiled when they are run by the NVRTC that the machine
//! has and timed by events. Nothing of CUDA is needed to build this, and a machine without a driver has no devices and
//! says why.

mod architecture;
pub mod nvrtc;
pub mod programs;

pub use architecture::{Architecture, UnknownArchitecture};
pub use nvrtc::{Compiled, Compiler};
pub use programs::{Needs, PROGRAMS, Program};
