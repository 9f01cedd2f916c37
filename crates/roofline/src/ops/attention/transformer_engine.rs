//! Fused attention of Transformer Engine, whose functions record no layout and no mask.
//!
//! Signatures: `transformer_engine/pytorch/attention.py` of versions 0.8 to 1.13 and
//! `transformer_engine/pytorch/attention/dot_product_attention/backends.py` of 2.x. All begin with `(training, longest[,
//! longest], starts[, starts], ...)`; then follow more lists of starts and pages, the operands, and what versions differ in.
//! PyTorch records neither texts nor tuples of a Python function, so that what comes behind the operands is not where the
//! signature has it.

use super::Attention;
use super::calls::{CATEGORY, of};
use super::mask::Mask;
use crate::ops::{Call, Formula, NoFormula, Tensor};
use crate::{Basis, Family, Work};

pub(in crate::ops) const FORMULAS: &[Formula] = &[Formula {
    names: &["FusedAttnFunc", "FusedAttnFunc_kvpacked", "FusedAttnFunc_qkvpacked"],
    category: CATEGORY,
    work: |call| parsed(call).map(|found| found.work(Attention::forward_over)),
    backward: Some(|call| parsed(call).map(|found| found.work(Attention::backward_over))),
}];

const NO_MASK: Basis = Basis::AtLeast("mask not recorded; assumed causal");
const NO_LENGTHS: Basis =
    Basis::AtLeast("mask and packed sequence lengths not recorded: assumed causal and equally long");
const EQUAL_LENGTHS: Basis = Basis::Estimated("assumes all sequences but the longest to be equally long");

struct Fused {
    attention: Attention,
    pairs: f64,
    basis: Basis,
}

impl Fused {
    fn work(&self, pass: fn(&Attention, f64) -> Work) -> Work {
        pass(&self.attention, self.pairs).on(self.basis)
    }
}

/// Rows of heads: all tokens of an operand, its heads and their extent.
#[derive(Clone, Copy)]
struct Rows {
    tokens: f64,
    heads: f64,
    extent: f64,
}

impl Rows {
    /// Of an operand of which `parts` are together, before or behind the heads: `bs3hd`, `sbh3d`, `t2hd`.
    fn of(tensor: &Tensor, parts: u64) -> Result<Self, NoFormula> {
        let wrong = || format!("an operand of shape {:?} is not {parts} of attention", tensor.shape);
        let (rest, heads, extent) = match *tensor.shape.as_slice() {
            [ref rest @ .., heads, extent] if parts == 1 => (rest, heads, extent),
            [ref rest @ .., second, heads, extent] if second == parts => (rest, heads, extent),
            [ref rest @ .., heads, second, extent] if second == parts => (rest, heads, extent),
            _ => return Err(wrong()),
        };
        if !matches!(rest.len(), 1 | 2) {
            return Err(wrong());
        }
        Ok(Self { tokens: crate::ops::shape::volume(rest), heads: heads as f64, extent: extent as f64 })
    }
}

fn parsed(call: &Call<'_>) -> Result<Fused, NoFormula> {
    let is_float = |tensor: &&Tensor| tensor.precision.is_some_and(|found| found.family != Family::Integer);
    let operands: Vec<&Tensor> =
        call.tensors().filter(is_float).filter(|tensor| tensor.shape.len() >= 3).collect();
    let starts = call.tensors().find(|tensor| tensor.shape.len() == 1);
    let sequences = starts.map_or(0.0, |starts| starts.elements() - 1.0);
    if sequences < 1.0 {
        return Err("number of sequences not recorded".to_owned());
    }
    let (query, key, value) = match (operands.as_slice(), call.name) {
        ([packed, ..], "FusedAttnFunc_qkvpacked") => {
            let rows = Rows::of(packed, 3)?;
            ((rows, packed), (rows, packed), rows)
        }
        ([query, packed, ..], "FusedAttnFunc_kvpacked") => {
            let rows = Rows::of(packed, 2)?;
            ((Rows::of(query, 1)?, query), (rows, packed), rows)
        }
        ([query, key, value, ..], "FusedAttnFunc") => {
            ((Rows::of(query, 1)?, query), (Rows::of(key, 1)?, key), Rows::of(value, 1)?)
        }
        _ => return Err("operands not recorded".to_owned()),
    };
    // Packed tokens have one axis where padded ones have two.
    let axes = if call.name == "FusedAttnFunc_qkvpacked" { 4 } else { 3 };
    let is_packed = query.1.shape.len() == axes;
    let (mask, is_known) = mask(call);
    let batch = if is_packed { 1.0 } else { sequences };
    let axes = |rows: Rows| [batch, rows.heads, rows.tokens / batch, rows.extent];
    let attention = of([axes(query.0), axes(key.0), axes(value)], query.1.precision()?, key.1.precision()?)?;
    let pairs = if is_packed {
        let [queries, keys] = longest(call, &attention)?;
        let others = sequences - 1.0;
        let rest = |tokens: f64, longest: f64| if others > 0.0 { (tokens - longest) / others } else { 0.0 };
        let others_each = mask.pairs(rest(attention.query_tokens, queries), rest(attention.key_tokens, keys));
        mask.pairs(queries, keys) + others * others_each
    } else {
        batch * mask.pairs(attention.query_tokens, attention.key_tokens)
    };
    let basis = match (is_known, is_packed && sequences > 1.0) {
        (true, false) => Basis::Recorded,
        (true, true) => EQUAL_LENGTHS,
        (false, false) => NO_MASK,
        (false, true) => NO_LENGTHS,
    };
    Ok(Fused { attention, pairs, basis })
}

/// The mask, and whether it was recorded. `causal` begins at the first query and the first key.
fn mask(call: &Call<'_>) -> (Mask, bool) {
    let texts = (0..call.inputs.len()).map(|place| call.scalar(place));
    let mut known = texts.filter_map(|text| match text.trim_matches('"') {
        "no_mask" | "padding" => Some(Mask::ALL),
        "causal" | "padding_causal" => Some(Mask::CAUSAL_FROM_START),
        "causal_bottom_right" | "padding_causal_bottom_right" => Some(Mask::CAUSAL),
        _ => None,
    });
    known.next_back().map_or((Mask::CAUSAL_FROM_START, false), |mask| (mask, true))
}

/// The longest sequences of queries and keys; one number if both are the same.
fn longest(call: &Call<'_>, attention: &Attention) -> Result<[f64; 2], NoFormula> {
    let queries = call.number(1).ok_or("the longest sequence was not recorded")?;
    let keys = call.number(2).unwrap_or(queries);
    Ok([queries.clamp(0.0, attention.query_tokens), keys.clamp(0.0, attention.key_tokens)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::formula;
    use crate::ops::operands::testing::call;

    const BF16: &str = "c10::BFloat16";

    /// 2 sequences of 4 tokens, 3 heads of 8 numbers: 20 pairs a head under a causal mask of 32; operands of 192 numbers.
    #[test]
    fn by_hand() {
        let number = |text| (text, "Scalar");
        let (flag, starts, padded) = (number("True"), ("[3]", "int"), ("[2,4,3,8]", BF16));
        let transposed = ("[4,2,3,8]", BF16);
        let four = number("4");
        let (least, moved) = (2.0 * 3.0 * 20.0 * 16.0, 2.0 * 4.0 * 192.0);
        let separate = |x| vec![flag, four, four, starts, starts, x, x, x, number("0.35")];
        let mut masked = separate(padded);
        masked.push(number("no_mask"));
        let mut with_pages = separate(padded);
        with_pages.splice(5..5, [starts, starts, ("", ""), ("", "")]);
        let packed = ("[8,3,8]", BF16);
        for (name, arguments, flops, is_least) in [
            ("FusedAttnFunc", separate(padded), least, true),
            ("FusedAttnFunc", separate(transposed), least, true),
            ("FusedAttnFunc", with_pages, least, true),
            ("FusedAttnFunc", masked, least * 1.6, false),
            ("FusedAttnFunc", separate(packed), least, true),
            ("FusedAttnFunc_qkvpacked", vec![flag, four, starts, ("[4,2,3,3,8]", BF16)], least, true),
            ("FusedAttnFunc_qkvpacked", vec![flag, four, starts, ("[8,3,3,8]", BF16)], least, true),
            (
                "FusedAttnFunc_kvpacked",
                vec![flag, four, four, starts, starts, padded, ("[2,4,2,3,8]", BF16)],
                least,
                true,
            ),
        ] {
            let recorded = call(name, &arguments);
            let found = formula(name).unwrap();
            let work = (found.work)(&recorded).unwrap();
            assert_eq!((work.flops, work.bytes()), (flops, moved), "{name} {arguments:?}");
            assert_eq!(matches!(work.basis, Basis::AtLeast(_)), is_least, "{name} {arguments:?}");
            let backward = (found.backward.unwrap())(&recorded).unwrap();
            assert_eq!((backward.flops, backward.bytes()), (2.5 * flops, 2.0 * moved), "{name}");
        }
        let unknown = (formula("FusedAttnFunc").unwrap().work)(&call("FusedAttnFunc", &[flag, four, four]));
        assert!(unknown.unwrap_err().contains("number of sequences"));
    }
}
