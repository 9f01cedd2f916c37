//! `--precision`: how weights and activations are stored.

use clap::Args;
use eaves_roofline::Precision;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Failure;

/// How weights and activations of one kernel are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) weights: Precision,
    pub(crate) activations: Precision,
}

/// How weights and activations are stored.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(next_help_heading = "Precisions")]
#[serde(default)]
pub struct Precisions {
    /// Weight precision, and after a slash activation precision: int8/int8,
    /// mxfp4/fp32; comma-separated list, or `all` [default: fp32]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    #[serde(deserialize_with = "crate::text_value::names")]
    pub precision: Vec<String>,
}

/// What `all` means: every format there is a kernel for, with activations that make it fastest, and those that keep them
/// exact where both are common.
pub const ALL_PRECISIONS: [&str; 14] = [
    "fp64",
    "fp32",
    "fp16",
    "bf16",
    "int8/int8",
    "int8/fp32",
    "fp8_e4m3/fp32",
    "fp8_e5m2/fp32",
    "int4/int8",
    "mxfp4/int8",
    "mxfp4/fp32",
    "nvfp4/int8",
    "nf4/int8",
    "nf4/fp32",
];

/// What `all` means where there are no weights.
pub const WIDE_PRECISIONS: [&str; 4] = ["fp64", "fp32", "fp16", "bf16"];

impl Precisions {
    pub(super) fn pairs(&self) -> Result<Vec<Pair>, Failure> {
        match self.precision.as_slice() {
            [] => Ok(vec![Pair { weights: Precision::FP32, activations: Precision::FP32 }]),
            [all] if all.eq_ignore_ascii_case("all") => {
                ALL_PRECISIONS.iter().map(|name| pair(name)).collect()
            }
            names => names.iter().map(|name| pair(name)).collect(),
        }
    }

    /// One precision each, for what has no activations of its own.
    pub(super) fn single(&self) -> Result<Vec<Precision>, Failure> {
        match self.precision.as_slice() {
            [] => Ok(vec![Precision::FP32]),
            [all] if all.eq_ignore_ascii_case("all") => {
                WIDE_PRECISIONS.iter().map(|name| parse(name)).collect()
            }
            names => names.iter().map(|name| parse(name)).collect(),
        }
    }
}

/// `mxfp4/int8`, or one precision: then activations are the same if they compute by themselves, and FP32 for narrow
/// weights.
pub(crate) fn pair(text: &str) -> Result<Pair, Failure> {
    let (weights, activations) = match text.split_once('/') {
        Some((weights, activations)) => (parse(weights)?, parse(activations)?),
        None => {
            let weights = parse(text)?;
            let wide = weights.element_bits >= 32.0;
            (weights, if wide { weights } else { Precision::FP32 })
        }
    };
    Ok(Pair { weights, activations })
}

fn parse(name: &str) -> Result<Precision, Failure> {
    name.trim().parse::<Precision>().map_err(|error| {
        Failure::usage(error.to_string(), format!("there are kernels for {}", ALL_PRECISIONS.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_all_is_known() {
        let all = Precisions { precision: vec!["ALL".into()] };
        assert_eq!(all.pairs().unwrap().len(), ALL_PRECISIONS.len());
        let one = pair("mxfp4").unwrap();
        assert_eq!((one.weights.name, one.activations.name), ("mxfp4", "fp32"));
        let two = pair("int8/int8").unwrap();
        assert_eq!((two.weights.name, two.activations.name), ("int8", "int8"));
        assert_eq!(pair("fp64").unwrap().activations.name, "fp64");
        assert!(pair("int8/").is_err() && pair("int9").is_err());
    }
}
