//! A transformer from the `config.json` that Hugging Face models carry.

use std::fmt;

use serde_json::{Map, Value};

use super::{Attending, Feeding, Normalising, Position, Transformer, Window};

/// Why a configuration does not describe a transformer we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The text is not a JSON object.
    Json(String),
    /// A key that is needed is absent or not a whole number.
    Missing(&'static str),
    /// An architecture whose layers we do not know.
    Architecture(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(cause) => write!(f, "not a JSON object: {cause}"),
            Self::Missing(key) => write!(f, "`{key}` is missing or not a whole number from 1 to 16,777,215"),
            Self::Architecture(name) => {
                write!(f, "unknown architecture `{name}`; supported are {}", KNOWN.join(", "))
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// Values of `model_type` that are understood.
const KNOWN: [&str; 15] = [
    // tidy-alphabetical-start
    "deepseek_v2",
    "deepseek_v3",
    "gemma",
    "gemma2",
    "gpt2",
    "gptj",
    "llama",
    "mistral",
    "mixtral",
    "phi3",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "qwen3_moe",
    "yi",
    // tidy-alphabetical-end
];

/// Reads a configuration.
///
/// # Errors
/// If it is not JSON, lacks a key, or is of an unknown architecture.
pub fn transformer(text: &str) -> Result<Transformer, ConfigError> {
    let config: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| ConfigError::Json(error.to_string()))?;
    let config = Config(config);
    let kind = config.text("model_type").unwrap_or_default().to_ascii_lowercase();
    if !KNOWN.contains(&kind.as_str()) {
        return Err(ConfigError::Architecture(kind));
    }
    if kind == "gpt2" || kind == "gptj" {
        return config.generative(&kind);
    }
    let name = config.text("_name_or_path").filter(|name| !name.is_empty()).unwrap_or(&kind).to_owned();
    Ok(Transformer {
        name,
        source: "config.json".to_owned(),
        layers: config.need("num_hidden_layers")?,
        hidden: config.need("hidden_size")?,
        vocabulary: config.need("vocab_size")?,
        tied: config.flag("tie_word_embeddings").unwrap_or(kind.starts_with("gemma")),
        output_bias: false,
        attending: config.attending(&kind)?,
        feeding: config.feeding(&kind)?,
        normalising: Normalising::RootMeanSquare,
        norms: if kind == "gemma2" { 4 } else { 2 },
        position: Position::Rotary,
        window: config.window(&kind),
    })
}

struct Config(Map<String, Value>);

impl Config {
    fn number(&self, key: &str) -> Option<u64> {
        // No extent of a real model is larger, and products of what is left stay exact.
        self.0.get(key).and_then(Value::as_u64).filter(|number| *number < 1 << 24)
    }

    fn need(&self, key: &'static str) -> Result<u64, ConfigError> {
        self.number(key).filter(|number| *number > 0).ok_or(ConfigError::Missing(key))
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.0.get(key).and_then(Value::as_bool)
    }

    fn attending(&self, kind: &str) -> Result<Attending, ConfigError> {
        let heads = self.need("num_attention_heads")?;
        if kind.starts_with("deepseek") {
            return Ok(Attending::Latent {
                heads,
                query_rank: self.number("q_lora_rank"),
                latent_rank: self.need("kv_lora_rank")?,
                plain_dim: self.need("qk_nope_head_dim")?,
                position_dim: self.need("qk_rope_head_dim")?,
                value_dim: self.need("v_head_dim")?,
            });
        }
        let head_dim = match self.number("head_dim") {
            Some(width) if width > 0 => width,
            _ => self.need("hidden_size")? / heads,
        };
        if head_dim == 0 {
            return Err(ConfigError::Missing("head_dim"));
        }
        let bias = self.flag("attention_bias").unwrap_or(false);
        Ok(Attending::Grouped {
            heads,
            key_heads: self.number("num_key_value_heads").filter(|heads| *heads > 0).unwrap_or(heads),
            head_dim,
            // Qwen2 always has them and does not say so.
            input_bias: bias || kind.starts_with("qwen2"),
            output_bias: bias,
            normalised: kind.starts_with("qwen3"),
        })
    }

    /// Which layers see the last tokens alone. Newer files list the kind of each layer; in older ones it is a rule of the
    /// architecture (`transformers`, `configuration_*.py`): every other layer of Gemma 2 from the first on, the layers of
    /// Qwen from `max_window_layers` on if the window is in use, all layers of others.
    fn window(&self, kind: &str) -> Option<Window> {
        let tokens = self.number("sliding_window").filter(|tokens| *tokens > 0)?;
        let all = self.number("num_hidden_layers")?;
        let layers = match self.0.get("layer_types").and_then(Value::as_array) {
            Some(kinds) => kinds.iter().filter(|kind| *kind == "sliding_attention").count() as u64,
            None if kind == "gemma2" => all.div_ceil(2),
            None if kind.starts_with("qwen") => {
                let used = self.flag("use_sliding_window").unwrap_or(false);
                let from = self.number("max_window_layers").unwrap_or(0);
                if used { all.saturating_sub(from) } else { 0 }
            }
            None => all,
        };
        (layers > 0).then_some(Window { tokens, layers })
    }

    fn feeding(&self, kind: &str) -> Result<Feeding, ConfigError> {
        let dense = Feeding::Dense {
            intermediate: self.number("intermediate_size").unwrap_or(0),
            gated: true,
            bias: self.flag("mlp_bias").unwrap_or(false),
        };
        match kind {
            "mixtral" => Ok(Feeding::Experts {
                intermediate: self.need("intermediate_size")?,
                experts: self.need("num_local_experts")?,
                chosen: self.need("num_experts_per_tok")?,
                shared_intermediate: 0,
                dense_intermediate: 0,
                dense_layers: 0,
            }),
            "qwen2_moe" | "qwen3_moe" => Ok(Feeding::Experts {
                intermediate: self.need("moe_intermediate_size")?,
                experts: self.need("num_experts")?,
                chosen: self.need("num_experts_per_tok")?,
                shared_intermediate: self.number("shared_expert_intermediate_size").unwrap_or(0),
                dense_intermediate: self.number("intermediate_size").unwrap_or(0),
                dense_layers: 0,
            }),
            "deepseek_v2" | "deepseek_v3" => Ok(Feeding::Experts {
                intermediate: self.need("moe_intermediate_size")?,
                experts: self.need("n_routed_experts")?,
                chosen: self.need("num_experts_per_tok")?,
                shared_intermediate: self
                    .number("n_shared_experts")
                    .unwrap_or(0)
                    .saturating_mul(self.need("moe_intermediate_size")?),
                dense_intermediate: self.need("intermediate_size")?,
                dense_layers: self.number("first_k_dense_replace").unwrap_or(0),
            }),
            _ => self.need("intermediate_size").map(|_| dense),
        }
    }

    /// GPT-2 and GPT-J name their keys in their own way.
    fn generative(&self, kind: &str) -> Result<Transformer, ConfigError> {
        let (hidden, heads) = (self.need("n_embd")?, self.need("n_head")?);
        let second = kind == "gpt2";
        Ok(Transformer {
            name: self.text("_name_or_path").filter(|name| !name.is_empty()).unwrap_or(kind).to_owned(),
            source: "config.json".to_owned(),
            layers: self.need("n_layer")?,
            hidden,
            vocabulary: self.need("vocab_size")?,
            tied: self.flag("tie_word_embeddings").unwrap_or(second),
            output_bias: !second,
            attending: Attending::Grouped {
                heads,
                key_heads: heads,
                head_dim: hidden / heads,
                input_bias: second,
                output_bias: second,
                normalised: false,
            },
            feeding: Feeding::Dense {
                intermediate: self.number("n_inner").unwrap_or(hidden.saturating_mul(4)),
                gated: false,
                bias: true,
            },
            normalising: Normalising::MeanVariance,
            norms: if second { 2 } else { 1 },
            window: None,
            position: if second { Position::Learned(self.need("n_positions")?) } else { Position::Rotary },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::models;

    /// The keys of the published file, and the preset made by hand from the same file.
    #[test]
    fn a_configuration_gives_what_the_preset_gives() {
        for (key, text) in [
            (
                "llama-3-8b",
                r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
                    "tie_word_embeddings": false, "attention_bias": false}"#,
            ),
            (
                "mixtral-8x7b",
                r#"{"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
                    "num_local_experts": 8, "num_experts_per_tok": 2, "tie_word_embeddings": false}"#,
            ),
            (
                "deepseek-v3",
                r#"{"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
                    "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128,
                    "num_key_value_heads": 128, "n_routed_experts": 256, "n_shared_experts": 1,
                    "num_experts_per_tok": 8, "first_k_dense_replace": 3, "q_lora_rank": 1536, "kv_lora_rank": 512,
                    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280}"#,
            ),
            (
                "gpt-2",
                r#"{"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
                    "vocab_size": 50257}"#,
            ),
            (
                "qwen2.5-7b",
                r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
                    "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
                    "tie_word_embeddings": false}"#,
            ),
        ] {
            let found = transformer(text).unwrap_or_else(|error| panic!("{key}: {error}"));
            let presets = models::all();
            let (_, preset) =
                presets.iter().find(|(name, _)| *name == key).unwrap_or_else(|| panic!("{key}"));
            let named = Transformer { name: preset.name.clone(), source: preset.source.clone(), ..found };
            assert_eq!(&named, preset, "{key}");
        }
    }

    #[test]
    fn windows_are_those_of_the_architecture() {
        let shape = r#""hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 5, "num_attention_heads": 4,
                       "vocab_size": 100, "sliding_window": 16"#;
        let window = |rest: &str| transformer(&format!("{{{shape}, {rest}}}")).unwrap().window;
        let layers = |layers| Some(Window { tokens: 16, layers });
        assert_eq!(window(r#""model_type": "mistral""#), layers(5));
        assert_eq!(window(r#""model_type": "gemma2""#), layers(3));
        assert_eq!(window(r#""model_type": "qwen2", "max_window_layers": 3"#), None);
        let used = r#""model_type": "qwen2", "use_sliding_window": true, "max_window_layers": 3"#;
        assert_eq!(window(used), layers(2));
        let listed = r#""model_type": "llama", "layer_types": ["full_attention", "sliding_attention"]"#;
        assert_eq!(window(listed), layers(1));
        assert_eq!(window(r#""model_type": "mistral", "sliding_window": null"#), None);
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(matches!(transformer("[]"), Err(ConfigError::Json(_))));
        let mamba = transformer(r#"{"model_type": "mamba"}"#);
        assert_eq!(mamba, Err(ConfigError::Architecture("mamba".into())));
        let bare = transformer(r#"{"model_type": "llama", "num_hidden_layers": 1, "hidden_size": -4}"#);
        assert_eq!(bare, Err(ConfigError::Missing("hidden_size")));
        let zero = r#"{"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 4, "vocab_size": 5,
                       "num_attention_heads": 0}"#;
        assert_eq!(transformer(zero), Err(ConfigError::Missing("num_attention_heads")));
    }
}
