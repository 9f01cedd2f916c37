//! Kernels for devices of OpenCL: graphics processors of every vendor, and processors.
//!
//! The library is loaded when it is first asked for, so that the program starts without it. One module a family, its source
//! in `kernels/`, compiled by the driver for each precision. Times are those of the device's own clock.

mod attention;
mod backend;
mod devices;
mod driver;
mod exp;
mod fma;
mod gemm;
mod gemv;
mod launch;
mod matrix;
mod roofs;
mod sampling;
mod stream;
#[cfg(test)]
mod tests;

pub use backend::OpenCl;
pub use devices::{DeviceInfo, Kind, Platform, platforms};
pub use roofs::roofs;
