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

    /// Display name.
    fn label(&self) -> String;

    /// What it must do.
    fn work(&self, types: &Types) -> Result<Work, Failure>;

    /// What it must do next to arithmetic and movement.
    fn chores(&self, _types: &Types) -> Vec<Chore> {
        Vec::new()
    }
}

/// Widening this many weights, if they are narrower than what they are multiplied with in FP32, or in INT8 where activations
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
    /// Matrix rows (output elements)
    #[arg(long, default_value_t = Gemv::default().n)]
    pub n: Extent,
    /// Matrix columns (vector elements)
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
    /// Number of products
    #[arg(long, default_value_t = Gemm::default().batch)]
    pub batch: Extent,
    /// Output rows
    #[arg(long, default_value_t = Gemm::default().m)]
    pub m: Extent,
    /// Output columns
    #[arg(long, default_value_t = Gemm::default().n)]
    pub n: Extent,
    /// Inner dimension
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
    /// Query heads
    #[arg(long, default_value_t = Attention::default().heads)]
    pub heads: Extent,
    /// Key and value heads [default: same as query heads]
    #[arg(long)]
    pub kv_heads: Option<Extent>,
    /// New tokens per sequence; 1 is decode [default: same as keys]
    #[arg(long)]
    pub queries: Option<Extent>,
    /// Tokens per sequence
    #[arg(long, default_value_t = Attention::default().keys)]
    pub keys: Extent,
    /// Head dimension
    #[arg(long, default_value_t = Attention::default().head_dim)]
    pub head_dim: Extent,
    /// Value dimension [default: head dimension]
    #[arg(long)]
    pub value_dim: Option<Extent>,
    /// Mask future tokens
    #[arg(long)]
    pub causal: bool,
    /// Unfused attention: write scores to memory
    #[arg(long)]
    pub unfused: bool,
    /// Predict the backward pass
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
                format!("{queries} queries exceed {} keys", self.keys),
                "--causal requires at least as many keys as queries",
            ));
        }
        let key_heads = self.kv_heads.unwrap_or(self.heads);
        if !self.heads.0.is_multiple_of(key_heads.0) {
            return Err(Failure::usage(
                format!("{} query heads cannot share {key_heads} key heads", self.heads),
                "--heads must be a multiple of --kv-heads",
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
    /// Tokens in total
    #[arg(long, default_value_t = FeedForward::default().tokens)]
    pub tokens: Extent,
    /// Hidden size
    #[arg(long, default_value_t = FeedForward::default().hidden)]
    pub hidden: Extent,
    /// Intermediate size
    #[arg(long, default_value_t = FeedForward::default().intermediate)]
    pub intermediate: Extent,
    /// No gate: two products instead of three
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

/// A convolution with any number of dimensions.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Convolution {
    /// Input batch, channels and spatial size: N,C,H,W
    #[arg(long, value_delimiter = ',', required = true)]
    #[serde(deserialize_with = "list")]
    pub input: Vec<Extent>,
    /// Output channels
    #[arg(long)]
    pub channels: Extent,
    /// Kernel size
    #[arg(long, value_delimiter = ',', default_values_t = three())]
    #[serde(default = "three", deserialize_with = "list")]
    pub kernel: Vec<Extent>,
    /// Stride
    #[arg(long, value_delimiter = ',', default_values_t = one())]
    #[serde(default = "one", deserialize_with = "list")]
    pub stride: Vec<Extent>,
    /// Zero padding
    #[arg(long, value_delimiter = ',', default_values_t = none())]
    #[serde(default = "none", deserialize_with = "list")]
    pub padding: Vec<u32>,
    /// Dilation
    #[arg(long, value_delimiter = ',', default_values_t = one())]
    #[serde(default = "one", deserialize_with = "list")]
    pub dilation: Vec<Extent>,
    /// Channel groups
    #[arg(long, default_value_t = ungrouped())]
    #[serde(default = "ungrouped")]
    pub groups: Extent,
    /// Predict the transposed convolution
    #[arg(long)]
    #[serde(default)]
    pub transposed: bool,
    /// Add a bias to each channel
    #[arg(long)]
    #[serde(default)]
    pub bias: bool,
    /// Predict the backward pass: input and weight gradients
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
                format!("--{name} has {} values for {dimensions} dimensions", all.len()),
                "pass one value, or one per dimension",
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
                "pass batch, channels and spatial size: --input 1,64,224,224",
            ));
        };
        if extents.is_empty() {
            return Err(Failure::usage(
                "the input has no spatial size",
                "pass batch, channels and spatial size: --input 1,64,224,224",
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
                "use a smaller kernel or more padding",
            ));
        }
        Ok(if self.backward { convolution.backward([true, true, self.bias]) } else { convolution.forward() })
    }
}
