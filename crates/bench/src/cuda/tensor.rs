//! Products of the matrix units, in registers.

use eaves_roofline::measured::Spec;
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use super::device::{Device, to_bytes};
use super::numbers::{Matrix, Number};
use super::plan::{Argument, Check, Operands, Plan, Request, Stage, exact};
use crate::backend::BenchError;

const THREADS: u32 = 256;
/// Blocks for each multiprocessor: as many as its registers hold.
const BLOCKS: u32 = 2;
/// Pairs of a product and its negative; as many products as twice that and one.
const PAIRS: usize = 1024;
/// Accumulators of a warp, of two A and four B.
const ACCUMULATORS: usize = 8;

/// Makes a random number.
type Draw = fn(&mut fastrand::Rng) -> f64;

/// The operands, and the numbers that random ones are taken from: products and sums of them are exact in the accumulators of
/// every GPU, which for 8-bit floats have as few as 13 bits (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, section 3.5.2).
fn operands(arithmetic: Arithmetic) -> Option<(Number, Draw)> {
    fn up_to(random: &mut fastrand::Rng, most: i32) -> f64 {
        let sign = if random.bool() { 1.0 } else { -1.0 };
        sign * f64::from(random.i32(1..=most))
    }
    Some(match arithmetic {
        Arithmetic::Fp64 => (Number::Fp64, |random| up_to(random, 1000)),
        Arithmetic::Tf32 => (Number::Tf32, |random| up_to(random, 8)),
        Arithmetic::Fp16 => (Number::Fp16, |random| up_to(random, 8)),
        Arithmetic::Bf16 => (Number::Bf16, |random| up_to(random, 8)),
        Arithmetic::Int8 => (Number::Int8, |random| up_to(random, 127)),
        Arithmetic::Fp8 => (Number::E4m3, |random| up_to(random, 8)),
        Arithmetic::Fp4 => (Number::E2m1, |random| 0.5 * up_to(random, 4)),
        _ => return None,
    })
}

/// Rows of A, columns of B and products that each element is the sum of, in one instruction.
fn shape(number: Number) -> (usize, usize, usize) {
    match number {
        Number::Fp64 => (8, 8, 4),
        _ => (16, 8, 256 / number.bits()),
    }
}

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    let Spec::Fma { arithmetic } = request.spec else { return None };
    if request.engine == Some(Engine::Vector) {
        return None;
    }
    let (number, draw) = operands(arithmetic)?;
    Some(tensor_plan(request, arithmetic, number, draw))
}

fn tensor_plan(
    request: &Request,
    arithmetic: Arithmetic,
    number: Number,
    draw: Draw,
) -> Result<Plan, BenchError> {
    let program = request.program(&format!("tensor {}", number.id()))?;
    let (m, n, k) = shape(number);
    let grid = request.units.max(1) * BLOCKS;
    let warps = (grid * THREADS / 32) as usize;
    let products = (2 * PAIRS + 1) * ACCUMULATORS;
    let macs = (m * n * k * products) as f64 * warps as f64;
    let written = if number == Number::Fp64 { Precision::FP64 } else { Precision::FP32 };
    let work = Work {
        flops: 2.0 * macs,
        macs,
        arithmetic: Some(arithmetic),
        engine: Engine::Matrix,
        ..Work::movement()
    }
    .reads("a", (4 * m * k) as f64, number.precision())
    .reads("b", (4 * n * k) as f64, number.precision())
    .writes("sums", (warps * m * n) as f64, written);
    let intensity = work.flops / work.bytes();
    let prepare = move |device: &dyn Device| {
        let mut random = fastrand::Rng::with_seed(13);
        let a = Matrix::new(number, 2 * m, k, 1, || draw(&mut random));
        let b = Matrix::new(number, 4 * n, k, 1, || draw(&mut random));
        let mut values = a.values.iter();
        let negative = Matrix::new(number, 2 * m, k, 1, || -values.next().copied().unwrap_or(0.0));
        let size = if number == Number::Fp64 { 8 } else { 4 };
        let memory = vec![
            device.filled(&a.bytes, 1)?,
            device.filled(&negative.bytes, 1)?,
            device.filled(&b.bytes, 1)?,
            device.filled(&to_bytes(&vec![0_u8; warps * m * n * size]), 1)?,
        ];
        let mut arguments: Vec<Argument> = memory.iter().map(Argument::fixed).collect();
        arguments.push(Argument::from(PAIRS));
        let stages = vec![Stage { function: 0, grid: [grid, 1, 1], threads: THREADS, arguments }];
        // Each element is the sum over all pairs of an A and a B.
        let mut right = vec![0.0; m * n];
        for (index, sum) in right.iter_mut().enumerate() {
            for pair in 0..ACCUMULATORS {
                let (row, column) = (pair % 2 * m + index / n, pair / 2 * n + index % n);
                *sum += a.row(row).iter().zip(b.row(column)).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        let check: Check = Box::new(move |device, memory| {
            let [_, _, _, out] = memory else { return Ok(exact::<f64>(&[], std::iter::empty(), "nothing")) };
            let count = warps * m * n;
            let found: Vec<f64> = match number {
                Number::Fp64 => device.numbers(out, count)?,
                Number::Int8 => device.numbers::<i32>(out, count)?.into_iter().map(f64::from).collect(),
                _ => device.numbers::<f32>(out, count)?.into_iter().map(f64::from).collect(),
            };
            let all = (0..warps).flat_map(|_| right.iter().copied());
            Ok(exact(&found, all, "sums of products on the host, exactly, of every warp"))
        });
        Ok(Operands { memory, stages, check })
    };
    Ok(Plan {
        program,
        defines: Vec::new(),
        implementation: format!("mma.sync m{m}n{n}k{k}, {intensity:.0} operations a byte"),
        work,
        chores: Vec::new(),
        prepare: Box::new(prepare),
    })
}
