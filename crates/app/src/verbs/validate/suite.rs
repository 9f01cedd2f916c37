//! The kernels that predictions are compared with.

use std::str::FromStr;

use clap::ValueEnum;
use eaves_bench::{Attend, CacheState, Spec, Store, Stream};
use eaves_roofline::{Device, Precision};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text_value::written_as_text;
use crate::verbs::bench::{Pair, Product, pair};

/// How many kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// All of them.
    #[default]
    Full,
    /// Some of each class.
    Quick,
    /// None but the user's own.
    None,
}

/// A product of the user's: `1x4096x14336:mxfp4/int8`; FP32 unless a precision is named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    product: Product,
    pair: Pair,
}

impl Shape {
    pub(super) fn spec(&self) -> Spec {
        self.product.spec(&self.pair)
    }
}

written_as_text!(Shape, "Shape", "1x4096x14336:mxfp4/int8");

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (extents, precision) = text.split_once(':').unwrap_or((text, "fp32"));
        let numbers: Option<Vec<usize>> = extents
            .split(['x', 'X', ','])
            .map(|extent| extent.trim().parse().ok().filter(|extent| (1..=1 << 24).contains(extent)))
            .collect();
        let product = match numbers.as_deref() {
            Some([m, n, k]) => Product { m: *m, n: *n, k: *k },
            Some([n, k]) => Product { m: 1, n: *n, k: *k },
            _ => return Err("expected a shape such as 1x4096x4096 or 512x512x512:bf16".to_owned()),
        };
        let pair = pair(precision).map_err(|error| error.to_string())?;
        Ok(Self { product, pair })
    }
}

/// Weights that are narrower than FP32.
const NARROW: [&str; 10] = [
    "bf16",
    "fp16",
    "int8/int8",
    "int8/fp32",
    "fp8_e4m3/fp32",
    "int4/int8",
    "mxfp4/int8",
    "mxfp4/fp32",
    "nvfp4/int8",
    "nf4/int8",
];

/// The suite for a device: what to run, and where operands are.
pub(super) fn kernels(which: Which, device: Option<&Device>) -> Vec<(Spec, CacheState)> {
    let quick = which == Which::Quick;
    if which == Which::None {
        return Vec::new();
    }
    let mut kernels = streams(device);
    let product = |m: usize, n: usize, k: usize, precision: &str| {
        let pair = pair(precision).ok()?;
        Some((Product { m, n, k }.spec(&pair), CacheState::Cold))
    };
    let sides: &[usize] = if quick { &[512] } else { &[512, 1024] };
    for side in sides {
        kernels.extend(product(*side, *side, *side, "fp32"));
        kernels.extend(product(*side, *side, *side, "fp64"));
        kernels.extend(product(*side, *side, *side, "int8/int8"));
    }
    if !quick {
        kernels.extend(product(128, 4096, 4096, "fp32"));
        kernels.extend(product(1, 4096, 14336, "fp32"));
        kernels.extend(product(1, 4096, 4096, "fp64"));
    }
    kernels.extend(product(1, 4096, 4096, "fp32"));
    let narrow = if quick { &NARROW[..6] } else { &NARROW };
    kernels.extend(narrow.iter().filter_map(|precision| product(1, 4096, 4096, precision)));
    kernels.extend(attentions(quick));
    kernels
}

/// Reading and the triad in each cache and in memory. Sizes are not those that roofs are measured with: two
/// fifths of a cache. Arrays are an odd number of blocks long, so that they do not begin at the same offset of a page.
fn streams(device: Option<&Device>) -> Vec<(Spec, CacheState)> {
    /// A block of 256 bytes for each of three arrays.
    const BLOCKS: usize = 3 * 256;
    let mut kernels = Vec::new();
    let caches = device.into_iter().flat_map(|device| device.memory.iter().skip(1));
    for size in caches.filter_map(|level| Some(level.size.as_ref()?.value)) {
        let bytes = (((size * 0.4) as usize / BLOCKS) | 1) * BLOCKS;
        for stream in [Stream::Read { streams: 4 }, Stream::Triad(Store::Normal)] {
            kernels.push((Spec::Stream { stream, bytes }, CacheState::Hot));
        }
    }
    for bytes in [1 << 20, 3 << 20] {
        for stream in [Stream::Read { streams: 4 }, Stream::Triad(Store::NonTemporal)] {
            kernels.push((Spec::Stream { stream, bytes }, CacheState::Cold));
        }
    }
    kernels
}

/// One more token of a long context with shared heads, and a prompt.
fn attentions(quick: bool) -> Vec<(Spec, CacheState)> {
    let decode = |kv_heads| Attend {
        batch: 1,
        heads: 8,
        kv_heads,
        queries: 1,
        context: 4096,
        dimension: 128,
        causal: true,
    };
    let prefill = Attend { queries: 512, context: 512, ..decode(8) };
    let fp32 = |shape| (Spec::Attention { shape, precision: Precision::FP32 }, CacheState::Cold);
    let bf16 = |shape| (Spec::Attention { shape, precision: Precision::BF16 }, CacheState::Cold);
    match quick {
        true => vec![fp32(decode(8)), fp32(prefill)],
        false => vec![fp32(decode(8)), fp32(decode(2)), bf16(decode(8)), fp32(prefill), bf16(prefill)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_as_they_are_meant() {
        let shape = |text: &str| text.parse::<Shape>();
        let own = shape("1x4096x14336:mxfp4/int8").unwrap();
        assert_eq!(own.product, Product { m: 1, n: 4096, k: 14336 });
        assert_eq!(own.pair.weights.name, "mxfp4");
        assert!(matches!(shape("64x32").unwrap().spec(), Spec::Gemv { n: 64, k: 32, .. }));
        assert!(matches!(shape("2x64x32:bf16").unwrap().spec(), Spec::Gemm { m: 2, .. }));
        for text in ["", "1", "0x4x4", "1x2x3x4", "axb", "1x4096x4096:", "1x4x4:int9", "99999999999x1x1"] {
            assert!(shape(text).is_err(), "{text}");
        }
    }

    /// Every class that is judged is in every suite.
    #[test]
    fn suites_have_every_class() {
        for which in [Which::Full, Which::Quick] {
            let kernels = kernels(which, None);
            for family in ["stream", "gemm", "gemv", "attention"] {
                assert!(kernels.iter().any(|(spec, _)| spec.family() == family), "{family}");
            }
            let narrow = kernels
                .iter()
                .any(|(spec, _)| matches!(spec, Spec::Gemv { weights, .. } if weights.element_bits < 32.0));
            assert!(narrow);
        }
        assert!(kernels(Which::None, None).is_empty());
    }
}
