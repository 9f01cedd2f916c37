//! The shape of a transformer, enough to count its parameters and its work.

/// How tokens attend to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attending {
    /// Heads with keys and values of their own, or shared by several query heads.
    Grouped {
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        key_heads: u64,
        /// Width of a head.
        head_dim: u64,
        /// Whether queries, keys and values have biases.
        input_bias: bool,
        /// Whether the output has one.
        output_bias: bool,
        /// Whether queries and keys are normalized per head.
        normalised: bool,
    },
    /// Keys and values from one narrow vector a token, the only thing cached (DeepSeek-V2, section 2.1).
    Latent {
        /// Heads.
        heads: u64,
        /// Width that queries are squeezed to, if they are.
        query_rank: Option<u64>,
        /// Width that keys and values are squeezed to.
        latent_rank: u64,
        /// Part of a head's width without position.
        plain_dim: u64,
        /// Part of a head's width with position, whose key is shared by all heads.
        position_dim: u64,
        /// Width of a head's value.
        value_dim: u64,
    },
}

/// What follows attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feeding {
    /// The same for all tokens.
    Dense {
        /// Inner width.
        intermediate: u64,
        /// Whether an up projection is multiplied by a gate.
        gated: bool,
        /// Whether its projections have biases.
        bias: bool,
    },
    /// Some of many experts for each token.
    Experts {
        /// Inner width of an expert.
        intermediate: u64,
        /// Experts to choose from.
        experts: u64,
        /// Experts chosen for a token.
        chosen: u64,
        /// Experts that every token passes, as one of their combined inner width; 0 if there are none.
        shared_intermediate: u64,
        /// Inner width of the first layers, which have no experts.
        dense_intermediate: u64,
        /// How many of those there are.
        dense_layers: u64,
    },
}

/// How a layer normalizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalising {
    /// By the root mean square; one weight a channel.
    RootMeanSquare,
    /// By mean and variance; a weight and a bias a channel.
    MeanVariance,
}

/// How positions are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Queries and keys are rotated.
    Rotary,
    /// A learned vector for each of this many positions.
    Learned(u64),
    /// Something without parameters or work worth counting.
    None,
}

/// Layers whose tokens see the last ones alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many tokens each sees, itself included.
    pub tokens: u64,
    /// How many layers have it.
    pub layers: u64,
}

/// A decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Transformer {
    /// Its name.
    pub name: String,
    /// Where the shape comes from.
    pub source: String,
    /// Layers.
    pub layers: u64,
    /// Width between layers.
    pub hidden: u64,
    /// Tokens known.
    pub vocabulary: u64,
    /// Whether the output projection is the embedding.
    pub tied: bool,
    /// Whether the output projection has a bias.
    pub output_bias: bool,
    /// Attention.
    pub attending: Attending,
    /// What follows it.
    pub feeding: Feeding,
    /// How layers normalize.
    pub normalising: Normalising,
    /// Norms in a layer: two, but one where attention and feed-forward run side by side, and four where their outputs are
    /// normalized too.
    pub norms: u64,
    /// How positions are known.
    pub position: Position,
    /// Layers that see the last tokens alone, if there are any.
    pub window: Option<Window>,
}

impl Transformer {
    /// Weights of attention in one layer.
    pub fn attention_parameters(&self) -> u128 {
        let hidden = u128::from(self.hidden);
        match self.attending {
            Attending::Grouped { heads, key_heads, head_dim, input_bias, output_bias, normalised } => {
                let (query, key) = (product(heads, head_dim), product(key_heads, head_dim));
                let biases = u128::from(input_bias) * (query + 2 * key) + u128::from(output_bias) * hidden;
                let norms = u128::from(normalised) * 2 * u128::from(head_dim);
                hidden * (query + 2 * key) + query * hidden + biases + norms
            }
            Attending::Latent { heads, query_rank, latent_rank, plain_dim, position_dim, value_dim } => {
                let query = product(heads, plain_dim + position_dim);
                let queries = match query_rank.map(u128::from) {
                    Some(rank) => hidden * rank + rank + rank * query,
                    None => hidden * query,
                };
                let latent_rank = u128::from(latent_rank);
                let squeezed = hidden * (latent_rank + u128::from(position_dim)) + latent_rank;
                let widened = latent_rank * product(heads, plain_dim + value_dim);
                queries + squeezed + widened + product(heads, value_dim) * hidden
            }
        }
    }

    /// Weights of what follows attention in the layer with this number.
    pub fn feeding_parameters(&self, layer: u64) -> u128 {
        let hidden = u128::from(self.hidden);
        match self.feeding {
            Feeding::Dense { intermediate, gated, bias } => {
                let products = if gated { 3 } else { 2 };
                let intermediate = u128::from(intermediate);
                let biases = if bias { (products - 1) * intermediate + hidden } else { 0 };
                products * hidden * intermediate + biases
            }
            Feeding::Experts {
                intermediate,
                experts,
                shared_intermediate,
                dense_intermediate,
                dense_layers,
                ..
            } => {
                if layer < dense_layers {
                    3 * hidden * u128::from(dense_intermediate)
                } else {
                    let inner = product(experts, intermediate) + u128::from(shared_intermediate);
                    3 * hidden * inner + hidden * u128::from(experts)
                }
            }
        }
    }

    /// Weights of one norm.
    pub fn norm_parameters(&self) -> u128 {
        match self.normalising {
            Normalising::RootMeanSquare => u128::from(self.hidden),
            Normalising::MeanVariance => 2 * u128::from(self.hidden),
        }
    }

    /// All weights, as published totals count them: a tied output projection is not counted twice.
    pub fn parameters(&self) -> u128 {
        let embedding = product(self.vocabulary, self.hidden);
        let positions = match self.position {
            Position::Learned(count) => product(count, self.hidden),
            Position::Rotary | Position::None => 0,
        };
        let output = if self.tied { 0 } else { embedding }
            + u128::from(self.output_bias) * u128::from(self.vocabulary);
        let layer = |number| {
            self.attention_parameters()
                + self.feeding_parameters(number)
                + u128::from(self.norms) * self.norm_parameters()
        };
        embedding + positions + output + self.norm_parameters() + (0..self.layers).map(layer).sum::<u128>()
    }

    /// Among how many of some devices the cache is divided. A head of keys is not cut: more devices than heads hold
    /// copies. A latent vector is shared by all heads, so every device holds it.
    pub fn cache_shares(&self, devices: u64) -> f64 {
        match self.attending {
            Attending::Grouped { key_heads, .. } => devices.clamp(1, key_heads.max(1)) as f64,
            Attending::Latent { .. } => 1.0,
        }
    }

    /// Tokens that the caches of all layers hold together for a sequence of this many.
    pub fn cached_tokens(&self, context: u64) -> u128 {
        let windowed = self.window.map_or(0, |window| window.layers.min(self.layers));
        let seen = self.window.map_or(context, |window| window.tokens.min(context));
        product(self.layers - windowed, context) + product(windowed, seen)
    }

    /// Elements that one token leaves in the cache of one layer.
    pub fn cache_elements(&self) -> u128 {
        match self.attending {
            Attending::Grouped { key_heads, head_dim, .. } => 2 * product(key_heads, head_dim),
            Attending::Latent { latent_rank, position_dim, .. } => u128::from(latent_rank + position_dim),
        }
    }
}

/// Wide enough for the product of any three extents below 2^24.
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}
