//! The rate of exponentials, measured in the first cache.

use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};
use eaves_roofline::{Precision, Work};

use super::{Exponentials, RELATIVE_ERROR, exponentials};
use crate::backend::BenchError;
use crate::buffer::Buffer;
use crate::cpu::Making;
use crate::kernel::{Kernel, Worker, dealt};

/// Numbers of one thread: 8 KiB, and as many for the results.
const NUMBERS: usize = 2048;

/// Times a call goes through them.
const PASSES: usize = 16;

/// The kernel of exponentials.
pub(in crate::cpu) fn kernel(spec: &Spec, making: &Making) -> Option<Result<Box<dyn Kernel>, BenchError>> {
    if *spec != Spec::Exp {
        return None;
    }
    let memory = || BenchError::Memory { what: spec.family().to_owned() };
    let made = |thread| Part::new(thread).ok_or_else(memory);
    let parts: Result<Vec<Part>, BenchError> = (0..making.threads.max(1)).map(made).collect();
    Some(parts.map(|parts| {
        let (code, name) = (exponentials(making.instructions), making.instructions.to_string());
        Box::new(Exponentiation { code, name, state: making.state, parts }) as _
    }))
}

struct Part {
    from: Buffer<f32>,
    to: Buffer<f32>,
}

impl Part {
    fn new(thread: usize) -> Option<Self> {
        // Scores less their maximum are what attention takes exponentials of.
        let mut random = fastrand::Rng::with_seed(31 + thread as u64);
        let from = Buffer::filled(NUMBERS, |_| -20.0 * random.f32())?;
        Some(Self { from, to: Buffer::zeroed(NUMBERS)? })
    }
}

struct Exponentiation {
    code: Exponentials,
    name: String,
    state: CacheState,
    parts: Vec<Part>,
}

struct Exponentiator<'a> {
    code: Exponentials,
    parts: Vec<&'a mut Part>,
}

impl Kernel for Exponentiation {
    fn spec(&self) -> Spec {
        Spec::Exp
    }

    fn implementation(&self) -> String {
        self.name.clone()
    }

    fn work(&self) -> Work {
        let elements = (self.parts.len() * NUMBERS * PASSES) as f64;
        Work::movement().reads("x", elements, Precision::FP32).writes("y", elements, Precision::FP32)
    }

    fn chores(&self) -> Vec<Chore> {
        let amount = (self.parts.len() * NUMBERS * PASSES) as f64;
        vec![Chore::exp(amount)]
    }

    fn state(&self) -> CacheState {
        self.state
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let code = self.code;
        dealt(&mut self.parts, threads)
            .into_iter()
            .map(|parts| Box::new(Exponentiator { code, parts }) as _)
            .collect()
    }

    fn verify(&self) -> Verification {
        let pairs = self.parts.iter().flat_map(|part| part.from.iter().zip(part.to.iter()));
        let errors = pairs.map(|(x, y)| (f64::from(*y) / f64::from(*x).exp() - 1.0).abs());
        Verification {
            error: errors
                .fold(0.0, |worst, error| if error > worst || error.is_nan() { error } else { worst }),
            tolerance: RELATIVE_ERROR,
            against: "exp of the standard library in FP64, relative".to_owned(),
        }
    }
}

impl Worker for Exponentiator<'_> {
    #[expect(
        unsafe_code,
        reason = "code for instructions that the compiler does not know this processor has"
    )]
    fn run(&mut self, _piece: usize, _turn: usize) {
        for _ in 0..PASSES {
            for part in &mut self.parts {
                // SAFETY: chosen for instructions that this processor has.
                unsafe { (self.code)(&part.from, &mut part.to) }
            }
        }
    }
}
