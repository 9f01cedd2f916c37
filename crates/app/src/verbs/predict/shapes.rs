//! The shapes that can be predicted.

use clap::Args;
use eaves_roofline::measured::Chore;
use eaves_roofline::ops;
use eaves_roofline::{Precision, Work};
use schemars::JsonSchema;
use serde::Deserialize;

use super::precisions::Types;
use crate::text_value::list;
use crate::{Extent, Failure};

/// Something with a shape.
pub(super) trait Shape: Clone {
    /// The parameters that can be swept.
    const PARAMETERS: &'static [&'static str];

    /// Sets one of them.
    fn set(&mut self, parameter: &str, value: Extent);

    /// What people call it.
    fn label(&self) -> String;

    /// What it must do.
    fn work(&self, types: &Types) -> Result<Work, Failure>;

    /// What it must do beside arithmetic and movement.
    fn chores(&self, _types: &Types) -> Vec<Chore> {
        Vec::new()
    }
}

/// Widening so many weights, if they are narrower than what they are multiplied with in FP32, or in INT8 where activations
/// are.
fn widened(types: &Types, weights: f64) -> Vec<Chore> {
    let computed = if types.activations.name == "int8" { types.activations } else { Precision::FP32 };
    match types.weights.element_bits < 32.0 {
        true => vec![Chore::dequantise(types.weights, computed, weights)],
        false => Vec::new(),
    }
}

/// A matrix-vector product.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Gemv {
    /// Rows of the matrix: elements of the output
    #[arg(long, default_value_t = Gemv::default().n)]
    pub n: Extent,
    /// Columns of the matrix: elements of the vector
    #[arg(long, default_value_t = Gemv::default().k)]
    pub k: Extent,
}

impl Default for Gemv {
    fn default() -> Self {
        Self { n: Extent(4096), k: Extent(4096) }
    }
}

impl Shape for Gemv {
    const PARAMETERS: &'static [&'static str] = &["n", "k"];

    fn set(&mut self, parameter: &str, value: Extent) {
        match parameter {
            "n" => self.n = value,
            _ => self.k = value,
        }
    }

    fn label(&self) -> String {
        format!("gemv {}x{}", self.n, self.k)
    }

    fn work(&self, types: &Types) -> Result<Work, Failure> {
        Gemm { batch: Extent(1), m: Extent(1), n: self.n, k: self.k, bias: false }.work(types)
    }

    fn chores(&self, types: &Types) -> Vec<Chore> {
        widened(types, self.n.float() * self.k.float())
    }
}

/// A matrix product.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Gemm {
    /// How many products
    #[arg(long, default_value_t = Gemm::default().batch)]
    pub batch: Extent,
    /// Rows of the output
    #[arg(long, default_value_t = Gemm::default().m)]
    pub m: Extent,
    /// Columns of the output
    #[arg(long, default_value_t = Gemm::default().n)]
    pub n: Extent,
    /// The extent that is summed over
    #[arg(long, default_value_t = Gemm::default().k)]
    pub k: Extent,
    /// Add a bias to each row
    #[arg(long)]
    pub bias: bool,
}

impl Default for Gemm {
    fn default() -> Self {
        Self { batch: Extent(1), m: Extent(4096), n: Extent(4096), k: Extent(4096), bias: false }
    }
}

impl Shape for Gemm {
    const PARAMETERS: &'static [&'static str] = &["batch", "m", "n", "k"];

    fn set(&mut self, parameter: &str, value: Extent) {
        match parameter {
            "batch" => self.batch = value,
            "m" => self.m = value,
            "n" => self.n = value,
            _ => self.k = value,
        }
    }

    fn label(&self) -> String {
        let batch = if self.batch.0 > 1 { format!("{} x ", self.batch) } else { String::new() };
        format!("gemm {batch}{}x{}x{}", self.m, self.n, self.k)
    }

    fn work(&self, types: &Types) -> Result<Work, Failure> {
        let output = types.product_output();
        let gemm = ops::Gemm {
            batch: self.batch.float(),
            m: self.m.float(),
            n: self.n.float(),
            k: self.k.float(),
            a: types.activations,
            b: types.weights,
            output,
            bias: self.bias.then_some(output),
            compute: types.compute,
        };
        Ok(gemm.work())
    }

    fn chores(&self, types: &Types) -> Vec<Chore> {
        widened(types, self.batch.float() * self.n.float() * self.k.float())
    }
}

/// Attention.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Attention {
    /// Sequences
    #[arg(long, default_value_t = Attention::default().batch)]
    pub batch: Extent,
    /// Heads of queries
    #[arg(long, default_value_t = Attention::default().heads)]
    pub heads: Extent,
    /// Heads of keys and values [default: as many as of queries]
    #[arg(long)]
    pub kv_heads: Option<Extent>,
    /// New tokens of a sequence: 1 to decode [default: as many as keys]
    #[arg(long)]
    pub queries: Option<Extent>,
    /// Tokens of a sequence
    #[arg(long, default_value_t = Attention::default().keys)]
    pub keys: Extent,
    /// Width of a head
    #[arg(long, default_value_t = Attention::default().head_dim)]
    pub head_dim: Extent,
    /// Width of a value [default: that of a head]
    #[arg(long)]
    pub value_dim: Option<Extent>,
    /// A token sees only those before it
    #[arg(long)]
    pub causal: bool,
    /// Scores go through memory
    #[arg(long)]
    pub unfused: bool,
    /// The backward pass
    #[arg(long)]
    pub backward: bool,
}

impl Default for Attention {
    fn default() -> Self {
        Self {
            batch: Extent(1),
            heads: Extent(32),
            kv_heads: None,
            queries: None,
            keys: Extent(4096),
            head_dim: Extent(128),
            value_dim: None,
            causal: false,
            unfused: false,
            backward: false,
        }
    }
}

impl Shape for Attention {
    const PARAMETERS: &'static [&'static str] =
        &["batch", "heads", "kv-heads", "queries", "keys", "head-dim"];

    fn set(&mut self, parameter: &str, value: Extent) {
        match parameter {
            "batch" => self.batch = value,
            "heads" => self.heads = value,
            "kv-heads" => self.kv_heads = Some(value),
            "queries" => self.queries = Some(value),
            "keys" => self.keys = value,
            _ => self.head_dim = value,
        }
    }

    fn label(&self) -> String {
        let queries = self.queries.unwrap_or(self.keys);
        format!("attention {}x{}x{queries}x{}x{}", self.batch, self.heads, self.keys, self.head_dim)
    }

    fn work(&self, types: &Types) -> Result<Work, Failure> {
        let queries = self.queries.unwrap_or(self.keys);
        if self.causal && queries > self.keys {
            return Err(Failure::usage(
                format!("{queries} queries cannot each come after {} keys", self.keys),
                "with --causal there are at least as many keys as queries",
            ));
        }
        let key_heads = self.kv_heads.unwrap_or(self.heads);
        if !self.heads.0.is_multiple_of(key_heads.0) {
            return Err(Failure::usage(
                format!("{} heads of queries cannot share {key_heads} heads of keys", self.heads),
                "--heads is a multiple of --kv-heads",
            ));
        }
        let attention = self.attention(types, key_heads, queries);
        Ok(if self.backward { attention.backward() } else { attention.forward() })
    }

    fn chores(&self, types: &Types) -> Vec<Chore> {
        let queries = self.queries.unwrap_or(self.keys);
        let attention = self.attention(types, self.kv_heads.unwrap_or(self.heads), queries);
        vec![Chore::exp(attention.batch * attention.query_heads * attention.pairs())]
    }
}

impl Attention {
    fn attention(&self, types: &Types, key_heads: Extent, queries: Extent) -> ops::Attention {
        ops::Attention {
            batch: self.batch.float(),
            query_heads: self.heads.float(),
            key_heads: key_heads.float(),
            query_tokens: queries.float(),
            key_tokens: self.keys.float(),
            key_dim: self.head_dim.float(),
            value_dim: self.value_dim.unwrap_or(self.head_dim).float(),
            causal: self.causal,
            window: None,
            fused: !self.unfused,
            query: types.activations,
            cache: types.cache,
            output: types.output.unwrap_or(types.activations),
            compute: types.compute,
        }
    }
}

/// The feed-forward block of a transformer.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FeedForward {
    /// Tokens of all sequences
    #[arg(long, default_value_t = FeedForward::default().tokens)]
    pub tokens: Extent,
    /// Width of a token
    #[arg(long, default_value_t = FeedForward::default().hidden)]
    pub hidden: Extent,
    /// Width of the layer between
    #[arg(long, default_value_t = FeedForward::default().intermediate)]
    pub intermediate: Extent,
    /// Two products instead of three: no gate
    #[arg(long)]
    pub no_gate: bool,
}

impl Default for FeedForward {
    fn default() -> Self {
        Self { tokens: Extent(1), hidden: Extent(4096), intermediate: Extent(14336), no_gate: false }
    }
}

impl Shape for FeedForward {
    const PARAMETERS: &'static [&'static str] = &["tokens", "hidden", "intermediate"];

    fn set(&mut self, parameter: &str, value: Extent) {
        match parameter {
            "tokens" => self.tokens = value,
            "hidden" => self.hidden = value,
            _ => self.intermediate = value,
        }
    }

    fn label(&self) -> String {
        format!("ffn {}x{}x{}", self.tokens, self.hidden, self.intermediate)
    }

    fn work(&self, types: &Types) -> Result<Work, Failure> {
        let block = ops::FeedForward {
            tokens: self.tokens.float(),
            hidden: self.hidden.float(),
            intermediate: self.intermediate.float(),
            gated: !self.no_gate,
            weights: types.weights,
            activations: types.activations,
            compute: types.compute,
        };
        Ok(block.work())
    }
}

/// A convolution of any number of dimensions.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Convolution {
    /// Batch, channels and extents of the input: N,C,H,W
    #[arg(long, value_delimiter = ',', required = true)]
    #[serde(deserialize_with = "list")]
    pub input: Vec<Extent>,
    /// Channels of the output
    #[arg(long)]
    pub channels: Extent,
    /// Extents of the kernel
    #[arg(long, value_delimiter = ',', default_values_t = three())]
    #[serde(default = "three", deserialize_with = "list")]
    pub kernel: Vec<Extent>,
    /// Steps of the kernel
    #[arg(long, value_delimiter = ',', default_values_t = one())]
    #[serde(default = "one", deserialize_with = "list")]
    pub stride: Vec<Extent>,
    /// Zeros around the input
    #[arg(long, value_delimiter = ',', default_values_t = none())]
    #[serde(default = "none", deserialize_with = "list")]
    pub padding: Vec<u32>,
    /// Distances of the kernel's elements
    #[arg(long, value_delimiter = ',', default_values_t = one())]
    #[serde(default = "one", deserialize_with = "list")]
    pub dilation: Vec<Extent>,
    /// Groups of channels that do not mix
    #[arg(long, default_value_t = ungrouped())]
    #[serde(default = "ungrouped")]
    pub groups: Extent,
    /// The transposed convolution
    #[arg(long)]
    #[serde(default)]
    pub transposed: bool,
    /// Add a bias to each channel
    #[arg(long)]
    #[serde(default)]
    pub bias: bool,
    /// The backward pass, gradients of input and weights
    #[arg(long)]
    #[serde(default)]
    pub backward: bool,
}

fn three() -> Vec<Extent> {
    vec![Extent(3)]
}

fn one() -> Vec<Extent> {
    vec![Extent(1)]
}

fn none() -> Vec<u32> {
    vec![0]
}

fn ungrouped() -> Extent {
    Extent(1)
}

impl Convolution {
    /// One number for each dimension; a single one holds for all.
    fn spread(&self, name: &str, values: Vec<f64>) -> Result<Vec<f64>, Failure> {
        let dimensions = self.input.len().saturating_sub(2);
        match values.as_slice() {
            [one] => Ok(vec![*one; dimensions]),
            all if all.len() == dimensions => Ok(values),
            all => Err(Failure::usage(
                format!("--{name} has {} numbers for {dimensions} dimensions", all.len()),
                "give one number, or one for each dimension",
            )),
        }
    }
}

fn floats(values: &[Extent]) -> Vec<f64> {
    values.iter().map(|value| value.float()).collect()
}

impl Shape for Convolution {
    const PARAMETERS: &'static [&'static str] = &["batch", "in-channels", "channels", "groups"];

    fn set(&mut self, parameter: &str, value: Extent) {
        match (parameter, self.input.as_mut_slice()) {
            ("batch", [batch, ..]) => *batch = value,
            ("in-channels", [_, channels, ..]) => *channels = value,
            ("groups", _) => self.groups = value,
            _ => self.channels = value,
        }
    }

    fn label(&self) -> String {
        let input: Vec<String> = self.input.iter().map(Extent::to_string).collect();
        format!("conv {} to {}", input.join("x"), self.channels)
    }

    fn work(&self, types: &Types) -> Result<Work, Failure> {
        let [batch, in_channels, extents @ ..] = self.input.as_slice() else {
            return Err(Failure::usage(
                "the input has no channels",
                "give batch, channels and extents: --input 1,64,224,224",
            ));
        };
        if extents.is_empty() {
            return Err(Failure::usage(
                "the input has no extents",
                "give batch, channels and extents: --input 1,64,224,224",
            ));
        }
        let groups = self.groups.0;
        if !in_channels.0.is_multiple_of(groups) || !self.channels.0.is_multiple_of(groups) {
            return Err(Failure::usage(
                format!("{in_channels} and {} channels do not divide into {groups} groups", self.channels),
                "input and output channels must be multiples of --groups",
            ));
        }
        let output = types.output.unwrap_or(types.activations);
        let convolution = ops::Convolution {
            batch: batch.float(),
            in_channels: in_channels.float(),
            out_channels: self.channels.float(),
            groups: self.groups.float(),
            input: floats(extents),
            kernel: self.spread("kernel", floats(&self.kernel))?,
            stride: self.spread("stride", floats(&self.stride))?,
            padding: self.spread("padding", self.padding.iter().map(|value| f64::from(*value)).collect())?,
            dilation: self.spread("dilation", floats(&self.dilation))?,
            transposed: self.transposed,
            output_padding: vec![0.0; extents.len()],
            x: types.activations,
            weight: types.weights,
            output,
            bias: self.bias.then_some(output),
            compute: types.compute,
        };
        if convolution.output_extents().iter().any(|extent| *extent < 1.0) {
            return Err(Failure::usage(
                "the kernel is larger than the input",
                "give a smaller kernel or more padding",
            ));
        }
        Ok(if self.backward { convolution.backward([true, true, self.bias]) } else { convolution.forward() })
    }
}
