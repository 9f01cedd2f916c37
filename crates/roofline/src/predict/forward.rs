//! One forward pass of a transformer as a list of operators.
//!
//! Per layer, with T new tokens in all sequences together: projections of T x width products, attention over what each
//! token sees, two norms, rotation, gate, residuals. Weights are read once a pass, activations between operators are
//! written and read, as they are when each operator is a kernel.

use super::{Attending, Feeding, Normalising, Position, Transformer};
use crate::ops::{Attention, Gemm, MixtureOfExperts};
use crate::{Arithmetic, Precision, Work};

/// Which part of generating text is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All tokens of the prompt at once.
    Prefill,
    /// One more token for each sequence.
    Decode,
}

/// How numbers are stored and computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precisions {
    /// Weights.
    pub weights: Precision,
    /// Activations.
    pub activations: Precision,
    /// Cached keys and values.
    pub cache: Precision,
    /// What matrix products are computed in; what activations compute in by default.
    pub compute: Option<Arithmetic>,
}

/// Request for a model prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Prompt or next token.
    pub phase: Phase,
    /// Sequences.
    pub batch: u64,
    /// Tokens of each sequence, the new one of decode included.
    pub context: u64,
    /// Whether scores stay on chip.
    pub fused: bool,
    /// Whether a token sees only those before it.
    pub causal: bool,
    /// Whether prefill computes the output of every token instead of the last.
    pub all_logits: bool,
    /// Devices that share every layer.
    pub devices: u64,
}

impl Pass {
    /// New tokens of one sequence.
    pub fn new_tokens(&self) -> f64 {
        match self.phase {
            Phase::Prefill => self.context as f64,
            Phase::Decode => 1.0,
        }
    }

    /// New tokens of all sequences.
    pub fn tokens(&self) -> f64 {
        self.batch as f64 * self.new_tokens()
    }
}

/// An operator of the pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it is.
    pub name: &'static str,
    /// How often it runs.
    pub calls: f64,
    /// What one device must do in one call.
    pub work: Work,
    /// Bytes that one device sends in one call, over the link between devices.
    pub sent: f64,
}

/// The operators of one pass, in the order of a layer.
pub fn steps(model: &Transformer, pass: &Pass, precisions: &Precisions) -> Vec<Step> {
    let mut builder = Builder { model, pass, precisions, steps: Vec::new() };
    builder.embed();
    builder.attend();
    builder.feed();
    builder.communicate();
    builder.finish();
    builder.steps
}

struct Builder<'a> {
    model: &'a Transformer,
    pass: &'a Pass,
    precisions: &'a Precisions,
    steps: Vec<Step>,
}

impl Builder<'_> {
    fn push(&mut self, name: &'static str, calls: f64, work: Work) {
        if calls > 0.0 {
            self.steps.push(Step { name, calls, work, sent: 0.0 });
        }
    }

    fn layers(&self) -> f64 {
        self.model.layers as f64
    }

    fn hidden(&self) -> f64 {
        self.model.hidden as f64
    }

    /// A width that devices share.
    fn shared(&self, width: f64) -> f64 {
        width / self.pass.devices.max(1) as f64
    }

    /// `rows` x `k` activations times `k` x `n` weights.
    fn product(&self, rows: f64, n: f64, k: f64) -> Work {
        let Precisions { weights, activations, compute, .. } = *self.precisions;
        let compute = compute.or_else(|| activations.arithmetic());
        Gemm {
            batch: 1.0,
            m: rows,
            n,
            k,
            a: activations,
            b: weights,
            output: activations,
            bias: None,
            compute,
        }
        .work()
    }

    /// Elementwise work on this many results: `flops` each, this many activations read.
    fn elementwise(&self, elements: f64, flops: f64, read: f64) -> Work {
        let activations = self.precisions.activations;
        Work::vector(flops * elements, elements, activations)
            .reads("inputs", read * elements, activations)
            .writes("output", elements, activations)
    }

    /// A norm of `rows` rows of the hidden width.
    fn norm(&self, rows: f64) -> Work {
        let elements = rows * self.hidden();
        // Square, add, multiply by the inverse root, multiply by the weight; mean and bias add three more.
        let flops = match self.model.normalising {
            Normalising::RootMeanSquare => 4.0,
            Normalising::MeanVariance => 7.0,
        };
        let weights = self.model.norm_parameters() as f64;
        self.elementwise(elements, flops, 1.0).reads("weight", weights, self.precisions.activations)
    }

    fn embed(&mut self) {
        let activations = self.precisions.activations;
        let elements = self.pass.tokens() * self.hidden();
        let gather = Work::movement().reads("embedding", elements, self.precisions.weights).writes(
            "output",
            elements,
            activations,
        );
        self.push("embedding", 1.0, gather);
        if matches!(self.model.position, Position::Learned(_)) {
            let add = self.elementwise(elements, 1.0, 2.0);
            self.push("position", 1.0, add);
        }
    }

    fn attend(&mut self) {
        let (layers, tokens, hidden) = (self.layers(), self.pass.tokens(), self.hidden());
        let norm = self.norm(tokens);
        self.push("attention_norm", layers, norm);
        match self.model.attending {
            Attending::Grouped { heads, key_heads, head_dim, normalised, .. } => {
                let (query, key) = (heads as f64 * head_dim as f64, key_heads as f64 * head_dim as f64);
                // Heads of keys are not cut: more devices than heads compute copies.
                let copies = self.model.cache_shares(self.pass.devices);
                let (query, key) = (self.shared(query), key / copies);
                self.push("q_proj", layers, self.product(tokens, query, hidden));
                self.push("k_proj", layers, self.product(tokens, key, hidden));
                self.push("v_proj", layers, self.product(tokens, key, hidden));
                if normalised {
                    self.push("qk_norm", layers, self.elementwise(tokens * (query + key), 4.0, 1.0));
                }
                if self.model.position == Position::Rotary {
                    // Two multiplications and an addition for each rotated element.
                    self.push("rope", layers, self.elementwise(tokens * (query + key), 3.0, 1.0));
                }
                let (heads, key_heads) = (self.shared(heads as f64), key_heads as f64 / copies);
                self.attention(heads, key_heads, head_dim as f64, head_dim as f64);
                self.push("o_proj", layers, self.product(tokens, hidden, query));
            }
            Attending::Latent { .. } => self.attend_latent(),
        }
        self.push("attention_residual", layers, self.elementwise(tokens * hidden, 1.0, 2.0));
    }

    /// Keys and values from a latent vector: widened for the prompt, left narrow (the weights that widen them move to the
    /// query and to the output) for the next token. DeepSeek-V2, arXiv 2405.04434, section 2.1 and appendix B.
    fn attend_latent(&mut self) {
        let Attending::Latent { heads, query_rank, latent_rank, plain_dim, position_dim, value_dim } =
            self.model.attending
        else {
            return;
        };
        let (layers, tokens, hidden) = (self.layers(), self.pass.tokens(), self.hidden());
        let heads = self.shared(heads as f64);
        let [latent, plain, rotated, value] =
            [latent_rank, plain_dim, position_dim, value_dim].map(|width| width as f64);
        let query = heads * (plain + rotated);
        match query_rank.map(|rank| rank as f64) {
            Some(rank) => {
                self.push("q_down", layers, self.product(tokens, rank, hidden));
                self.push("q_up", layers, self.product(tokens, query, rank));
            }
            None => self.push("q_proj", layers, self.product(tokens, query, hidden)),
        }
        self.push("kv_down", layers, self.product(tokens, latent + rotated, hidden));
        self.push("rope", layers, self.elementwise(tokens * (heads + 1.0) * rotated, 3.0, 1.0));
        match self.pass.phase {
            Phase::Prefill => {
                self.push("kv_up", layers, self.product(tokens, heads * (plain + value), latent));
                self.attention(heads, heads, plain + rotated, value);
            }
            Phase::Decode => {
                let absorb = |n, k| {
                    let Precisions { weights, activations, compute, .. } = *self.precisions;
                    let compute = compute.or_else(|| activations.arithmetic());
                    let (a, b, output) = (activations, weights, activations);
                    Gemm { batch: heads, m: tokens, n, k, a, b, output, bias: None, compute }.work()
                };
                let (into, out) = (absorb(latent, plain), absorb(value, latent));
                self.push("absorb_query", layers, into);
                self.latent_attention(heads, latent, rotated);
                self.push("absorb_value", layers, out);
            }
        }
        self.push("o_proj", layers, self.product(tokens, hidden, heads * value));
    }

    /// All heads share one key of `latent + rotated` numbers, whose first part is also the value: read once.
    fn latent_attention(&mut self, heads: f64, latent: f64, rotated: f64) {
        let Precisions { activations, cache, compute, .. } = *self.precisions;
        let (tokens, seen) = (self.pass.tokens(), self.pass.context as f64);
        let mut work = Work::matrix(tokens * heads * seen * (2.0 * latent + rotated), activations)
            .reads("query", tokens * heads * (latent + rotated), activations)
            .reads("cache", self.pass.batch as f64 * seen * (latent + rotated), cache)
            .writes("output", tokens * heads * latent, activations);
        work.arithmetic = compute.or(work.arithmetic);
        self.push("attention", self.layers(), work);
    }

    fn attention(&mut self, heads: f64, key_heads: f64, key_dim: f64, value_dim: f64) {
        let Precisions { activations, cache, compute, .. } = *self.precisions;
        let attention = Attention {
            batch: self.pass.batch as f64,
            query_heads: heads,
            key_heads,
            query_tokens: self.pass.new_tokens(),
            key_tokens: self.pass.context as f64,
            key_dim,
            value_dim,
            causal: self.pass.causal,
            window: None,
            fused: self.pass.fused,
            query: activations,
            cache,
            output: activations,
            compute: compute.or_else(|| activations.arithmetic()),
        };
        let window = self.model.window.filter(|_| self.pass.causal);
        let windowed = window.map_or(0.0, |window| window.layers as f64).min(self.layers());
        self.push("attention", self.layers() - windowed, attention.forward());
        if let Some(window) = window {
            let seen = window.tokens as f64;
            // The first of the new tokens sees the farthest back.
            let key_tokens = attention.key_tokens.min(attention.query_tokens + seen - 1.0);
            let near = Attention { key_tokens, window: Some(seen), ..attention };
            self.push("window_attention", windowed, near.forward());
        }
    }

    fn feed(&mut self) {
        let (tokens, hidden) = (self.pass.tokens(), self.hidden());
        if self.model.norms > 1 {
            let norm = self.norm(tokens);
            self.push("feed_forward_norm", (self.model.norms as f64 - 1.0) * self.layers(), norm);
        }
        match self.model.feeding {
            Feeding::Dense { intermediate, gated, .. } => {
                self.dense(intermediate as f64, gated, self.layers())
            }
            Feeding::Experts { dense_intermediate, dense_layers, .. } => {
                let dense = dense_layers.min(self.model.layers) as f64;
                self.dense(dense_intermediate as f64, true, dense);
                self.choose(self.layers() - dense);
            }
        }
        self.push("feed_forward_residual", self.layers(), self.elementwise(tokens * hidden, 1.0, 2.0));
    }

    fn dense(&mut self, intermediate: f64, gated: bool, layers: f64) {
        let (tokens, hidden) = (self.pass.tokens(), self.hidden());
        let inner = self.shared(intermediate);
        if gated {
            self.push("gate_proj", layers, self.product(tokens, inner, hidden));
        }
        self.push("up_proj", layers, self.product(tokens, inner, hidden));
        // SiLU is counted as four operations, the product with the gate as one more.
        let activation = if gated { (5.0, 2.0) } else { (4.0, 1.0) };
        self.push("activation", layers, self.elementwise(tokens * inner, activation.0, activation.1));
        self.push("down_proj", layers, self.product(tokens, hidden, inner));
    }

    /// The products of experts: arithmetic of the chosen, bytes of the distinct ones.
    fn choose(&mut self, layers: f64) {
        let Feeding::Experts { intermediate, experts, chosen, shared_intermediate, .. } = self.model.feeding
        else {
            return;
        };
        let (tokens, hidden) = (self.pass.tokens(), self.hidden());
        let Precisions { weights, activations, compute, .. } = *self.precisions;
        let (experts, top_k) = (experts as f64, chosen as f64);
        let inner = self.shared(intermediate as f64);
        let mixture = MixtureOfExperts {
            tokens,
            hidden,
            intermediate: inner,
            experts,
            top_k,
            gated: true,
            weights,
            activations,
            output: activations,
            compute: compute.or_else(|| activations.arithmetic()),
        };
        self.push("router", layers, self.product(tokens, experts, hidden));
        // The gate is part of the way up, the sum over a token's experts part of the way down.
        self.push("experts_up", layers, mixture.up());
        self.push("experts_down", layers, mixture.down());
        if shared_intermediate > 0 {
            self.dense(shared_intermediate as f64, true, layers);
        }
    }

    /// Every device holds a part of the sums that attention and feed-forward end in: two reductions a layer, or one.
    /// A ring sends `2 (p - 1) / p` of the message (Patarasuk, Yuan, JPDC 69(2), 2009).
    fn communicate(&mut self) {
        let devices = self.pass.devices.max(1) as f64;
        if devices <= 1.0 {
            return;
        }
        let elements = self.pass.tokens() * self.hidden();
        let message = self.precisions.activations.bytes(elements);
        let sent = 2.0 * (devices - 1.0) / devices * message;
        // Where attention and feed-forward run side by side, their sums are one.
        let sums = if self.model.norms == 1 { 1.0 } else { 2.0 };
        self.steps.push(Step {
            name: "all_reduce",
            calls: sums * self.layers(),
            work: Work::movement(),
            sent,
        });
    }

    fn finish(&mut self) {
        let rows = match (self.pass.phase, self.pass.all_logits) {
            (Phase::Prefill, true) => self.pass.tokens(),
            _ => self.pass.batch as f64,
        };
        let norm = self.norm(rows);
        self.push("final_norm", 1.0, norm);
        let vocabulary = self.shared(self.model.vocabulary as f64);
        self.push("logits", 1.0, self.product(rows, vocabulary, self.hidden()));
    }
}
