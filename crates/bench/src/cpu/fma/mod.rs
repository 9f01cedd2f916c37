//! Multiply-adds in registers: the peak of each arithmetic.
//!
//! Chains that do not depend on each other hide the latency of a multiply-add: two units of four cycles need eight, so there
//! are twelve, which still fit sixteen registers. Chains of floats are the quadratic map `x = c - x x`, which is chaotic:
//! every step is one fused multiply-add, no value repeats, and after thousands of steps the last bit is right only if each of
//! them was.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use eaves_roofline::measured::{CacheState, Spec, Verification};
use eaves_roofline::{Arithmetic, Engine, Work};

use super::{InstructionSet, Making};
use crate::backend::BenchError;
use crate::kernel::{Kernel, Worker};

/// Steps of each chain in a call: some 15 us.
const ROUNDS: usize = 8192;

/// Words of twelve vectors of 512 bits.
const WORDS: usize = 192;

/// What chains begin with and go on with.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Operands {
    /// From -0.5 to 0.5.
    singles: [f32; WORDS],
    doubles: [f64; WORDS / 2],
    /// From 1.8 to 1.9, where the map is chaotic.
    single: [f32; 16],
    double: [f64; 8],
    /// Below 256, and from -64 to 64: sums of two products fit 16 bits.
    unsigned: [u8; 64],
    signed: [i8; 64],
    /// Of the full range, but for one that would overflow.
    shorts: [[i16; 32]; 2],
}

impl Operands {
    fn new() -> Self {
        let mut random = fastrand::Rng::with_seed(23);
        let mut short = || std::array::from_fn(|_| random.i16(-32_767..=32_767));
        let shorts = [short(), short()];
        Self {
            singles: std::array::from_fn(|_| random.f32() - 0.5),
            doubles: std::array::from_fn(|_| random.f64() - 0.5),
            single: std::array::from_fn(|_| 1.8 + 0.1 * random.f32()),
            double: std::array::from_fn(|_| 1.8 + 0.1 * random.f64()),
            unsigned: std::array::from_fn(|_| random.u8(..)),
            signed: std::array::from_fn(|_| random.i8(-64..=64)),
            shorts,
        }
    }
}

/// The chains when they end, as bits; zero where code has fewer.
#[repr(C, align(64))]
#[derive(Clone, Debug, PartialEq)]
struct Results([u32; WORDS]);

/// Code for one arithmetic.
#[derive(Clone, Copy)]
struct Code {
    name: &'static str,
    /// Multiply-adds of a round.
    macs: usize,
    /// Not safe to call without the instructions it is written for.
    run: unsafe fn(&Operands, usize, &mut Results),
    /// The same, one number after the other.
    expected: fn(&Operands, usize) -> Results,
}

/// The kernel of a peak.
pub(super) fn kernel(spec: &Spec, making: &Making) -> Option<Result<Box<dyn Kernel>, BenchError>> {
    let Spec::Fma { arithmetic } = *spec else { return None };
    let Some(code) = code(arithmetic, making.instructions) else {
        return Some(Err(BenchError::Unsupported {
            backend: "cpu".to_owned(),
            what: format!("multiply-adds in {arithmetic}"),
            why: "supported types are fp64, fp32, int16 and int8".to_owned(),
        }));
    };
    Some(Ok(Box::new(Chains::new(arithmetic, code, making))))
}

fn code(arithmetic: Arithmetic, instructions: InstructionSet) -> Option<Code> {
    #[cfg(target_arch = "x86_64")]
    let special = x86::code(arithmetic, instructions);
    #[cfg(target_arch = "aarch64")]
    let special = neon::code(arithmetic, instructions);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let special = {
        let _ = instructions;
        None
    };
    special.or_else(|| portable::code(arithmetic))
}

/// Chains of every thread.
struct Chains {
    arithmetic: Arithmetic,
    code: Code,
    state: CacheState,
    operands: Operands,
    results: Vec<Results>,
}

struct Chaining<'a> {
    code: Code,
    operands: &'a Operands,
    results: &'a mut Results,
}

impl Chains {
    fn new(arithmetic: Arithmetic, code: Code, making: &Making) -> Self {
        let results = vec![Results([0; WORDS]); making.threads.max(1)];
        Self { arithmetic, code, state: making.state, operands: Operands::new(), results }
    }
}

impl Kernel for Chains {
    fn spec(&self) -> Spec {
        Spec::Fma { arithmetic: self.arithmetic }
    }

    fn implementation(&self) -> String {
        self.code.name.to_owned()
    }

    fn work(&self) -> Work {
        let macs = (self.code.macs * ROUNDS * self.results.len()) as f64;
        Work {
            flops: 2.0 * macs,
            macs,
            arithmetic: Some(self.arithmetic),
            engine: Engine::Vector,
            ..Work::movement()
        }
    }

    fn state(&self) -> CacheState {
        self.state
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        self.results.resize(threads.max(1), Results([0; WORDS]));
        let (code, operands) = (self.code, &self.operands);
        self.results.iter_mut().map(|results| Box::new(Chaining { code, operands, results }) as _).collect()
    }

    fn verify(&self) -> Verification {
        let expected = (self.code.expected)(&self.operands, ROUNDS);
        let words = self.results.iter().flat_map(|results| results.0.iter().zip(&expected.0));
        let wrong = words.filter(|(is, be)| is != be).count();
        let against = "words that differ from the scalar reference".to_owned();
        Verification { error: wrong as f64, tolerance: 0.0, against }
    }
}

impl Worker for Chaining<'_> {
    #[expect(
        unsafe_code,
        reason = "code for instructions that the compiler does not know this processor has"
    )]
    fn run(&mut self, _piece: usize, _turn: usize) {
        // SAFETY: `code` chose a function for instructions that this processor has.
        unsafe { (self.code.run)(self.operands, ROUNDS, self.results) }
    }
}

/// The results of `lanes` words, each computed by itself.
fn by_word(lanes: usize, word: impl Fn(usize) -> u32) -> Results {
    Results(std::array::from_fn(|index| if index < lanes { word(index) } else { 0 }))
}
