//! The feed-forward block of a transformer.

use super::Gemm;
use crate::{Arithmetic, Precision, Work};

/// Tokens go up to a wider layer and down again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedForward {
    /// Tokens of all sequences.
    pub tokens: f64,
    /// Extent of a token.
    pub hidden: f64,
    /// Extent of the layer between.
    pub intermediate: f64,
    /// Whether the way up is two products, one of which gates the other (SwiGLU).
    pub gated: bool,
    /// How weights are stored.
    pub weights: Precision,
    /// How tokens and the layer between are stored.
    pub activations: Precision,
    /// What it is computed in, if not in the wider of the two.
    pub compute: Option<Arithmetic>,
}

impl FeedForward {
    /// The products it consists of, each its own operator with its own traffic: gate if there is one, up, down.
    pub fn products(&self) -> Vec<Gemm> {
        let product = |n, k| Gemm {
            batch: 1.0,
            m: self.tokens,
            n,
            k,
            a: self.activations,
            b: self.weights,
            output: self.activations,
            bias: None,
            compute: self.compute,
        };
        let up = product(self.intermediate, self.hidden);
        let down = product(self.hidden, self.intermediate);
        if self.gated { vec![up, up, down] } else { vec![up, down] }
    }

    /// What the whole block must do when it is fused as far as the layer between allows: one pass up, with the
    /// activation function and the gate, and one pass down. The arithmetic is the sum of its [products](Self::products);
    /// tokens are read once and written once, the layer between is written once and read once. Without fusion the bytes
    /// are the sum of those of the products and of the activation function between them.
    pub fn work(&self) -> Work {
        let macs = self.products().iter().map(|product| product.work().macs).sum();
        let arithmetic = self.compute.or(self.activations.product_arithmetic(&self.weights));
        let up = if self.gated { 2.0 } else { 1.0 };
        let (hidden, between) = (self.tokens * self.hidden, self.tokens * self.intermediate);
        Work { arithmetic, ..Work::matrix(macs, self.activations) }
            .reads("x", hidden, self.activations)
            .reads("up weight", up * self.hidden * self.intermediate, self.weights)
            .writes("intermediate", between, self.activations)
            .reads("intermediate", between, self.activations)
            .reads("down weight", self.intermediate * self.hidden, self.weights)
            .writes("output", hidden, self.activations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(gated: bool) -> FeedForward {
        let fp16: Precision = "fp16".parse().expect("known");
        FeedForward {
            tokens: 1.0,
            hidden: 4096.0,
            intermediate: 14336.0,
            gated,
            weights: fp16,
            activations: fp16,
            compute: None,
        }
    }

    /// The calculator roofline-hack: 352 321 536 operations and, at 287 GB/s, 1227.8 us. Its bytes are those of the weights, two
    /// times the layer between and one time the tokens; they are read and written, so ours are one time the tokens more
    /// (8192 bytes, 0.03 us).
    #[test]
    fn the_published_example() {
        let work = block(true).work();
        let published: f64 = (3.0 * 4096.0 * 14336.0 + 2.0 * 14336.0 + 4096.0) * 2.0;
        assert!((published / 287e9 * 1e6 - 1227.8).abs() < 0.05);
        assert_eq!((work.flops, work.bytes()), (352_321_536.0, published + 8192.0));
    }

    /// The document counts three matrices of weights for a block without a gate, which has two.
    #[test]
    fn a_block_without_a_gate_has_two_products() {
        let work = block(false).work();
        assert_eq!(work.flops, 4.0 * 4096.0 * 14336.0);
        assert_eq!(work.bytes(), (2.0 * 4096.0 * 14336.0 + 2.0 * 14336.0 + 2.0 * 4096.0) * 2.0);
    }

    #[test]
    fn the_arithmetic_is_that_of_its_products() {
        for gated in [false, true] {
            let (work, products) = (block(gated).work(), block(gated).products());
            let products: Vec<Work> = products.iter().map(Gemm::work).collect();
            assert_eq!(work.flops, products.iter().map(|work| work.flops).sum::<f64>());
            assert_eq!(products.len(), if gated { 3 } else { 2 });
            // A second way up reads the tokens and writes the layer between once more.
            let more = if gated { 2.0 * (4096.0 + 14336.0) } else { 0.0 };
            assert_eq!(work.bytes() + more, products.iter().map(Work::bytes).sum::<f64>());
        }
    }
}
