//! What a kernel needs of whatever runs it.

use std::any::Any;

use super::Program;
use crate::backend::BenchError;

/// Memory of a device, freed when it is dropped.
pub(super) struct Memory {
    /// Where it begins, as kernels see it.
    pub(super) address: u64,
    /// How long it is.
    pub(super) bytes: usize,
    /// Whatever frees it.
    #[cfg_attr(not(test), expect(dead_code, reason = "it is there to be dropped"))]
    pub(super) owner: Box<dyn Any>,
}

/// A kernel that is ready to run.
pub(super) trait Function {
    /// Starts it on a grid of blocks of this many threads. Every argument has 64 bits: addresses, numbers, bits of floats.
    fn launch(&self, grid: [u32; 3], threads: u32, arguments: &[u64]) -> Result<(), BenchError>;
}

/// Whatever runs kernels: a GPU, or in tests an emulation of one.
pub(super) trait Device {
    /// Memory that holds nothing in particular.
    fn allocate(&self, bytes: usize) -> Result<Memory, BenchError>;

    /// Copies to the device. Bytes that do not fit are an error.
    fn upload(&self, memory: &Memory, offset: usize, bytes: &[u8]) -> Result<(), BenchError>;

    /// Copies the first this many bytes from the device, after all that was launched.
    fn download(&self, memory: &Memory, bytes: usize) -> Result<Vec<u8>, BenchError>;

    /// Compiles a program with these macros; its functions in order.
    fn load(&self, program: &Program, defines: &[String]) -> Result<Vec<Box<dyn Function>>, BenchError>;
}

/// Bytes of numbers, as every GPU that CUDA knows has them.
pub(super) trait Little: Copy {
    /// Appends them.
    fn append(self, to: &mut Vec<u8>);
    /// From the first bytes.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! little {
    ($($type:ty),*) => {
        $(impl Little for $type {
            fn append(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.first_chunk().map(|bytes| Self::from_le_bytes(*bytes))
            }
        })*
    };
}
little!(u8, i32, u32, u64, f32, f64);

/// Numbers as bytes.
pub(super) fn to_bytes<T: Little>(numbers: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(numbers));
    numbers.iter().for_each(|number| number.append(&mut bytes));
    bytes
}

/// Bytes as numbers; those that make no whole number are skipped.
pub(super) fn from_bytes<T: Little>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).filter_map(T::read).collect()
}

impl dyn Device + '_ {
    /// Memory with these bytes in it, this many times.
    pub(super) fn filled(&self, bytes: &[u8], copies: usize) -> Result<Memory, BenchError> {
        let memory = self.allocate(bytes.len().saturating_mul(copies))?;
        for copy in 0..copies {
            self.upload(&memory, copy * bytes.len(), bytes)?;
        }
        Ok(memory)
    }

    /// The first this many numbers.
    pub(super) fn numbers<T: Little>(&self, memory: &Memory, count: usize) -> Result<Vec<T>, BenchError> {
        self.download(memory, count * size_of::<T>()).map(|bytes| from_bytes(&bytes))
    }
}
