//! Products of a matrix of weights, packed in any format, with a vector.

use eaves_roofline::measured::{Chore, Spec, Verification};
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use super::device::{Device, to_bytes};
use super::gemm::nothing;
use super::plan::{Argument, Check, Operands, Plan, Request, Stage, blocks};
use crate::backend::BenchError;
use crate::formats::{Format, NF4_VALUES, Order, Packed};
use crate::reference;

const THREADS: u32 = 256;
/// Rows of a block, one for each warp.
const ROWS: usize = 8;

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    let Spec::Gemv { n, k, weights, activations } = request.spec else { return None };
    Some(gemv_plan(request, n, k, &weights, &activations))
}

fn gemv_plan(
    request: &Request,
    n: usize,
    k: usize,
    weights: &Precision,
    activations: &Precision,
) -> Result<Plan, BenchError> {
    let (Some(format), Some(vector)) = (Format::of(weights), Format::of(activations)) else {
        return Err(request.unsupported("there is no such format of weights or activations"));
    };
    let narrow = [Format::Fp32, Format::Fp16, Format::Bf16, Format::Int8];
    if (format == Format::Fp64) != (vector == Format::Fp64)
        || vector != Format::Fp64 && !narrow.contains(&vector)
    {
        return Err(request.unsupported("activations are fp32, fp16, bf16 or int8; fp64 with fp64 alone"));
    }
    if [n, k].iter().any(|size| !(1..=1 << 24).contains(size)) {
        return Err(request.unsupported("sizes must be 1 to 16777216"));
    }
    let program = request.program(&format!("gemv {}", format.name()))?;
    let order = Order::Sequential;
    let stride = format.stride(k, order);
    let row_bytes = format.code_bytes(stride) + format.scale_bytes(stride);
    let copies = request.copies(n * row_bytes);
    let wide = format == Format::Fp64;
    let is_integer = format == Format::Int8 && vector == Format::Int8;
    let arithmetic = match format {
        Format::Fp64 => Arithmetic::Fp64,
        _ if is_integer => Arithmetic::Int8,
        _ => Arithmetic::Fp32,
    };
    let macs = n as f64 * k as f64;
    let out = if wide { Precision::FP64 } else { Precision::FP32 };
    let work = Work {
        flops: 2.0 * macs,
        macs,
        arithmetic: Some(arithmetic),
        engine: Engine::Vector,
        ..Work::movement()
    }
    .reads("weights", n as f64 * stride as f64, format.precision(stride))
    .reads("x", stride as f64, vector.precision(stride))
    .writes("y", n as f64, out);
    let is_wide = matches!(format, Format::Fp64 | Format::Fp32) || is_integer;
    let chores = if is_wide { Vec::new() } else { vec![Chore::dequantise(*weights, *activations, macs)] };
    let memory_error = move || BenchError::Memory { what: format!("gemv {n}x{k}") };
    let prepare = move |device: &dyn Device| {
        let mut random = fastrand::Rng::with_seed(23);
        let mut size = 1.0;
        let values: Vec<f32> = (0..n * k)
            .map(|index| {
                // Blocks of different sizes, or their scales would be alike and a wrong one as good as the right one.
                if index % 16 == 0 {
                    size = 2_f32.powi(-random.i32(0..6));
                }
                size * (random.f32() * 2.0 - 1.0)
            })
            .collect();
        let weights = Packed::pack(format, order, &values, n, k).ok_or_else(memory_error)?;
        let mut values: Vec<f32> = (0..k).map(|_| random.f32() * 2.0 - 1.0).collect();
        values.resize(stride, 0.0);
        let x = Packed::pack(vector, order, &values, 1, stride).ok_or_else(memory_error)?;
        let scale = |packed: &Packed| packed.tensor_scale.unwrap_or(1.0);
        let x_scale = if vector == Format::Int8 {
            x.row_scales(0).first_chunk().map_or(1.0, |bytes| f32::from_le_bytes(*bytes))
        } else {
            1.0
        };
        let memory = vec![
            device.filled(&weights.codes, copies)?,
            // A format without scales has an empty one, which must be somewhere all the same.
            device.filled(if weights.scales.is_empty() { &[0; 16] } else { &weights.scales }, copies)?,
            device.filled(&x.codes, 1)?,
            device.allocate(n * if wide { 8 } else { 4 })?,
            device.filled(&to_bytes(&NF4_VALUES), 1)?,
        ];
        let [codes, scales, activations, result, table] = memory.as_slice() else { return Err(nothing()) };
        let none = Argument::Number(0);
        let arguments = vec![
            Argument::rotating(codes, copies),
            Argument::rotating(scales, copies),
            Argument::fixed(activations),
            Argument::fixed(result),
            Argument::from(n),
            Argument::from(stride),
            Argument::from(format.code_bytes(stride)),
            Argument::from(format.scale_bytes(stride)),
            if format == Format::Int8 { Argument::rotating(scales, copies) } else { none },
            Argument::from(scale(&weights) * scale(&x) * x_scale),
            if format == Format::Nf4 { Argument::fixed(table) } else { none },
        ];
        let grid = [blocks(n, ROWS), 1, 1];
        let stages = vec![Stage { function: 0, grid, threads: THREADS, arguments }];
        let check: Check = Box::new(move |device, memory| {
            let found: Vec<f64> = match memory {
                [_, _, _, out, _] if wide => device.numbers(out, n)?,
                [_, _, _, out, _] => device.numbers::<f32>(out, n)?.into_iter().map(f64::from).collect(),
                _ => Vec::new(),
            };
            Ok(verify(&weights, &x, &found))
        });
        Ok(Operands { memory, stages, check })
    };
    let how = if is_integer { "dp4a" } else { "dequantised in registers" };
    Ok(Plan {
        program,
        defines: vec![format!("X_{}", vector.name())],
        implementation: format!("a warp a row, {how}"),
        work,
        chores,
        prepare: Box::new(prepare),
    })
}

/// Holds the result against what the codes mean. A lane adds a 32nd of the row in a chain, five sums follow, a weight is rounded
/// up to twice and scales thrice: this many roundings, each of half a unit.
fn verify(weights: &Packed, x: &Packed, found: &[f64]) -> Verification {
    let stride = weights.stride;
    let unit = if weights.format == Format::Fp64 { 2_f64.powi(-53) } else { 2_f64.powi(-24) };
    let chain = (stride as f64 / 256.0).ceil() * 8.0;
    let shape = (1, weights.rows, stride);
    let (vector, row) =
        (|_, to: &mut [f64]| x.dequantise_row(0, to), |row, to: &mut [f64]| weights.dequantise_row(row, to));
    reference::verify(shape, &vector, &row, found, (chain + 10.0) * unit)
}
