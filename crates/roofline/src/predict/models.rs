//! Transformers with published shapes.
//!
//! Shapes are those of the `config.json` files that the makers publish with the weights; the test holds the parameters
//! that follow from them against the totals stored in those weight files (or, where it says so, the rounded total of the
//! makers' report).

use super::{Attending, Feeding, Normalising, Position, Transformer};

/// All presets by the key they are asked for.
pub fn all() -> Vec<(&'static str, Transformer)> {
    let llama = |name, layers, hidden, heads, key_heads, head_dim, intermediate, vocabulary| {
        grouped(name, layers, hidden, (heads, key_heads, head_dim), intermediate, vocabulary)
    };
    // Qwen3's large models: queries and keys are normalized, 8 of 128 experts are chosen.
    let chosen = |model, intermediate| experts(normalised(model), intermediate, 128, 8);
    let tied = |model: Transformer| Transformer { tied: true, ..model };
    vec![
        // tidy-alphabetical-start
        ("deepseek-v3", deepseek_v3()),
        ("gemma-2b", tied(llama("Gemma 2B", 18, 2048, 8, 1, 256, 16384, 256_000))),
        ("gemma-7b", tied(llama("Gemma 7B", 28, 3072, 16, 16, 256, 24576, 256_000))),
        ("gpt-2", gpt2("GPT-2", 12, 768, 12)),
        ("gpt-2-xl", gpt2("GPT-2 XL", 48, 1600, 25)),
        ("gpt-j-6b", gpt_j()),
        ("llama-2-13b", llama("Llama 2 13B", 40, 5120, 40, 40, 128, 13824, 32_000)),
        ("llama-2-70b", llama("Llama 2 70B", 80, 8192, 64, 8, 128, 28672, 32_000)),
        ("llama-2-7b", llama("Llama 2 7B", 32, 4096, 32, 32, 128, 11008, 32_000)),
        ("llama-3-405b", llama("Llama 3.1 405B", 126, 16384, 128, 8, 128, 53248, 128_256)),
        ("llama-3-70b", llama("Llama 3 70B", 80, 8192, 64, 8, 128, 28672, 128_256)),
        ("llama-3-8b", llama("Llama 3 8B", 32, 4096, 32, 8, 128, 14336, 128_256)),
        ("llama-3.2-1b", tied(llama("Llama 3.2 1B", 16, 2048, 32, 8, 64, 8192, 128_256))),
        ("llama-3.2-3b", tied(llama("Llama 3.2 3B", 28, 3072, 24, 8, 128, 8192, 128_256))),
        ("mistral-7b", llama("Mistral 7B", 32, 4096, 32, 8, 128, 14336, 32_000)),
        ("mixtral-8x7b", experts(llama("Mixtral 8x7B", 32, 4096, 32, 8, 128, 14336, 32_000), 14336, 8, 2)),
        ("phi-3-mini", llama("Phi-3 mini", 32, 3072, 32, 32, 96, 8192, 32_064)),
        ("qwen2.5-0.5b", tied(biased(llama("Qwen2.5 0.5B", 24, 896, 14, 2, 64, 4864, 151_936)))),
        ("qwen2.5-1.5b", tied(biased(llama("Qwen2.5 1.5B", 28, 1536, 12, 2, 128, 8960, 151_936)))),
        ("qwen2.5-32b", biased(llama("Qwen2.5 32B", 64, 5120, 40, 8, 128, 27648, 152_064))),
        ("qwen2.5-72b", biased(llama("Qwen2.5 72B", 80, 8192, 64, 8, 128, 29568, 152_064))),
        ("qwen2.5-7b", biased(llama("Qwen2.5 7B", 28, 3584, 28, 4, 128, 18944, 152_064))),
        ("qwen3-235b-a22b", chosen(llama("Qwen3 235B-A22B", 94, 4096, 64, 4, 128, 0, 151_936), 1536)),
        ("qwen3-30b-a3b", chosen(llama("Qwen3 30B-A3B", 48, 2048, 32, 4, 128, 0, 151_936), 768)),
        ("qwen3-8b", normalised(llama("Qwen3 8B", 36, 4096, 32, 8, 128, 12288, 151_936))),
        ("tinyllama-1.1b", llama("TinyLlama 1.1B", 22, 2048, 32, 4, 64, 5632, 32_000)),
        // tidy-alphabetical-end
    ]
}

fn grouped(
    name: &str,
    layers: u64,
    hidden: u64,
    (heads, key_heads, head_dim): (u64, u64, u64),
    intermediate: u64,
    vocabulary: u64,
) -> Transformer {
    let (input_bias, output_bias, normalised) = (false, false, false);
    Transformer {
        name: name.to_owned(),
        source: "config.json published with the weights".to_owned(),
        layers,
        hidden,
        vocabulary,
        tied: false,
        output_bias: false,
        attending: Attending::Grouped { heads, key_heads, head_dim, input_bias, output_bias, normalised },
        feeding: Feeding::Dense { intermediate, gated: true, bias: false },
        normalising: Normalising::RootMeanSquare,
        norms: 2,
        position: Position::Rotary,
        window: None,
    }
}

/// With biases of queries, keys and values.
fn biased(mut model: Transformer) -> Transformer {
    if let Attending::Grouped { input_bias, .. } = &mut model.attending {
        *input_bias = true;
    }
    model
}

/// With normalized queries and keys.
fn normalised(mut model: Transformer) -> Transformer {
    if let Attending::Grouped { normalised, .. } = &mut model.attending {
        *normalised = true;
    }
    model
}

fn experts(model: Transformer, intermediate: u64, experts: u64, chosen: u64) -> Transformer {
    let (shared_intermediate, dense_intermediate, dense_layers) = (0, 0, 0);
    let feeding = Feeding::Experts {
        intermediate,
        experts,
        chosen,
        shared_intermediate,
        dense_intermediate,
        dense_layers,
    };
    Transformer { feeding, ..model }
}

fn gpt2(name: &str, layers: u64, hidden: u64, heads: u64) -> Transformer {
    let plain = grouped(name, layers, hidden, (heads, heads, hidden / heads), 4 * hidden, 50_257);
    let (input_bias, output_bias, normalised) = (true, true, false);
    Transformer {
        tied: true,
        attending: Attending::Grouped {
            heads,
            key_heads: heads,
            head_dim: hidden / heads,
            input_bias,
            output_bias,
            normalised,
        },
        feeding: Feeding::Dense { intermediate: 4 * hidden, gated: false, bias: true },
        normalising: Normalising::MeanVariance,
        position: Position::Learned(1024),
        ..plain
    }
}

fn gpt_j() -> Transformer {
    Transformer {
        output_bias: true,
        feeding: Feeding::Dense { intermediate: 16384, gated: false, bias: true },
        normalising: Normalising::MeanVariance,
        norms: 1,
        ..grouped("GPT-J 6B", 28, 4096, (16, 16, 256), 16384, 50_400)
    }
}

fn deepseek_v3() -> Transformer {
    Transformer {
        attending: Attending::Latent {
            heads: 128,
            query_rank: Some(1536),
            latent_rank: 512,
            plain_dim: 128,
            position_dim: 64,
            value_dim: 128,
        },
        feeding: Feeding::Experts {
            intermediate: 2048,
            experts: 256,
            chosen: 8,
            shared_intermediate: 2048,
            dense_intermediate: 18432,
            dense_layers: 3,
        },
        ..grouped("DeepSeek-V3", 61, 7168, (128, 128, 128), 18432, 129_280)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Totals stored in the published weight files.
    #[test]
    fn parameters_are_those_of_the_published_weights() {
        let published = [
            ("gemma-2b", 2_506_172_416),
            ("gemma-7b", 8_537_680_896),
            ("gpt-2", 124_439_808),
            ("gpt-2-xl", 1_557_611_200),
            ("gpt-j-6b", 6_050_882_784),
            ("llama-2-13b", 13_015_864_320),
            ("llama-2-70b", 68_976_648_192),
            ("llama-2-7b", 6_738_415_616),
            ("llama-3-405b", 405_853_388_800),
            ("llama-3-70b", 70_553_706_496),
            ("llama-3-8b", 8_030_261_248),
            ("llama-3.2-1b", 1_235_814_400),
            ("llama-3.2-3b", 3_212_749_824),
            ("mistral-7b", 7_241_732_096),
            ("mixtral-8x7b", 46_702_792_704),
            ("phi-3-mini", 3_821_079_552),
            ("qwen2.5-0.5b", 494_032_768),
            ("qwen2.5-1.5b", 1_543_714_304),
            ("qwen2.5-32b", 32_763_876_352),
            ("qwen2.5-72b", 72_706_203_648),
            ("qwen2.5-7b", 7_615_616_512),
            ("qwen3-235b-a22b", 235_093_634_560),
            ("qwen3-30b-a3b", 30_532_122_624),
            ("qwen3-8b", 8_190_735_360),
            ("tinyllama-1.1b", 1_100_048_384),
        ];
        let models = all();
        for (key, total) in published {
            let (_, model) = models.iter().find(|(name, _)| *name == key).unwrap_or_else(|| panic!("{key}"));
            assert_eq!(model.parameters(), total, "{key}");
        }
        // The report says 671 B in total (arXiv 2412.19437, section 4.2).
        let (_, deepseek) = &models[0];
        assert_eq!((deepseek.parameters() as f64 / 1e9).round(), 671.0);
        assert_eq!(models.len(), published.len() + 1, "every preset is checked");
    }
}
