//! The shapes that can be predicted.

use anyhow::Result;
use clap::Args;
use eaves_roofline::measured::Chore;
use eaves_roofline::ops;
use eaves_roofline::{Arithmetic, Precision, Work};

use super::number::size;
use crate::failure::hinted;

/// How operands are stored and computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    pub(super) weights: Precision,
    pub(super) activations: Precision,
    pub(super) cache: Precision,
    pub(super) output: Option<Precision>,
    pub(super) compute: Option<Arithmetic>,
}

impl Types {
    /// The output of products is as wide as the wider operand but no narrower than half precision, unless said: FP32
    /// times FP32 is FP32, as frameworks and `eaves bench` have it.
    fn product_output(&self) -> Precision {
        let wider = match self.weights.element_bits > self.activations.element_bits {
            true => self.weights,
            false => self.activations,
        };
        self.output.unwrap_or(if wider.element_bits > 16.0 { wider } else { Precision::FP16 })
    }
}

/// Something with a shape.
pub(super) trait Shape: Clone {
    /// The parameters that can be swept.
    const PARAMETERS: &'static [&'static str];

    /// Sets one of them.
    fn set(&mut self, parameter: &str, value: u64);

    /// What people call it.
    fn label(&self) -> String;

    /// What it must do.
    fn work(&self, types: &Types) -> Result<Work>;

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

#[derive(Args, Clone, Debug)]
pub(super) struct Gemv {
    /// Rows of the matrix: elements of the output
    #[arg(long, value_parser = size, default_value = "4096")]
    n: u64,
    /// Columns of the matrix: elements of the vector
    #[arg(long, value_parser = size, default_value = "4096")]
    k: u64,
}

impl Shape for Gemv {
    const PARAMETERS: &'static [&'static str] = &["n", "k"];

    fn set(&mut self, parameter: &str, value: u64) {
        match parameter {
            "n" => self.n = value,
            _ => self.k = value,
        }
    }

    fn label(&self) -> String {
        format!("gemv {}x{}", self.n, self.k)
    }

    fn work(&self, types: &Types) -> Result<Work> {
        Gemm { batch: 1, m: 1, n: self.n, k: self.k, bias: false }.work(types)
    }

    fn chores(&self, types: &Types) -> Vec<Chore> {
        widened(types, self.n as f64 * self.k as f64)
    }
}

#[derive(Args, Clone, Debug)]
pub(super) struct Gemm {
    /// How many products
    #[arg(long, value_parser = size, default_value = "1")]
    batch: u64,
    /// Rows of the output
    #[arg(long, value_parser = size, default_value = "4096")]
    m: u64,
    /// Columns of the output
    #[arg(long, value_parser = size, default_value = "4096")]
    n: u64,
    /// The extent that is summed over
    #[arg(long, value_parser = size, default_value = "4096")]
    k: u64,
    /// Add a bias to each row
    #[arg(long)]
    bias: bool,
}

impl Shape for Gemm {
    const PARAMETERS: &'static [&'static str] = &["batch", "m", "n", "k"];

    fn set(&mut self, parameter: &str, value: u64) {
        match parameter {
            "batch" => self.batch = value,
            "m" => self.m = value,
            "n" => self.n = value,
            _ => self.k = value,
        }
    }

    fn label(&self) -> String {
        let batch = if self.batch > 1 { format!("{} x ", self.batch) } else { String::new() };
        format!("gemm {batch}{}x{}x{}", self.m, self.n, self.k)
    }

    fn work(&self, types: &Types) -> Result<Work> {
        let output = types.product_output();
        let gemm = ops::Gemm {
            batch: self.batch as f64,
            m: self.m as f64,
            n: self.n as f64,
            k: self.k as f64,
            a: types.activations,
            b: types.weights,
            output,
            bias: self.bias.then_some(output),
            compute: types.compute,
        };
        Ok(gemm.work())
    }

    fn chores(&self, types: &Types) -> Vec<Chore> {
        widened(types, self.batch as f64 * self.n as f64 * self.k as f64)
    }
}

#[derive(Args, Clone, Debug)]
pub(super) struct Attention {
    /// Sequences
    #[arg(long, value_parser = size, default_value = "1")]
    batch: u64,
    /// Heads of queries
    #[arg(long, value_parser = size, default_value = "32")]
    heads: u64,
    /// Heads of keys and values; as many as of queries unless said
    #[arg(long, value_parser = size)]
    kv_heads: Option<u64>,
    /// New tokens of a sequence: 1 to decode; as many as keys unless said
    #[arg(long, value_parser = size)]
    queries: Option<u64>,
    /// Tokens of a sequence
    #[arg(long, value_parser = size, default_value = "4096")]
    keys: u64,
    /// Width of a head
    #[arg(long, value_parser = size, default_value = "128")]
    head_dim: u64,
    /// Width of a value, if not that of a head
    #[arg(long, value_parser = size)]
    value_dim: Option<u64>,
    /// A token sees only those before it
    #[arg(long)]
    causal: bool,
    /// Scores go through memory
    #[arg(long)]
    unfused: bool,
    /// The backward pass
    #[arg(long)]
    backward: bool,
}

impl Shape for Attention {
    const PARAMETERS: &'static [&'static str] =
        &["batch", "heads", "kv-heads", "queries", "keys", "head-dim"];

    fn set(&mut self, parameter: &str, value: u64) {
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

    fn work(&self, types: &Types) -> Result<Work> {
        let queries = self.queries.unwrap_or(self.keys);
        if self.causal && queries > self.keys {
            return Err(hinted(
                format!("{queries} queries cannot each come after {} keys", self.keys),
                "with --causal there are at least as many keys as queries",
            ));
        }
        let key_heads = self.kv_heads.unwrap_or(self.heads);
        if !self.heads.is_multiple_of(key_heads) {
            return Err(hinted(
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
    fn attention(&self, types: &Types, key_heads: u64, queries: u64) -> ops::Attention {
        ops::Attention {
            batch: self.batch as f64,
            query_heads: self.heads as f64,
            key_heads: key_heads as f64,
            query_tokens: queries as f64,
            key_tokens: self.keys as f64,
            key_dim: self.head_dim as f64,
            value_dim: self.value_dim.unwrap_or(self.head_dim) as f64,
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

#[derive(Args, Clone, Debug)]
pub(super) struct FeedForward {
    /// Tokens of all sequences
    #[arg(long, value_parser = size, default_value = "1")]
    tokens: u64,
    /// Width of a token
    #[arg(long, value_parser = size, default_value = "4096")]
    hidden: u64,
    /// Width of the layer between
    #[arg(long, value_parser = size, default_value = "14336")]
    intermediate: u64,
    /// Two products instead of three: no gate
    #[arg(long)]
    no_gate: bool,
}

impl Shape for FeedForward {
    const PARAMETERS: &'static [&'static str] = &["tokens", "hidden", "intermediate"];

    fn set(&mut self, parameter: &str, value: u64) {
        match parameter {
            "tokens" => self.tokens = value,
            "hidden" => self.hidden = value,
            _ => self.intermediate = value,
        }
    }

    fn label(&self) -> String {
        format!("ffn {}x{}x{}", self.tokens, self.hidden, self.intermediate)
    }

    fn work(&self, types: &Types) -> Result<Work> {
        let block = ops::FeedForward {
            tokens: self.tokens as f64,
            hidden: self.hidden as f64,
            intermediate: self.intermediate as f64,
            gated: !self.no_gate,
            weights: types.weights,
            activations: types.activations,
            compute: types.compute,
        };
        Ok(block.work())
    }
}

#[derive(Args, Clone, Debug)]
pub(super) struct Convolution {
    /// Batch, channels and extents of the input: N,C,H,W
    #[arg(long, value_parser = size, value_delimiter = ',', required = true)]
    input: Vec<u64>,
    /// Channels of the output
    #[arg(long, value_parser = size)]
    channels: u64,
    /// Extents of the kernel
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "3")]
    kernel: Vec<u64>,
    /// Steps of the kernel
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "1")]
    stride: Vec<u64>,
    /// Zeros around the input
    #[arg(long, value_delimiter = ',', default_value = "0")]
    padding: Vec<u32>,
    /// Distances of the kernel's elements
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "1")]
    dilation: Vec<u64>,
    /// Groups of channels that do not mix
    #[arg(long, value_parser = size, default_value = "1")]
    groups: u64,
    /// The transposed convolution
    #[arg(long)]
    transposed: bool,
    /// Add a bias to each channel
    #[arg(long)]
    bias: bool,
    /// The backward pass, gradients of input and weights
    #[arg(long)]
    backward: bool,
}

impl Convolution {
    /// One number for each dimension; a single one holds for all.
    fn spread(&self, name: &str, values: Vec<f64>) -> Result<Vec<f64>> {
        let dimensions = self.input.len().saturating_sub(2);
        match values.as_slice() {
            [one] => Ok(vec![*one; dimensions]),
            all if all.len() == dimensions => Ok(values),
            all => Err(hinted(
                format!("--{name} has {} numbers for {dimensions} dimensions", all.len()),
                "give one number, or one for each dimension",
            )),
        }
    }
}

fn floats(values: &[u64]) -> Vec<f64> {
    values.iter().map(|value| *value as f64).collect()
}

impl Shape for Convolution {
    const PARAMETERS: &'static [&'static str] = &["batch", "in-channels", "channels", "groups"];

    fn set(&mut self, parameter: &str, value: u64) {
        match (parameter, self.input.as_mut_slice()) {
            ("batch", [batch, ..]) => *batch = value,
            ("in-channels", [_, channels, ..]) => *channels = value,
            ("groups", _) => self.groups = value,
            _ => self.channels = value,
        }
    }

    fn label(&self) -> String {
        let input: Vec<String> = self.input.iter().map(u64::to_string).collect();
        format!("conv {} to {}", input.join("x"), self.channels)
    }

    fn work(&self, types: &Types) -> Result<Work> {
        let [batch, in_channels, extents @ ..] = self.input.as_slice() else {
            return Err(hinted(
                "the input has no channels",
                "give batch, channels and extents: --input 1,64,224,224",
            ));
        };
        if extents.is_empty() {
            return Err(hinted(
                "the input has no extents",
                "give batch, channels and extents: --input 1,64,224,224",
            ));
        }
        if !in_channels.is_multiple_of(self.groups) || !self.channels.is_multiple_of(self.groups) {
            return Err(hinted(
                format!("{in_channels} and {} channels are no {} groups", self.channels, self.groups),
                "channels of input and output are multiples of the groups",
            ));
        }
        let output = types.output.unwrap_or(types.activations);
        let convolution = ops::Convolution {
            batch: *batch as f64,
            in_channels: *in_channels as f64,
            out_channels: self.channels as f64,
            groups: self.groups as f64,
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
            return Err(hinted(
                "the kernel is larger than the input",
                "give a smaller kernel or more padding",
            ));
        }
        Ok(if self.backward { convolution.backward([true, true, self.bias]) } else { convolution.forward() })
    }
}
