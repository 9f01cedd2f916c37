//! What operators must do: one file a family, formulas beside the names they go by in recordings.
//!
//! To add an operator, copy a family's file, list its names in `FORMULAS` there and the family in [`FAMILIES`].

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Work;

mod activation;
mod attention;
mod call;
mod convolution;
mod elementwise;
mod feed_forward;
mod gemm;
mod indexing;
mod loss;
mod moe;
mod movement;
mod normalization;
pub mod npu;
mod operands;
mod optimizer;
mod pooling;
mod quantization;
mod random;
mod reduction;
mod rms_norm;
mod rope;
mod shape;
mod softmax;
mod sorting;
mod triton;

pub use attention::Attention;
pub use call::{Call, Input, Tensor};
pub use convolution::Convolution;
pub use feed_forward::FeedForward;
pub use gemm::Gemm;
pub use moe::MixtureOfExperts;
pub use movement::{set, transfer};
pub use triton::element_type_of_kernel;

/// Why a formula has no answer for a call.
pub type Unmodelled = String;

/// From a call to its work.
pub type Rule = fn(&Call<'_>) -> Result<Work, Unmodelled>;

/// How the work of an operator follows from its recorded arguments.
pub struct Formula {
    /// The operator's names in recordings: `aten::mm`.
    pub names: &'static [&'static str],
    /// The family for people and filters: `gemm`, `attention`.
    pub category: &'static str,
    /// The work of one call.
    pub work: Rule,
    /// The work of the backward pass of one call, from the arguments of the forward one, for operators whose backward
    /// is recorded without arguments.
    pub backward: Option<Rule>,
}

/// All families.
const FAMILIES: &[&[Formula]] = &[
    // tidy-alphabetical-start
    activation::FORMULAS,
    elementwise::FORMULAS,
    indexing::FORMULAS,
    loss::FORMULAS,
    movement::FORMULAS,
    normalization::FORMULAS,
    optimizer::FORMULAS,
    pooling::FORMULAS,
    quantization::FORMULAS,
    random::FORMULAS,
    reduction::FORMULAS,
    rms_norm::FORMULAS,
    rope::FORMULAS,
    softmax::FORMULAS,
    sorting::FORMULAS,
    // tidy-alphabetical-end
];

/// Families of operators that leave the work to others.
const WRAPPERS: &[&[Formula]] = &[
    // tidy-alphabetical-start
    activation::WRAPPERS,
    elementwise::WRAPPERS,
    indexing::WRAPPERS,
    loss::WRAPPERS,
    movement::WRAPPERS,
    pooling::WRAPPERS,
    random::WRAPPERS,
    rms_norm::WRAPPERS,
    softmax::WRAPPERS,
    sorting::WRAPPERS,
    // tidy-alphabetical-end
];

type ByName = HashMap<&'static str, &'static Formula>;

fn by_name(families: &'static [&'static [Formula]]) -> ByName {
    let formulas = families.iter().copied().flatten();
    formulas.flat_map(|formula| formula.names.iter().map(move |name| (*name, formula))).collect()
}

/// The formula of the operator with this name.
pub fn formula(name: &str) -> Option<&'static Formula> {
    static BY_NAME: LazyLock<ByName> = LazyLock::new(|| by_name(FAMILIES));
    BY_NAME.get(name).copied().or_else(|| triton::formula(name))
}

/// The formula of an operator that calls others with formulas of their own, to which its time belongs: `aten::softmax`
/// calls `aten::_softmax`. For recordings in which only it is there, or where it launches something itself.
pub fn wrapper(name: &str) -> Option<&'static Formula> {
    static BY_NAME: LazyLock<ByName> = LazyLock::new(|| by_name(WRAPPERS));
    BY_NAME.get(name).copied()
}

/// All formulas of operators, those that call others included.
pub fn all() -> impl Iterator<Item = &'static Formula> {
    FAMILIES.iter().chain(WRAPPERS).copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_formula() {
        let mut seen = std::collections::BTreeSet::new();
        for name in all().flat_map(|formula| formula.names) {
            assert!(seen.insert(*name), "{name} twice");
            assert!(formula(name).is_some() != wrapper(name).is_some(), "{name}");
        }
    }
}
