//! Products of matrices: `C[m, n] = A[m, k] B[n, k]`, weights row by row as layers have them.

use eaves_roofline::measured::{Spec, Verification};
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use super::device::Device;
use super::numbers::{Matrix, Number};
use super::plan::{Argument, Check, Operands, Plan, Request, Stage, blocks};
use crate::backend::BenchError;
use crate::reference;

const THREADS: u32 = 256;
/// Rows and columns of C that a block has.
const TILE: usize = 128;
/// Bytes that rows are padded to.
const PITCH: usize = 64;

fn number(precision: &Precision, engine: Option<Engine>) -> Option<Number> {
    Some(match precision.name {
        "fp32" if engine == Some(Engine::Matrix) => Number::Tf32,
        "fp32" => Number::Fp32,
        "tf32" => Number::Tf32,
        "fp16" => Number::Fp16,
        "bf16" => Number::Bf16,
        "int8" => Number::Int8,
        "fp8_e4m3" => Number::E4m3,
        "fp8_e5m2" => Number::E5m2,
        _ => return None,
    })
}

fn arithmetic(number: Number) -> Arithmetic {
    match number {
        Number::Fp64 => Arithmetic::Fp64,
        Number::Fp32 => Arithmetic::Fp32,
        Number::Tf32 => Arithmetic::Tf32,
        Number::Fp16 => Arithmetic::Fp16,
        Number::Bf16 => Arithmetic::Bf16,
        Number::Int8 => Arithmetic::Int8,
        Number::E4m3 | Number::E5m2 => Arithmetic::Fp8,
        Number::E2m1 => Arithmetic::Fp4,
    }
}

/// What accumulators may be off by, relative to `|a|.|b|`.
fn tolerance(number: Number, k: usize) -> f64 {
    let k = k as f64;
    match number {
        Number::Int8 => 0.0,
        // Each of k sums is rounded (Higham 2002, section 3.1).
        Number::Fp64 => k * 2_f64.powi(-53),
        Number::Fp32 => k * 2_f64.powi(-24),
        // The matrix units cut instead of rounding.
        Number::Tf32 | Number::Fp16 | Number::Bf16 => k * 2_f64.powi(-23),
        // Of 32 products at a time, 13 bits are kept (DeepSeek-AI 2024, section 3.5.2).
        Number::E4m3 | Number::E5m2 | Number::E2m1 => (k / 32.0).ceil() * 2_f64.powi(-13),
    }
}

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    let Spec::Gemm { m, n, k, weights, activations } = request.spec else { return None };
    Some(gemm_plan(request, (m, n, k), &weights, &activations))
}

/// What both operands are, if there is a kernel for it.
pub(super) fn operands(
    request: &Request,
    (m, n, k): (usize, usize, usize),
    weights: &Precision,
    activations: &Precision,
) -> Result<Number, BenchError> {
    if weights.name != activations.name {
        return Err(
            request.unsupported("both operands must be of one type; weights of another are read by gemv")
        );
    }
    if [m, n, k].iter().any(|size| !(1..=1 << 20).contains(size)) {
        return Err(request.unsupported("sizes must be 1 to 1048576"));
    }
    number(weights, request.engine)
        .ok_or_else(|| request.unsupported("there are fp32, tf32, fp16, bf16, int8, fp8_e4m3 and fp8_e5m2"))
}

/// Work of one call.
pub(super) fn work(number: Number, (m, n, k): (usize, usize, usize), out: Precision) -> Work {
    let [m, n, k] = [m, n, k].map(|size| size as f64);
    let engine = if number == Number::Fp32 { Engine::Vector } else { Engine::Matrix };
    let macs = m * n * k;
    Work { flops: 2.0 * macs, macs, arithmetic: Some(arithmetic(number)), engine, ..Work::movement() }
        .reads("a", m * k, number.precision())
        .reads("b", n * k, number.precision())
        .writes("c", m * n, out)
}

/// Random operands: all of an integer's range, floats around zero.
pub(super) fn random(number: Number, (m, n, k): (usize, usize, usize), pitch: usize) -> (Matrix, Matrix) {
    let mut random = fastrand::Rng::with_seed(17);
    let mut draw = move || match number {
        Number::Int8 => f64::from(random.i8(..)),
        _ => random.f64() * 2.0 - 1.0,
    };
    let a = Matrix::new(number, m, k, pitch, &mut draw);
    (a, Matrix::new(number, n, k, pitch, &mut draw))
}

/// Holds a result against its operands.
pub(super) fn verify(
    number: Number,
    shape: (usize, usize, usize),
    (a, b): (&Matrix, &Matrix),
    found: &[f64],
) -> Verification {
    reference::verify(
        shape,
        &|row, to| a.copy_row(row, to),
        &|row, to| b.copy_row(row, to),
        found,
        tolerance(number, shape.2),
    )
}

fn gemm_plan(
    request: &Request,
    shape: (usize, usize, usize),
    weights: &Precision,
    activations: &Precision,
) -> Result<Plan, BenchError> {
    let number = operands(request, shape, weights, activations)?;
    let program = request.program(&format!("gemm {}", number.id()))?;
    let (m, n, k) = shape;
    let row = Matrix::row_bytes(number, k, PITCH);
    let copies = request.copies(n * row);
    let out = if number == Number::Int8 { Precision::INT32 } else { Precision::FP32 };
    let prepare = move |device: &dyn Device| {
        let (a, b) = random(number, shape, PITCH);
        let memory =
            vec![device.filled(&a.bytes, 1)?, device.filled(&b.bytes, copies)?, device.allocate(m * n * 4)?];
        let [left, right, result] = memory.as_slice() else { return Err(nothing()) };
        let arguments = vec![
            Argument::fixed(left),
            Argument::rotating(right, copies),
            Argument::fixed(result),
            Argument::from(m),
            Argument::from(n),
            Argument::from(row / 4),
        ];
        let grid = [blocks(n, TILE), blocks(m, TILE), 1];
        let stages = vec![Stage { function: 0, grid, threads: THREADS, arguments }];
        let check: Check = Box::new(move |device, memory| {
            let found: Vec<f64> = match memory {
                [_, _, out] if number == Number::Int8 => {
                    device.numbers::<i32>(out, m * n)?.into_iter().map(f64::from).collect()
                }
                [_, _, out] => device.numbers::<f32>(out, m * n)?.into_iter().map(f64::from).collect(),
                _ => Vec::new(),
            };
            Ok(verify(number, shape, (&a, &b), &found))
        });
        Ok(Operands { memory, stages, check })
    };
    let implementation = match number {
        Number::Fp32 => "vector units, 128x128 tiles",
        _ => "mma.sync, 128x128 tiles, cp.async",
    };
    Ok(Plan {
        program,
        defines: Vec::new(),
        implementation: implementation.to_owned(),
        work: work(number, shape, out),
        chores: Vec::new(),
        prepare: Box::new(prepare),
    })
}

/// For lists whose length is known.
pub(super) fn nothing() -> BenchError {
    BenchError::Device { device: "cuda".to_owned(), cause: "operands are missing".to_owned() }
}
