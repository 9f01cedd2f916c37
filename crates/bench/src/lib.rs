//! Runs, verifies and times kernels.
//!
//! A [`Kernel`] has operands, knows the work of one call, and gives each thread a [`Worker`]. [`timing::measure`] runs
//! several kernels in alternation, tags every sample with disturbances, and keeps the clean ones. A [`Backend`] creates
//! kernels from [`Spec`]s and measures them; the CPU backend is always available, others if the machine has the device.

pub mod backend;
pub mod buffer;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod formats;
pub mod kernel;
pub mod opencl;
mod reference;
pub mod roofs;
pub mod running;
mod system;
pub mod timing;

pub use backend::{Backend, BenchError, Options};
pub use buffer::Buffer;
pub use eaves_roofline::measured::{
    Attend, CacheState, Chore, Conditions, Contamination, Execution, Limits, Measurement, Sample, Spec,
    Store, Stream, Summary, Verification, Violation,
};
pub use kernel::{Kernel, Worker};
pub use roofs::{Effort, Progress, Roofs, measure_roofs};
pub use timing::{Protocol, measure};
