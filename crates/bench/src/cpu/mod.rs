//! Kernels for the processor that eaves runs on: one module a family, listed in `FAMILIES`.

mod attention;
mod backend;
pub(crate) mod exp;
mod fma;
pub mod gemm;
mod gemv;
pub mod isa;
mod stream;

use eaves_roofline::measured::{CacheState, Spec};

use crate::backend::BenchError;
use crate::kernel::Kernel;

pub use backend::{Cpu, available_memory};
pub use isa::InstructionSet;

/// How a kernel is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Making {
    /// Instructions to use; at most those that the processor has.
    pub instructions: InstructionSet,
    /// Threads that will run it.
    pub threads: usize,
    /// Where operands are to be.
    pub state: CacheState,
    /// Bytes of the last cache, so that copies of operands can exceed it.
    pub last_cache: usize,
}

/// Makes the kernel for a spec; `None` if the spec is of another family.
pub type Family = fn(&Spec, &Making) -> Option<Result<Box<dyn Kernel>, BenchError>>;

/// All families, each one line.
const FAMILIES: &[Family] = &[
    // tidy-alphabetical-start
    attention::kernel,
    exp::kernel,
    fma::kernel,
    gemm::kernel,
    gemv::kernel,
    stream::kernel,
    // tidy-alphabetical-end
];
