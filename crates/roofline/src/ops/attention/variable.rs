//! Attention of sequences of different lengths, packed one after the other.
//!
//! Recordings have the number of tokens, the number of sequences and the longest of them, but not the lengths. The
//! arithmetic is the least that these allow: one sequence is as long as the longest, the others share what is left
//! equally. Bytes are exact.

use super::Attention;
use super::calls::{CATEGORY, Order, attention, biased, formula, of, window};
use super::mask::Mask;
use super::paged::{Token, only_sequence};
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Basis, Work};

const fn with_backward(names: &'static [&'static str], work: Rule, backward: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: Some(backward) }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(&["aten::_flash_attention_forward"], flash),
    formula(&["aten::_flash_attention_backward"], flash_backward),
    formula(&["aten::_efficient_attention_forward"], efficient),
    formula(&["aten::_efficient_attention_backward"], efficient_backward),
    with_backward(
        &["FlashAttnVarlenFunc", "flash_attn::_flash_attn_varlen_forward"],
        package,
        package_backward_of_forward,
    ),
    formula(&["flash_attn::_flash_attn_varlen_backward"], package_backward),
    formula(&["_vllm_fa2_C::varlen_fwd"], second),
    formula(&["_vllm_fa3_C::fwd", "flash_attn_3::fwd", "sgl_kernel::fwd"], third),
];

/// Places of the lengths of queries and keys and of the longest of each.
pub(super) struct Places {
    pub(super) lengths: [usize; 2],
    pub(super) longest: [usize; 2],
}

/// Pairs over all sequences, at least.
fn pairs(call: &Call<'_>, attention: &Attention, places: &Places, mask: Mask) -> Result<f64, NoFormula> {
    let [bounds] = call.tensor(places.lengths[0])?.extents()?;
    let sequences = bounds - 1.0;
    let [longest_query, longest_key] = places.longest.map(|place| call.number(place));
    let (Some(queries), Some(keys)) = (longest_query, longest_key) else {
        return Err("longest sequence not recorded".to_owned());
    };
    if sequences < 1.0 {
        return Ok(0.0);
    }
    let (queries, keys) = (queries.clamp(0.0, attention.query_tokens), keys.clamp(0.0, attention.key_tokens));
    let longest = mask.pairs(queries, keys);
    let others = sequences - 1.0;
    if others == 0.0 {
        return Ok(longest);
    }
    let rest = |tokens: f64, longest: f64| (tokens - longest) / others;
    Ok(longest + others * mask.pairs(rest(attention.query_tokens, queries), rest(attention.key_tokens, keys)))
}

/// Packed tokens, heads and extents, as one sequence.
fn packed(call: &Call<'_>, first: usize) -> Result<Attention, NoFormula> {
    let axes = |place| -> Result<[f64; 4], NoFormula> {
        let [tokens, heads, dim] = call.tensor(place)?.extents()?;
        Ok([1.0, heads, tokens, dim])
    };
    of(
        [axes(first)?, axes(first + 1)?, axes(first + 2)?],
        call.tensor(first)?.precision()?,
        call.tensor(first + 1)?.precision()?,
    )
}

const AS_LONG: Basis = Basis::Estimated("assumes all sequences but the longest to be equally long");

/// Attention, and the pairs of all its sequences.
pub(super) struct Sequences {
    attention: Attention,
    pairs: f64,
    basis: Basis,
}

impl Sequences {
    pub(super) fn forward(&self) -> Work {
        self.attention.forward_over(self.pairs).on(self.basis)
    }

    pub(super) fn backward(&self) -> Work {
        self.attention.backward_over(self.pairs).on(self.basis)
    }
}

/// The attention of sequences of one length each, or packed if their lengths are given.
pub(super) fn either(
    call: &Call<'_>,
    first: usize,
    places: &Places,
    mask: Mask,
) -> Result<Sequences, NoFormula> {
    let Some(bounds) = call.optional(places.lengths[0]) else {
        let attention = attention(call, first, Order::TokensFirst)?;
        let pairs = attention.batch * mask.pairs(attention.query_tokens, attention.key_tokens);
        return Ok(Sequences { attention, pairs, basis: Basis::Recorded });
    };
    let attention = if call.tensor(first)?.shape.len() == 3 {
        packed(call, first)?
    } else {
        attention(call, first, Order::TokensFirst)?
    };
    let pairs = pairs(call, &attention, places, mask)?;
    let basis = if bounds.elements() > 2.0 { AS_LONG } else { Basis::Recorded };
    Ok(Sequences { attention, pairs, basis })
}

/// `(query, key, value, lengths, lengths, longest, longest, dropout, causal, debug, scale, left, right, ...)`.
fn flash(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mask = window(call, call.known_flag(8)?, 11);
    Ok(either(call, 0, &Places { lengths: [3, 4], longest: [5, 6] }, mask)?.forward())
}

/// `(gradient, query, key, value, output, logsumexp, lengths, lengths, longest, longest, dropout, causal, ...)`.
fn flash_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mask = if call.known_flag(11)? { Mask::CAUSAL } else { Mask::ALL };
    Ok(either(call, 1, &Places { lengths: [6, 7], longest: [8, 9] }, mask)?.backward())
}

/// The numbers of masks in PyTorch's memory-efficient kernels.
pub(super) fn numbered(call: &Call<'_>, place: usize) -> Result<Mask, NoFormula> {
    match call.scalar(place) {
        "0" => Ok(Mask::ALL),
        "1" => Ok(Mask::CAUSAL_FROM_START),
        "2" => Ok(Mask::CAUSAL),
        other => Err(format!("the mask `{other}` is unknown")),
    }
}

/// `(query, key, value, bias, lengths, lengths, longest, longest, dropout, mask, ...)`.
fn efficient(call: &Call<'_>) -> Result<Work, NoFormula> {
    let places = Places { lengths: [4, 5], longest: [6, 7] };
    biased(either(call, 0, &places, numbered(call, 9)?)?.forward(), call, 3)
}

/// `(gradient, query, key, value, bias, output, lengths, lengths, longest, longest, logsumexp, dropout, seed, offset,
/// mask, ...)`.
fn efficient_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let places = Places { lengths: [6, 7], longest: [8, 9] };
    biased(either(call, 1, &places, numbered(call, 14)?)?.backward(), call, 4)
}

/// `(query, key, value, lengths, lengths, longest, longest, dropout, scale, causal, left, right, ...)`.
fn package(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(of_package(call)?.forward())
}

fn package_backward_of_forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(of_package(call)?.backward())
}

fn of_package(call: &Call<'_>) -> Result<Sequences, NoFormula> {
    if call.optional(3).is_none() {
        return Err("sequence lengths not recorded".to_owned());
    }
    either(call, 0, &Places { lengths: [3, 4], longest: [5, 6] }, window(call, call.known_flag(9)?, 10))
}

/// `(gradient, query, key, value, output, logsumexp, gradient, gradient, gradient, lengths, lengths, longest, longest,
/// dropout, scale, causal, left, right, ...)`.
fn package_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let places = Places { lengths: [9, 10], longest: [11, 12] };
    Ok(either(call, 1, &places, window(call, call.known_flag(15)?, 16))?.backward())
}

/// `(query, key, value, output, lengths, lengths, used, padding, pages, slopes, longest, longest, dropout, scale, zeros, causal,
/// left, right, ...)`.
fn second(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mask = window(call, call.known_flag(15)?, 16);
    if call.optional(8).is_some() {
        return over_pages(call, mask, None, [8, 11]);
    }
    Ok(either(call, 0, &Places { lengths: [4, 5], longest: [10, 11] }, mask)?.forward())
}

/// `(query, key, value, new key, new value, query of values, output, lengths, lengths, lengths, used, used, longest,
/// longest, pages, ..., scale, causal, left, right, ...)`. Versions differ in how many scales are before; the causal flag is
/// the first there is.
fn third(call: &Call<'_>) -> Result<Work, NoFormula> {
    let is_flag = |place: &usize| matches!(call.scalar(*place), "True" | "False");
    let place = (20..call.inputs.len()).find(is_flag).ok_or("causality not recorded")?;
    let mask = window(call, call.known_flag(place)?, place + 1);
    if call.optional(14).is_some() {
        return over_pages(call, mask, call.optional(5), [14, 13]);
    }
    Ok(either(call, 0, &Places { lengths: [7, 8], longest: [12, 13] }, mask)?.forward())
}

/// Queries (tokens, heads, extent) or (sequences, tokens, heads, extent) over caches (pages, size, heads, extent). Latent
/// attention has a query of values, too, which is multiplied with them for the scores. Pages and the longest sequence are at
/// two places.
fn over_pages(
    call: &Call<'_>,
    mask: Mask,
    of_values: Option<&Tensor>,
    [pages, longest]: [usize; 2],
) -> Result<Work, NoFormula> {
    let (query, key, value) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let [rest @ .., heads, extent] = query.shape.as_slice() else {
        return Err(format!("queries of shape {:?} have no heads", query.shape));
    };
    let ([_, _, key_heads, _], [_, _, _, value_dim]) = (key.extents()?, value.extents()?);
    let (heads, extent, tokens) = (*heads as f64, *extent as f64, crate::ops::shape::volume(rest));
    let token = Token::of([heads, key_heads], [extent, value_dim], query.precision()?);
    let more = if of_values.is_some() { heads * value_dim } else { 0.0 };
    let token = Token {
        query: token.query + more,
        pair: token.pair + more,
        cache: key.precision()?,
        all_in_cache: true,
        ..token
    };
    let step = call.step.or_else(|| only_sequence(call, tokens, pages, longest));
    let step = step.ok_or("paged cache usage not recorded: annotate the server's steps")?;
    token.work(&mask.left.map_or(step, |left| step.within(left + 1.0)))
}

#[cfg(test)]
mod tests {
    use crate::ops::operands::testing::call;
    use crate::ops::{Call, Step, Tokens, formula};

    /// The third version with 23 scales and tensors before the scale, or 24 as vLLM has it; and the second.
    #[test]
    fn over_pages_by_hand() {
        let bf16 = "c10::BFloat16";
        let number = |text| (text, "Scalar");
        let (query, cache, pages) =
            (("[2,8,64]", bf16), ("[10,16,2,64]", "c10::Float8_e4m3fn"), ("[2,4]", "int"));
        let decode = Tokens { queries: 2.0, keys: 16.0, squares: 2.0, products: 16.0 };
        let step = Some(Step { decode, ..Step::default() });
        let work = |name: &'static str, arguments: &[(&str, &str)], step| {
            (formula(name).unwrap().work)(&Call { step, ..call(name, arguments) })
        };
        let arguments = |scales: usize, left: &'static str| {
            let mut list = vec![("", ""); scales];
            (list[0], list[1], list[2], list[6]) = (query, cache, cache, query);
            (list[7], list[11], list[12], list[13], list[14]) =
                (("[3]", "int"), ("[2]", "int"), number("1"), number("9"), pages);
            list.extend([number("0.1"), number("True"), number(left), number("-1"), number("0.")]);
            list
        };
        let (macs, bytes) = (8.0 * 16.0 * 128.0, 2.0 * 2.0 * 512.0 * 2.0 + 16.0 * 2.0 * 128.0);
        for (name, scales) in [("sgl_kernel::fwd", 23), ("flash_attn_3::fwd", 23), ("_vllm_fa3_C::fwd", 24)] {
            let found = work(name, &arguments(scales, "-1"), step).unwrap();
            assert_eq!((found.macs, found.bytes()), (macs, bytes), "{name}");
            assert!(work(name, &arguments(scales, "-1"), None).unwrap_err().contains("annotate"));
        }
        // A window of the last 4 keys and the query's own.
        let near = work("_vllm_fa3_C::fwd", &arguments(24, "4"), step).unwrap();
        assert_eq!(
            (near.macs, near.bytes()),
            (8.0 * 10.0 * 128.0, 2.0 * 2.0 * 512.0 * 2.0 + 10.0 * 2.0 * 128.0)
        );
        // Scores of 64 and 512 numbers, values of 512, all in one head.
        let mut latent = arguments(23, "-1");
        (latent[0], latent[1], latent[2]) =
            (("[2,16,64]", bf16), ("[10,16,1,64]", bf16), ("[10,16,1,512]", bf16));
        latent[5] = ("[2,16,512]", bf16);
        let found = work("sgl_kernel::fwd", &latent, step).unwrap();
        assert_eq!(found.macs, 16.0 * 16.0 * (64.0 + 512.0 + 512.0));
        assert_eq!(found.bytes(), 2.0 * 2.0 * 16.0 * 1088.0 + 2.0 * 16.0 * 576.0);
        let second = [
            query,
            cache,
            cache,
            query,
            ("[3]", "int"),
            ("[3]", "int"),
            ("[2]", "int"),
            ("", ""),
            pages,
            ("", ""),
            number("1"),
            number("9"),
            number("0."),
            number("0.1"),
            number("False"),
            number("True"),
            number("-1"),
            number("-1"),
        ];
        let found = work("_vllm_fa2_C::varlen_fwd", &second, step).unwrap();
        assert_eq!((found.macs, found.bytes()), (macs, bytes));
        // One sequence of 9 keys whose last three tokens are queries: they see 7, 8 and 9.
        let mut alone = second;
        (alone[0], alone[8]) = (("[3,8,64]", bf16), ("[1,4]", "int"));
        let found = work("_vllm_fa2_C::varlen_fwd", &alone, None).unwrap();
        assert_eq!(
            (found.macs, found.bytes()),
            (8.0 * 24.0 * 128.0, 2.0 * 3.0 * 512.0 * 2.0 + 9.0 * 2.0 * 128.0)
        );
    }
}
