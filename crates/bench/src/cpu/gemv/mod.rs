//! `y = W x`, one vector at a time: what decoding a language model mostly is.
//!
//! Weights are stored as their format says and are decoded in registers. With floating-point activations they are widened
//! to FP32 (FP64 stays); with INT8 activations they are multiplied as integers, which is several times faster on
//! processors, and activations are quantized in every call.

mod activations;
mod choice;
mod portable;
mod reference;
mod rows;

#[cfg(target_arch = "x86_64")]
mod avx2;

use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use self::activations::{Given, Prepared, Vector};
use self::choice::{Choice, Code};
use self::rows::{Rows, Weights};
use super::{InstructionSet, Making};
use crate::backend::BenchError;
use crate::formats::{Format, Order, Packed, magnitudes};
use crate::kernel::{Kernel, Worker};

/// Rows that are made; the others repeat them. A prime, so that no stride of a power of two goes unnoticed.
const DISTINCT: usize = 251;

/// Rows of a piece and of a thread's share are a multiple of this but for the last: kernels do several at a time.
const TOGETHER: usize = 24;

/// The kernel for a spec of this family.
pub(super) fn kernel(spec: &Spec, making: &Making) -> Option<Result<Box<dyn Kernel>, BenchError>> {
    let Spec::Gemv { n, k, weights, activations } = *spec else { return None };
    Some(
        Gemv::new((n, k), &weights, &activations, making)
            .map(|gemv| Box::new(Gemv { spec: *spec, ..gemv }) as _),
    )
}

/// One matrix and one vector.
struct Gemv {
    spec: Spec,
    making: Making,
    given: Given,
    choice: Choice,
    /// The rows that the matrix repeats.
    distinct: Packed,
    copies: Vec<Weights>,
    vector: Vector,
    result: Output,
    rows: usize,
}

/// Where results go.
enum Output {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Gemv {
    fn new(
        (rows, columns): (usize, usize),
        weights: &Precision,
        activations: &Precision,
        making: &Making,
    ) -> Result<Self, BenchError> {
        let unsupported = |why: String| BenchError::Unsupported {
            backend: "cpu".to_owned(),
            what: format!("gemv {weights}/{activations}"),
            why,
        };
        let names = || Format::ALL.map(Format::name).join(", ");
        let format = Format::of(weights).ok_or_else(|| unsupported(format!("weights may be {}", names())))?;
        let given = Given::of(activations)
            .ok_or_else(|| unsupported("activations may be fp64, fp32, fp16, bf16 or int8".to_owned()))?;
        let choice = Choice::of(format, given, making.instructions).ok_or_else(|| {
            unsupported("fp64 goes with fp64; int8 activations with int8, int4, mxfp4, nvfp4, nf4".to_owned())
        })?;
        let memory = || BenchError::Memory { what: format!("gemv 1x{rows}x{columns} {weights}") };
        let mut random = fastrand::Rng::with_seed(11);
        let count = rows.min(DISTINCT).checked_mul(columns).ok_or_else(memory)?;
        let mut values: Vec<f64> = Vec::new();
        values.try_reserve_exact(count).map_err(|_| memory())?;
        values.extend(magnitudes(5).take(count).map(|magnitude| f64::from(magnitude) * normal(&mut random)));
        let distinct = Packed::pack(format, Order::Interleaved, &values, rows.min(DISTINCT), columns)
            .ok_or_else(memory)?;
        let bytes = (distinct.precision().bytes((rows * distinct.stride) as f64) as usize).max(1);
        let copies = making.separate_copies(bytes);
        let copies: Option<Vec<Weights>> = (0..copies).map(|_| Weights::repeat(&distinct, rows)).collect();
        let vector = Vector::random(given, columns, distinct.stride, &mut random).ok_or_else(memory)?;
        Ok(Self {
            spec: Spec::Gemv { n: rows, k: columns, weights: *weights, activations: *activations },
            making: *making,
            given,
            choice,
            copies: copies.ok_or_else(memory)?,
            distinct,
            vector,
            result: match choice.code {
                Code::Single(_) => Output::Single(vec![f32::NAN; rows]),
                Code::Double(_) => Output::Double(vec![f64::NAN; rows]),
            },
            rows,
        })
    }

    fn elements(&self) -> f64 {
        (self.rows * self.distinct.stride) as f64
    }
}

/// Weights are normal, as trained ones are nearly.
fn normal(random: &mut fastrand::Rng) -> f64 {
    // Box and Muller 1958; one minus a number below one is not zero.
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

impl Kernel for Gemv {
    fn spec(&self) -> Spec {
        self.spec
    }

    fn implementation(&self) -> String {
        self.choice.name()
    }

    fn work(&self) -> Work {
        let macs = (self.rows * self.distinct.columns) as f64;
        let arithmetic = match self.given {
            Given::Fp64 => Arithmetic::Fp64,
            Given::Quantised => Arithmetic::Int8,
            Given::Fp32 | Given::Fp16 | Given::Bf16 => Arithmetic::Fp32,
        };
        let output = match self.result {
            Output::Single(_) => Precision::FP32,
            Output::Double(_) => Precision::FP64,
        };
        Work {
            flops: 2.0 * macs,
            macs,
            arithmetic: Some(arithmetic),
            engine: Engine::Vector,
            ..Work::movement()
        }
        .reads("weight", self.elements(), self.distinct.precision())
        .reads("x", self.distinct.stride as f64, self.given.stored())
        .writes("output", self.rows as f64, output)
    }

    fn chores(&self) -> Vec<Chore> {
        let computed = if self.given == Given::Quantised { "int8" } else { "fp32" };
        match self.distinct.format {
            Format::Fp64 | Format::Fp32 => Vec::new(),
            format => vec![Chore {
                rate: format!("dequantise {}/{computed}", format.name()),
                amount: self.elements(),
            }],
        }
    }

    fn state(&self) -> CacheState {
        self.making.state
    }

    fn huge_pages(&self) -> Option<bool> {
        self.copies.first()?.has_huge_pages()
    }

    fn pieces(&self) -> usize {
        // Seconds at the rates of a slow core, so that a piece is about a millisecond on any.
        let bytes = self.distinct.precision().bytes(self.elements());
        let weights_per_second =
            if self.choice.instructions == InstructionSet::Portable { 1e9 } else { 12e9 };
        let seconds = (bytes / 24e9).max(self.elements() / weights_per_second);
        let pieces = (seconds / self.making.threads as f64 / 1.2e-3).ceil() as usize;
        pieces.clamp(1, (self.rows / self.making.threads / TOGETHER).max(1))
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let pieces = self.pieces();
        let share = self.rows.div_ceil(threads.max(1)).next_multiple_of(TOGETHER).max(TOGETHER);
        let outputs = self.result.split(share, threads);
        let mut start = 0;
        let mut workers: Vec<Box<dyn Worker + '_>> = Vec::with_capacity(threads);
        for output in outputs {
            let first = start;
            start += output.len();
            let stride = self.distinct.stride;
            let prepared = Prepared::new(self.given, self.choice.arrangement, stride, self.choice.offset);
            workers.push(Box::new(Part {
                copies: &self.copies,
                vector: &self.vector,
                // Without memory for activations nothing is written, and verification says so.
                prepared,
                choice: self.choice,
                first,
                piece: output.len().div_ceil(pieces).next_multiple_of(TOGETHER),
                output,
            }));
        }
        workers
    }

    fn verify(&self) -> Verification {
        let result: Vec<f64> = match &self.result {
            Output::Single(values) => values.iter().map(|value| f64::from(*value)).collect(),
            Output::Double(values) => values.clone(),
        };
        reference::verify(&self.distinct, &self.vector.values(self.given), self.given, &result)
    }
}

impl Output {
    /// A part for each thread: `share` rows, the last ones fewer.
    fn split(&mut self, share: usize, threads: usize) -> Vec<Slice<'_>> {
        let mut slices: Vec<Slice<'_>> = match self {
            Self::Single(values) => values.chunks_mut(share).map(Slice::Single).collect(),
            Self::Double(values) => values.chunks_mut(share).map(Slice::Double).collect(),
        };
        slices.resize_with(threads, || Slice::Single(&mut []));
        slices
    }
}

/// What one thread writes.
enum Slice<'a> {
    Single(&'a mut [f32]),
    Double(&'a mut [f64]),
}

impl Slice<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Single(values) => values.len(),
            Self::Double(values) => values.len(),
        }
    }
}

/// The rows of one thread.
struct Part<'a> {
    copies: &'a [Weights],
    vector: &'a Vector,
    prepared: Option<Prepared>,
    choice: Choice,
    first: usize,
    /// Rows of a piece.
    piece: usize,
    output: Slice<'a>,
}

impl Worker for Part<'_> {
    fn run(&mut self, piece: usize, turn: usize) {
        let copy = self.copies.get(turn % self.copies.len().max(1));
        let (Some(copy), Some(prepared)) = (copy, &mut self.prepared) else { return };
        let from = (piece * self.piece).min(self.output.len());
        let to = (from + self.piece).min(self.output.len());
        let rows = copy.rows(self.first + from, to - from);
        self.choice.prepare(prepared, self.vector);
        match (&mut self.output, self.choice.code) {
            (Slice::Single(output), Code::Single(code)) => {
                run(code, &rows, prepared, output.get_mut(from..to))
            }
            (Slice::Double(output), Code::Double(code)) => {
                run(code, &rows, prepared, output.get_mut(from..to))
            }
            _ => {}
        }
    }
}

#[expect(unsafe_code, reason = "inner loops do not check bounds, so it is done here")]
fn run<T>(
    code: unsafe fn(&Rows<'_>, &Prepared, &mut [T]),
    rows: &Rows<'_>,
    prepared: &Prepared,
    output: Option<&mut [T]>,
) {
    if let Some(output) = output
        && rows.count() >= output.len()
        && prepared.fits(rows.stride)
    {
        // SAFETY: there are as many rows as results and as many activations as columns, and `Choice` took only code whose
        // instructions the processor has.
        unsafe { code(rows, prepared, output) }
    }
}

#[cfg(test)]
mod tests;
