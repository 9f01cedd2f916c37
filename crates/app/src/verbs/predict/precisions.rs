//! How operands are stored and computed.

use clap::Args;
use eaves_model::suggestion::did_you_mean;
use eaves_roofline::{Arithmetic, Family, Precision};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Failure;

/// How operands are stored and computed.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(next_help_heading = "Precisions")]
#[serde(default)]
pub struct Precisions {
    /// Precision of all operands: one, a comma-separated list, or `all`;
    /// int4@128:fp16 has one 16-bit scale per 128 elements
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "fp16")]
    #[serde(deserialize_with = "crate::text_value::names")]
    pub precision: Vec<String>,
    /// Weight precision, if different
    #[arg(long, value_name = "NAME")]
    pub weights: Option<String>,
    /// Activation precision, if different
    #[arg(long, value_name = "NAME")]
    pub activations: Option<String>,
    /// KV cache precision, if different
    #[arg(long, value_name = "NAME")]
    pub cache: Option<String>,
    /// Output precision [default: same as the inputs; for gemv and gemm at
    /// least fp16]
    #[arg(long, value_name = "NAME")]
    pub output_precision: Option<String>,
    /// Data type of the arithmetic [default: the wider operand's]
    #[arg(long, value_name = "TYPE")]
    pub compute: Option<String>,
}

impl Default for Precisions {
    fn default() -> Self {
        Self {
            precision: vec!["fp16".to_owned()],
            weights: None,
            activations: None,
            cache: None,
            output_precision: None,
            compute: None,
        }
    }
}

/// How the operands of one kernel are stored and computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    pub(super) weights: Precision,
    pub(super) activations: Precision,
    pub(super) cache: Precision,
    pub(super) output: Option<Precision>,
    pub(super) compute: Option<Arithmetic>,
}

impl Types {
    /// The output of products is as wide as the wider operand but no narrower than half precision, by default: FP32
    /// times FP32 is FP32, as frameworks and `eaves bench` have it.
    pub(super) fn product_output(&self) -> Precision {
        let wider = match self.weights.element_bits > self.activations.element_bits {
            true => self.weights,
            false => self.activations,
        };
        self.output.unwrap_or(if wider.element_bits > 16.0 { wider } else { Precision::FP16 })
    }
}

impl Precisions {
    /// One set of types for each precision asked for, with its name.
    pub(super) fn types(&self) -> Result<Vec<(String, Types)>, Failure> {
        let weights = self.weights.as_deref().map(precision).transpose()?;
        let activations = self.activations.as_deref().map(precision).transpose()?;
        let cache = self.cache.as_deref().map(precision).transpose()?;
        let output = self.output_precision.as_deref().map(precision).transpose()?;
        let compute = self.compute.as_deref().map(arithmetic).transpose()?;
        let precisions = match self.precision.as_slice() {
            [all] if all.eq_ignore_ascii_case("all") => Precision::all().filter(computes).collect(),
            names => names.iter().map(|name| precision(name)).collect::<Result<Vec<_>, _>>()?,
        };
        let typed = |one: Precision| {
            let types = Types {
                weights: weights.unwrap_or(one),
                activations: activations.unwrap_or(one),
                cache: cache.unwrap_or(one),
                output,
                compute,
            };
            (types.name(), types)
        };
        Ok(precisions.into_iter().map(typed).collect())
    }
}

impl Types {
    /// `fp16`, or `w int4 a fp16` where weights and other inputs differ.
    fn name(&self) -> String {
        let Self { weights, activations, .. } = self;
        if weights == activations { weights.to_string() } else { format!("w {weights} a {activations}") }
    }
}

/// Precisions that products are made of: no indices, no truth values, no complex numbers.
fn computes(precision: &Precision) -> bool {
    precision.family != Family::Plain && !matches!(precision.name, "fp4x2" | "int64" | "uint8")
}

/// The precision of this name.
pub(super) fn precision(name: &str) -> Result<Precision, Failure> {
    name.parse::<Precision>().map_err(|error| {
        let names: Vec<&str> = Precision::all().map(|precision| precision.name).collect();
        Failure::usage(error.to_string(), format!("precisions are {}", names.join(", ")))
    })
}

/// The arithmetic of this name.
pub(super) fn arithmetic(name: &str) -> Result<Arithmetic, Failure> {
    let names = || Arithmetic::ALL.into_iter().map(Arithmetic::id);
    Arithmetic::from_id(name).ok_or_else(|| {
        let suggestion = did_you_mean(name, names()).map(|near| format!("did you mean `{near}`? "));
        let known: Vec<&str> = names().collect();
        Failure::usage(
            format!("no arithmetic in `{name}`"),
            format!("{}types are {}", suggestion.unwrap_or_default(), known.join(", ")),
        )
    })
}
