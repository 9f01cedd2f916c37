//! What the key of a peak says: `bf16_tensor`, `matrix_fp8`, `NVFP4`.

use crate::{Arithmetic, Engine, Precision};

/// The key of a peak that holds for every type: files that give one peak for a device.
pub(super) const ANY: &str = "any";

/// Words for units, at either end of a key.
const ENGINES: [(&str, Engine); 8] = [
    ("matrix", Engine::Matrix),
    ("mfma", Engine::Matrix),
    ("mma", Engine::Matrix),
    ("tensor", Engine::Matrix),
    ("wmma", Engine::Matrix),
    ("simd", Engine::Vector),
    ("valu", Engine::Vector),
    ("vector", Engine::Vector),
];

/// The type and the units that a key names. A key may name neither and still be used as it is.
pub fn meaning(key: &str) -> (Option<Arithmetic>, Option<Engine>) {
    let key = key.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    for (word, engine) in ENGINES {
        let rest = key
            .strip_suffix(word)
            .and_then(|rest| rest.strip_suffix('_'))
            .or_else(|| key.strip_prefix(word).and_then(|rest| rest.strip_prefix('_')));
        if let Some(rest) = rest {
            return (arithmetic(rest), Some(engine));
        }
    }
    (arithmetic(&key), None)
}

fn arithmetic(name: &str) -> Option<Arithmetic> {
    Arithmetic::from_id(name).or_else(|| name.parse::<Precision>().ok()?.arithmetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_a_type_and_units() {
        let matrix = Some(Engine::Matrix);
        for (key, expected) in [
            ("bf16_tensor", (Some(Arithmetic::Bf16), matrix)),
            ("matrix_fp8", (Some(Arithmetic::Fp8), matrix)),
            ("vector_fp64", (Some(Arithmetic::Fp64), Some(Engine::Vector))),
            ("fp32", (Some(Arithmetic::Fp32), None)),
            ("NVFP4", (Some(Arithmetic::Fp4), None)),
            ("FP8_E4M3", (Some(Arithmetic::Fp8), None)),
            ("mxfp8_tensor", (Some(Arithmetic::Fp8), matrix)),
            ("posit16_tensor", (None, matrix)),
            ("matrix", (None, None)),
            ("", (None, None)),
        ] {
            assert_eq!(meaning(key), expected, "{key}");
        }
    }
}
