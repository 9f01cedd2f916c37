//! What to run.

use std::fmt;

use crate::{Arithmetic, Precision};

/// Access pattern of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Reads one array, as this many streams at the same time.
    Read {
        /// Streams, each through its own part.
        streams: u8,
    },
    /// Writes one array.
    Write(Store),
    /// Reads one array and writes another.
    Copy(Store),
    /// Reads two arrays and writes a third: `a = b + s * c`.
    Triad(Store),
}

/// How results are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// Through the caches: the line is read first.
    Normal,
    /// Past the caches.
    NonTemporal,
}

impl Stream {
    /// Arrays that pass memory, each counted once. The reading of a line that is about to be written is not counted.
    pub fn arrays(self) -> u32 {
        match self {
            Self::Read { .. } | Self::Write(_) => 1,
            Self::Copy(_) => 2,
            Self::Triad(_) => 3,
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, store) = match self {
            Self::Read { streams: 1 } => return formatter.write_str("read"),
            Self::Read { streams } => return write!(formatter, "read-{streams}"),
            Self::Write(store) => ("write", store),
            Self::Copy(store) => ("copy", store),
            Self::Triad(store) => ("triad", store),
        };
        formatter.write_str(name)?;
        if *store == Store::NonTemporal { formatter.write_str("-nt") } else { Ok(()) }
    }
}

/// The shape of an attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attend {
    /// Sequences.
    pub batch: usize,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values; a divisor of `heads`.
    pub kv_heads: usize,
    /// New tokens: 1 when decoding.
    pub queries: usize,
    /// Tokens attended to, the new ones included.
    pub context: usize,
    /// Elements of a head.
    pub dimension: usize,
    /// Whether a token sees later ones.
    pub causal: bool,
}

/// A kernel of some shape and precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spec {
    /// Exponentials of single precision, in the first cache: a rate of the third roof.
    Exp,
    /// The softmax of attention, block by block, in the first cache: a rate of the third roof.
    Softmax,
    /// A stream through arrays of this many bytes in all.
    Stream {
        /// What it does.
        stream: Stream,
        /// Bytes of all arrays together: those that are gone through again and again, or when cold, what one call takes of
        /// much larger ones.
        bytes: usize,
    },
    /// Multiply-adds in registers.
    Fma {
        /// In what.
        arithmetic: Arithmetic,
    },
    /// `y[n] = W[n, k] x[k]`.
    Gemv {
        /// Outputs.
        n: usize,
        /// Inputs.
        k: usize,
        /// How weights are stored.
        weights: Precision,
        /// How activations are stored.
        activations: Precision,
    },
    /// `C[m, n] = A[m, k] B[k, n]`.
    Gemm {
        /// Rows of activations.
        m: usize,
        /// Outputs.
        n: usize,
        /// Inputs.
        k: usize,
        /// How weights (B) are stored.
        weights: Precision,
        /// How activations (A) are stored.
        activations: Precision,
    },
    /// Fused attention.
    Attention {
        /// Its shape.
        shape: Attend,
        /// How queries, keys and values are stored.
        precision: Precision,
    },
}

impl Spec {
    /// The family: `exp`, `softmax`, `stream`, `fma`, `gemv`, `gemm`, `attention`.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Exp => "exp",
            Self::Softmax => "softmax",
            Self::Stream { .. } => "stream",
            Self::Fma { .. } => "fma",
            Self::Gemv { .. } => "gemv",
            Self::Gemm { .. } => "gemm",
            Self::Attention { .. } => "attention",
        }
    }

    /// The shape for people: `1x4096x4096`.
    pub fn shape(&self) -> String {
        match self {
            Self::Stream { stream, bytes } => format!("{stream} {bytes}"),
            Self::Exp | Self::Softmax | Self::Fma { .. } => String::new(),
            Self::Gemv { n, k, .. } => format!("1x{n}x{k}"),
            Self::Gemm { m, n, k, .. } => format!("{m}x{n}x{k}"),
            Self::Attention { shape, .. } => {
                let Attend { batch, heads, kv_heads, queries, context, dimension, causal } = shape;
                let causal = if *causal { " causal" } else { "" };
                format!("b{batch} h{heads}/{kv_heads} q{queries} s{context} d{dimension}{causal}")
            }
        }
    }

    /// How weights are stored, or what is computed in.
    pub fn precision(&self) -> String {
        match self {
            Self::Exp | Self::Softmax | Self::Stream { .. } => Precision::FP32.to_string(),
            Self::Fma { arithmetic } => arithmetic.to_string(),
            Self::Gemv { weights, activations, .. } | Self::Gemm { weights, activations, .. } => {
                if weights == activations { weights.to_string() } else { format!("{weights}/{activations}") }
            }
            Self::Attention { precision, .. } => precision.to_string(),
        }
    }
}
