//! Fused attention: queries, keys and values in, results out, no scores in memory.

use std::rc::Rc;

use eaves_roofline::measured::{Attend, CacheState, Chore, Spec};
use eaves_roofline::{Precision, Work};

use super::backend::OpenCl;
use super::driver::Argument;
use super::gemv::{plural, read, result};
use super::launch::{Check, Prepared, Stage};
use super::matrix::{Compute, Matrix, format_of, loader, values};
use crate::backend::BenchError;
use crate::reference;

const SOURCE: &str = concat!(include_str!("kernels/load.cl"), include_str!("kernels/attention.cl"));

/// A part of the keys has at least this many of them: fewer are not worth putting together.
const LEAST_KEYS: usize = 256;

/// Items that put the parts of a row together.
const COMBINE_ITEMS: usize = 32;

/// How the work is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiling {
    items: usize,
    rows: usize,
    keys: usize,
    /// Rows, keys and vectors of a block.
    block: [usize; 3],
    splits: usize,
}

impl Tiling {
    /// `rows` share the keys of each of `pairs`; a head is stored as `stride` elements of `size` bytes.
    fn new(device: &OpenCl, rows: usize, pairs: usize, context: usize, stride: usize, size: usize) -> Self {
        let info = device.info();
        let (items, mut most_rows, mut keys, block, groups) = if device.is_processor() {
            (1, 16, 64, [4, 2, 2], 8)
        } else {
            (info.largest_group.clamp(1, 64), 16, 32, [1, 1, 1], 4)
        };
        let bytes = |rows: usize, keys: usize| (stride * (2 * rows + keys) + rows * (keys + 3)) * size;
        while (bytes(most_rows, keys) as u64) > info.local_memory && (most_rows > 1 || keys > 8) {
            most_rows = (most_rows / 2).max(1);
            keys = (keys / 2).max(8);
        }
        // Few sizes, so that few programs are compiled.
        let tile = rows.clamp(1, most_rows).next_power_of_two();
        // Keys are split if there are too few rows to keep every unit busy.
        let tiles = rows.div_ceil(tile).max(1) * pairs.max(1);
        let wanted = (info.units.max(1) as usize * groups).div_ceil(tiles);
        let splits = wanted.clamp(1, (context / LEAST_KEYS).max(1));
        Self { items, rows: tile, keys, block: [block[0].min(tile), block[1], block[2]], splits }
    }
}

pub(super) fn prepare(
    device: &OpenCl,
    shape: &Attend,
    precision: Precision,
    state: CacheState,
) -> Result<Prepared, BenchError> {
    let spec = Spec::Attention { shape: *shape, precision };
    let Attend { batch, heads, kv_heads, queries, context, dimension, causal } = *shape;
    if kv_heads == 0 || !heads.is_multiple_of(kv_heads) || dimension == 0 {
        return Err(
            device.unsupported(spec.shape(), "heads must be a multiple of those of keys, and not empty")
        );
    }
    if causal && queries > context {
        return Err(device.unsupported(spec.shape(), "new tokens are among those attended to"));
    }
    let format = format_of(device, &precision)?;
    let compute = match Compute::of(device, &[format])? {
        // A softmax has no integers.
        Compute::Integer => Compute::Float,
        other => other,
    };
    let (pairs, rows) = (batch * kv_heads, heads / kv_heads * queries);
    let copies = device.copies(state, 2 * Matrix::bytes(format, pairs * context, dimension))?;
    let q = Matrix::random(device, format, (batch * heads * queries, dimension), 1, 41, false)?;
    let k = Matrix::random(device, format, (pairs * context, dimension), copies, 42, false)?;
    let v = Matrix::random(device, format, (pairs * context, dimension), copies, 43, true)?;
    let stride = k.rows.stride();
    let size = if compute == Compute::Double { 8 } else { 4 };
    let tiling = Tiling::new(device, rows, pairs, context, stride, size);
    let [rows_of_block, keys_of_block, vectors] = tiling.block;
    let combine = COMBINE_ITEMS.min(device.info().largest_group.max(1));
    let options = format!(
        "{} -DBLOCK_ROWS={rows_of_block} -DBLOCK_KEYS={keys_of_block} -DBLOCK_VECTORS={vectors} -DITEMS={} -DTILE_ROWS={} -DTILE_KEYS={} -DSTRIDE={stride} -DCOMBINE_ITEMS={combine} -DLOAD_W={}{}",
        compute.options(),
        tiling.items,
        tiling.rows,
        tiling.keys,
        loader(format, compute),
        values(&[format])
    );
    let driver = device.driver();
    let program = device.program(SOURCE, &options)?;
    let results = batch * heads * queries;
    let out = result(device, compute, results * dimension)?;
    let number = |length: usize| Argument::U32(u32::try_from(length).unwrap_or(u32::MAX));
    let scale = 1.0 / (dimension as f64).sqrt();
    let scale = if compute == Compute::Double { Argument::F64(scale) } else { Argument::F32(scale as f32) };
    let split = tiling.splits > 1;
    let parts =
        if split { result(device, compute, results * dimension * tiling.splits)? } else { Rc::clone(&out) };
    let kept = result(device, compute, if split { 2 * results * tiling.splits } else { 1 })?;
    let first = |matrix: &Matrix| matrix.codes().into_iter().take(1);
    let first_scales = |matrix: &Matrix| matrix.scales().into_iter().take(1);
    let mut arguments: Vec<Argument> = first(&k).chain(first(&v)).chain(first(&q)).collect();
    arguments.extend(first_scales(&k).chain(first_scales(&v)).chain(first_scales(&q)));
    arguments.extend([k.tensor(), v.tensor(), q.tensor()]);
    arguments.extend([Argument::Memory(Rc::clone(&parts)), Argument::Memory(Rc::clone(&kept))]);
    arguments.extend([number(rows), number(queries), number(context), number(usize::from(causal))]);
    arguments.extend([number(dimension), number(tiling.splits), scale]);
    let groups = [rows.div_ceil(tiling.rows), pairs * tiling.splits];
    let kernel = driver.kernel(&program, "attention")?;
    let stage = Stage::new(driver, kernel, arguments, groups, [tiling.items, 1])?
        .rotating(0, k.codes())
        .rotating(1, v.codes())
        .rotating(3, k.scales())
        .rotating(4, v.scales());
    let mut stages = vec![stage];
    if split {
        let arguments = vec![
            Argument::Memory(Rc::clone(&out)),
            Argument::Memory(parts),
            Argument::Memory(kept),
            number(results),
            number(dimension),
            number(tiling.splits),
        ];
        let kernel = driver.kernel(&program, "combine")?;
        stages.push(Stage::new(driver, kernel, arguments, [results, 1], [combine, 1])?);
    }
    let visible = seen(shape);
    let scores = (batch * heads) as f64 * visible;
    let mut work = Work::matrix(2.0 * scores * dimension as f64, precision)
        .reads("query", q.rows.elements(), q.rows.precision())
        .reads("key", k.rows.elements(), k.rows.precision())
        .reads("value", v.rows.elements(), v.rows.precision())
        .writes("output", (results * dimension) as f64, compute.result());
    work.arithmetic = Some(compute.arithmetic());
    let mut chores = vec![Chore::exp(scores)];
    for matrix in [&k, &v] {
        for chore in matrix.chores(compute.result()) {
            match chores.iter_mut().find(|other| other.rate == chore.rate) {
                Some(same) => same.amount += chore.amount,
                None => chores.push(chore),
            }
        }
    }
    let implementation = format!(
        "tiles of {}x{} by {}, {} of keys, compute {}",
        tiling.rows,
        tiling.keys,
        plural(tiling.items, "item"),
        plural(tiling.splits, "part"),
        compute.id()
    );
    let check = checked(*shape, [&q, &k, &v], out, compute);
    Ok(Prepared::new(spec, state, work, stages, check).called(implementation).with_chores(chores))
}

/// Scores of one head of one sequence.
fn seen(shape: &Attend) -> f64 {
    let (queries, context) = (shape.queries as f64, shape.context as f64);
    // The last query sees everything, each one before it one token less.
    if shape.causal { queries * context - queries * (queries - 1.0) / 2.0 } else { queries * context }
}

fn checked(shape: Attend, operands: [&Matrix; 3], out: Rc<super::driver::Memory>, compute: Compute) -> Check {
    let [q, k, v] = operands.map(|matrix| matrix.rows.clone());
    Box::new(move |driver| {
        let count = shape.batch * shape.heads * shape.queries * shape.dimension;
        let found = read(driver, &out, compute, count)?;
        // An error in a score is one in its exponential: scores are sums of products of at most a quarter, over the root of
        // their number, and both the largest and the other are wrong. Exponentials and what they are multiplied with
        // round a few times more (3 ulp, OpenCL C 3.0 section 7.4).
        let scores = 0.25 * (shape.dimension as f64).sqrt() * 2.0 * compute.tolerance(shape.dimension);
        let tolerance = scores + 2.0 * compute.tolerance(shape.context) + 4.0 * compute.tolerance(0);
        Ok(reference::verify_attention(
            &shape,
            (&|row, out| q.line(row, out), &|row, out| k.line(row, out), &|row, out| v.line(row, out)),
            &found,
            tolerance,
        ))
    })
}
