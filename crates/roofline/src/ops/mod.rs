//! What operators must do: one file a family, formulas beside the names they go by in recordings.
//!
//! To add an operator, copy a family's file, list its names in `FORMULAS` there and the family in [`FAMILIES`].

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Work;

mod attention;
mod call;
mod convolution;
mod feed_forward;
mod gemm;
mod moe;
pub mod npu;
mod shape;

pub use attention::Attention;
pub use call::{Call, Input, Tensor};
pub use convolution::Convolution;
pub use feed_forward::FeedForward;
pub use gemm::Gemm;
pub use moe::MixtureOfExperts;

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
    // tidy-alphabetical-end
];

/// The formula of the operator with this name.
pub fn formula(name: &str) -> Option<&'static Formula> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static Formula>> = LazyLock::new(|| {
        let formulas = FAMILIES.iter().copied().flatten();
        formulas.flat_map(|formula| formula.names.iter().map(move |name| (*name, formula))).collect()
    });
    BY_NAME.get(name).copied()
}
