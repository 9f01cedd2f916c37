//! Fused attention: one new token against a long context, or many new ones.

use std::f64::consts::{LN_2, LOG2_E};

use eaves_roofline::measured::{Attend, Chore, Spec, Verification};
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use super::device::Device;
use super::gemm::nothing;
use super::numbers::{Matrix, Number};
use super::plan::{Argument, Check, Operands, Plan, Request, Stage, blocks};
use crate::backend::BenchError;
use crate::reference;

/// Threads of a block that decodes, or puts parts together.
const DECODE_THREADS: u32 = 128;
/// Tokens that a part of the context has at least.
const PART: usize = 64;

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    let Spec::Attention { shape, precision } = request.spec else { return None };
    Some(attention_plan(request, shape, &precision))
}

fn number(precision: &Precision) -> Option<Number> {
    match precision.name {
        "fp32" => Some(Number::Fp32),
        "fp16" => Some(Number::Fp16),
        "bf16" => Some(Number::Bf16),
        _ => None,
    }
}

/// Tokens that a query sees.
fn visible(shape: &Attend, query: usize) -> usize {
    if shape.causal { shape.context - shape.queries + query + 1 } else { shape.context }
}

fn checked(request: &Request, shape: &Attend) -> Result<usize, BenchError> {
    let Attend { batch, heads, kv_heads, queries, context, dimension, .. } = *shape;
    if [batch, heads, kv_heads, queries, context].iter().any(|size| !(1..=1 << 22).contains(size)) {
        return Err(request.unsupported("sizes must be 1 to 4194304"));
    }
    if !heads.is_multiple_of(kv_heads) || queries > context || batch > 65535 || heads > 65535 {
        return Err(
            request.unsupported("heads must be a multiple of those of keys, and queries part of the context")
        );
    }
    let group = heads / kv_heads;
    let allowed: &[usize] = if queries == 1 { &[64, 128, 256] } else { &[64, 128] };
    if !allowed.contains(&dimension) || queries == 1 && group * dimension > 2048 {
        return Err(
            request.unsupported("heads of 64 or 128 (decoding 256 too), up to 2048 elements that share keys")
        );
    }
    Ok(group)
}

fn attention_plan(request: &Request, shape: Attend, precision: &Precision) -> Result<Plan, BenchError> {
    let group = checked(request, &shape)?;
    let Some(number) = number(precision) else {
        return Err(request.unsupported("there are fp32, fp16 and bf16"));
    };
    let Attend { batch, heads, kv_heads, queries, context, dimension, .. } = shape;
    let decode = queries == 1;
    let phase = if decode { "decode" } else { "prefill" };
    let program = request.program(&format!("attention {phase} {}", number.id()))?;
    let kv_bytes = 2 * batch * kv_heads * context * dimension * number.bits() / 8;
    let copies = request.copies(kv_bytes);
    let scores: f64 =
        (0..queries).map(|query| visible(&shape, query) as f64).sum::<f64>() * (batch * heads) as f64;
    let on_matrix_units = !decode && number != Number::Fp32;
    let macs = 2.0 * scores * dimension as f64;
    let (arithmetic, engine) = match number {
        Number::Fp16 if on_matrix_units => (Arithmetic::Fp16, Engine::Matrix),
        Number::Bf16 if on_matrix_units => (Arithmetic::Bf16, Engine::Matrix),
        _ => (Arithmetic::Fp32, Engine::Vector),
    };
    let rows = (batch * heads * queries * dimension) as f64;
    let tokens = (batch * kv_heads * context * dimension) as f64;
    let work = Work { flops: 2.0 * macs, macs, arithmetic: Some(arithmetic), engine, ..Work::movement() }
        .reads("q", rows, number.precision())
        .reads("k", tokens, number.precision())
        .reads("v", tokens, number.precision())
        .writes("output", rows, Precision::FP32);
    let wanted = (4 * request.units.max(1) as usize).div_ceil(batch * kv_heads);
    let splits = wanted.clamp(1, context.div_ceil(PART));
    let prepare = move |device: &dyn Device| {
        let tensors = Tensors::random(number, &shape);
        let memory = vec![
            device.filled(&tensors.queries.bytes, 1)?,
            device.filled(&tensors.keys.bytes, copies)?,
            device.filled(&tensors.values.bytes, copies)?,
            device.allocate(batch * heads * queries * dimension * 4)?,
            device.allocate(if decode { batch * heads * splits * (dimension + 2) * 4 } else { 16 })?,
        ];
        let [q, k, v, out, parts] = memory.as_slice() else { return Err(nothing()) };
        let operands = [Argument::fixed(q), Argument::rotating(k, copies), Argument::rotating(v, copies)];
        let stages = if decode {
            let mut arguments = operands.to_vec();
            arguments.extend([Argument::fixed(parts), Argument::from(context)]);
            let grid = [blocks(splits, 1), blocks(kv_heads, 1), blocks(batch, 1)];
            let combine = vec![Argument::fixed(parts), Argument::fixed(out), Argument::from(splits)];
            let heads = [blocks(batch * heads, 1), 1, 1];
            vec![
                Stage { function: 0, grid, threads: DECODE_THREADS, arguments },
                Stage { function: 1, grid: heads, threads: DECODE_THREADS, arguments: combine },
            ]
        } else {
            let mut arguments = operands.to_vec();
            arguments.extend([Argument::fixed(out), Argument::from(queries), Argument::from(context)]);
            arguments.push(Argument::Number(u64::from(shape.causal)));
            // As in the source: eight warps with a query each, or four with 16.
            let (each, threads) = if on_matrix_units { (64, 128) } else { (8, 256) };
            let grid = [blocks(queries, each), blocks(heads, 1), blocks(batch, 1)];
            vec![Stage { function: 0, grid, threads, arguments }]
        };
        let check: Check = Box::new(move |device, memory| {
            let found = match memory {
                [_, _, _, out, _] => device.numbers::<f32>(out, batch * heads * queries * dimension)?,
                _ => Vec::new(),
            };
            Ok(tensors.verify(&found, if on_matrix_units { number } else { Number::Fp32 }))
        });
        Ok(Operands { memory, stages, check })
    };
    let implementation = match (decode, on_matrix_units) {
        (true, _) => format!("vector units, context in {splits} parts"),
        (false, true) => "mma.sync, 64 queries by 64 tokens".to_owned(),
        (false, false) => "vector units, 8 queries by 32 tokens".to_owned(),
    };
    Ok(Plan {
        program,
        defines: vec![format!("DIMENSION={dimension}"), format!("GROUP={group}")],
        implementation,
        work,
        chores: vec![Chore::exp(scores)],
        prepare: Box::new(prepare),
    })
}

/// What attention is of.
struct Tensors {
    shape: Attend,
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
}

impl Tensors {
    fn random(number: Number, shape: &Attend) -> Self {
        let Attend { batch, heads, kv_heads, queries, context, dimension, .. } = *shape;
        let mut random = fastrand::Rng::with_seed(29);
        let mut draw = move || random.f64() * 2.0 - 1.0;
        // Powers of two are faster than those of e; softmax divides by the root of the dimension.
        let scale = LOG2_E / (dimension as f64).sqrt();
        // Twice that, so that softmax is not the same for all tokens.
        let queries = Matrix::new(number, batch * heads * queries, dimension, 1, || 2.0 * draw() * scale);
        let keys = Matrix::new(number, batch * kv_heads * context, dimension, 1, &mut draw);
        let values = Matrix::new(number, batch * kv_heads * context, dimension, 1, &mut draw);
        Self { shape: *shape, queries, keys, values }
    }

    /// Holds the result against softmax with all scores at once. `weights` is what softmax is rounded to before it is
    /// multiplied with values.
    ///
    /// Errors are relative to the weighted mean of magnitudes. If weights are off by a share, so is the sum of products and
    /// that of weights, each relative to it: twice the share.
    fn verify(&self, found: &[f32], weights: Number) -> Verification {
        let dimension = self.shape.dimension as f64;
        let unit = 2_f64.powi(-24);
        // Keys are at most one, so that no score is made of more than this.
        let size = self
            .queries
            .values
            .chunks(self.shape.dimension.max(1))
            .fold(0.0_f64, |most, query| most.max(query.iter().map(|element| element.abs()).sum()));
        // A score and the largest one are each a sum of this many products, which matrix units cut instead of rounding.
        let score = LN_2 * 2.0 * dimension * 2.0 * unit * size;
        let rounded = match weights {
            Number::Fp16 => 2_f64.powi(-11),
            Number::Bf16 => 2_f64.powi(-8),
            _ => 0.0,
        };
        // ex2.approx is good to 2^-22, and used at most thrice; then comes the sum over the context.
        let share = score + rounded + 3.0 * 2_f64.powi(-22) + 2.0 * self.shape.context as f64 * unit;
        // Undoes what queries were multiplied with.
        let scale = dimension.sqrt() / LOG2_E;
        let queries = |row, to: &mut [f64]| {
            self.queries.copy_row(row, to);
            to.iter_mut().for_each(|element| *element *= scale);
        };
        let keys = |row, to: &mut [f64]| self.keys.copy_row(row, to);
        let values = |row, to: &mut [f64]| self.values.copy_row(row, to);
        reference::verify_attention(&self.shape, (&queries, &keys, &values), found, 2.0 * share)
    }
}
