//! Keys and values on their way to and from the caches of serving engines: movement, with a conversion where the cache is
//! stored in another type. Schemas: vLLM `csrc/torch_bindings.cpp`, SGLang `sgl-kernel/csrc/common_extension.cc`, AITER
//! `aiter/ops/cache.py`.

use super::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

const CATEGORY: &str = "kv cache";

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

pub(super) const FORMULAS: &[Formula] = &[
    formula(
        &[
            "_C_cache_ops::reshape_and_cache",
            "_C_cache_ops::reshape_and_cache_flash",
            "aiter::reshape_and_cache",
            "aiter::reshape_and_cache_flash",
        ],
        |call| stored(call, [0, 1], [2, 3], 4),
    ),
    formula(
        &[
            "aiter::reshape_and_cache_with_block_quant",
            "aiter::reshape_and_cache_with_block_quant_for_asm_pa",
            "aiter::reshape_and_cache_with_pertoken_quant",
        ],
        |call| stored(call, [0, 1], [2, 3], 6),
    ),
    // TraceLens leaves the slots out.
    formula(&["sglang::store_cache"], |call| {
        let mut work = stored(call, [0, 1], [2, 3], 4)?;
        work.operands.retain(|operand| operand.name != "slots");
        Ok(work)
    }),
    formula(&["sgl_kernel::store_kv_cache"], |call| stored(call, [3, 4], [0, 1], 2)),
    formula(&["sgl_kernel::downcast_fp8"], |call| stored(call, [0, 1], [2, 3], 6)),
    formula(&["_C_cache_ops::concat_and_cache_mla", "aiter::concat_and_cache_mla"], |call| {
        stored(call, [0, 1], [2, 2], 3)
    }),
    formula(&["_C_cache_ops::concat_and_cache_mla_rope_fused"], latent_and_turned),
    formula(&["_C_cache_ops::concat_mla_q"], |call| joined(call, [0, 1], 2)),
    formula(&["sgl_kernel::concat_mla_k"], |call| joined(call, [1, 2], 0)),
    formula(&["_C_cache_ops::convert_fp8"], |call| {
        let (result, source) = (call.tensor(0)?, call.tensor(1)?);
        moved(Work::movement(), source, source.elements(), result.precision()?)
    }),
    formula(&["_C_cache_ops::gather_and_maybe_dequant_cache"], gathered),
    formula(&["_C::merge_attn_states"], |call| merged(call, 0, [2, 4], [3, 5])),
    formula(&["sgl_kernel::merge_state", "sgl_kernel::merge_state_v2"], |call| {
        merged(call, 4, [0, 2], [1, 3])
    }),
];

fn moved(work: Work, source: &Tensor, elements: f64, cache: Precision) -> Result<Work, NoFormula> {
    Ok(work.reads("new", elements, source.precision()?).writes("cache", elements, cache))
}

/// Two tensors go to the slots of two caches that a list names. Batches of a graph are padded: only tokens with a slot are
/// stored.
fn stored(call: &Call<'_>, sources: [usize; 2], caches: [usize; 2], slots: usize) -> Result<Work, NoFormula> {
    let slots = call.tensor(slots)?;
    let mut work = Work::movement();
    for (source, cache) in sources.into_iter().zip(caches) {
        let (source, cache) = (call.tensor(source)?, call.tensor(cache)?.precision()?);
        let tokens = source.shape.first().copied().unwrap_or(0) as f64;
        let kept = (slots.elements() / tokens.max(1.0)).min(1.0);
        work = moved(work, source, source.elements() * kept, cache)?;
    }
    Ok(work.reads("slots", slots.elements(), slots.precision()?))
}

/// `(positions, query part, key part, latent, cos_sin_cache, style, slots, cache, ...)`: both parts are turned, three
/// operations for an element, queries in place, keys on their way to the cache.
fn latent_and_turned(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (query, key, latent) = (call.tensor(1)?, call.tensor(2)?, call.tensor(3)?);
    let (cache, precision) = (call.tensor(7)?.precision()?, query.precision()?);
    let turned = query.elements() + key.elements();
    let work = Work::vector(3.0 * turned, turned, precision)
        .reads("query", query.elements(), precision)
        .writes("query", query.elements(), precision);
    moved(moved(work, key, key.elements(), cache)?, latent, latent.elements(), cache)
}

/// Two tensors side by side in a third. A part that all heads share is read once.
fn joined(call: &Call<'_>, parts: [usize; 2], result: usize) -> Result<Work, NoFormula> {
    let mut work = Work::movement();
    for part in parts {
        let part = call.tensor(part)?;
        work = work.reads("part", part.stored_elements(), part.precision()?);
    }
    let result = call.tensor(result)?;
    Ok(work.writes("output", result.elements(), result.precision()?))
}

/// `(cache, result, pages, bounds, token to sequence, tokens, ...)`. Older versions have the number of sequences in place of
/// that of tokens, and a result that is larger than what is gathered.
fn gathered(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (cache, result) = (call.tensor(0)?, call.tensor(1)?);
    let tokens = call.optional(4).and(call.number(5));
    let tokens = tokens.ok_or("number of gathered tokens not recorded")?;
    let [_, columns] = result.rows_and_columns()?;
    Ok(Work::movement().reads("cache", tokens * columns, cache.precision()?).writes(
        "output",
        tokens * columns,
        result.precision()?,
    ))
}

/// Two partial results of attention, weighted by their sums: two products and a sum for an element.
fn merged(call: &Call<'_>, result: usize, parts: [usize; 2], sums: [usize; 2]) -> Result<Work, NoFormula> {
    let result = call.tensor(result)?;
    let elements = result.elements();
    let mut work = Work::vector(3.0 * elements, elements, result.precision()?);
    for place in parts.into_iter().chain(sums) {
        let tensor = call.tensor(place)?;
        work = work.reads("part", tensor.elements(), tensor.precision()?);
    }
    Ok(work.writes("output", elements, result.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{call, check_named};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let (key, cache) = (("[32,8,64]", bf16), ("[100,16,8,64]", bf16));
        let narrow = ("[100,16,8,64]", "unsigned char");
        let (slots, half) = (("[32]", "long int"), ("[16]", "long int"));
        let one = ("[]", "float");
        let n = 32.0 * 512.0;
        let lse = ("[8,32]", "float");
        check_named(&[
            (
                "_C_cache_ops::reshape_and_cache_flash",
                &[key, key, cache, cache, slots, ("", ""), one, one],
                0.0,
                8.0 * n + 256.0,
            ),
            // An 8-bit cache, and a batch of which half is padding.
            (
                "_C_cache_ops::reshape_and_cache",
                &[key, key, narrow, narrow, half, ("", ""), one, one],
                0.0,
                3.0 * n + 128.0,
            ),
            ("sglang::store_cache", &[key, key, cache, cache, slots], 0.0, 8.0 * n),
            ("sgl_kernel::store_kv_cache", &[cache, cache, slots, key, key], 0.0, 8.0 * n + 256.0),
            (
                "_C_cache_ops::concat_and_cache_mla",
                &[("[32,512]", bf16), ("[32,64]", bf16), ("[9,64,576]", "unsigned char"), slots],
                0.0,
                3.0 * 32.0 * 576.0 + 256.0,
            ),
            (
                "sgl_kernel::concat_mla_k",
                &[("[32,8,192]", bf16), ("[32,8,128]", bf16), ("[32,1,64]", bf16)],
                0.0,
                2.0 * 32.0 * (8.0 * 192.0 + 8.0 * 128.0 + 64.0),
            ),
            (
                "_C_cache_ops::concat_and_cache_mla_rope_fused",
                &[
                    slots,
                    ("[32,8,64]", bf16),
                    ("[32,64]", bf16),
                    ("[32,512]", bf16),
                    ("[4096,64]", bf16),
                    ("True", "Scalar"),
                    slots,
                    ("[9,64,576]", bf16),
                ],
                3.0 * 32.0 * 9.0 * 64.0,
                4.0 * 32.0 * (512.0 + 64.0 + 512.0),
            ),
            (
                "_C_cache_ops::gather_and_maybe_dequant_cache",
                &[
                    ("[9,64,576]", "unsigned char"),
                    ("[8192,576]", bf16),
                    ("[4,32]", "int"),
                    ("[5]", "int"),
                    ("[8192]", "int"),
                    ("1000", "Scalar"),
                ],
                0.0,
                3.0 * 576_000.0,
            ),
            (
                "_C::merge_attn_states",
                &[key, ("", ""), key, lse, key, lse],
                3.0 * n,
                6.0 * n + 2.0 * 4.0 * 256.0,
            ),
            (
                "sgl_kernel::merge_state_v2",
                &[key, lse, key, lse, key, lse],
                3.0 * n,
                6.0 * n + 2.0 * 4.0 * 256.0,
            ),
        ]);
        let old =
            [("[9,64,576]", bf16), ("[8192,576]", bf16), ("[4,32]", "int"), ("[5]", "int"), ("4", "Scalar")];
        assert!(gathered(&call("_C_cache_ops::gather_and_maybe_dequant_cache", &old)).is_err());
    }
}
