//! How a spec is run: which program, on what grid, with what operands, and how the result is checked.

use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};
use eaves_roofline::{Engine, Work};

use super::device::{Device, Function, Memory};
use super::{Program, attention, exp, fma, gemm, gemv, stream, tensor};
use crate::backend::BenchError;

/// What is asked for, and of what device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) spec: Spec,
    /// Units to measure peaks of; matrix units where there are any, if it is not said.
    pub(super) engine: Option<Engine>,
    pub(super) state: CacheState,
    /// Multiprocessors.
    pub(super) units: u32,
    /// Bytes of the last cache.
    pub(super) last_cache: usize,
}

impl Request {
    /// How many copies of operands of this many bytes are together four times the last cache, if they are to be cold.
    pub(super) fn copies(&self, bytes: usize) -> usize {
        match self.state {
            CacheState::Cold => (4 * self.last_cache).div_ceil(bytes.max(1)).max(1),
            CacheState::Hot | CacheState::LastLevel => 1,
        }
    }

    /// There is no kernel for it.
    pub(super) fn unsupported(&self, why: &str) -> BenchError {
        let Self { spec, .. } = self;
        let what = format!("{} {} {}", spec.family(), spec.precision(), spec.shape());
        BenchError::Unsupported {
            backend: "cuda".to_owned(),
            what: what.trim_end().to_owned(),
            why: why.to_owned(),
        }
    }

    /// The program with this name, which the table has.
    pub(super) fn program(&self, id: &str) -> Result<&'static Program, BenchError> {
        Program::named(id).ok_or_else(|| self.unsupported("it is not in the table of programs"))
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument {
    Number(u64),
    /// An address, this many bytes further for each copy.
    Address {
        start: u64,
        step: usize,
        copies: usize,
    },
}

impl Argument {
    /// Memory that is the same in every call.
    pub(super) fn fixed(memory: &Memory) -> Self {
        Self::Address { start: memory.address, step: 0, copies: 1 }
    }

    /// The next of several copies in every call.
    pub(super) fn rotating(memory: &Memory, copies: usize) -> Self {
        Self::Address { start: memory.address, step: memory.bytes / copies.max(1), copies }
    }

    fn at(self, turn: usize) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Address { start, step, copies } => start + (turn % copies.max(1) * step) as u64,
        }
    }
}

impl From<usize> for Argument {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<f32> for Argument {
    fn from(number: f32) -> Self {
        Self::Number(u64::from(number.to_bits()))
    }
}

/// One launch of a call.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// Which function of the program.
    pub(super) function: usize,
    pub(super) grid: [u32; 3],
    pub(super) threads: u32,
    pub(super) arguments: Vec<Argument>,
}

/// Holds what the last call on the first copy wrote against a reference.
pub(super) type Check = Box<dyn Fn(&dyn Device, &[Memory]) -> Result<Verification, BenchError>>;

/// Operands, launches and a check.
pub(super) struct Operands {
    pub(super) memory: Vec<Memory>,
    pub(super) stages: Vec<Stage>,
    pub(super) check: Check,
}

type Prepare = Box<dyn Fn(&dyn Device) -> Result<Operands, BenchError>>;

/// How a spec is run.
pub(super) struct Plan {
    pub(super) program: &'static Program,
    /// Macros next to those of the program.
    pub(super) defines: Vec<String>,
    /// Which code runs, for people.
    pub(super) implementation: String,
    pub(super) work: Work,
    pub(super) chores: Vec<Chore>,
    /// Makes the operands.
    pub(super) prepare: Prepare,
}

/// Plans a spec; `None` if it is of another family.
type Family = fn(&Request) -> Option<Result<Plan, BenchError>>;

/// All families, each one line. Peaks of matrix units come before those of vector units.
const FAMILIES: &[Family] =
    &[attention::plan, exp::plan, tensor::plan, fma::plan, gemm::plan, gemv::plan, stream::plan];

/// How this is run.
pub(super) fn plan(request: &Request) -> Result<Plan, BenchError> {
    FAMILIES
        .iter()
        .find_map(|family| family(request))
        .unwrap_or_else(|| Err(request.unsupported("neither kind of unit has it")))
}

/// A kernel with operands on a device.
pub(super) struct Prepared {
    functions: Vec<Box<dyn Function>>,
    operands: Operands,
}

impl Prepared {
    /// Compiles the program and makes the operands.
    pub(super) fn new(plan: &Plan, device: &dyn Device) -> Result<Self, BenchError> {
        let functions = device.load(plan.program, &plan.defines)?;
        let operands = (plan.prepare)(device)?;
        Ok(Self { functions, operands })
    }

    /// With functions of its own.
    #[cfg(test)]
    pub(super) fn of(functions: Vec<Box<dyn Function>>, operands: Operands) -> Self {
        Self { functions, operands }
    }

    /// Starts one call.
    pub(super) fn launch(&self, turn: usize) -> Result<(), BenchError> {
        for stage in &self.operands.stages {
            let arguments: Vec<u64> = stage.arguments.iter().map(|argument| argument.at(turn)).collect();
            if let Some(function) = self.functions.get(stage.function) {
                function.launch(stage.grid, stage.threads, &arguments)?;
            }
        }
        Ok(())
    }

    /// Holds the result of the last call, on the first copy, against a reference.
    pub(super) fn verify(&self, device: &dyn Device) -> Result<Verification, BenchError> {
        (self.operands.check)(device, &self.operands.memory)
    }
}

/// A result that must be right to the bit: the error is how many are wrong.
pub(super) fn exact<T: PartialEq>(
    found: &[T],
    right: impl Iterator<Item = T>,
    against: &str,
) -> Verification {
    let mut count = 0;
    let wrong = right
        .enumerate()
        .filter(|(index, right)| {
            count += 1;
            found.get(*index) != Some(right)
        })
        .count();
    let error = if count == 0 { f64::NAN } else { wrong as f64 };
    Verification { error, tolerance: 0.0, against: against.to_owned() }
}

/// Blocks of a grid in one direction.
pub(super) fn blocks(of: usize, each: usize) -> u32 {
    u32::try_from(of.div_ceil(each.max(1))).unwrap_or(u32::MAX)
}
