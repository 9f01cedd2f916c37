//! Attention as separate products and a softmax over all scores, which one fused operator does without writing the scores.

use eaves_model::Ns;
use eaves_roofline::Settings;
use eaves_roofline::ops::{Call, Tensor};

use super::super::TracePoints;
use super::super::section::{Held, Scope};
use super::{NOTABLE_PCT, budget, gain_of};
use crate::roofline::operators::OperatorRow;
use crate::section::{Finding, Gain, Severity};
use crate::text::{duration, percent};

/// Scores of a batch: how many matrices, and their rows and columns.
type Scores = [u64; 3];

const SOFTMAX: &str = "aten::_softmax";
const PRODUCTS: [&str; 2] = ["aten::baddbmm", "aten::bmm"];

/// The rows that are parts of attention: softmaxes over the last axis, and products that make or take their scores.
pub(super) struct Parts {
    scores: Vec<Scores>,
}

impl Parts {
    pub(super) fn of(points: &TracePoints) -> Self {
        let softmaxes = points.rows.iter().filter(|row| row.name == SOFTMAX);
        let scores: Vec<Scores> = softmaxes.filter_map(|row| scores(tensors(row).first()?)).collect();
        let is_used = |scores: &Scores| {
            let products = points.rows.iter().filter(|row| PRODUCTS.contains(&row.name.as_str()));
            let (mut makes, mut takes) = (false, false);
            for row in products {
                let (made, taken) = product(row);
                makes |= made == Some(*scores);
                takes |= taken == Some(*scores);
            }
            makes && takes
        };
        Self { scores: scores.into_iter().filter(is_used).collect() }
    }

    pub(super) fn has(&self, row: &OperatorRow) -> bool {
        let is_known = |scores: Option<Scores>| scores.is_some_and(|scores| self.scores.contains(&scores));
        match row.name.as_str() {
            SOFTMAX => is_known(tensors(row).first().and_then(scores)),
            name if PRODUCTS.contains(&name) => {
                let (made, taken) = product(row);
                is_known(made) || is_known(taken)
            }
            _ => false,
        }
    }
}

fn tensors(row: &OperatorRow) -> Vec<Tensor> {
    let arguments = &row.arguments;
    let call = Call::parse(&row.name, &arguments.dims, &arguments.types, "", "");
    call.map(|call| call.tensors().cloned().collect()).unwrap_or_default()
}

/// The last two axes are one matrix, those before them count matrices.
fn scores(tensor: &Tensor) -> Option<Scores> {
    let [batch @ .., rows, columns] = tensor.shape.as_slice() else { return None };
    let batch = batch.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent))?;
    (*rows > 1 && *columns > 1).then_some([batch, *rows, *columns])
}

/// The shape of a product's result, and of its left operand.
fn product(row: &OperatorRow) -> (Option<Scores>, Option<Scores>) {
    let tensors = tensors(row);
    let operands: Vec<Scores> = tensors.iter().rev().take(2).rev().filter_map(scores).collect();
    match operands.as_slice() {
        [left @ [batch, rows, _], [_, _, columns]] => (Some([*batch, *rows, *columns]), Some(*left)),
        _ => (None, None),
    }
}

/// All parts together.
pub(super) fn finding(
    points: &TracePoints,
    held: &[Held<'_>],
    parts: &Parts,
    scope: Scope,
    settings: &Settings,
) -> Option<Finding> {
    let own: Vec<&Held<'_>> = held.iter().filter(|held| parts.has(held.row)).collect();
    let headroom: f64 = own.iter().filter_map(|held| held.headroom()).sum();
    if 100.0 * headroom < NOTABLE_PCT * points.busy.as_f64() {
        return None;
    }
    let ideal: f64 = own.iter().filter_map(|held| held.ideal()).sum();
    let time: Ns = own.iter().map(|held| held.row.time()).sum();
    let counted: Ns = own.iter().map(|held| held.row.counted).sum();
    let near = time.as_f64() - ideal * 100.0 / settings.bound_pct;
    let class = own.first()?.row.class;
    let gain =
        gain_of(near, headroom, scope, "time of its parts minus their best time; a fused kernel saves more");
    Some(Finding {
        id: "unfused_attention",
        severity: Severity::Warning,
        claim: format!(
            "attention runs as separate products and a softmax, {} of the busy time ({}), at {:.0}% of their roof",
            percent(counted, points.busy),
            duration(time),
            100.0 * ideal / time.as_f64()
        ),
        gain: Some(Gain { budget: budget(class), ..gain }),
        evidence: "tables points and by_arguments, `aten::_softmax` and `aten::bmm`".to_owned(),
        next: "call `torch.nn.functional.scaled_dot_product_attention`, or set `attn_implementation=\"sdpa\"` in \
               Transformers"
            .to_owned(),
    })
}
