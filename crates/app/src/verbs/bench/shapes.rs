//! The shapes that can be run.

use std::str::FromStr;

use clap::Args;
use eaves_bench::cpu::gemm::Implementation;
use eaves_bench::running::Code;
use eaves_bench::{Attend, CacheState, Spec, Store, Stream};
use eaves_roofline::Arithmetic;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Wanted;
use super::precisions::{Pair, Precisions};
use crate::text_value::{list, written_as_text};
use crate::{Extent, Failure};

/// A product of matrices; of one row, of a matrix and a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

impl Product {
    pub(crate) fn spec(&self, pair: &Pair) -> Spec {
        let Self { m, n, k } = *self;
        let Pair { weights, activations } = *pair;
        match m {
            1 => Spec::Gemv { n, k, weights, activations },
            _ => Spec::Gemm { m, n, k, weights, activations },
        }
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
    /// How operands are stored.
    #[command(flatten)]
    #[serde(flatten)]
    pub precisions: Precisions,
}

impl Default for Gemv {
    fn default() -> Self {
        Self { n: Extent(4096), k: Extent(4096), precisions: Precisions::default() }
    }
}

impl Gemv {
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        let product = Product { m: 1, n: self.n.count()?, k: self.k.count()? };
        Ok(Wanted::of(self.precisions.pairs()?.iter().map(|pair| product.spec(pair)).collect()))
    }
}

/// A matrix product.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Gemm {
    /// Output rows
    #[arg(long, default_value_t = Gemm::default().m, conflicts_with = "batch")]
    pub m: Extent,
    /// Output columns
    #[arg(long, default_value_t = Gemm::default().n)]
    pub n: Extent,
    /// Inner dimension
    #[arg(long, default_value_t = Gemm::default().k)]
    pub k: Extent,
    /// Row counts to compare: marks where narrow weights stop paying off
    #[arg(long, value_name = "M,...", value_delimiter = ',')]
    #[serde(deserialize_with = "list")]
    pub batch: Vec<Extent>,
    /// Implementation: own, crate, vendor, openblas or blis; comma-separated
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values_t = Gemm::default().implementation)]
    #[serde(deserialize_with = "list")]
    pub implementation: Vec<CodeName>,
    /// How operands are stored.
    #[command(flatten)]
    #[serde(flatten)]
    pub precisions: Precisions,
}

impl Default for Gemm {
    fn default() -> Self {
        let side = Extent(1024);
        Self {
            m: side,
            n: side,
            k: side,
            batch: Vec::new(),
            implementation: vec![CodeName(Code::Own)],
            precisions: Precisions::default(),
        }
    }
}

/// Whose code runs: `own`, `crate`, `vendor`, `openblas` or `blis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeName(pub Code);

impl FromStr for CodeName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let name = match name {
            "vendor" => "openblas",
            name => name,
        };
        match Implementation::from_id(name) {
            Some(Implementation::Own) => Ok(Self(Code::Own)),
            Some(other) if !other.has_pool() => Ok(Self(Code::Product(other))),
            _ => Err("expected one of own, crate, vendor, openblas and blis".to_owned()),
        }
    }
}

impl std::fmt::Display for CodeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Code::Own => Implementation::Own.id(),
            Code::Product(implementation) => implementation.id(),
        })
    }
}

written_as_text!(CodeName, "CodeName", "own");

impl Gemm {
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        let rows = if self.batch.is_empty() { std::slice::from_ref(&self.m) } else { &self.batch };
        let (n, k, pairs) = (self.n.count()?, self.k.count()?, self.precisions.pairs()?);
        let mut specs = Vec::new();
        for rows in rows {
            let m = rows.count()?;
            // One row is still a matrix product here, so that batches compare like with like.
            specs.extend(pairs.iter().map(|&Pair { weights, activations }| Spec::Gemm {
                m,
                n,
                k,
                weights,
                activations,
            }));
        }
        let codes = self.implementation.iter().map(|CodeName(code)| *code).collect();
        Ok(Wanted { codes, ..Wanted::of(specs) })
    }
}

/// Fused attention.
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
    /// New tokens per sequence; 1 is decode [default: the context]
    #[arg(long)]
    pub queries: Option<Extent>,
    /// Tokens per sequence, including new ones
    #[arg(long, default_value_t = Attention::default().context)]
    pub context: Extent,
    /// Head dimension
    #[arg(long, default_value_t = Attention::default().head_dim)]
    pub head_dim: Extent,
    /// Mask future tokens
    #[arg(long)]
    pub causal: bool,
    /// How operands are stored.
    #[command(flatten)]
    #[serde(flatten)]
    pub precisions: Precisions,
}

impl Default for Attention {
    fn default() -> Self {
        Self {
            batch: Extent(1),
            heads: Extent(32),
            kv_heads: None,
            queries: None,
            context: Extent(1024),
            head_dim: Extent(128),
            causal: false,
            precisions: Precisions::default(),
        }
    }
}

impl Attention {
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        let kv_heads = self.kv_heads.unwrap_or(self.heads);
        if !self.heads.0.is_multiple_of(kv_heads.0) {
            return Err(Failure::usage(
                format!("{} query heads cannot share {kv_heads} key heads", self.heads),
                "--heads must be a multiple of --kv-heads",
            ));
        }
        let queries = self.queries.unwrap_or(self.context);
        if queries > self.context {
            return Err(Failure::usage(
                format!("{queries} new tokens exceed the context of {}", self.context),
                "--context includes the new tokens",
            ));
        }
        let shape = Attend {
            batch: self.batch.count()?,
            heads: self.heads.count()?,
            kv_heads: kv_heads.count()?,
            queries: queries.count()?,
            context: self.context.count()?,
            dimension: self.head_dim.count()?,
            causal: self.causal,
        };
        let precisions = self.precisions.single()?;
        Ok(Wanted::of(precisions.into_iter().map(|precision| Spec::Attention { shape, precision }).collect()))
    }
}

/// Multiply-adds in registers.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fma {
    /// Data types: fp64, fp32, int8
    #[arg(long, value_name = "TYPE", value_delimiter = ',', default_values_t = Fma::default().types)]
    #[serde(deserialize_with = "list")]
    pub types: Vec<ArithmeticName>,
}

impl Default for Fma {
    fn default() -> Self {
        Self { types: [Arithmetic::Fp64, Arithmetic::Fp32, Arithmetic::Int8].map(ArithmeticName).to_vec() }
    }
}

/// Arithmetic type: `fp32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArithmeticName(pub Arithmetic);

impl FromStr for ArithmeticName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Arithmetic::from_id(text).map(Self).ok_or_else(|| {
            let known: Vec<&str> = Arithmetic::ALL.into_iter().map(Arithmetic::id).collect();
            format!("expected one of {}", known.join(", "))
        })
    }
}

impl std::fmt::Display for ArithmeticName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.id())
    }
}

written_as_text!(ArithmeticName, "ArithmeticName", "fp32");

impl Fma {
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        let spec = |&ArithmeticName(arithmetic): &ArithmeticName| Spec::Fma { arithmetic };
        let specs = self.types.iter().map(spec).collect();
        Ok(Wanted { usual_state: CacheState::Hot, ..Wanted::of(specs) })
    }
}

/// Streams through memory.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Streams {
    /// Total array size; comma-separated list
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_value = "192m")]
    #[serde(deserialize_with = "list")]
    pub bytes: Vec<Extent>,
    /// Access pattern: read, read-4, write, write-nt, copy, copy-nt, triad,
    /// triad-nt [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    #[serde(deserialize_with = "list")]
    pub kind: Vec<StreamName>,
}

impl Default for Streams {
    fn default() -> Self {
        Self { bytes: vec![Extent(192 << 20)], kind: Vec::new() }
    }
}

/// Every stream.
const STREAMS: [Stream; 8] = [
    Stream::Read { streams: 1 },
    Stream::Read { streams: 4 },
    Stream::Write(Store::Normal),
    Stream::Write(Store::NonTemporal),
    Stream::Copy(Store::Normal),
    Stream::Copy(Store::NonTemporal),
    Stream::Triad(Store::Normal),
    Stream::Triad(Store::NonTemporal),
];

/// A kind of stream: `read-4`, `triad-nt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamName(pub Stream);

impl FromStr for StreamName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        STREAMS.into_iter().find(|stream| stream.to_string() == text).map(Self).ok_or_else(|| {
            let known: Vec<String> = STREAMS.iter().map(ToString::to_string).collect();
            format!("expected one of {}", known.join(", "))
        })
    }
}

written_as_text!(StreamName, "StreamName", "triad");

impl Streams {
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        let asked: Vec<Stream> = self.kind.iter().map(|StreamName(stream)| *stream).collect();
        let kinds = if asked.is_empty() { STREAMS.to_vec() } else { asked };
        let mut specs = Vec::new();
        for bytes in &self.bytes {
            let bytes = bytes.count()?;
            specs.extend(kinds.iter().map(|stream| Spec::Stream { stream: *stream, bytes }));
        }
        Ok(Wanted::of(specs))
    }
}
