//! Attention of sequences of different lengths, packed one after the other.
//!
//! Recordings have the number of tokens, the number of sequences and the longest of them, but not the lengths. The
//! arithmetic is the least that these allow: one sequence is as long as the longest, the others share what is left
//! equally. Bytes are exact.

use super::Attention;
use super::calls::{CATEGORY, Order, attention, biased, formula, of, window};
use super::mask::Mask;
use crate::Work;
use crate::ops::{Call, Formula, Rule, Unmodelled};

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
    formula(&["flash_attn_3::fwd"], third),
];

/// Places of the lengths of queries and keys and of the longest of each.
struct Places {
    lengths: [usize; 2],
    longest: [usize; 2],
}

/// Pairs over all sequences, at least.
fn pairs(call: &Call<'_>, attention: &Attention, places: &Places, mask: Mask) -> Result<f64, Unmodelled> {
    let [bounds] = call.tensor(places.lengths[0])?.extents()?;
    let sequences = bounds - 1.0;
    let [longest_query, longest_key] = places.longest.map(|place| call.number(place));
    let (Some(queries), Some(keys)) = (longest_query, longest_key) else {
        return Err("the longest sequence was not recorded".to_owned());
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
fn packed(call: &Call<'_>, first: usize) -> Result<Attention, Unmodelled> {
    let axes = |place| -> Result<[f64; 4], Unmodelled> {
        let [tokens, heads, dim] = call.tensor(place)?.extents()?;
        Ok([1.0, heads, tokens, dim])
    };
    of(
        [axes(first)?, axes(first + 1)?, axes(first + 2)?],
        call.tensor(first)?.precision()?,
        call.tensor(first + 1)?.precision()?,
    )
}

/// The attention, and the pairs of its sequences: of one length each, or packed if their lengths are given.
fn either(
    call: &Call<'_>,
    first: usize,
    places: &Places,
    mask: Mask,
) -> Result<(Attention, f64), Unmodelled> {
    if call.optional(places.lengths[0]).is_none() {
        let found = attention(call, first, Order::TokensFirst)?;
        let pairs = found.batch * mask.pairs(found.query_tokens, found.key_tokens);
        return Ok((found, pairs));
    }
    let found = if call.tensor(first)?.shape.len() == 3 {
        packed(call, first)?
    } else {
        attention(call, first, Order::TokensFirst)?
    };
    let pairs = pairs(call, &found, places, mask)?;
    Ok((found, pairs))
}

/// `(query, key, value, lengths, lengths, longest, longest, dropout, causal, debug, scale, left, right, ...)`.
fn flash(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let mask = window(call, call.known_flag(8)?, 11);
    let (attention, pairs) = either(call, 0, &Places { lengths: [3, 4], longest: [5, 6] }, mask)?;
    Ok(attention.forward_over(pairs))
}

/// `(gradient, query, key, value, output, logsumexp, lengths, lengths, longest, longest, dropout, causal, ...)`.
fn flash_backward(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let mask = if call.known_flag(11)? { Mask::CAUSAL } else { Mask::ALL };
    let (attention, pairs) = either(call, 1, &Places { lengths: [6, 7], longest: [8, 9] }, mask)?;
    Ok(attention.backward_over(pairs))
}

/// The numbers of masks in PyTorch's memory-efficient kernels.
fn numbered(call: &Call<'_>, place: usize) -> Result<Mask, Unmodelled> {
    match call.scalar(place) {
        "0" => Ok(Mask::ALL),
        "1" => Ok(Mask::CAUSAL_FROM_START),
        "2" => Ok(Mask::CAUSAL),
        other => Err(format!("the mask `{other}` is unknown")),
    }
}

/// `(query, key, value, bias, lengths, lengths, longest, longest, dropout, mask, ...)`.
fn efficient(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let mask = numbered(call, 9)?;
    let (attention, pairs) = either(call, 0, &Places { lengths: [4, 5], longest: [6, 7] }, mask)?;
    let work = attention.forward_over(pairs);
    biased(work, call, 3)
}

/// `(gradient, query, key, value, bias, output, lengths, lengths, longest, longest, logsumexp, dropout, seed, offset,
/// mask, ...)`.
fn efficient_backward(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let mask = numbered(call, 14)?;
    let (attention, pairs) = either(call, 1, &Places { lengths: [6, 7], longest: [8, 9] }, mask)?;
    biased(attention.backward_over(pairs), call, 4)
}

/// `(query, key, value, lengths, lengths, longest, longest, dropout, scale, causal, left, right, ...)`.
fn package(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (attention, pairs) = of_package(call)?;
    Ok(attention.forward_over(pairs))
}

fn package_backward_of_forward(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let (attention, pairs) = of_package(call)?;
    Ok(attention.backward_over(pairs))
}

fn of_package(call: &Call<'_>) -> Result<(Attention, f64), Unmodelled> {
    if call.optional(3).is_none() {
        return Err("the lengths of the sequences were not recorded".to_owned());
    }
    either(call, 0, &Places { lengths: [3, 4], longest: [5, 6] }, window(call, call.known_flag(9)?, 10))
}

/// `(gradient, query, key, value, output, logsumexp, gradient, gradient, gradient, lengths, lengths, longest, longest,
/// dropout, scale, causal, left, right, ...)`.
fn package_backward(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let places = Places { lengths: [9, 10], longest: [11, 12] };
    let (attention, pairs) = either(call, 1, &places, window(call, call.known_flag(15)?, 16))?;
    Ok(attention.backward_over(pairs))
}

/// `(query, key, value, new key, new value, query of values, output, lengths, lengths, lengths, used, used, longest,
/// longest, pages, ..., scale, causal, left, right, ...)`.
fn third(call: &Call<'_>) -> Result<Work, Unmodelled> {
    if call.optional(14).is_some() {
        return Err("how much of the paged cache is used was not recorded".to_owned());
    }
    let mask = window(call, call.known_flag(24)?, 25);
    let (attention, pairs) = either(call, 0, &Places { lengths: [7, 8], longest: [12, 13] }, mask)?;
    Ok(attention.forward_over(pairs))
}
