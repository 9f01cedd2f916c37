//! The rate of the softmax that attention computes block by block, measured in the first cache by the code it uses.

use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};
use eaves_roofline::{Precision, Work};

use super::super::exp::RELATIVE_ERROR;
use super::lanes::Portable;
use super::tile::{BLOCK, State, soften};
use crate::backend::BenchError;
use crate::buffer::Buffer;
use crate::cpu::{InstructionSet, Making};
use crate::kernel::{Kernel, Worker, dealt};

/// The key of the rate: scores a second.
pub(super) const RATE: &str = "softmax";

/// Blocks of one thread: 8 KiB of scores, and as much for weights.
const BLOCKS: usize = 32;

/// Times a call goes through them.
const PASSES: usize = 32;

/// Turns the scores of a block into weights; the answer is the sum of the weights.
type Soften = unsafe fn(&mut [f32; BLOCK]) -> f32;

/// The kernel of the softmax.
pub(super) fn kernel(making: &Making) -> Result<Box<dyn Kernel>, BenchError> {
    let (code, name) = code(making.instructions);
    let made = |thread| Part::new(thread).ok_or_else(|| BenchError::Memory { what: RATE.to_owned() });
    let parts: Result<Vec<Part>, BenchError> = (0..making.threads.max(1)).map(made).collect();
    Ok(Box::new(Softmax { code, name, state: making.state, parts: parts? }))
}

fn code(instructions: InstructionSet) -> (Soften, InstructionSet) {
    #[cfg(target_arch = "x86_64")]
    if instructions >= InstructionSet::Avx2 {
        return (avx2, InstructionSet::Avx2);
    }
    let _no_code_of_their_own = instructions;
    // SAFETY: no instructions but those that every processor has.
    (|scores| unsafe { first::<Portable>(scores) }, InstructionSet::Portable)
}

/// The first block of a row: its largest score is new, as it often is while there are few.
///
/// # Safety
/// The instructions must be there.
#[inline(always)]
unsafe fn first<L: super::lanes::Lanes>(scores: &mut [f32; BLOCK]) -> f32 {
    let mut state = State::EMPTY;
    // SAFETY: a whole block of scores; the caller has the instructions.
    unsafe { soften::<L>(&mut state, scores.as_mut_ptr(), BLOCK) };
    state.sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2(scores: &mut [f32; BLOCK]) -> f32 {
    // SAFETY: compiled for the instructions.
    unsafe { first::<super::avx2::Avx2>(scores) }
}

struct Part {
    scores: Buffer<f32>,
    weights: Buffer<f32>,
    sums: [f32; BLOCKS],
}

impl Part {
    fn new(thread: usize) -> Option<Self> {
        let mut random = fastrand::Rng::with_seed(37 + thread as u64);
        let scores = Buffer::filled(BLOCKS * BLOCK, |_| 20.0 * random.f32() - 10.0)?;
        Some(Self { scores, weights: Buffer::zeroed(BLOCKS * BLOCK)?, sums: [0.0; BLOCKS] })
    }
}

struct Softmax {
    code: Soften,
    name: InstructionSet,
    state: CacheState,
    parts: Vec<Part>,
}

impl Softmax {
    fn scores(&self) -> f64 {
        (self.parts.len() * BLOCKS * BLOCK * PASSES) as f64
    }
}

struct Softener<'a> {
    code: Soften,
    parts: Vec<&'a mut Part>,
}

impl Kernel for Softmax {
    fn spec(&self) -> Spec {
        Spec::Softmax
    }

    fn implementation(&self) -> String {
        format!("{} blocks of {BLOCK}", self.name)
    }

    fn work(&self) -> Work {
        let scores = self.scores();
        Work::movement().reads("scores", scores, Precision::FP32).writes("weights", scores, Precision::FP32)
    }

    fn chores(&self) -> Vec<Chore> {
        vec![Chore { rate: RATE.to_owned(), amount: self.scores() }]
    }

    fn state(&self) -> CacheState {
        self.state
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let code = self.code;
        dealt(&mut self.parts, threads)
            .into_iter()
            .map(|parts| Box::new(Softener { code, parts }) as _)
            .collect()
    }

    fn verify(&self) -> Verification {
        let mut worst: f64 = 0.0;
        let mut note = |error: f64| worst = if error > worst || error.is_nan() { error } else { worst };
        for part in &self.parts {
            let blocks = part.scores.as_chunks::<BLOCK>().0.iter().zip(part.weights.as_chunks::<BLOCK>().0);
            for ((scores, weights), sum) in blocks.zip(part.sums) {
                let largest = scores.iter().fold(f64::NEG_INFINITY, |one, other| one.max(f64::from(*other)));
                let right = scores.map(|score| (f64::from(score) - largest).exp());
                for (weight, right) in weights.iter().zip(right) {
                    note((f64::from(*weight) / right - 1.0).abs());
                }
                note((f64::from(sum) / right.iter().sum::<f64>() - 1.0).abs());
            }
        }
        Verification {
            error: worst,
            // The difference of two scores up to 10 rounds by half a unit of numbers up to 32, 2^-20, which is the
            // relative error of its exponential; a sum of 64 rounds at most 15 times in a row.
            tolerance: RELATIVE_ERROR + 0.5_f64.powi(20) + 15.0 * 0.5_f64.powi(24),
            against: "weights and their sum with exp of the standard library in FP64, relative".to_owned(),
        }
    }
}

impl Worker for Softener<'_> {
    fn run(&mut self, _piece: usize, _turn: usize) {
        for _ in 0..PASSES {
            for part in &mut self.parts {
                let blocks = part.scores.as_chunks::<BLOCK>().0.iter();
                let weights = part.weights.as_chunks_mut::<BLOCK>().0.iter_mut();
                for ((scores, weights), sum) in blocks.zip(weights).zip(&mut part.sums) {
                    // As scores are stored just before.
                    *weights = *scores;
                    // SAFETY: `code` took only code whose instructions the processor has.
                    *sum = unsafe { (self.code)(weights) };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_right_with_all_instructions_and_a_wrong_one_is_seen() {
        for instructions in [InstructionSet::Portable, InstructionSet::best()] {
            let (code, name) = code(instructions);
            let parts = vec![Part::new(0).unwrap(), Part::new(1).unwrap()];
            let mut softmax = Softmax { code, name, state: CacheState::Hot, parts };
            assert!(!softmax.verify().holds());
            for mut worker in softmax.workers(2) {
                worker.run(0, 0);
            }
            assert!(softmax.verify().holds(), "{:?}", softmax.verify());
            softmax.parts[1].weights[777] *= 1.0001;
            assert!(!softmax.verify().holds());
        }
    }
}
