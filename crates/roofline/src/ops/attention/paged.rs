//! Attention over a paged cache. Its arguments do not say how long the sequences are; the step of the server does, or the
//! longest of them if there is only one. Schemas: vLLM `csrc/torch_bindings.cpp`, `vllm/attention/layer.py` and
//! `vllm/_aiter_ops.py`, vLLM's flash-attention `hopper/flash_api_torch_lib.cpp` and
//! `csrc/flash_attn/flash_api_torch_lib.cpp`, SGLang `sgl-kernel/csrc/{common_extension,flash_extension}.cc`, AITER
//! `aiter/ops/attention.py`, FlashMLA.

use super::Step;
use super::calls::formula;
use crate::ops::{Call, Formula, NoFormula, Tensor};
use crate::{Basis, Precision, Work};

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
        ],
        packed,
    ),
    formula(&["vllm::unified_mla_attention", "vllm::unified_mla_attention_with_output"], latent_layer),
    formula(&["aiter::paged_attention_ragged", "sglang_profiler::attention_paged_attention_ragged"], ragged),
    formula(&["aiter::pa_decode_gluon"], decode),
    // Keys as (pages, heads, ...).
    formula(
        &["aiter::_pa_fwd_asm", "aiter::pa_fwd_asm", "aiter::pa_fwd_naive", "aiter::pa_ps_fwd_asm"],
        |call| {
            let heads = call.tensor(1)?.shape.get(1).copied().ok_or("the keys have no heads")?;
            blocks(call, 0, heads as f64, None)
        },
    ),
    // `(output, query, keys, values, heads of keys, scale, pages, lengths, size, longest, ...)`.
    formula(&["_C::paged_attention_v1"], |call| blocks(call, 1, heads_at(call, 4)?, Some((6, 9)))),
    // The same behind three tensors for parts.
    formula(&["_C::paged_attention_v2", "aiter::paged_attention_rocm"], |call| {
        blocks(call, 4, heads_at(call, 7)?, Some((9, 12)))
    }),
    formula(&["_rocm_C::paged_attention"], |call| blocks(call, 4, heads_at(call, 7)?, None)),
    formula(&["sgl_kernel::cutlass_mla_decode"], |call| split_latent(call, 0, [1, 2], 3)),
    formula(&["_C::sm100_cutlass_mla_decode"], |call| split_latent(call, 0, [2, 3], 4)),
    formula(&["vllm::rocm_aiter_mla_decode_fwd"], |call| {
        let extent = call.tensor(2)?.shape.last().copied().unwrap_or(0);
        latent(call, call.tensor(0)?, call.tensor(1)?, extent as f64)
    }),
    formula(&["_flashmla_C::fwd_kvcache_mla"], |call| {
        let extent = call.number(2).ok_or("the extent of values was not recorded")?;
        latent(call, call.tensor(0)?, call.tensor(1)?, extent)
    }),
    formula(&["aiter::mla_decode_stage1_asm_fwd"], latent_in_parts),
    formula(&["aiter::pa_sparse_prefill_opus_fwd"], sparse_prefill),
    formula(&["sglang_profiler::tilelang_kernel_tilelang_sparse_fwd"], sparse),
];

/// What a token has, in elements over all heads.
pub(super) struct Token {
    /// Its query.
    pub query: f64,
    /// Its output.
    pub output: f64,
    /// Its key and value; in a latent cache these are one.
    pub cached: f64,
    /// Elements that a pair of a query and a key multiplies.
    pub pair: f64,
    /// How queries are stored.
    pub stored: Precision,
    /// How the output is stored.
    pub written: Precision,
    /// How the cache is stored.
    pub cache: Precision,
    /// Whether keys and values of this step's own tokens are in the cache already. Otherwise they come from the operators
    /// before it, stored like queries.
    pub all_in_cache: bool,
}

impl Token {
    /// Of heads of queries and of keys with the extents of keys and of values.
    pub(super) fn of([query_heads, key_heads]: [f64; 2], [key, value]: [f64; 2], stored: Precision) -> Self {
        Self {
            query: query_heads * key,
            output: query_heads * value,
            cached: key_heads * (key + value),
            pair: query_heads * (key + value),
            stored,
            written: stored,
            cache: stored,
            all_in_cache: false,
        }
    }

    /// The work of a step.
    pub(super) fn work(&self, step: &Step) -> Result<Work, NoFormula> {
        if step.queries_only && step.decode.queries > 0.0 {
            return Err(LENGTHS.to_owned());
        }
        let tokens = step.prefill.queries + step.decode.queries;
        let keys = step.prefill.keys + step.decode.keys;
        let (new, earlier) = if self.all_in_cache { (0.0, keys) } else { (tokens, (keys - tokens).max(0.0)) };
        let pairs = step.prefill.pairs() + step.decode.pairs();
        let work = Work::matrix(pairs * self.pair, self.stored)
            .reads("query", tokens * self.query, self.stored)
            .reads("new keys and values", new * self.cached, self.stored)
            .reads("cache", earlier * self.cached, self.cache)
            .writes("output", tokens * self.output, self.written);
        Ok(if step.queries_only { work.on(UNCACHED) } else { work })
    }

    /// The work of the step around a call, or of its only sequence if the longest is known.
    fn in_step(&self, call: &Call<'_>, only: Option<Step>) -> Result<Work, NoFormula> {
        let step = call.step.or(only).ok_or(LENGTHS)?;
        self.work(&step)
    }
}

const LENGTHS: &str = "sequence lengths not recorded: annotate the server's steps";
const UNCACHED: Basis = Basis::AtLeast("cached sequence lengths not recorded");
const LIKE_KEYS: Basis = Basis::Estimated("assumes the cache to have the keys' type");

/// A single sequence: the tensor of pages has a row for each, the longest is a number.
pub(super) fn only_sequence(call: &Call<'_>, queries: f64, pages: usize, longest: usize) -> Option<Step> {
    let [sequences, _] = call.optional(pages)?.extents().ok()?;
    (sequences == 1.0).then_some(())?;
    Some(Step::of_one(queries, call.number(longest)?))
}

fn heads_at(call: &Call<'_>, place: usize) -> Result<f64, NoFormula> {
    call.number(place).ok_or_else(|| "number of key heads not recorded".to_owned())
}

/// Queries (tokens, heads, extent), keys and values (..., heads, extent), or all with heads and extents as one. Latent
/// attention has no values of its own. A tensor for the output may follow.
fn packed(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (query, key) = (call.tensor(0)?, call.tensor(1)?);
    let (stored, last) = (query.precision()?, |tensor: &Tensor| tensor.shape.last().copied());
    let value = call.optional(2).and_then(last).or_else(|| last(key)).unwrap_or(0) as f64;
    let token = match (query.shape.as_slice(), key.shape.as_slice()) {
        // Heads are not distinguished: as many columns as they have together, and of a value as many as of a key.
        ([_, columns], [_, keys]) => {
            Token::of([1.0, *keys as f64 / (*columns).max(1) as f64], [*columns as f64; 2], stored)
        }
        ([_, heads, extent], [.., key_heads, _]) => {
            Token::of([*heads as f64, *key_heads as f64], [*extent as f64, value], stored)
        }
        (query, key) => return Err(format!("queries {query:?} and keys {key:?} have no heads")),
    };
    let written = call.optional(3).filter(|output| output.shape == query.shape);
    let token =
        Token { cache: key.precision()?, written: written.map_or(Ok(stored), Tensor::precision)?, ..token };
    let work = token.in_step(call, None)?;
    // The keys among the arguments are those of this step; how the cache keeps them is not.
    Ok(if work.basis == Basis::Recorded { work.on(LIKE_KEYS) } else { work })
}

/// `(query (tokens, heads, extent), latent (tokens, extent), shared part of keys (tokens, 1, extent), [output,] ...)`: prompts
/// are read with keys and values of every head made from the latent, later tokens attend to the latent itself. The products
/// that make them are operators of their own, or kernels that are not counted here.
fn latent_layer(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (query, latent, shared) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let [tokens, heads, extent] = query.extents()?;
    let [_, narrow] = latent.rows_and_columns()?;
    let part = shared.shape.last().copied().unwrap_or(0) as f64;
    let written = call.optional(3).filter(|output| output.elements() > 0.0 && tokens > 0.0);
    let value = match written {
        Some(output) => output.elements() / tokens / heads.max(1.0),
        // As wide as the part of a key that is not shared.
        None => extent - part,
    };
    let stored = query.precision()?;
    let token = Token {
        cached: narrow + part,
        cache: latent.precision()?,
        ..Token::of([heads, 0.0], [extent, value], stored)
    };
    let step = call.step.ok_or(LENGTHS)?;
    let mut work = token.work(&step)?;
    // Pairs of later tokens are wider than those of prompts.
    let more = step.decode.pairs() * heads * (2.0 * narrow + part - extent - value);
    (work.macs, work.flops) = (work.macs + more, work.flops + 2.0 * more);
    Ok(if work.basis == Basis::Recorded { work.on(LIKE_KEYS) } else { work })
}

/// `(output, workspace, query, keys (pages, size, heads, extent), values, ...)`.
fn ragged(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (query, key, value) = (call.tensor(2)?, call.tensor(3)?, call.tensor(4)?);
    let ([_, query_heads, key_dim], [_, _, key_heads, _]) = (query.extents()?, key.extents()?);
    let [_, _, _, value_dim] = value.extents()?;
    let token = Token::of([query_heads, key_heads], [key_dim, value_dim], query.precision()?);
    Token { cache: key.precision()?, ..token }.in_step(call, None)
}

/// `(query, ?, keys (pages, heads, ...), ...)` with the size of a sliding window at place 19. Only sequences that get
/// another token are worked on.
fn decode(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (query, key) = (call.tensor(0)?, call.tensor(2)?);
    let [_, query_heads, key_dim] = query.extents()?;
    let [_, key_heads, ..] = key.shape.as_slice() else {
        return Err(format!("keys of shape {:?} have no heads", key.shape));
    };
    let step = call.step.ok_or(LENGTHS)?;
    let step = Step { decode: step.decode, queries_only: step.queries_only, ..Step::default() };
    let window = call.number(19).filter(|window| *window > 0.0);
    let step = window.map_or(step, |window| step.within(window));
    let token = Token::of([query_heads, *key_heads as f64], [key_dim; 2], query.precision()?);
    Token { cache: key.precision()?, ..token }.work(&step)
}

/// The query (sequences, heads, extent) and two caches in blocks from a place on. Only sequences that get another token are
/// worked on; places of the pages and of the longest of them, if they were recorded.
fn blocks(
    call: &Call<'_>,
    query: usize,
    key_heads: f64,
    lengths: Option<(usize, usize)>,
) -> Result<Work, NoFormula> {
    let (query, key) = (call.tensor(query)?, call.tensor(query + 1)?);
    let [tokens, query_heads, extent] = query.extents()?;
    let token = Token {
        cache: key.precision()?,
        all_in_cache: true,
        ..Token::of([query_heads, key_heads], [extent; 2], query.precision()?)
    };
    let only = lengths.and_then(|(pages, longest)| only_sequence(call, tokens, pages, longest));
    let decoded = call.step.map(|step| Step {
        decode: step.decode,
        queries_only: step.queries_only,
        ..Step::default()
    });
    token.work(&decoded.or(only).ok_or(LENGTHS)?)
}

/// Attention of queries to a latent cache (..., extent), of which the first `value` numbers are values too.
fn latent(call: &Call<'_>, query: &Tensor, cache: &Tensor, value: f64) -> Result<Work, NoFormula> {
    let [.., heads, extent] = query.shape.as_slice() else {
        return Err(format!("queries of shape {:?} have no heads", query.shape));
    };
    over_latent(call, *heads as f64, [*extent as f64, value], query, cache)
}

/// Queries in two parts at two places.
fn split_latent(call: &Call<'_>, output: usize, parts: [usize; 2], cache: usize) -> Result<Work, NoFormula> {
    let (query, shared) = (call.tensor(parts[0])?, call.tensor(parts[1])?);
    let ([_, heads, narrow], [_, _, part]) = (query.extents()?, shared.extents()?);
    let value = call.tensor(output)?.shape.last().copied().unwrap_or(0) as f64;
    over_latent(call, heads, [narrow + part, value], query, call.tensor(cache)?)
}

/// `(query, cache, ..., parts (..., extent of values), ...)`: the parts are the first tensor of four axes behind both.
fn latent_in_parts(call: &Call<'_>) -> Result<Work, NoFormula> {
    let parts = call.tensors().skip(2).find(|tensor| tensor.shape.len() == 4);
    let value = parts.and_then(|parts| parts.shape.last()).ok_or("the extent of values was not recorded")?;
    latent(call, call.tensor(0)?, call.tensor(1)?, *value as f64)
}

fn over_latent(
    call: &Call<'_>,
    heads: f64,
    [extent, value]: [f64; 2],
    query: &Tensor,
    cache: &Tensor,
) -> Result<Work, NoFormula> {
    let token = Token {
        cached: extent,
        cache: cache.precision()?,
        all_in_cache: true,
        ..Token::of([heads, 0.0], [extent, value], query.precision()?)
    };
    token.in_step(call, None)
}

/// `(query, cache, chosen slots of the cache, ..., ..., chosen slots of the chunk, ...)`: every chosen slot is one pair of
/// a query and a key.
fn sparse_prefill(call: &Call<'_>) -> Result<Work, NoFormula> {
    let ([before], [inside]) = (call.tensor(2)?.extents()?, call.tensor(5)?.extents()?);
    let [_, _, dim] = call.tensor(0)?.extents()?;
    chosen(call, before + inside, dim)
}

/// `(query, cache, chosen slots (tokens, heads, slots), scale, extent of values)`; values are the first 512 numbers of a
/// slot unless something else is said.
fn sparse(call: &Call<'_>) -> Result<Work, NoFormula> {
    let [tokens, _, slots] = call.tensor(2)?.extents()?;
    chosen(call, tokens * slots, call.number(4).unwrap_or(512.0))
}

/// Attention to chosen slots of a latent cache, where a slot is key and value in one. A slot is read once, however often
/// it is chosen, and not at all if it is not.
fn chosen(call: &Call<'_>, pairs: f64, value_dim: f64) -> Result<Work, NoFormula> {
    let (query, cache) = (call.tensor(0)?, call.tensor(1)?);
    let ([tokens, heads, dim], stored) = (query.extents()?, query.precision()?);
    Ok(Work::matrix(heads * pairs * (dim + value_dim), stored)
        .reads("query", tokens * heads * dim, stored)
        .reads("cache", (pairs * dim).min(cache.elements()), cache.precision()?)
        .writes("output", tokens * heads * value_dim, stored))
}

#[cfg(test)]
mod tests {
    use super::super::Tokens;
    use super::*;
    use crate::ops::operands::testing::call;
    use crate::ops::{formula, wrapper};

    const BF16: &str = "c10::BFloat16";
    const FP8: &str = "c10::Float8_e4m3fn";

    /// Two sequences of 7 and 9 keys that get a token each.
    fn decoding() -> Step {
        let decode = Tokens { queries: 2.0, keys: 16.0, squares: 2.0, products: 16.0 };
        Step { decode, ..Step::default() }
    }

    fn work(name: &'static str, arguments: &[(&str, &str)], step: Option<Step>) -> Result<Work, NoFormula> {
        let found = formula(name).or_else(|| wrapper(name)).unwrap_or_else(|| panic!("{name}"));
        (found.work)(&Call { step, ..call(name, arguments) })
    }

    #[test]
    fn caches_in_blocks_by_hand() {
        let number = |text| (text, "Scalar");
        let (query, pages, lengths) = (("[2,8,64]", BF16), ("[2,4]", "int"), ("[2]", "int"));
        let cache = ("[10,2,8,16,8]", FP8);
        let operands =
            [query, cache, cache, number("2"), number("0.1"), pages, lengths, number("16"), number("9")];
        let first = [&[query][..], &operands].concat();
        let found = work("_C::paged_attention_v1", &first, Some(decoding())).unwrap();
        // 8 heads, 16 pairs, twice 64; 16 keys and values of two heads in a byte each.
        assert_eq!(found.macs, 8.0 * 16.0 * 128.0);
        assert_eq!(found.bytes(), 2.0 * (2.0 * 512.0) * 2.0 + 16.0 * 2.0 * 128.0);
        assert_eq!(found.basis, Basis::Recorded);
        assert!(work("_C::paged_attention_v1", &first, None).unwrap_err().contains("annotate"));
        let parts = ("[2,8,1]", "float");
        let second = [&[query, parts, parts, parts][..], &operands].concat();
        assert_eq!(work("_C::paged_attention_v2", &second, Some(decoding())).unwrap(), found);
        assert_eq!(
            work("aiter::pa_fwd_asm", &[query, cache, cache, pages, lengths], Some(decoding())).unwrap(),
            found
        );
        // Of a single sequence the longest is the length.
        let alone = [
            ("[1,8,64]", BF16),
            ("[1,8,64]", BF16),
            cache,
            cache,
            number("2"),
            number("0.1"),
            ("[1,4]", "int"),
            ("[1]", "int"),
            number("16"),
            number("9"),
        ];
        let one = work("_C::paged_attention_v1", &alone, None).unwrap();
        assert_eq!((one.macs, one.bytes()), (8.0 * 9.0 * 128.0, 2.0 * 512.0 * 2.0 + 9.0 * 2.0 * 128.0));
    }

    /// 16 heads attend to 576 numbers of a slot, of which 512 are values.
    #[test]
    fn latent_caches_by_hand() {
        let (macs, bytes) = (16.0 * 16.0 * (576.0 + 512.0), 2.0 * 2.0 * 16.0 * 1088.0 + 2.0 * 16.0 * 576.0);
        let (query, cache, output) = (("[2,16,576]", BF16), ("[9,64,576]", BF16), ("[2,16,512]", BF16));
        let parts = [("[2,16,512]", BF16), ("[2,16,64]", BF16)];
        for (name, arguments) in [
            ("sgl_kernel::cutlass_mla_decode", &[output, parts[0], parts[1], cache][..]),
            ("_C::sm100_cutlass_mla_decode", &[output, ("[2,16]", "float"), parts[0], parts[1], cache]),
            ("vllm::rocm_aiter_mla_decode_fwd", &[query, cache, output]),
            ("_flashmla_C::fwd_kvcache_mla", &[("[2,1,16,576]", BF16), cache, ("512", "Scalar")]),
            (
                "aiter::mla_decode_stage1_asm_fwd",
                &[query, ("[9,64,1,576]", BF16), ("[3]", "int"), ("[3]", "int"), ("[2,4,16,512]", "float")],
            ),
        ] {
            let found = work(name, arguments, Some(decoding())).unwrap();
            assert_eq!((found.macs, found.bytes()), (macs, bytes), "{name}");
        }
        // A layer: keys of 128 and 64, values of 128 while a prompt is read. 3 tokens see 1, 2 and 3 keys.
        let layer = [("[5,16,192]", BF16), ("[5,512]", BF16), ("[5,1,64]", BF16), ("[5,2048]", BF16)];
        let prefill = Tokens { queries: 3.0, keys: 3.0, squares: 9.0, products: 9.0 };
        let step = Step { prefill, ..decoding() };
        let found = work("vllm::unified_mla_attention_with_output", &layer, Some(step)).unwrap();
        assert_eq!(found.macs, 16.0 * 6.0 * 320.0 + 16.0 * 16.0 * 1088.0);
        // 5 queries and outputs, 5 new latents, and 14 from the cache.
        assert_eq!(found.bytes(), 2.0 * 5.0 * 16.0 * 320.0 + 2.0 * 19.0 * 576.0);
    }

    /// Annotations with tokens only are enough for prompts, and say that it may be more.
    #[test]
    fn annotations_without_lengths() {
        let arguments = [("[10,8,64]", BF16), ("[10,2,64]", BF16), ("[10,2,64]", BF16), ("[10,8,64]", BF16)];
        let step = Step::parse("execute_context_2(10)_generation_0(0)");
        let found = work("vllm::unified_attention_with_output", &arguments, step).unwrap();
        assert_eq!(found.macs, 8.0 * 30.0 * 128.0);
        assert_eq!(found.bytes(), 2.0 * 10.0 * (2.0 * 512.0 + 2.0 * 128.0));
        assert!(matches!(found.basis, Basis::AtLeast(_)));
        let mixed = Step::parse("execute_context_2(9)_generation_1(1)");
        assert!(work("vllm::unified_attention_with_output", &arguments, mixed).is_err());
        // Heads and extents as one: the same amounts.
        let flat = [("[10,512]", BF16), ("[10,128]", BF16), ("[10,128]", BF16)];
        let same = work("vllm::unified_attention", &flat, step).unwrap();
        assert_eq!((same.macs, same.bytes()), (found.macs, found.bytes()));
    }
}
