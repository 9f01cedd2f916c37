//! Attention of sequences of one length as recordings name it.

use super::Attention;
use super::mask::Mask;
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

pub(super) const CATEGORY: &str = "attention";

pub(super) const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

const fn with_backward(names: &'static [&'static str], work: Rule, backward: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: Some(backward) }
}

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    with_backward(&["aten::_scaled_dot_product_flash_attention"], flash, flash_backward_of_forward),
    formula(&["aten::_scaled_dot_product_flash_attention_backward"], flash_backward),
    formula(&["aten::_scaled_dot_product_flash_attention_for_cpu"], flash_on_host),
    formula(&["aten::_scaled_dot_product_flash_attention_for_cpu_backward"], flash_on_host_backward),
    with_backward(
        &["aten::_scaled_dot_product_cudnn_attention", "aten::_scaled_dot_product_efficient_attention"],
        efficient,
        efficient_backward_of_forward,
    ),
    formula(&["aten::_scaled_dot_product_efficient_attention_backward"], efficient_backward),
    formula(&["aten::_scaled_dot_product_cudnn_attention_backward"], cudnn_backward),
    formula(&["aten::_scaled_dot_product_fused_attention_overrideable"], overrideable),
    formula(&["aten::_scaled_dot_product_fused_attention_overrideable_backward"], overrideable_backward),
    with_backward(
        &[
            "FlashAttnFunc",
            "aiter::_flash_attn_forward",
            "aiter::fmha_v3_fwd",
            "aiter::mha_fwd",
            "flash_attn::_flash_attn_forward",
        ],
        package,
        package_backward_of_forward,
    ),
    formula(&["aiter::wrapper_fmha_v3_fwd"], package_with_output),
    formula(
        &[
            "aiter::_flash_attn_backward",
            "aiter::mha_bwd",
            "aiter::wrapper_fmha_v3_bwd",
            "flash_attn::_flash_attn_backward",
        ],
        package_backward,
    ),
    with_backward(&["EvoformerAttention"], evoformer, evoformer_backward),
];

pub(in crate::ops) const WRAPPERS: &[Formula] = &[
    formula(&["aten::scaled_dot_product_attention"], scaled_dot_product),
    formula(&["aten::_scaled_dot_product_attention_math"], scaled_dot_product_in_parts),
];

/// The order of axes: batch, then heads or tokens, then the other, then the extent of a head.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    HeadsFirst,
    TokensFirst,
}

/// Fused attention of the query, key and value at three places in a row.
pub(super) fn attention(call: &Call<'_>, first: usize, order: Order) -> Result<Attention, NoFormula> {
    let (query, key, value) = (call.tensor(first)?, call.tensor(first + 1)?, call.tensor(first + 2)?);
    let axes = |tensor: &Tensor| -> Result<[f64; 4], NoFormula> {
        let [batch, second, third, dim] = tensor.extents()?;
        Ok(if order == Order::HeadsFirst { [batch, second, third, dim] } else { [batch, third, second, dim] })
    };
    of([axes(query)?, axes(key)?, axes(value)?], query.precision()?, key.precision()?)
}

/// Fused attention of tensors with these batches, heads, tokens and extents.
pub(super) fn of(
    [query, key, value]: [[f64; 4]; 3],
    stored: Precision,
    cache: Precision,
) -> Result<Attention, NoFormula> {
    let ([batch, query_heads, query_tokens, key_dim], [_, key_heads, key_tokens, dim]) = (query, key);
    if key_dim != dim || key_tokens != value[2] {
        return Err(format!("incompatible queries {query:?}, keys {key:?} and values {value:?}"));
    }
    Ok(Attention {
        batch,
        query_heads,
        key_heads,
        query_tokens,
        key_tokens,
        key_dim,
        value_dim: value[3],
        causal: false,
        window: None,
        fused: true,
        query: stored,
        cache,
        output: stored,
        compute: None,
    })
}

impl Attention {
    pub(super) fn forward_with(&self, mask: Mask) -> Work {
        self.forward_over(self.batch * mask.pairs(self.query_tokens, self.key_tokens))
    }

    pub(super) fn backward_with(&self, mask: Mask) -> Work {
        self.backward_over(self.batch * mask.pairs(self.query_tokens, self.key_tokens))
    }
}

/// Adds a bias on the scores, as stored, if there is one at this place.
pub(super) fn biased(work: Work, call: &Call<'_>, place: usize) -> Result<Work, NoFormula> {
    match call.optional(place) {
        Some(bias) => Ok(work.reads("bias", bias.stored_elements(), bias.precision()?)),
        None => Ok(work),
    }
}

/// Flash attention aligns a causal mask at the end.
fn at_end(causal: bool) -> Mask {
    if causal { Mask::CAUSAL } else { Mask::ALL }
}

/// The other kernels of PyTorch align a causal mask at the start.
fn at_start(causal: bool) -> Mask {
    if causal { Mask::CAUSAL_FROM_START } else { Mask::ALL }
}

/// The mask of flash attention: a causal flag, and the two sizes of a window from a place on or as a list there, negative
/// for none.
pub(super) fn window(call: &Call<'_>, causal: bool, place: usize) -> Mask {
    let sizes = match *call.integers(place) {
        [left, right] => [Some(left), Some(right)],
        _ => [place, place + 1].map(|place| call.integers(place).first().copied()),
    };
    let [left, right] = sizes.map(|size| size.filter(|size| *size >= 0).map(|size| size as f64));
    Mask { left, right: if causal { Some(0.0) } else { right }, from_start: false }
}

/// `(query, key, value, dropout, causal, ...)`.
fn flash(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(attention(call, 0, Order::HeadsFirst)?.forward_with(at_end(call.known_flag(4)?)))
}

fn flash_backward_of_forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(attention(call, 0, Order::HeadsFirst)?.backward_with(at_end(call.known_flag(4)?)))
}

/// `(gradient, query, key, value, output, logsumexp, lengths, lengths, most, most, dropout, causal, ...)`.
fn flash_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(attention(call, 1, Order::HeadsFirst)?.backward_with(at_end(call.known_flag(11)?)))
}

/// `(query, key, value, dropout, causal, mask, ...)`.
fn flash_on_host(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 0, Order::HeadsFirst)?.forward_with(at_start(call.known_flag(4)?)), call, 5)
}

/// `(gradient, query, key, value, output, logsumexp, dropout, causal, mask, ...)`.
fn flash_on_host_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 1, Order::HeadsFirst)?.backward_with(at_start(call.known_flag(7)?)), call, 8)
}

/// `(query, key, value, bias, with logsumexp, dropout, causal, ...)`.
fn efficient(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 0, Order::HeadsFirst)?.forward_with(at_start(call.known_flag(6)?)), call, 3)
}

fn efficient_backward_of_forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 0, Order::HeadsFirst)?.backward_with(at_start(call.known_flag(6)?)), call, 3)
}

/// `(gradient, query, key, value, bias, output, logsumexp, seed, offset, dropout, mask, causal, ...)`.
fn efficient_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 1, Order::HeadsFirst)?.backward_with(at_start(call.known_flag(11)?)), call, 4)
}

/// `(gradient, query, key, value, output, logsumexp, seed, offset, bias, lengths, lengths, most, most, dropout, causal)`.
fn cudnn_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 1, Order::HeadsFirst)?.backward_with(at_start(call.known_flag(14)?)), call, 8)
}

/// `(query, key, value, bias, dropout, causal, ...)`.
fn overrideable(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 0, Order::HeadsFirst)?.forward_with(at_start(call.known_flag(5)?)), call, 3)
}

/// `(gradient, query, key, value, bias, mask, output, logsumexp, lengths, lengths, most, most, dropout, causal, ...)`.
fn overrideable_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(attention(call, 1, Order::HeadsFirst)?.backward_with(at_start(call.known_flag(13)?)), call, 4)
}

/// `(query, key, value, dropout, scale, causal, left, right, ...)` of the package flash-attn and those like it.
fn package(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(attention(call, 0, Order::TokensFirst)?.forward_with(window(call, call.known_flag(5)?, 6)))
}

fn package_backward_of_forward(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(attention(call, 0, Order::TokensFirst)?.backward_with(window(call, call.known_flag(5)?, 6)))
}

/// `(output, query, key, value, dropout, scale, causal, left, right, ...)`.
fn package_with_output(call: &Call<'_>) -> Result<Work, NoFormula> {
    Ok(attention(call, 1, Order::TokensFirst)?.forward_with(window(call, call.known_flag(6)?, 7)))
}

/// `(gradient, query, key, value, output, logsumexp, [gradients to write,] dropout, scale, causal, left, right, ...)`:
/// versions have none, three or four gradients to write, so the first flag is the causal one.
fn package_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let place = (6..call.inputs.len()).find(|place| matches!(call.scalar(*place), "True" | "False"));
    let place = place.ok_or("causality not recorded")?;
    let mask = window(call, call.known_flag(place)?, place + 1);
    Ok(attention(call, 1, Order::TokensFirst)?.backward_with(mask))
}

/// Five axes: batch, sequences, residues, heads, extent. Two biases may follow.
fn triangle(call: &Call<'_>) -> Result<Attention, NoFormula> {
    let axes = |place| -> Result<[f64; 4], NoFormula> {
        let [batch, sequences, residues, heads, dim] = call.tensor(place)?.extents()?;
        Ok([batch * sequences, heads, residues, dim])
    };
    of([axes(0)?, axes(1)?, axes(2)?], call.tensor(0)?.precision()?, call.tensor(1)?.precision()?)
}

fn evoformer(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(biased(triangle(call)?.forward(), call, 3)?, call, 4)
}

fn evoformer_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(biased(triangle(call)?.backward(), call, 3)?, call, 4)
}

/// `(query, key, value, bias, dropout, causal, ...)` with any number of axes before heads.
fn scaled_dot_product(call: &Call<'_>) -> Result<Work, NoFormula> {
    biased(of_any_rank(call)?.forward_with(at_start(call.known_flag(5)?)), call, 3)
}

fn scaled_dot_product_in_parts(call: &Call<'_>) -> Result<Work, NoFormula> {
    let parts = Attention { fused: false, ..of_any_rank(call)? };
    biased(parts.forward_with(at_start(call.known_flag(5)?)), call, 3)
}

fn of_any_rank(call: &Call<'_>) -> Result<Attention, NoFormula> {
    let axes = |place| match call.tensor(place)?.shape.as_slice() {
        [rest @ .., heads, tokens, dim] => {
            Ok([crate::ops::shape::volume(rest), *heads as f64, *tokens as f64, *dim as f64])
        }
        shape => Err(format!("a tensor of shape {shape:?} should have at least 3 axes")),
    };
    of([axes(0)?, axes(1)?, axes(2)?], call.tensor(0)?.precision()?, call.tensor(1)?.precision()?)
}
