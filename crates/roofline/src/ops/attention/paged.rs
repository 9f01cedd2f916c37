//! Attention over a paged cache. Its arguments do not say how long the sequences are; the step of the server does.

use super::calls::formula;
use super::{Attention, Step};
use crate::ops::{Call, Formula, Unmodelled};
use crate::{Precision, Work};

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(
        &[
            "aiter::fmha_v3_varlen_fwd",
            "aiter::mha_batch_prefill",
            "aiter::mha_varlen_fwd",
            "pseudo_mla_decode_fwd",
            "pseudo_mla_prefill_fwd",
            "vllm::unified_attention",
            "vllm::unified_attention_with_output",
            "vllm::unified_mla_attention_with_output",
        ],
        packed,
    ),
    formula(&["sglang_profiler::attention_paged_attention_ragged"], ragged),
    formula(&["aiter::pa_decode_gluon"], decode),
    formula(&["aiter::pa_sparse_prefill_opus_fwd"], sparse_prefill),
    formula(&["sglang_profiler::tilelang_kernel_tilelang_sparse_fwd"], sparse),
];

/// Heads and extents, and how they are stored.
struct Heads {
    query: f64,
    key: f64,
    key_dim: f64,
    value_dim: f64,
    stored: Precision,
    cache: Precision,
}

impl Heads {
    /// The work of a step. Keys and values of this step's own tokens come from the operators before it and are stored like
    /// queries; those of earlier steps are stored like the cache.
    fn work(&self, step: &Step) -> Work {
        let tokens = step.prefill.queries + step.decode.queries;
        let earlier = step.prefill.keys + step.decode.keys - tokens;
        let sequence = Attention {
            batch: 1.0,
            query_heads: self.query,
            key_heads: self.key,
            query_tokens: tokens,
            key_tokens: tokens,
            key_dim: self.key_dim,
            value_dim: self.value_dim,
            causal: false,
            window: None,
            fused: true,
            query: self.stored,
            cache: self.stored,
            output: self.stored,
            compute: None,
        };
        let elements = earlier.max(0.0) * self.key * (self.key_dim + self.value_dim);
        sequence.forward_over(step.prefill.pairs() + step.decode.pairs()).reads("cache", elements, self.cache)
    }
}

fn step(call: &Call<'_>) -> Result<Step, Unmodelled> {
    call.step.ok_or_else(|| {
        "how long the sequences are was not recorded: annotate the steps of the server".to_owned()
    })
}

/// Queries (tokens, heads, extent), keys and values (..., heads, extent). Latent attention has no values of its own.
fn packed(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (query, key) = (call.tensor(0)?, call.tensor(1)?);
    let [_, query_heads, key_dim] = query.extents()?;
    let [.., key_heads, last] = key.shape.as_slice() else {
        return Err(format!("keys of shape {:?} have no heads", key.shape));
    };
    let value_dim = call.optional(2).and_then(|value| value.shape.last()).unwrap_or(last);
    let heads = Heads {
        query: query_heads,
        key: *key_heads as f64,
        key_dim,
        value_dim: *value_dim as f64,
        stored: query.precision()?,
        cache: key.precision()?,
    };
    Ok(heads.work(&step(call)?))
}

/// `(output, workspace, query, keys (pages, size, heads, extent), values, ...)`.
fn ragged(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (query, key, value) = (call.tensor(2)?, call.tensor(3)?, call.tensor(4)?);
    let ([_, query_heads, key_dim], [_, _, key_heads, _]) = (query.extents()?, key.extents()?);
    let [_, _, _, value_dim] = value.extents()?;
    let (stored, cache) = (query.precision()?, key.precision()?);
    Ok(Heads { query: query_heads, key: key_heads, key_dim, value_dim, stored, cache }.work(&step(call)?))
}

/// `(query, ?, keys (pages, heads, ...), ...)` with the size of a sliding window at place 19. Only sequences that get
/// another token are worked on.
fn decode(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (query, key) = (call.tensor(0)?, call.tensor(2)?);
    let [_, query_heads, key_dim] = query.extents()?;
    let [_, key_heads, ..] = key.shape.as_slice() else {
        return Err(format!("keys of shape {:?} have no heads", key.shape));
    };
    let mut step = Step { decode: step(call)?.decode, ..Step::default() };
    if let Some(window) = call.number(19).filter(|window| *window > 0.0) {
        // Exact if all sequences are longer than the window or none is; otherwise at most this.
        let most = step.decode.queries * window;
        step.decode.keys = step.decode.keys.min(most);
        step.decode.products = step.decode.products.min(most);
    }
    let heads = Heads {
        query: query_heads,
        key: *key_heads as f64,
        key_dim,
        value_dim: key_dim,
        stored: query.precision()?,
        cache: key.precision()?,
    };
    Ok(heads.work(&step))
}

/// `(query, cache, chosen slots of the cache, ..., ..., chosen slots of the chunk, ...)`: every chosen slot is one pair of
/// a query and a key.
fn sparse_prefill(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let ([before], [inside]) = (call.tensor(2)?.extents()?, call.tensor(5)?.extents()?);
    let [_, _, dim] = call.tensor(0)?.extents()?;
    chosen(call, before + inside, dim)
}

/// `(query, cache, chosen slots (tokens, heads, slots), scale, extent of values)`; values are the first 512 numbers of a
/// slot unless something else is said.
fn sparse(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let [tokens, _, slots] = call.tensor(2)?.extents()?;
    chosen(call, tokens * slots, call.number(4).unwrap_or(512.0))
}

/// Attention to chosen slots of a latent cache, where a slot is key and value in one. A slot is read once, however often
/// it is chosen, and not at all if it is not.
fn chosen(call: &Call<'_>, pairs: f64, value_dim: f64) -> Result<Work, Unmodelled> {
    let (query, cache) = (call.tensor(0)?, call.tensor(1)?);
    let ([tokens, heads, dim], stored) = (query.extents()?, query.precision()?);
    Ok(Work::matrix(heads * pairs * (dim + value_dim), stored)
        .reads("query", tokens * heads * dim, stored)
        .reads("cache", (pairs * dim).min(cache.elements()), cache.precision()?)
        .writes("output", tokens * heads * value_dim, stored))
}
