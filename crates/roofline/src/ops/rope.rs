//! Rotary position embedding: a pair of elements takes four products and two sums, so three operations for an element.
//! Tables of sines and positions are small and stay in caches; as TraceLens, they are not counted.

use super::operands::count;
use super::shape::volume;
use super::{Call, Formula, NoFormula, Tensor};
use crate::{Precision, Work};

const CATEGORY: &str = "rope";

pub(super) const FORMULAS: &[Formula] = &[
    Formula {
        names: &["FusedRoPEFunc", "FusedRoPEFuncBackward"],
        category: CATEGORY,
        work: whole,
        backward: None,
    },
    Formula { names: PAIR, category: CATEGORY, work: pair, backward: None },
    Formula { names: TO_OUTPUT, category: CATEGORY, work: to_output, backward: None },
    Formula { names: HEADS, category: CATEGORY, work: heads, backward: None },
    Formula { names: TABLED, category: CATEGORY, work: tabled, backward: None },
    Formula {
        names: &["_C::fused_qk_norm_rope", "sgl_kernel::fused_qk_norm_rope"],
        category: CATEGORY,
        work: normalised,
        backward: None,
    },
    Formula {
        names: &["aiter::fused_qk_rope_cat_and_cache_mla", "aiter::fused_qk_rope_concat_and_cache_mla"],
        category: CATEGORY,
        work: latent,
        backward: None,
    },
];

/// AITER, `aiter/ops/rope.py`; backward they turn the other way.
const PAIR: &[&str] = &[
    "aiter::rope_2c_bwd_impl",
    "aiter::rope_2c_fwd_impl",
    "aiter::rope_cached_2c_bwd_impl",
    "aiter::rope_cached_2c_fwd_impl",
    "aiter::rope_cached_positions_2c_fwd_impl",
    "aiter::rope_cached_positions_offsets_2c_fwd_impl",
];
const TO_OUTPUT: &[&str] = &[
    "aiter::rope_2d_bwd_impl",
    "aiter::rope_2d_fwd_impl",
    "aiter::rope_bwd_impl",
    "aiter::rope_cached_bwd_impl",
    "aiter::rope_cached_fwd_impl",
    "aiter::rope_cached_positions_fwd_impl",
    "aiter::rope_cached_positions_offsets_fwd_impl",
    "aiter::rope_fwd_impl",
    "aiter::rope_thd_bwd_impl",
    "aiter::rope_thd_fwd_impl",
];
/// vLLM, `csrc/torch_bindings.cpp`.
const HEADS: &[&str] = &[
    "_C::batched_rotary_embedding",
    "_C::rotary_embedding",
    "sgl_kernel::rotary_embedding",
    "vllm::rocm_aiter_triton_rotary_embedding",
];
/// FlashInfer's, which SGLang has too.
const TABLED: &[&str] =
    &["flashinfer::apply_rope_pos_ids_cos_sin_cache", "sgl_kernel::apply_rope_pos_ids_cos_sin_cache"];

fn rotated(elements: f64, precision: Precision) -> Work {
    Work::vector(3.0 * elements, elements, precision)
        .reads("input", elements, precision)
        .writes("output", elements, precision)
}

/// `(input, frequencies, ...)`.
fn whole(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    Ok(rotated(input.elements(), input.precision()?))
}

/// `(output_x, output_y, input_x, input_y, cos, sin, positions, ...)`.
fn pair(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (first, second) = (call.tensor(2)?, call.tensor(3)?);
    Ok(rotated(first.elements() + second.elements(), first.precision()?))
}

/// `(positions, query, key, head_size, cos_sin_cache, ...)`, in place: of every head the part that the table is wide.
fn heads(call: &Call<'_>) -> Result<Work, NoFormula> {
    let query = call.tensor(1)?;
    let head = count(call, 3)? as f64;
    let turned = call.tensor(4)?.shape.last().copied().unwrap_or(0) as f64;
    if head < 1.0 {
        return Err("the head has no elements".to_owned());
    }
    let share = |tensor: &Tensor| (tensor.elements() / head).floor() * turned;
    let keys = call.optional(2).map_or(0.0, share);
    Ok(rotated(share(query) + keys, query.precision()?))
}

/// `(output, input, ...)`.
fn to_output(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(1)?;
    Ok(rotated(input.elements(), input.precision()?))
}

/// `(query (tokens, heads, extent), key, turned query, turned key, cos_sin_cache, ...)`: the part of a head that the table
/// is wide. What is next to it may stay in place, so it is not counted.
fn tabled(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (query, key) = (call.tensor(0)?, call.tensor(1)?);
    let turned = call.tensor(4)?.shape.last().copied().unwrap_or(0);
    let part = |tensor: &Tensor| match tensor.shape.as_slice() {
        [rest @ .., extent] => Ok(volume(rest) * (*extent).min(turned) as f64),
        [] => Err("a head is a single number".to_owned()),
    };
    Ok(rotated(part(query)? + part(key)?, query.precision()?))
}

/// `(qkv, query heads, key heads, value heads, extent, eps, query scale, key scale, ...)`, in place: queries and keys are
/// normalized by heads (4n and 2 a head, as RMS normalization is counted), then turned.
fn normalised(call: &Call<'_>) -> Result<Work, NoFormula> {
    let qkv = call.tensor(0)?;
    let ([tokens, _], precision) = (qkv.rows_and_columns()?, qkv.precision()?);
    let heads = tokens * (count(call, 1)? + count(call, 2)?) as f64;
    let elements = heads * count(call, 4)? as f64;
    let mut work = rotated(elements, precision);
    work.flops += 4.0 * elements + 2.0 * heads;
    for scale in [6, 7].into_iter().filter_map(|place| call.optional(place)) {
        work = work.reads("scale", scale.elements(), scale.precision()?);
    }
    Ok(work)
}

/// `(q_nope, q_pe, k_nope, k_pe, cache, [q_out], ...)`: the `pe` parts are turned, all are joined, keys go to the cache.
fn latent(call: &Call<'_>) -> Result<Work, NoFormula> {
    let [q_rest, q_part, k_rest, k_part] =
        [call.tensor(0)?, call.tensor(1)?, call.tensor(2)?, call.tensor(3)?];
    let precision = q_rest.precision()?;
    // The one with `concat` writes queries to their own tensor type.
    let written = match call.optional(5) {
        Some(output) if call.name.contains("concat") => output.precision()?,
        _ => precision,
    };
    let turned = q_part.elements() + k_part.elements();
    let queries = q_rest.elements() + q_part.elements();
    let keys = k_rest.elements() + k_part.elements();
    Ok(Work::vector(3.0 * turned, turned, precision)
        .reads("queries", queries, precision)
        .reads("keys", keys, precision)
        .writes("queries", queries, written)
        .writes("cache", keys, call.tensor(4)?.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{call, check_named, counted};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let x = ("[16,2,4,64]", bf16);
        assert_eq!(counted(whole, &[x, ("[16,1,1,64]", "float")]), (3.0 * 8192.0, 4.0 * 8192.0));
        let y = ("[16,2,1,64]", bf16);
        assert_eq!(counted(pair, &[x, y, x, y]), (3.0 * 10240.0, 4.0 * 10240.0));
        // 32 tokens; 64 and 8 heads of 64, of which 32 are turned.
        let arguments = [
            ("[32]", "long int"),
            ("[32,4096]", bf16),
            ("[32,512]", bf16),
            ("64", "Scalar"),
            ("[131072,32]", bf16),
            ("True", "Scalar"),
        ];
        let turned = 32.0 * 72.0 * 32.0;
        assert_eq!(counted(heads, &arguments), (3.0 * turned, 4.0 * turned));
    }

    #[test]
    fn of_serving_engines_by_hand() {
        let bf16 = "c10::BFloat16";
        let (query, key) = (("[5,8,128]", bf16), ("[5,2,128]", bf16));
        // 5 tokens, 10 heads of which 64 of 128 are turned.
        let turned = 5.0 * 10.0 * 64.0;
        let scalar = |text| (text, "Scalar");
        check_named(&[
            (
                "sgl_kernel::apply_rope_pos_ids_cos_sin_cache",
                &[query, key, query, key, ("[4096,64]", "float"), ("[5]", "long int"), scalar("False")],
                3.0 * turned,
                4.0 * turned,
            ),
            ("aiter::rope_fwd_impl", &[query, query, ("[5,1,1,64]", bf16)], 3.0 * 5120.0, 4.0 * 5120.0),
            (
                "_C::fused_qk_norm_rope",
                &[
                    ("[5,1536]", bf16),
                    scalar("8"),
                    scalar("2"),
                    scalar("2"),
                    scalar("128"),
                    scalar("1e-06"),
                    ("[128]", bf16),
                    ("[128]", bf16),
                    ("[4096,128]", bf16),
                ],
                7.0 * 6400.0 + 2.0 * 50.0,
                4.0 * 6400.0 + 512.0,
            ),
        ]);
    }

    #[test]
    fn latent_by_hand() {
        let bf16 = "c10::BFloat16";
        let arguments = [
            ("[5,8,512]", bf16),
            ("[5,8,64]", bf16),
            ("[5,1,512]", bf16),
            ("[5,1,64]", bf16),
            ("[9,1,576]", "c10::Float8_e4m3fn"),
            ("[5,8,576]", "c10::Float8_e4m3fn"),
        ];
        let (queries, keys) = (5.0 * 8.0 * 576.0, 5.0 * 576.0);
        let kept = latent(&call("aiter::fused_qk_rope_cat_and_cache_mla", &arguments)).unwrap();
        assert_eq!((kept.flops, kept.bytes()), (3.0 * 45.0 * 64.0, 4.0 * queries + 3.0 * keys));
        let narrow = latent(&call("aiter::fused_qk_rope_concat_and_cache_mla", &arguments)).unwrap();
        assert_eq!(narrow.bytes(), 3.0 * queries + 3.0 * keys);
    }
}
