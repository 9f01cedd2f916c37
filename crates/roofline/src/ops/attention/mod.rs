//! Attention: two products of matrices with a softmax between them.

use crate::{Arithmetic, Precision, Work};

mod calls;
mod mask;
mod paged;
mod step;
mod transformer_engine;
mod variable;
mod xformers;

use mask::Mask;
pub use step::{Step, Tokens};

pub(super) use calls::{FORMULAS, WRAPPERS};
pub(super) use paged::FORMULAS as PAGED;
pub(super) use transformer_engine::FORMULAS as TRANSFORMER_ENGINE;
pub(super) use variable::FORMULAS as VARIABLE;
pub(super) use xformers::FORMULAS as XFORMERS;

/// Attention of queries to keys and values. Heads of keys and values may be shared by several heads of queries (grouped
/// and multi-query attention), and keys may be longer than values (latent attention).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Sequences.
    pub batch: f64,
    /// Heads of queries and of the output.
    pub query_heads: f64,
    /// Heads of keys and of values.
    pub key_heads: f64,
    /// Queries of a sequence: 1 when one token is decoded.
    pub query_tokens: f64,
    /// Keys of a sequence.
    pub key_tokens: f64,
    /// Extent of a query and of a key.
    pub key_dim: f64,
    /// Extent of a value and of an output.
    pub value_dim: f64,
    /// Whether a query sees only keys up to its own place, the last query and the last key being at the same one.
    pub causal: bool,
    /// How many keys a query of causal attention sees at most, its own place included; all of them by default.
    pub window: Option<f64>,
    /// Whether scores stay on the chip.
    pub fused: bool,
    /// How queries, and scores that are not fused, are stored.
    pub query: Precision,
    /// How keys and values are stored.
    pub cache: Precision,
    /// How the output is stored.
    pub output: Precision,
    /// What it is computed in, if not in the wider of the operands' types.
    pub compute: Option<Arithmetic>,
}

impl Attention {
    /// Pairs of a query and a key it sees, in one head of one sequence.
    ///
    /// All of them, or for causal attention the exact number: with as many keys as queries `S(S+1)/2`.
    pub fn pairs(&self) -> f64 {
        let mask = match (self.causal, self.window) {
            (true, Some(window)) => Mask { left: Some((window - 1.0).max(0.0)), ..Mask::CAUSAL },
            (true, None) => Mask::CAUSAL,
            (false, _) => Mask::ALL,
        };
        mask.pairs(self.query_tokens, self.key_tokens)
    }

    /// What the forward pass must do. The softmax is not counted, as is usual: it is a small part and runs on other
    /// units.
    ///
    /// Queries, keys, values and the output are moved once. Attention that is not fused also writes and reads the
    /// scores and the probabilities, all of them, hidden ones included.
    pub fn forward(&self) -> Work {
        self.forward_over(self.batch * self.pairs())
    }

    /// The forward pass with this many pairs of a query and a key over all sequences, for sequences of different lengths
    /// and other masks.
    pub(super) fn forward_over(&self, pairs: f64) -> Work {
        let macs = self.query_heads * pairs * (self.key_dim + self.value_dim);
        let work = self.matrix(macs);
        let work = if self.fused { work } else { self.scores(work, 2) };
        self.inputs(work).writes("output", self.outputs(), self.output)
    }

    /// What the backward pass must do: the gradients of queries, keys and values.
    ///
    /// Four products (of the gradient with values and probabilities, and of the gradient of the scores with queries and
    /// keys), and a fifth when fused, because the scores are computed again instead of being kept. The output is read
    /// with its gradient: their product is what the softmax needs.
    pub fn backward(&self) -> Work {
        self.backward_over(self.batch * self.pairs())
    }

    /// The backward pass with this many pairs over all sequences.
    pub(super) fn backward_over(&self, pairs: f64) -> Work {
        let again = if self.fused { self.key_dim } else { 0.0 };
        let macs = self.query_heads * pairs * (again + 2.0 * self.key_dim + 2.0 * self.value_dim);
        let work = self.matrix(macs);
        let work = if self.fused { work } else { self.scores(work, 2) };
        self.inputs(work)
            .reads("output", self.outputs(), self.output)
            .reads("output gradient", self.outputs(), self.output)
            .writes("query gradient", self.queries(), self.query)
            .writes("key gradient", self.keys(), self.cache)
            .writes("value gradient", self.values(), self.cache)
    }

    fn matrix(&self, macs: f64) -> Work {
        let arithmetic = self.compute.or(self.query.product_arithmetic(&self.cache));
        Work { arithmetic, ..Work::matrix(macs, self.query) }
    }

    /// Scores between products: written by one and read by the next, this many times.
    fn scores(&self, mut work: Work, times: u8) -> Work {
        let elements = self.batch * self.query_heads * self.query_tokens * self.key_tokens;
        for _ in 0..times {
            work = work.writes("scores", elements, self.query).reads("scores", elements, self.query);
        }
        work
    }

    fn inputs(&self, work: Work) -> Work {
        work.reads("query", self.queries(), self.query).reads("key", self.keys(), self.cache).reads(
            "value",
            self.values(),
            self.cache,
        )
    }

    fn queries(&self) -> f64 {
        self.batch * self.query_heads * self.query_tokens * self.key_dim
    }

    fn keys(&self) -> f64 {
        self.batch * self.key_heads * self.key_tokens * self.key_dim
    }

    fn values(&self) -> f64 {
        self.batch * self.key_heads * self.key_tokens * self.value_dim
    }

    fn outputs(&self) -> f64 {
        self.batch * self.query_heads * self.query_tokens * self.value_dim
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attention() -> Attention {
        let fp16: Precision = "fp16".parse().expect("known");
        Attention {
            batch: 1.0,
            query_heads: 32.0,
            key_heads: 32.0,
            query_tokens: 4096.0,
            key_tokens: 4096.0,
            key_dim: 128.0,
            value_dim: 128.0,
            causal: false,
            window: None,
            fused: true,
            query: fp16,
            cache: fp16,
            output: fp16,
            compute: None,
        }
    }

    /// The worked example of the calculator roofline-hack.
    #[test]
    fn the_published_example() {
        let work = attention().forward();
        assert_eq!((work.flops, work.bytes()), (274_877_906_944.0, 134_217_728.0));
        let causal = Attention { causal: true, ..attention() }.forward();
        assert_eq!(causal.flops, work.flops * 4097.0 / 8192.0);
        assert_eq!(causal.bytes(), work.bytes());
    }

    #[test]
    fn scores_that_are_not_fused_are_written_and_read_twice() {
        let fused = attention();
        let unfused = Attention { fused: false, ..fused };
        let scores = 4.0 * 32.0 * 4096.0 * 4096.0 * 2.0;
        assert_eq!(unfused.forward().bytes(), fused.forward().bytes() + scores);
        assert_eq!(unfused.forward().flops, fused.forward().flops);
        // The scores are kept, so they are not computed again: four products of five.
        assert_eq!(unfused.backward().flops * 5.0, fused.backward().flops * 4.0);
        assert_eq!(fused.backward().flops, fused.forward().flops * 2.5);
    }

    /// One token is decoded: the intensity is that of reading keys and values, about 1 operation a byte with FP16, and
    /// 4 when four heads share them.
    #[test]
    fn decoding_reads_the_cache() {
        let decode = Attention { query_tokens: 1.0, ..attention() };
        let intensity = |work: Work| work.flops / work.bytes();
        assert!((intensity(decode.forward()) - 1.0).abs() < 1e-3);
        let grouped = Attention { key_heads: 8.0, ..decode };
        assert!((intensity(grouped.forward()) - 4.0).abs() < 1e-2);
        let fp8 = "fp8".parse().expect("known");
        let narrow = Attention { cache: fp8, ..decode };
        assert_eq!(narrow.forward().bytes(), 2.0 * 32.0 * 128.0 * 2.0 + 2.0 * 32.0 * 4096.0 * 128.0);
        assert_eq!(narrow.forward().arithmetic, Some(Arithmetic::Fp16));
    }

    /// 2 sequences, 4 heads of queries and 2 of keys, 3 queries, 5 keys, extents 6 and 7, FP32 throughout.
    #[test]
    fn different_extents_by_hand() {
        let fp32 = "fp32".parse().expect("known");
        let small = Attention {
            batch: 2.0,
            query_heads: 4.0,
            key_heads: 2.0,
            query_tokens: 3.0,
            key_tokens: 5.0,
            key_dim: 6.0,
            value_dim: 7.0,
            causal: true,
            window: None,
            query: fp32,
            cache: fp32,
            output: fp32,
            ..attention()
        };
        // The three queries see 3, 4 and 5 keys.
        let forward = small.forward();
        assert_eq!(forward.macs, 2.0 * 4.0 * 12.0 * 13.0);
        assert_eq!(forward.bytes(), 4.0 * 2.0 * (4.0 * 3.0 * 13.0 + 2.0 * 5.0 * 13.0));
        let backward = small.backward();
        assert_eq!(backward.macs, 2.0 * 4.0 * 12.0 * (3.0 * 6.0 + 2.0 * 7.0));
        let (queries, keys, outputs) = (2.0 * 4.0 * 3.0 * 6.0, 2.0 * 2.0 * 5.0 * 13.0, 2.0 * 4.0 * 3.0 * 7.0);
        assert_eq!(backward.bytes(), 4.0 * (2.0 * queries + 2.0 * keys + 2.0 * outputs));
    }
}
