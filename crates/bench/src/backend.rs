//! What can run kernels.

use eaves_roofline::measured::{CacheState, Measurement, Spec};

use crate::timing::Protocol;

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Threads; on devices that have none of ours it is ignored.
    pub threads: usize,
    /// Where operands are to be.
    pub state: CacheState,
    /// How samples are taken.
    pub protocol: Protocol,
}

/// Why a kernel could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BenchError {
    /// The backend has no such kernel.
    #[error("{backend} has no kernel for {what}: {why}")]
    Unsupported {
        /// Which backend.
        backend: String,
        /// What was asked for.
        what: String,
        /// Why not, or what there is instead.
        why: String,
    },
    /// There is not enough memory for the operands.
    #[error("not enough memory for {what}")]
    Memory {
        /// What was to be run.
        what: String,
    },
    /// The device or its driver failed.
    #[error("{device} failed: {cause}")]
    Device {
        /// Which device.
        device: String,
        /// What it said.
        cause: String,
    },
}

/// Something that runs kernels.
pub trait Backend {
    /// `cpu`, `opencl`, `cuda`.
    fn id(&self) -> &'static str;

    /// The device, as it calls itself.
    fn device(&self) -> String;

    /// Runs these kernels in alternation, so that they can be compared, and verifies each. The answers are in order.
    fn measure(&self, specs: &[Spec], options: &Options) -> Vec<Result<Measurement, BenchError>>;
}
