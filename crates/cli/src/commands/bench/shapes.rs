//! Shapes by flags.

use anyhow::Result;
use clap::Args;
use eaves_bench::{Attend, CacheState, Spec, Store, Stream};
use eaves_roofline::Arithmetic;

use super::precisions::{Pair, PrecisionArguments};
use super::{Wanted, code};
use crate::failure::hinted;
use crate::measuring::Code;
use eaves_app::Extent;

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

fn extent(text: &str) -> Result<usize, String> {
    usize::try_from(text.parse::<Extent>()?.0).map_err(|_| "too large for this machine".to_owned())
}

#[derive(Args, Debug)]
pub(super) struct Gemv {
    /// Rows of the matrix: elements of the output
    #[arg(long, value_parser = extent, default_value = "4096")]
    n: usize,
    /// Columns of the matrix: elements of the vector
    #[arg(long, value_parser = extent, default_value = "4096")]
    k: usize,
    #[command(flatten)]
    precisions: PrecisionArguments,
}

impl Gemv {
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let product = Product { m: 1, n: self.n, k: self.k };
        Ok(Wanted::of(self.precisions.pairs()?.iter().map(|pair| product.spec(pair)).collect()))
    }
}

#[derive(Args, Debug)]
pub(super) struct Gemm {
    /// Rows of the output
    #[arg(long, value_parser = extent, default_value = "1024", conflicts_with = "batch")]
    m: usize,
    /// Columns of the output
    #[arg(long, value_parser = extent, default_value = "1024")]
    n: usize,
    /// The extent that is summed over
    #[arg(long, value_parser = extent, default_value = "1024")]
    k: usize,
    /// Several numbers of rows: where narrow weights stop to pay is marked
    #[arg(long, value_name = "M,...", value_delimiter = ',', value_parser = extent)]
    batch: Vec<usize>,
    /// Whose code: own, crate, vendor, openblas or blis; several with commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = code, default_value = "own")]
    implementation: Vec<Code>,
    #[command(flatten)]
    precisions: PrecisionArguments,
}

impl Gemm {
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let batches = if self.batch.is_empty() { std::slice::from_ref(&self.m) } else { &self.batch };
        let pairs = self.precisions.pairs()?;
        let specs = batches.iter().flat_map(|m| {
            let (m, n, k) = (*m, self.n, self.k);
            // One row is still a product of matrices here: whoever asks for batches compares like with like.
            pairs.iter().map(move |Pair { weights, activations }| Spec::Gemm {
                m,
                n,
                k,
                weights: *weights,
                activations: *activations,
            })
        });
        Ok(Wanted { codes: self.implementation.clone(), ..Wanted::of(specs.collect()) })
    }
}

#[derive(Args, Debug)]
pub(super) struct Attention {
    /// Sequences
    #[arg(long, value_parser = extent, default_value = "1")]
    batch: usize,
    /// Heads of queries
    #[arg(long, value_parser = extent, default_value = "32")]
    heads: usize,
    /// Heads of keys and values; as many as of queries unless said
    #[arg(long, value_parser = extent)]
    kv_heads: Option<usize>,
    /// New tokens of a sequence: 1 to decode; as many as the context unless
    /// said
    #[arg(long, value_parser = extent)]
    queries: Option<usize>,
    /// Tokens of a sequence, new ones included
    #[arg(long, value_parser = extent, default_value = "1024")]
    context: usize,
    /// Width of a head
    #[arg(long, value_parser = extent, default_value = "128")]
    head_dim: usize,
    /// A token sees only those before it
    #[arg(long)]
    causal: bool,
    #[command(flatten)]
    precisions: PrecisionArguments,
}

impl Attention {
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let kv_heads = self.kv_heads.unwrap_or(self.heads);
        if !self.heads.is_multiple_of(kv_heads) {
            return Err(hinted(
                format!("{} heads of queries cannot share {kv_heads} heads of keys", self.heads),
                "--heads is a multiple of --kv-heads",
            ));
        }
        let queries = self.queries.unwrap_or(self.context);
        if queries > self.context {
            return Err(hinted(
                format!("{queries} new tokens are more than the {} of the context", self.context),
                "--context counts the new ones too",
            ));
        }
        let shape = Attend {
            batch: self.batch,
            heads: self.heads,
            kv_heads,
            queries,
            context: self.context,
            dimension: self.head_dim,
            causal: self.causal,
        };
        let precisions = self.precisions.single()?;
        Ok(Wanted::of(precisions.into_iter().map(|precision| Spec::Attention { shape, precision }).collect()))
    }
}

#[derive(Args, Debug)]
pub(super) struct Fma {
    /// What to compute in: fp64, fp32, int8
    #[arg(long, value_name = "TYPE", value_delimiter = ',', value_parser = arithmetic, default_value = "fp64,fp32,int8")]
    types: Vec<Arithmetic>,
}

fn arithmetic(text: &str) -> Result<Arithmetic, String> {
    Arithmetic::from_id(text).ok_or_else(|| {
        let known: Vec<&str> = Arithmetic::ALL.into_iter().map(Arithmetic::id).collect();
        format!("one of {}", known.join(", "))
    })
}

impl Fma {
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let specs = self.types.iter().map(|arithmetic| Spec::Fma { arithmetic: *arithmetic }).collect();
        Ok(Wanted { usual_state: CacheState::Hot, ..Wanted::of(specs) })
    }
}

#[derive(Args, Debug)]
pub(super) struct Streams {
    /// Bytes of all arrays together; several with commas
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', value_parser = extent, default_value = "192m")]
    bytes: Vec<usize>,
    /// What to do: read, read-4, write, write-nt, copy, copy-nt, triad,
    /// triad-nt; all of them if not said
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = stream)]
    kind: Vec<Stream>,
}

/// Every stream.
pub(crate) const STREAMS: [Stream; 8] = [
    Stream::Read { streams: 1 },
    Stream::Read { streams: 4 },
    Stream::Write(Store::Normal),
    Stream::Write(Store::NonTemporal),
    Stream::Copy(Store::Normal),
    Stream::Copy(Store::NonTemporal),
    Stream::Triad(Store::Normal),
    Stream::Triad(Store::NonTemporal),
];

fn stream(text: &str) -> Result<Stream, String> {
    STREAMS.into_iter().find(|stream| stream.to_string() == text).ok_or_else(|| {
        let known: Vec<String> = STREAMS.iter().map(ToString::to_string).collect();
        format!("one of {}", known.join(", "))
    })
}

impl Streams {
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let kinds = if self.kind.is_empty() { STREAMS.as_slice() } else { &self.kind };
        let specs = self
            .bytes
            .iter()
            .flat_map(|bytes| kinds.iter().map(|stream| Spec::Stream { stream: *stream, bytes: *bytes }));
        Ok(Wanted::of(specs.collect()))
    }
}
