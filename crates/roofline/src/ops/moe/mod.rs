//! Mixtures of experts: every token goes through a few of many feed-forward blocks.

use crate::{Arithmetic, Basis, Precision, Work};

mod calls;
mod grouped;
mod launches;

pub(super) use calls::FORMULAS;
pub(super) use grouped::FORMULAS as GROUPED;
pub(super) use launches::WRAPPERS;

/// What is not known of a layer: which experts its tokens chose.
const EQUALLY_LIKELY: Basis = Basis::Estimated("assumes experts to be equally likely");

/// A layer of experts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixtureOfExperts {
    /// Tokens of all sequences.
    pub tokens: f64,
    /// Extent of a token.
    pub hidden: f64,
    /// Extent of the layer inside an expert.
    pub intermediate: f64,
    /// Experts there are.
    pub experts: f64,
    /// Experts a token goes through.
    pub top_k: f64,
    /// Whether the way up is two products, one of which gates the other.
    pub gated: bool,
    /// How weights are stored.
    pub weights: Precision,
    /// How tokens and the layer between are stored.
    pub activations: Precision,
    /// How the output is stored.
    pub output: Precision,
    /// What it is computed in, if not in the wider of weights and activations.
    pub compute: Option<Arithmetic>,
}

impl MixtureOfExperts {
    /// Experts that at least one token goes through, if all are equally likely: `E(1 - ((E-k)/E)^M)`. Only their
    /// weights are read.
    pub fn active_experts(&self) -> f64 {
        if self.experts <= 0.0 {
            return 0.0;
        }
        let idle = ((self.experts - self.top_k) / self.experts).clamp(0.0, 1.0);
        self.experts * (1.0 - idle.powf(self.tokens))
    }

    /// What the layer must do in one fused pass: up, down, and the weighted sum of what a token's experts gave.
    pub fn fused(&self) -> Work {
        let combine = self.tokens * self.hidden * (2.0 * self.top_k - 1.0).max(0.0);
        let mut work = self.matrix((self.ways_up() + 1.0) * self.macs());
        work.flops += combine;
        work.reads("x", self.tokens * self.hidden, self.activations)
            .reads("weights", (self.ways_up() + 1.0) * self.weight_elements(), self.weights)
            .writes("output", self.tokens * self.hidden, self.output)
    }

    /// What the way up must do by itself. It writes what each expert of each token gave, after the gate.
    pub fn up(&self) -> Work {
        self.matrix(self.ways_up() * self.macs())
            .reads("x", self.tokens * self.hidden, self.activations)
            .reads("weights", self.ways_up() * self.weight_elements(), self.weights)
            .writes("intermediate", self.top_k * self.tokens * self.intermediate, self.output)
    }

    /// What the way down must do by itself.
    pub fn down(&self) -> Work {
        self.matrix(self.macs())
            .reads("intermediate", self.top_k * self.tokens * self.intermediate, self.activations)
            .reads("weights", self.weight_elements(), self.weights)
            .writes("output", self.tokens * self.hidden, self.output)
    }

    fn ways_up(&self) -> f64 {
        if self.gated { 2.0 } else { 1.0 }
    }

    /// Multiply-adds of one product.
    fn macs(&self) -> f64 {
        self.top_k * self.tokens * self.hidden * self.intermediate
    }

    /// Elements of one matrix of every expert that is used.
    fn weight_elements(&self) -> f64 {
        self.active_experts() * self.hidden * self.intermediate
    }

    fn matrix(&self, macs: f64) -> Work {
        let arithmetic = self.compute.or(self.activations.product_arithmetic(&self.weights));
        Work { arithmetic, basis: EQUALLY_LIKELY, ..Work::matrix(macs, self.activations) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(tokens: f64, experts: f64, top_k: f64) -> MixtureOfExperts {
        let bf16: Precision = "bf16".parse().expect("known");
        MixtureOfExperts {
            tokens,
            hidden: 5.0,
            intermediate: 7.0,
            experts,
            top_k,
            gated: true,
            weights: "fp8".parse().expect("known"),
            activations: bf16,
            output: bf16,
            compute: None,
        }
    }

    /// The mean over every way that tokens can choose their experts.
    fn counted(tokens: u32, experts: u32, top_k: u32) -> f64 {
        let choices: Vec<u32> = (0..1_u32 << experts).filter(|set| set.count_ones() == top_k).collect();
        let mut unions = vec![0_u32];
        for _ in 0..tokens {
            unions = unions.iter().flat_map(|union| choices.iter().map(move |set| union | set)).collect();
        }
        unions.iter().map(|union| f64::from(union.count_ones())).sum::<f64>() / unions.len() as f64
    }

    #[test]
    fn active_experts_are_the_mean_over_all_choices() {
        for tokens in 0..4_u32 {
            for experts in 1..6_u32 {
                for top_k in 1..=experts {
                    let found = layer(tokens.into(), experts.into(), top_k.into()).active_experts();
                    assert!(
                        (found - counted(tokens, experts, top_k)).abs() < 1e-9,
                        "{tokens} {experts} {top_k}"
                    );
                }
            }
        }
        assert_eq!(layer(4.0, 0.0, 2.0).active_experts(), 0.0);
    }

    /// Three tokens through two of two experts: all weights are read.
    #[test]
    fn passes_by_hand() {
        let all = layer(3.0, 2.0, 2.0);
        let (fused, up, down) = (all.fused(), all.up(), all.down());
        assert_eq!((up.macs, down.macs), (2.0 * 2.0 * 3.0 * 35.0, 2.0 * 3.0 * 35.0));
        assert_eq!(fused.macs, up.macs + down.macs);
        assert_eq!(fused.flops, 2.0 * fused.macs + 3.0 * 5.0 * 3.0);
        assert_eq!(fused.bytes(), 15.0 * 2.0 + 2.0 * 35.0 * 3.0 + 15.0 * 2.0);
        assert_eq!(up.bytes(), 15.0 * 2.0 + 2.0 * 35.0 * 2.0 + 2.0 * 21.0 * 2.0);
        assert_eq!(down.bytes(), 2.0 * 21.0 * 2.0 + 2.0 * 35.0 + 15.0 * 2.0);
        assert_eq!(fused.arithmetic, Some(Arithmetic::Bf16));
    }
}
