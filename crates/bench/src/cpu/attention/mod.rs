//! Fused attention: scores, softmax and weighted values in one pass over keys and values, for many new tokens (prefill) or
//! one (decoding), with any number of heads that share keys and values.
#![expect(unsafe_code, reason = "vectors are loaded through pointers")]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod lanes;
mod plan;
mod reference;
mod softmax;
mod stored;
mod tile;

use eaves_roofline::measured::{Attend, CacheState, Chore, Spec, Verification};
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use self::plan::{Plan, Step, group, units, visible};
use self::stored::{Cache, LARGEST, Stored, key_place};
use self::tile::{Add, BLOCK, GRANULE, Rows, State};
use super::{InstructionSet, Making};
use crate::backend::BenchError;
use crate::buffer::Buffer;
use crate::formats::minifloat::{BF16, FP16, half};
use crate::kernel::{Kernel, Worker};

/// Queries are random numbers up to this, so that some tokens weigh much more than others.
const LARGEST_QUERY: f64 = 4.0;

/// The kernel for a spec of this family.
pub(super) fn kernel(spec: &Spec, making: &Making) -> Option<Result<Box<dyn Kernel>, BenchError>> {
    if *spec == Spec::Softmax {
        return Some(softmax::kernel(making));
    }
    let Spec::Attention { shape, precision } = *spec else { return None };
    Some(Attention::new(&shape, &precision, making).map(|attention| Box::new(attention) as _))
}

/// One attention with its operands.
struct Attention {
    spec: Spec,
    making: Making,
    operands: Operands,
    results: Vec<f32>,
    instructions: InstructionSet,
    add: Add,
}

/// What to read.
struct Operands {
    shape: Attend,
    stored: Stored,
    /// Elements of a head as stored.
    padded: usize,
    /// Tokens of a head as stored.
    tokens: usize,
    /// A row for each query of each head: those of a head of keys and values are together.
    queries: Buffer<u8>,
    copies: Vec<Cache>,
}

impl Operands {
    fn head_bytes(&self) -> usize {
        self.tokens * self.padded * self.stored.bytes()
    }

    /// What the keys and the values of a head mean, in the order they are stored in.
    fn head(&self, head: usize) -> (Vec<f64>, Vec<f64>) {
        let count = self.tokens * self.padded;
        let all = |bytes: &[u8]| {
            (head * count..(head + 1) * count).map(|index| self.stored.get(bytes, index)).collect()
        };
        self.copies.first().map_or_else(Default::default, |cache| (all(&cache.keys), all(&cache.values)))
    }

    /// What a row of queries means.
    fn query(&self, row: usize) -> Vec<f64> {
        (row * self.padded..(row + 1) * self.padded).map(|index| f64::from(self.query_at(index))).collect()
    }

    /// One element of the queries.
    #[inline(always)]
    fn query_at(&self, index: usize) -> f32 {
        let two = || self.queries.as_chunks().0.get(index).map_or(0, |bytes| u16::from_le_bytes(*bytes));
        match self.stored {
            Stored::Fp16 => half(two()),
            Stored::Bf16 => f32::from_bits(u32::from(two()) << 16),
            _ => self.queries.as_chunks().0.get(index).map_or(0.0, |bytes| f32::from_le_bytes(*bytes)),
        }
    }
}

impl Attention {
    fn new(shape: &Attend, precision: &Precision, making: &Making) -> Result<Self, BenchError> {
        let unsupported = |why: &str| BenchError::Unsupported {
            backend: "cpu".to_owned(),
            what: format!("attention {precision}"),
            why: why.to_owned(),
        };
        let Attend { batch, heads, kv_heads, queries, context, dimension, causal } = *shape;
        let stored = Stored::of(precision)
            .ok_or_else(|| unsupported("there are fp32, fp16, bf16, int8, fp8_e4m3 and fp8_e5m2"))?;
        if [batch, heads, kv_heads, queries, context, dimension].contains(&0) {
            return Err(unsupported("a dimension is zero"));
        }
        if !heads.is_multiple_of(kv_heads) {
            return Err(unsupported("heads of queries are no multiple of those of keys"));
        }
        if causal && queries > context {
            return Err(unsupported("there are more new tokens than tokens"));
        }
        let memory = || BenchError::Memory { what: format!("attention of {context} tokens") };
        let padded = dimension.checked_next_multiple_of(GRANULE).ok_or_else(memory)?;
        let tokens = context.checked_next_multiple_of(BLOCK).ok_or_else(memory)?;
        let product = |factors: &[usize]| {
            factors.iter().try_fold(1, |product: usize, factor| product.checked_mul(*factor))
        };
        let bytes = product(&[2, batch, kv_heads, tokens, padded, stored.bytes()]).ok_or_else(memory)?;
        if making.state == CacheState::LastLevel && bytes >= making.last_cache {
            return Err(unsupported("keys and values do not fit the last cache"));
        }
        let mut random = fastrand::Rng::with_seed(13);
        let rows = product(&[batch, heads, queries]).ok_or_else(memory)?;
        product(&[rows, padded, size_of::<f32>()]).ok_or_else(memory)?;
        let queries = random_queries(stored, rows, dimension, padded, &mut random).ok_or_else(memory)?;
        let first =
            random_cache(stored, batch * kv_heads, (context, dimension), (tokens, padded), &mut random)
                .ok_or_else(memory)?;
        let wanted = making.separate_copies(bytes);
        let mut copies = vec![first];
        for _ in 1..wanted {
            let copy = copies
                .first()
                .and_then(|first| Some(Cache { keys: copied(&first.keys)?, values: copied(&first.values)? }));
            copies.push(copy.ok_or_else(memory)?);
        }
        let (instructions, add) = stored.code(making.instructions);
        Ok(Self {
            spec: Spec::Attention { shape: *shape, precision: *precision },
            making: *making,
            operands: Operands { shape: *shape, stored, padded, tokens, queries, copies },
            results: vec![f32::NAN; rows * padded],
            instructions,
            add,
        })
    }

    fn plan(&self, threads: usize) -> Plan {
        let Operands { padded, stored, .. } = &self.operands;
        // Rates of a slow core.
        let flops_per_second = if self.instructions == InstructionSet::Portable { 4e9 } else { 50e9 };
        let bytes = (2 * BLOCK * padded * stored.bytes()) as f64;
        let flops = (4 * BLOCK * padded) as f64;
        Plan::new(&self.operands.shape, threads, flops / flops_per_second, bytes / 24e9)
    }

    /// Scores that are computed, as the model counts them.
    fn scores(&self) -> f64 {
        let shape = &self.operands.shape;
        let rows = shape.queries * group(shape);
        let of_a_head: f64 = (0..rows).map(|row| visible(shape, row) as f64).sum();
        (shape.batch * shape.kv_heads) as f64 * of_a_head
    }
}

fn copied(from: &[u8]) -> Option<Buffer<u8>> {
    let mut to = Buffer::<u8>::zeroed(from.len())?;
    to.copy_from_slice(from);
    Some(to)
}

fn random_queries(
    stored: Stored,
    rows: usize,
    dimension: usize,
    padded: usize,
    random: &mut fastrand::Rng,
) -> Option<Buffer<u8>> {
    let bytes = if stored.queries() == Precision::FP32 { 4 } else { 2 };
    let mut queries = Buffer::<u8>::zeroed(rows.checked_mul(padded * bytes)?)?;
    for (index, slot) in queries.chunks_mut(bytes).enumerate() {
        if index % padded >= dimension {
            continue;
        }
        let value = (2.0 * random.f64() - 1.0) * LARGEST_QUERY;
        let code = match stored {
            Stored::Fp16 => FP16.encode(value),
            Stored::Bf16 => BF16.encode(value),
            _ => (value as f32).to_bits(),
        };
        for (slot, byte) in slot.iter_mut().zip(code.to_le_bytes()) {
            *slot = byte;
        }
    }
    Some(queries)
}

fn random_cache(
    stored: Stored,
    heads: usize,
    (context, dimension): (usize, usize),
    (tokens, padded): (usize, usize),
    random: &mut fastrand::Rng,
) -> Option<Cache> {
    let bytes = heads * tokens * padded * stored.bytes();
    let mut cache = Cache { keys: Buffer::zeroed(bytes)?, values: Buffer::zeroed(bytes)? };
    for head in 0..heads {
        let start = head * tokens * padded;
        for token in 0..context {
            for element in 0..dimension {
                let mut next = || (2.0 * random.f64() - 1.0) * LARGEST;
                stored.put(&mut cache.keys, start + key_place(token, element, padded), next());
                stored.put(&mut cache.values, start + token * padded + element, next());
            }
        }
    }
    Some(cache)
}

impl Kernel for Attention {
    fn spec(&self) -> Spec {
        self.spec
    }

    fn implementation(&self) -> String {
        format!("{} fused, keys in tiles of 8", self.instructions)
    }

    fn work(&self) -> Work {
        let Operands { shape, stored, padded, tokens, .. } = &self.operands;
        let macs = 2.0 * self.scores() * shape.dimension as f64;
        let queries = (shape.batch * shape.heads * shape.queries * padded) as f64;
        let cached = (shape.batch * shape.kv_heads * tokens * padded) as f64;
        Work {
            flops: 2.0 * macs,
            macs,
            arithmetic: Some(Arithmetic::Fp32),
            engine: Engine::Vector,
            ..Work::movement()
        }
        .reads("q", queries, stored.queries())
        .reads("k", cached, stored.precision())
        .reads("v", cached, stored.precision())
        .writes("output", queries, Precision::FP32)
    }

    fn chores(&self) -> Vec<Chore> {
        let Operands { shape, stored, padded, .. } = &self.operands;
        // Blocks are computed whole, also where not all of their tokens are seen.
        let computed: usize = units(shape).map(|unit| plan::blocks(shape, &unit) * unit.rows * BLOCK).sum();
        let unseen = computed as f64 - self.scores();
        let elements = |passes: fn(usize) -> usize| -> usize {
            units(shape).map(|unit| plan::blocks(shape, &unit) * passes(unit.rows) * 2 * BLOCK * padded).sum()
        };
        // Keys and values are fetched to the second cache, and come from there again for every few rows. If they are in a
        // cache, the first time is the one that operands are counted for.
        let again = match self.making.state {
            CacheState::Cold => elements(tile::passes),
            CacheState::Hot | CacheState::LastLevel => elements(|rows| tile::passes(rows) - 1),
        };
        let mut chores = vec![
            Chore { rate: softmax::RATE.to_owned(), amount: computed as f64 },
            Chore { rate: "read l2".to_owned(), amount: (again * stored.bytes()) as f64 },
            Chore { rate: "fma fp32".to_owned(), amount: 4.0 * unseen * shape.dimension as f64 },
        ];
        if *stored != Stored::Fp32 {
            // Widened again for every few rows.
            let amount = elements(tile::passes);
            let rate = format!("dequantise {}/fp32", stored.precision().name);
            chores.push(Chore { rate, amount: amount as f64 });
        }
        chores
    }

    fn state(&self) -> CacheState {
        self.making.state
    }

    fn huge_pages(&self) -> Option<bool> {
        self.operands.copies.first()?.keys.has_huge_pages()
    }

    fn pieces(&self) -> usize {
        self.plan(self.making.threads).pieces()
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let plan = self.plan(threads);
        let padded = self.operands.padded;
        let mut rest = self.results.as_mut_slice();
        let mut before = 0;
        let mut workers: Vec<Box<dyn Worker + '_>> = Vec::with_capacity(threads);
        for (pieces, rows) in plan.threads.into_iter().zip(plan.rows) {
            let (results, others) = rest.split_at_mut((rows * padded).min(rest.len()));
            rest = others;
            workers.push(Box::new(Part {
                operands: &self.operands,
                add: self.add,
                pieces,
                before,
                results,
                queries: Vec::new(),
                states: Vec::new(),
                visible: Vec::new(),
                scores: Vec::new(),
            }));
            before += rows;
        }
        workers
    }

    fn verify(&self) -> Verification {
        reference::verify(&self.operands, &self.results)
    }
}

/// What one thread does.
struct Part<'a> {
    operands: &'a Operands,
    add: Add,
    pieces: Vec<Vec<Step>>,
    /// Rows of threads before this one.
    before: usize,
    results: &'a mut [f32],
    /// Queries of the unit available, times scale.
    queries: Vec<f32>,
    states: Vec<State>,
    visible: Vec<usize>,
    scores: Vec<f32>,
}

impl Part<'_> {
    fn begin(&mut self, first: usize, step: &Step) {
        let Operands { shape, padded, stored, .. } = self.operands;
        let scale = stored.factor() / (shape.dimension as f32).sqrt();
        let elements = first * padded..(first + step.unit.rows) * padded;
        self.queries.clear();
        self.queries.extend(elements.map(|index| scale * self.operands.query_at(index)));
        self.states.clear();
        self.states.resize(step.unit.rows, State::EMPTY);
        self.visible.clear();
        self.visible.extend((0..step.unit.rows).map(|row| visible(shape, step.unit.first + row)));
        self.scores.resize(step.unit.rows * BLOCK, 0.0);
    }
}

impl Worker for Part<'_> {
    fn run(&mut self, piece: usize, turn: usize) {
        let Operands { shape, padded, stored, copies, .. } = self.operands;
        let Some(cache) = copies.get(turn % copies.len().max(1)) else { return };
        let head_bytes = self.operands.head_bytes();
        let block_bytes = BLOCK * padded * stored.bytes();
        for index in 0..self.pieces.get(piece).map_or(0, Vec::len) {
            let Some(step) = self.pieces.get(piece).and_then(|steps| steps.get(index)).cloned() else {
                return;
            };
            let first = step.unit.head * shape.queries * group(shape) + step.unit.first;
            if step.begins {
                self.begin(first, &step);
            }
            let own = (first - self.before) * padded..(first - self.before + step.unit.rows) * padded;
            let Some(results) = self.results.get_mut(own) else { return };
            if step.begins {
                results.fill(0.0);
            }
            let mut rows = Rows {
                queries: &self.queries,
                results,
                states: &mut self.states,
                visible: &self.visible,
                scores: &mut self.scores,
                dimension: *padded,
            };
            for block in step.blocks.clone() {
                let block = cache.block(head_bytes, block_bytes, step.unit.head, block);
                // SAFETY: `Stored::code` took only code whose instructions the processor has.
                unsafe { (self.add)(&mut rows, &block) };
            }
            if step.ends {
                for (row, state) in results.chunks_mut(*padded).zip(&self.states) {
                    let factor = stored.factor() / state.sum();
                    row.iter_mut().for_each(|result| *result *= factor);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
