//! `predict`: the best possible time of a shape or a whole model on a device.

mod model;
mod precisions;
mod shapes;
mod sweep;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use eaves_assess::predict::{Kernel, Swept, kernels, sweep as put_together};
use eaves_present::Document;
use eaves_section::{Outcome, Section};
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::model::{Model, Phases};
pub use self::precisions::Precisions;
use self::precisions::Types;
use self::shapes::Shape;
pub use self::shapes::{Attention, Convolution, FeedForward, Gemm, Gemv};
use self::sweep::Sweep;
use crate::{Against, Answer, Context, Failure, HELP_TEMPLATE, Verb};

/// Rows of a sweep: more would fill memory and make no readable chart.
const MOST_ROWS: usize = 100_000;

/// Predict the best possible time of a shape or model, and its bound
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves predict gemv --n 4096 --k 4096 --precision fp16 --device gb10-287
  eaves predict gemm --m 4k --n 4k --k 4k --precision all --device h100-sxm
  eaves predict gemm --m 1 --n 4k --k 4k --weights int4@128:fp16 --device h100-sxm
  eaves predict model llama-3-8b --context 8k --batch 16 --device h100-sxm
  eaves predict gemm --n 4k --k 4k --sweep m=1..4k:x2 --device mi300x"
)]
pub struct Predict {
    /// What to predict.
    #[command(subcommand)]
    #[serde(flatten)]
    pub op: PredictOp,
}

/// What to predict.
#[derive(Clone, Debug, PartialEq, Subcommand, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum PredictOp {
    /// Predict attention, forward or backward
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict attention --keys 4k --causal --device h100-sxm
  eaves predict attention --queries 1 --keys 32k --kv-heads 8 --device h100-sxm
  eaves predict attention --sweep keys=1k..128k:x2 --device mi300x"
    )]
    Attention(Operator<Attention>),
    /// Predict a convolution with any number of dimensions
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict conv --input 1,64,224,224 --channels 128 --device a100-sxm
  eaves predict conv --input 8,64,56,56 --channels 64 --kernel 3 --padding 1 --device h100-sxm"
    )]
    Conv(Operator<Convolution>),
    /// Predict a transformer feed-forward block
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict ffn --hidden 4096 --intermediate 14336 --device gb10
  eaves predict ffn --tokens 2k --weights int4@128:fp16 --device h100-sxm"
    )]
    Ffn(Operator<FeedForward>),
    /// Predict a matrix product
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict gemm --m 4k --n 4k --k 4k --precision all --device h100-sxm
  eaves predict gemm --n 4k --k 4k --sweep m=1..4k:x2 --device mi300x"
    )]
    Gemm(Operator<Gemm>),
    /// Predict a matrix-vector product
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict gemv --n 4096 --k 4096 --precision fp16 --device gb10-287
  eaves predict gemv --precision fp16,fp8,nvfp4,int4 --device b200"
    )]
    Gemv(Operator<Gemv>),
    /// Predict a whole transformer: prefill and decode
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict model llama-3-8b --device h100-sxm
  eaves predict model llama-3-70b --tensor-parallel 8 --batch 32 --device h100-sxm
  eaves predict model ./config.json --config w4a16-awq --device gb10
  eaves predict model qwen3-8b --phase decode --sweep context=1k..128k:x2 --device mi300x"
    )]
    Model(Model),
}

/// An operator with its shape, and how it is predicted.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct Operator<S: Args> {
    /// Its shape.
    #[command(flatten)]
    #[serde(flatten)]
    pub shape: S,
    /// How its operands are stored and computed.
    #[command(flatten)]
    #[serde(flatten)]
    pub precisions: Precisions,
    /// The device that is predicted.
    #[command(flatten)]
    #[serde(flatten)]
    pub device: Against,
    /// Sweep one parameter over values: m=1..4k:x2, k=1k..8k:+1k, n=1,2,3
    #[arg(long, value_name = "NAME=VALUES")]
    pub sweep: Option<String>,
}

impl Verb for Predict {
    const NAME: &'static str = "predict";

    fn run(&self, _: &Context<'_>) -> Result<Answer, Failure> {
        let sections = match &self.op {
            PredictOp::Attention(operator) => vec![predicted(operator)?],
            PredictOp::Conv(operator) => vec![predicted(operator)?],
            PredictOp::Ffn(operator) => vec![predicted(operator)?],
            PredictOp::Gemm(operator) => vec![predicted(operator)?],
            PredictOp::Gemv(operator) => vec![predicted(operator)?],
            PredictOp::Model(model) => model.predicted()?,
        };
        let outcomes = sections.into_iter().map(Outcome::Section).collect();
        let document = Document { verb: Self::NAME, outcomes, ..Document::default() };
        Ok(Answer::new(document).with_top(0))
    }

    fn files(&self) -> Vec<PathBuf> {
        match &self.op {
            PredictOp::Attention(operator) => operator.device.files(),
            PredictOp::Conv(operator) => operator.device.files(),
            PredictOp::Ffn(operator) => operator.device.files(),
            PredictOp::Gemm(operator) => operator.device.files(),
            PredictOp::Gemv(operator) => operator.device.files(),
            PredictOp::Model(model) => model.files(),
        }
    }
}

fn predicted<S: Shape + Args>(operator: &Operator<S>) -> Result<Section, Failure> {
    let types = operator.precisions.types()?;
    let device = operator.device.resolve_named()?;
    let Some(text) = &operator.sweep else {
        return Ok(kernels(&each_precision(&operator.shape, &types)?, &device));
    };
    let sweep = Sweep::parse(text, S::PARAMETERS)?;
    if sweep.values.len().saturating_mul(types.len()) > MOST_ROWS {
        return Err(Failure::usage(
            format!("{} values in {} precisions exceed {MOST_ROWS} rows", sweep.values.len(), types.len()),
            "request fewer of either",
        ));
    }
    let point = |value: &crate::Extent| {
        let mut shape = operator.shape.clone();
        shape.set(sweep.parameter, *value);
        Ok(Swept { value: value.0, section: kernels(&each_precision(&shape, &types)?, &device) })
    };
    let points: Result<Vec<Swept>, Failure> = sweep.values.iter().map(point).collect();
    Ok(put_together(sweep.parameter, points?))
}

fn each_precision<S: Shape>(shape: &S, types: &[(String, Types)]) -> Result<Vec<Kernel>, Failure> {
    let kernel = |(name, types): &(String, Types)| {
        let (work, chores) = (shape.work(types)?, shape.chores(types));
        Ok(Kernel { op: shape.label(), precision: name.clone(), work, chores })
    };
    types.iter().map(kernel).collect()
}

#[cfg(test)]
mod tests;
