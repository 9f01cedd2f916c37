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
use crate::buffer::PAGE;
use crate::kernel::Kernel;

pub use backend::Cpu;
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

impl Making {
    /// Copies of operands of this many bytes, each in separate buffers, that are together four times the last cache, if they
    /// are to be cold; and one more, so that what is read next is certainly none of the last ones. A copy takes a page at
    /// least, and counts as one: what begins at a page shares few sets of the cache with much else that does.
    fn separate_copies(&self, bytes: usize) -> usize {
        match self.state {
            CacheState::Cold => (4 * self.last_cache).div_ceil(bytes.max(PAGE)) + 1,
            CacheState::Hot | CacheState::LastLevel => 1,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_operands_have_no_millions_of_copies() {
        let cold = Making {
            instructions: InstructionSet::Portable,
            threads: 1,
            state: CacheState::Cold,
            last_cache: 32 << 20,
        };
        // 128 MiB of pages of 4 KiB, and one more.
        assert_eq!(cold.separate_copies(34), 32_769);
        assert_eq!(cold.separate_copies(64 << 20), 3);
        assert_eq!(Making { state: CacheState::Hot, ..cold }.separate_copies(34), 1);
    }
}
