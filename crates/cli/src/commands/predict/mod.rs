//! `eaves predict`: what a device needs at best for a shape or a whole model.

mod model;
mod number;
mod shapes;
mod sweep;

use anyhow::Result;
use clap::{Args, Subcommand};
use eaves_analyze::Outcome;
use eaves_assess::predict::{Kernel, Swept, kernels, sweep as put_together};
use eaves_present::Document;
use eaves_roofline::{Arithmetic, Device, Precision};

pub(crate) use self::number::size;
use self::shapes::{Shape, Types};
use self::sweep::Sweep;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::Against;
use eaves_app::HELP_TEMPLATE;
use eaves_model::suggestion::did_you_mean;

/// Say how long a shape or a model takes at best, and why
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves predict gemv --n 4096 --k 4096 --precision fp16 --device gb10-287
  eaves predict gemm --m 4k --n 4k --k 4k --precision all --device h100-sxm
  eaves predict gemm --m 1 --n 4k --k 4k --weights int4@128:fp16 --device h100-sxm
  eaves predict model llama-3-8b --context 8k --batch 16 --device h100-sxm
  eaves predict gemm --n 4k --k 4k --sweep m=1..4k:x2 --device mi300x"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Predict attention, forward or backward
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict attention --keys 4k --causal --device h100-sxm
  eaves predict attention --queries 1 --keys 32k --kv-heads 8 --device h100-sxm
  eaves predict attention --sweep keys=1k..128k:x2 --device mi300x"
    )]
    Attention(Operator<shapes::Attention>),
    /// Predict a convolution of any number of dimensions
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict conv --input 1,64,224,224 --channels 128 --device a100-sxm
  eaves predict conv --input 8,64,56,56 --channels 64 --kernel 3 --padding 1 --device h100-sxm"
    )]
    Conv(Operator<shapes::Convolution>),
    /// Predict the feed-forward block of a transformer
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict ffn --hidden 4096 --intermediate 14336 --device gb10
  eaves predict ffn --tokens 2k --weights int4@128:fp16 --device h100-sxm"
    )]
    Ffn(Operator<shapes::FeedForward>),
    /// Predict a matrix product
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict gemm --m 4k --n 4k --k 4k --precision all --device h100-sxm
  eaves predict gemm --n 4k --k 4k --sweep m=1..4k:x2 --device mi300x"
    )]
    Gemm(Operator<shapes::Gemm>),
    /// Predict a matrix-vector product
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves predict gemv --n 4096 --k 4096 --precision fp16 --device gb10-287
  eaves predict gemv --precision fp16,fp8,nvfp4,int4 --device b200"
    )]
    Gemv(Operator<shapes::Gemv>),
    Model(model::Arguments),
}

/// A shape and what to predict of it.
#[derive(Args, Debug)]
struct Operator<S: Args> {
    #[command(flatten)]
    shape: S,
    #[command(flatten)]
    precisions: PrecisionArguments,
    #[command(flatten)]
    device: Against,
    /// Take one parameter through values: m=1..4k:x2, k=1k..8k:+1k, n=1,2,3
    #[arg(long, value_name = "NAME=VALUES")]
    sweep: Option<String>,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    top: usize,
}

/// How operands are stored and computed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Precisions")]
struct PrecisionArguments {
    /// Of all operands: one, several with commas, or `all`; int4@128:fp16 has
    /// a 16-bit scale for 128 elements
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "fp16")]
    precision: Vec<String>,
    /// Of weights, if not the same
    #[arg(long, value_name = "NAME")]
    weights: Option<String>,
    /// Of inputs that are no weights, if not the same
    #[arg(long, value_name = "NAME")]
    activations: Option<String>,
    /// Of keys and values, if not the same
    #[arg(long, value_name = "NAME")]
    cache: Option<String>,
    /// Of the output; as the inputs if not said, for gemv and gemm at least fp16
    #[arg(long, value_name = "NAME")]
    output_precision: Option<String>,
    /// What products are computed in, if not in the wider of their operands
    #[arg(long, value_name = "TYPE")]
    compute: Option<String>,
}

impl PrecisionArguments {
    /// One set of types for each precision asked for, with its name.
    fn types(&self) -> Result<Vec<(String, Types)>> {
        let weights = self.weights.as_deref().map(precision).transpose()?;
        let activations = self.activations.as_deref().map(precision).transpose()?;
        let cache = self.cache.as_deref().map(precision).transpose()?;
        let output = self.output_precision.as_deref().map(precision).transpose()?;
        let compute = self.compute.as_deref().map(arithmetic).transpose()?;
        let precisions = match self.precision.as_slice() {
            [all] if all.eq_ignore_ascii_case("all") => Precision::all().filter(computes).collect(),
            names => names.iter().map(|name| precision(name)).collect::<Result<Vec<_>>>()?,
        };
        Ok(precisions
            .into_iter()
            .map(|one| {
                let types = Types {
                    weights: weights.unwrap_or(one),
                    activations: activations.unwrap_or(one),
                    cache: cache.unwrap_or(one),
                    output,
                    compute,
                };
                (name(one, weights, activations), types)
            })
            .collect())
    }
}

/// `fp16`, or `w int4 a fp16` where weights and other inputs differ.
fn name(precision: Precision, weights: Option<Precision>, activations: Option<Precision>) -> String {
    let (weights, activations) = (weights.unwrap_or(precision), activations.unwrap_or(precision));
    if weights == activations { weights.to_string() } else { format!("w {weights} a {activations}") }
}

/// Precisions that products are made of: no indices, no truth values, no complex numbers.
fn computes(precision: &Precision) -> bool {
    precision.family != eaves_roofline::Family::Plain
        && !matches!(precision.name, "fp4x2" | "int64" | "uint8")
}

/// The precision of this name.
fn precision(name: &str) -> Result<Precision> {
    name.parse::<Precision>().map_err(|error| {
        let names: Vec<&str> = Precision::all().map(|precision| precision.name).collect();
        hinted(error.to_string(), format!("known are {}", names.join(", ")))
    })
}

/// The arithmetic of this name.
fn arithmetic(name: &str) -> Result<Arithmetic> {
    let names = || Arithmetic::ALL.into_iter().map(Arithmetic::id);
    Arithmetic::from_id(name).ok_or_else(|| {
        let suggestion = did_you_mean(name, names()).map(|near| format!("did you mean `{near}`? "));
        let known: Vec<&str> = names().collect();
        hinted(
            format!("nothing computes in `{name}`"),
            format!("{}known are {}", suggestion.unwrap_or_default(), known.join(", ")),
        )
    })
}

/// Predicts.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    match &arguments.what {
        What::Attention(operator) => operator.run(output),
        What::Conv(operator) => operator.run(output),
        What::Ffn(operator) => operator.run(output),
        What::Gemm(operator) => operator.run(output),
        What::Gemv(operator) => operator.run(output),
        What::Model(arguments) => model::run(arguments, output),
    }
}

impl<S: Shape + Args> Operator<S> {
    fn run(&self, output: &OutputArguments) -> Result<()> {
        let types = self.precisions.types()?;
        let device = self.device.resolve_named()?;
        let destination = output.destination(&[])?;
        let section = match &self.sweep {
            None => kernels(&predicted(&self.shape, &types)?, &device),
            Some(text) => self.swept(&Sweep::parse(text, S::PARAMETERS)?, &types, &device)?,
        };
        let document =
            Document { verb: "predict", outcomes: vec![Outcome::Section(section)], ..Document::default() };
        output.finish(&document, destination, self.top)
    }

    fn swept(
        &self,
        sweep: &Sweep,
        types: &[(String, Types)],
        device: &Device,
    ) -> Result<eaves_analyze::section::Section> {
        let points = sweep.values.iter().map(|value| {
            let mut shape = self.shape.clone();
            shape.set(sweep.parameter, *value);
            Ok(Swept { value: *value, section: kernels(&predicted(&shape, types)?, device) })
        });
        Ok(put_together(sweep.parameter, points.collect::<Result<_>>()?))
    }
}

fn predicted<S: Shape>(shape: &S, types: &[(String, Types)]) -> Result<Vec<Kernel>> {
    let kernel = |(name, types): &(String, Types)| {
        let (work, chores) = (shape.work(types)?, shape.chores(types));
        Ok(Kernel { op: shape.label(), precision: name.clone(), work, chores })
    };
    types.iter().map(kernel).collect()
}
