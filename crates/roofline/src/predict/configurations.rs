//! Usual combinations of precisions by the names they go by.

use super::Precisions;
use crate::{Arithmetic, Precision};

/// Key, weights, activations, cache, and what products are computed in.
const ALL: [(&str, &str, &str, &str, Arithmetic); 16] = [
    // tidy-alphabetical-start
    ("bf16", "bf16", "bf16", "bf16", Arithmetic::Bf16),
    ("fp16", "fp16", "fp16", "fp16", Arithmetic::Fp16),
    ("fp8", "fp8_e4m3", "fp8_e4m3", "fp8_e4m3", Arithmetic::Fp8),
    ("fp8-nvfp4-kv", "fp8_e4m3", "fp8_e4m3", "nvfp4_kv", Arithmetic::Fp8),
    ("mxfp4-mxfp6", "mxfp4", "mxfp6_e3m2", "fp8_e4m3", Arithmetic::Fp8),
    ("mxfp4-w4a4", "mxfp4", "mxfp4", "mxfp4", Arithmetic::Fp4),
    ("mxfp6", "mxfp6_e3m2", "mxfp6_e3m2", "mxfp6_e3m2", Arithmetic::Fp8),
    ("mxfp8", "mxfp8_e4m3", "mxfp8_e4m3", "mxfp8_e4m3", Arithmetic::Fp8),
    ("nvfp4-w4a16", "nvfp4", "fp16", "fp16", Arithmetic::Fp16),
    ("nvfp4-w4a4", "nvfp4", "nvfp4", "nvfp4_kv", Arithmetic::Fp4),
    ("nvfp4-w4a8", "nvfp4", "fp8_e4m3", "fp8_e4m3", Arithmetic::Fp8),
    ("nvfp4-w4a8-kv4", "nvfp4", "fp8_e4m3", "nvfp4_kv", Arithmetic::Fp8),
    ("w4a16-awq", "int4@128:fp16", "fp16", "fp16", Arithmetic::Fp16),
    ("w4a16-mxfp4", "mxfp4", "fp16", "fp16", Arithmetic::Fp16),
    ("w4a16-nf4", "nf4", "fp16", "fp16", Arithmetic::Fp16),
    ("w4a8-int4", "int4@128:fp16", "fp8_e4m3", "fp8_e4m3", Arithmetic::Fp8),
    // tidy-alphabetical-end
];

/// The keys of all configurations.
pub fn keys() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(key, ..)| *key)
}

/// The configuration of this key.
pub fn configuration(key: &str) -> Option<Precisions> {
    let (_, weights, activations, cache, compute) =
        ALL.iter().find(|(name, ..)| name.eq_ignore_ascii_case(key))?;
    let precision = |name: &str| name.parse::<Precision>().ok();
    Some(Precisions {
        weights: precision(weights)?,
        activations: precision(activations)?,
        cache: precision(cache)?,
        compute: Some(*compute),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_configuration() {
        assert!(keys().all(|key| configuration(key).is_some()));
        assert_eq!(configuration("w5a7"), None);
        // Group-wise 4 bits with a 16-bit scale for 128 are 4.125 (AWQ, GPTQ).
        let awq = configuration("W4A16-AWQ").expect("known");
        assert_eq!(awq.weights.effective_bits(4096.0), 4.125);
    }
}
