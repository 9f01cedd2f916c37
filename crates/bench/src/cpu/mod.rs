//! Kernels for the processor that eaves runs on.

pub mod isa;

pub use isa::InstructionSet;
