//! Attention of xFormers as recordings name it.
//!
//! Schemas: `xformers/csrc/attention/attention.cpp` of versions 0.0.14, 0.0.17 to 0.0.28 and after, and
//! `xformers/ops/fmha/flash.py`. Masks have the numbers of PyTorch's memory-efficient kernels, which come from there.

use super::calls::{biased, formula, window};
use super::mask::Mask;
use super::variable::{Places, either, numbered};
use crate::Work;
use crate::ops::{Call, Formula, NoFormula};

pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(
        &["xformers::efficient_attention_forward_ck", "xformers::efficient_attention_forward_cutlass"],
        efficient,
    ),
    formula(&["xformers::efficient_attention_backward_cutlass"], efficient_backward),
    formula(&["xformers::efficient_attention_backward_ck"], composable_backward),
    formula(&["xformers_flash::flash_fwd"], flash),
    formula(&["xformers_flash::flash_bwd"], flash_backward),
];

fn is_flag(call: &Call<'_>, place: usize) -> bool {
    matches!(call.scalar(place), "True" | "False")
}

/// A window of this many keys, if there is one at this place.
fn within(mask: Mask, call: &Call<'_>, place: usize) -> Mask {
    let size = call.number(place).filter(|size| *size > 0.0);
    Mask { left: size.map(|size| size - 1.0).or(mask.left), ..mask }
}

/// Versions that record one longest length have it for queries: keys have the same only if there are as many of them.
fn same_lengths(
    call: &Call<'_>,
    first: usize,
    [starts, of_queries, of_keys]: [usize; 3],
) -> Result<(), NoFormula> {
    let tokens = |place: usize| call.tensor(place).map(|tensor| tensor.shape.get(1).copied());
    if of_queries == of_keys && call.optional(starts).is_some() && tokens(first)? != tokens(first + 1)? {
        return Err("the longest sequence of keys was not recorded".to_owned());
    }
    Ok(())
}

/// `(query, key, value, bias, starts, starts, longest, [longest,] dropout, [logsumexp,] mask, [logsumexp,] scale, lengths,
/// window)`: where versions have a second longest length they have the flag behind the mask, which thus stays where it is.
/// The first version, `(query, key, value, starts, starts, longest, logsumexp, causal)`, has neither bias nor scale.
fn efficient(call: &Call<'_>) -> Result<Work, NoFormula> {
    if call.inputs.len() <= 8 {
        let mask = if call.known_flag(7)? { Mask::CAUSAL_FROM_START } else { Mask::ALL };
        return Ok(either(call, 0, &Places { lengths: [3, 4], longest: [5, 5] }, mask)?.forward());
    }
    let (key_place, window_place) = if is_flag(call, 8) { (6, 12) } else { (7, 13) };
    if call.optional(window_place - 1).is_some() {
        return Err("number of keys per sequence not recorded".to_owned());
    }
    same_lengths(call, 0, [4, 6, key_place])?;
    let places = Places { lengths: [4, 5], longest: [6, key_place] };
    let mask = within(numbered(call, 9)?, call, window_place);
    biased(either(call, 0, &places, mask)?.forward(), call, 3)
}

/// `(gradient, query, key, value, bias, output, starts, starts, longest, longest, logsumexp, dropout, seed, offset, mask, ...)`;
/// in older versions starts and longest come right behind the bias, and logsumexp and output behind them.
fn efficient_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let output_first = call.optional(5).is_some_and(|tensor| tensor.shape.len() > 2);
    let first = if output_first { 6 } else { 5 };
    let places = Places { lengths: [first, first + 1], longest: [first + 2, first + 3] };
    let mask = within(numbered(call, 14)?, call, if output_first { 18 } else { 17 });
    biased(either(call, 1, &places, mask)?.backward(), call, 4)
}

/// `(gradient, query, key, value, bias, starts, starts, longest, [longest,] lengths, logsumexp, output, dropout, seed, offset,
/// mask, scale[, window])`.
fn composable_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let has_both = call.inputs.len() >= 18;
    let (key_place, mask_place) = if has_both { (8, 15) } else { (7, 14) };
    if call.optional(key_place + 1).is_some() {
        return Err("number of keys per sequence not recorded".to_owned());
    }
    same_lengths(call, 1, [5, 7, key_place])?;
    let places = Places { lengths: [5, 6], longest: [7, key_place] };
    let mask = within(numbered(call, mask_place)?, call, 17);
    biased(either(call, 1, &places, mask)?.backward(), call, 4)
}

/// `(query, key, value, starts, starts, lengths, longest, longest, dropout, scale, causal, left, right, softmax, pages)`.
fn flash(call: &Call<'_>) -> Result<Work, NoFormula> {
    if call.optional(5).is_some() || call.optional(14).is_some() {
        return Err("number of keys per sequence not recorded".to_owned());
    }
    let mask = window(call, call.known_flag(10)?, 11);
    Ok(either(call, 0, &Places { lengths: [3, 4], longest: [6, 7] }, mask)?.forward())
}

/// `(storage, gradient, query, key, value, output, logsumexp, starts, starts, longest, longest, dropout, scale, causal, left,
/// right, random state)`.
fn flash_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mask = window(call, call.known_flag(13)?, 14);
    Ok(either(call, 2, &Places { lengths: [7, 8], longest: [9, 10] }, mask)?.backward())
}

#[cfg(test)]
mod tests {
    use crate::ops::operands::testing::{call, check_named};

    const BF16: &str = "c10::BFloat16";

    /// 2 sequences of 4 tokens, 3 heads of 8 numbers: 96 pairs, of which a causal mask leaves 60; an operand is 192 numbers.
    #[test]
    fn by_hand() {
        let (x, none, no) = (("[2,4,3,8]", BF16), ("", ""), ("0.", "Scalar"));
        let number = |text| (text, "Scalar");
        let (flag, scale) = (number("True"), number("0.35"));
        let all = 2.0 * 96.0 * 16.0;
        let causal = 2.0 * 60.0 * 16.0;
        let moved = 2.0 * 4.0 * 192.0;
        let packed = ("[1,8,3,8]", BF16);
        let starts = ("[3]", "int");
        let statistics = ("[2,3,4]", "float");
        check_named(&[
            (
                "xformers::efficient_attention_forward_cutlass",
                &[x, x, x, none, none, none, flag, flag],
                causal,
                moved,
            ),
            (
                "xformers::efficient_attention_forward_cutlass",
                &[x, x, x, none, none, none, none, no, flag, number("0"), scale, none, none],
                all,
                moved,
            ),
            (
                "xformers::efficient_attention_forward_ck",
                &[x, x, x, none, none, none, none, no, flag, number("1"), scale, none, none],
                causal,
                moved,
            ),
            // A query sees itself and the one before: 7 of 10 pairs.
            (
                "xformers::efficient_attention_forward_cutlass",
                &[x, x, x, none, none, none, none, none, no, number("1"), flag, scale, none, number("2")],
                causal * 0.7,
                moved,
            ),
            // The same two sequences one after the other, with a bias.
            (
                "xformers::efficient_attention_forward_cutlass",
                &[
                    packed,
                    packed,
                    packed,
                    ("[1,3,8,8]", BF16),
                    starts,
                    starts,
                    number("4"),
                    number("4"),
                    no,
                    number("2"),
                    flag,
                    scale,
                ],
                causal,
                moved + 2.0 * 192.0,
            ),
            (
                "xformers::efficient_attention_backward_cutlass",
                &[
                    x,
                    x,
                    x,
                    x,
                    none,
                    x,
                    none,
                    none,
                    number("4"),
                    number("4"),
                    statistics,
                    no,
                    none,
                    none,
                    number("1"),
                    number("False"),
                ],
                causal * 2.5,
                2.0 * moved,
            ),
            (
                "xformers::efficient_attention_backward_cutlass",
                &[
                    packed,
                    packed,
                    packed,
                    packed,
                    none,
                    starts,
                    starts,
                    number("4"),
                    number("4"),
                    statistics,
                    packed,
                    no,
                    number("0"),
                    number("0"),
                    number("0"),
                    scale,
                    number("-1"),
                    none,
                ],
                all * 2.5,
                2.0 * moved,
            ),
            (
                "xformers::efficient_attention_backward_ck",
                &[
                    x,
                    x,
                    x,
                    x,
                    none,
                    none,
                    none,
                    none,
                    none,
                    statistics,
                    x,
                    no,
                    number("0"),
                    number("0"),
                    number("1"),
                    scale,
                ],
                causal * 2.5,
                2.0 * moved,
            ),
            (
                "xformers_flash::flash_fwd",
                &[
                    x,
                    x,
                    x,
                    none,
                    none,
                    none,
                    number("4"),
                    number("4"),
                    no,
                    scale,
                    flag,
                    number("-1"),
                    number("-1"),
                    number("False"),
                    none,
                ],
                causal,
                moved,
            ),
            (
                "xformers_flash::flash_bwd",
                &[
                    number("False"),
                    x,
                    x,
                    x,
                    x,
                    x,
                    statistics,
                    none,
                    none,
                    number("4"),
                    number("4"),
                    no,
                    scale,
                    number("False"),
                    number("-1"),
                    number("-1"),
                ],
                all * 2.5,
                2.0 * moved,
            ),
        ]);
    }

    #[test]
    fn lengths_on_the_device_are_no_answer() {
        let (x, none, number) = (("[2,4,3,8]", BF16), ("", ""), |text| (text, "Scalar"));
        let arguments =
            [x, x, x, none, none, ("[2]", "int"), number("4"), number("4"), none, none, number("True")];
        let work = crate::ops::formula("xformers_flash::flash_fwd").unwrap().work;
        let reason = work(&call("xformers_flash::flash_fwd", &arguments)).unwrap_err();
        assert!(reason.contains("number of keys"), "{reason}");
    }
}
