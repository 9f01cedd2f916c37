//! State-space layers.

use super::{Call, Formula, NoFormula, Rule};
use crate::{Engine, Precision, Work};

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: "state space", work, backward: None }
}

pub(super) const FORMULAS: &[Formula] = &[
    formula(&["DaoAILab::_causal_conv1d_fwd_cpp"], |call| Ok(Causal::parse(call)?.forward())),
    formula(&["DaoAILab::_causal_conv1d_bwd_cpp"], |call| Ok(Causal::parse(call)?.backward())),
    formula(&["MambaSplitConv1dScanCombinedFn"], scan),
];

/// A convolution of every channel with its own few taps, over the past only. It is done on the vector units.
struct Causal {
    /// Elements of the input and of the output.
    elements: f64,
    channels: f64,
    taps: f64,
    stored: Precision,
    weight: Precision,
    bias: Option<Precision>,
}

impl Causal {
    /// `(x (batch, channels, tokens), weight (channels, taps), bias, ...)`.
    fn parse(call: &Call<'_>) -> Result<Self, NoFormula> {
        let (x, weight) = (call.tensor(0)?, call.tensor(1)?);
        let ([_, channels, _], [_, taps]) = (x.extents()?, weight.extents()?);
        Ok(Self {
            elements: x.elements(),
            channels,
            taps,
            stored: x.precision()?,
            weight: weight.precision()?,
            bias: call.optional(2).map(|bias| bias.precision()).transpose()?,
        })
    }

    fn work(&self, passes: f64) -> Work {
        let work = Work::matrix(passes * self.elements * self.taps, self.stored);
        let additions = if self.bias.is_some() { self.elements } else { 0.0 };
        Work { engine: Engine::Vector, flops: work.flops + additions, ..work }
    }

    fn forward(&self) -> Work {
        let work = self
            .work(1.0)
            .reads("x", self.elements, self.stored)
            .reads("weight", self.channels * self.taps, self.weight)
            .writes("output", self.elements, self.stored);
        match self.bias {
            Some(bias) => work.reads("bias", self.channels, bias),
            None => work,
        }
    }

    /// The gradients of input, weights and bias in one pass.
    fn backward(&self) -> Work {
        let work = self
            .work(2.0)
            .reads("x", self.elements, self.stored)
            .reads("weight", self.channels * self.taps, self.weight)
            .reads("output gradient", self.elements, self.stored)
            .writes("x gradient", self.elements, self.stored)
            .writes("weight gradient", self.channels * self.taps, self.weight);
        match self.bias {
            Some(bias) => work.writes("bias gradient", self.channels, bias),
            None => work,
        }
    }
}

/// The layer of Mamba-2 in chunks of `c` tokens (Dao and Gu, "Transformers are SSMs", arXiv 2405.21060):
/// `(projected (batch, tokens, all), weight (channels, taps), bias, step bias, A, D, chunk, ..., head extent, groups)`.
///
/// The products are scores within chunks `g*t*c*n`, scores with inputs `h*t*c*p`, states of chunks and outputs from them
/// `h*t*n*p` each, after the convolution.
fn scan(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (projected, weight) = (call.tensor(0)?, call.tensor(1)?);
    let ([batch, tokens, all], [channels, taps]) = (projected.extents()?, weight.extents()?);
    let [heads] = call.tensor(3)?.extents()?;
    let (Some(chunk), Some(extent), Some(groups)) = (call.number(6), call.number(15), call.number(16)) else {
        return Err("the sizes of chunks, heads and groups were not recorded".to_owned());
    };
    let inner = heads * extent;
    // What is projected: gate and input, two states per group, one step per head.
    let state = (all - 2.0 * inner - heads) / (2.0 * groups);
    if !(state > 0.0 && state.fract() == 0.0 && chunk > 0.0) {
        return Err(format!("{all} columns do not fit {heads} heads of {extent} and {groups} groups"));
    }
    let products = groups * chunk * state + heads * chunk * extent + 2.0 * heads * state * extent;
    let stored = projected.precision()?;
    let mut work = Work::matrix(batch * tokens * (channels * taps + products), stored)
        .reads("projected", projected.elements(), stored)
        .reads("weight", weight.elements(), weight.precision()?)
        .writes("output", batch * tokens * inner, stored);
    for place in 2..6 {
        if let Some(tensor) = call.optional(place) {
            work = work.reads("parameter", tensor.elements(), tensor.precision()?);
        }
    }
    Ok(work)
}
