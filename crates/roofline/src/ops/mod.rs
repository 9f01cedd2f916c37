//! What operators must do: one file a family, formulas next to the names they go by in recordings.
//!
//! To add an operator, copy a family's file, list its names in `FORMULAS` there and the family in `FAMILIES`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Work;

mod activation;
mod attention;
mod call;
mod convolution;
mod elementwise;
mod embedding_bag;
mod feed_forward;
mod gemm;
mod grouped_gemm;
mod hyper_connection;
mod indexing;
mod jagged;
mod kernel_types;
mod kv_cache;
mod loss;
mod moe;
mod movement;
mod normalization;
pub mod npu;
mod operands;
mod operations;
mod optimizer;
mod pooling;
mod quantization;
mod random;
mod recurrent;
mod reduction;
mod rms_norm;
mod rope;
mod routing;
mod shape;
mod softmax;
mod sorting;
mod state_space;
mod template;
mod transformer_engine;
mod triton;

pub use attention::{Attention, Step, Tokens};
pub use call::{Call, Input, Launch, NO_SHAPES, Tensor};
pub use convolution::Convolution;
pub use feed_forward::FeedForward;
pub use gemm::Gemm;
pub use grouped_gemm::GroupedGemm;
pub use kernel_types::{arithmetic_of_kernel, element_type_of_kernel};
pub use moe::MixtureOfExperts;
pub use movement::{filled, set, transfer};

/// Why no formula answers for a call.
pub type NoFormula = String;

/// From a call to its work.
pub type Rule = fn(&Call<'_>) -> Result<Work, NoFormula>;

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
    attention::FORMULAS,
    attention::PAGED,
    attention::TRANSFORMER_ENGINE,
    attention::VARIABLE,
    attention::XFORMERS,
    convolution::FORMULAS,
    elementwise::FORMULAS,
    embedding_bag::FORMULAS,
    gemm::FORMULAS,
    gemm::SERVED,
    grouped_gemm::FORMULAS,
    hyper_connection::FORMULAS,
    indexing::FORMULAS,
    jagged::FORMULAS,
    kv_cache::FORMULAS,
    loss::FORMULAS,
    moe::FORMULAS,
    moe::GROUPED,
    movement::FORMULAS,
    normalization::FORMULAS,
    optimizer::FORMULAS,
    pooling::FORMULAS,
    quantization::FORMULAS,
    quantization::SERVED,
    random::FORMULAS,
    recurrent::FORMULAS,
    reduction::FORMULAS,
    rms_norm::FORMULAS,
    rms_norm::SERVED,
    rope::FORMULAS,
    routing::FORMULAS,
    softmax::FORMULAS,
    sorting::FORMULAS,
    state_space::FORMULAS,
    // tidy-alphabetical-end
];

/// Families of operators that usually only call others with formulas of their own.
const WRAPPERS: &[&[Formula]] = &[
    // tidy-alphabetical-start
    activation::WRAPPERS,
    attention::WRAPPERS,
    convolution::WRAPPERS,
    elementwise::WRAPPERS,
    embedding_bag::WRAPPERS,
    gemm::SERVED_WRAPPERS,
    gemm::WRAPPERS,
    indexing::WRAPPERS,
    loss::WRAPPERS,
    moe::WRAPPERS,
    movement::WRAPPERS,
    pooling::WRAPPERS,
    quantization::WRAPPERS,
    random::WRAPPERS,
    rms_norm::SERVED_WRAPPERS,
    rms_norm::WRAPPERS,
    routing::WRAPPERS,
    softmax::WRAPPERS,
    sorting::WRAPPERS,
    transformer_engine::WRAPPERS,
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
    let generated = || triton::formula(name).or_else(|| embedding_bag::formula(name));
    let renamed = || BY_NAME.get(format!("fbgemm::{}", name.strip_prefix(OLD_FBGEMM)?).as_str()).copied();
    BY_NAME.get(name).copied().or_else(generated).or_else(|| jagged::formula(name)).or_else(renamed)
}

/// The namespace in which FBGEMM registers its operators a second time, deprecated.
const OLD_FBGEMM: &str = "fb::";

/// The formula of an operator that usually only calls others with formulas, which then own the time: `aten::linear`
/// calls `aten::addmm`. It holds where nothing inside was recorded, or where it launches something itself.
pub fn wrapper(name: &str) -> Option<&'static Formula> {
    static BY_NAME: LazyLock<ByName> = LazyLock::new(|| by_name(WRAPPERS));
    BY_NAME.get(name).copied()
}

/// Operators whose formulas ask what was launched for a call.
pub const NEED_LAUNCHES: &[&str] = &["vllm::moe_forward", "vllm::moe_forward_shared"];

/// Operators whose formulas ask the same where no scalars were recorded, as before PyTorch 2.1.
pub const NEED_LAUNCHES_WITHOUT_SCALARS: &[&str] = &["aten::cat", "aten::convolution_backward"];

/// Operators whose formulas ask the same where a list of tensors was recorded without shapes, as lists of optional tensors
/// always are.
pub const NEED_LAUNCHES_WITHOUT_LIST: &[&str] = &["aten::index"];

/// Functions whose gradient is what they are given, one after the other.
const JOINED_BACKWARD: &[&str] =
    &["SplitBackward", "SplitBackward0", "SplitWithSizesBackward", "SplitWithSizesBackward0"];

/// Whether the formula of an operator takes the arguments of the one around it, if its own are not enough: the gradients of a
/// convolution have operators of their own in recordings of old PyTorch, which say less than the one around them, and the
/// list that is combined again behind a split is what the function was given.
pub fn is_told_by(name: &str, around: &str) -> bool {
    if name == "aten::cat" {
        return JOINED_BACKWARD.contains(&around);
    }
    name.contains("convolution_backward_")
        && name.rsplit_once('_').is_some_and(|(operator, gradient)| {
            operator == around && matches!(gradient, "bias" | "input" | "weight" | "weights")
        })
}

/// All formulas of operators, those that call others included.
pub fn all() -> impl Iterator<Item = &'static Formula> {
    FAMILIES.iter().chain(WRAPPERS).copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_formula() {
        let mut seen = std::collections::BTreeSet::new();
        for name in all().flat_map(|formula| formula.names) {
            assert!(seen.insert(*name), "{name} has two formulas");
            assert!(formula(name).is_some() != wrapper(name).is_some(), "{name}");
        }
    }

    #[test]
    fn fbgemm_has_two_namespaces() {
        let name = "asynchronous_complete_cumsum";
        let of =
            |namespace: &str| formula(&format!("{namespace}::{name}")).map(|formula| formula.names.as_ptr());
        assert_eq!(of("fb"), of("fbgemm"));
        assert!(of("fb").is_some() && of("mine").is_none() && formula("fb::mm").is_none());
    }

    /// No formula panics on arguments it was not made for: nothing at all, scalars, tensors of too few and too many
    /// axes, extents of zero and of more than memory has, types that are unknown.
    #[test]
    fn odd_arguments_are_an_answer_or_a_reason() {
        let shapes = [
            "[]",
            "[0]",
            "[3]",
            "[2,3]",
            "[2,3,4]",
            "[9,9,9,9]",
            "[1,1,1,1,1,1,1]",
            "[18446744073709551615,2]",
        ];
        let scalars = ["", "-1", "[True, False]", "nan", "1e308", "[0, 0]"];
        let generated = [
            "fbgemm::split_embedding_backward_codegen_adam_cpu",
            "fbgemm::split_embedding_codegen_grad_indice_weights_cpu",
            "fbgemm::split_embedding_codegen_lookup_sgd_function",
            "torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction>",
            "triton_per_fused_add_mean_0",
            "triton_poi_fused_addmm_gelu_0",
            "triton_tem_fused_convolution_0",
            "triton_tem_fused_mm_0",
        ];
        let generated =
            generated.iter().filter_map(|name| Some((formula(name)?, std::slice::from_ref(name))));
        for (formula, names) in all().map(|formula| (formula, formula.names)).chain(generated) {
            for count in [0, 1, 2, 3, 4, 8, 30] {
                for (index, shape) in shapes.iter().enumerate() {
                    for kind in ["float", "c10::BFloat16", "", "Scalar", "strange"] {
                        let list = |text: &str| format!("[{}]", vec![text; count].join(","));
                        let scalar = serde_json::to_string(scalars[index % scalars.len()]).unwrap();
                        let kind = format!("\"{kind}\"");
                        for name in names {
                            let call =
                                Call::parse(name, &list(shape), &list(&kind), "", &list(&scalar)).unwrap();
                            for rule in std::iter::once(formula.work).chain(formula.backward) {
                                if let Ok(work) = rule(&call) {
                                    assert!(work.flops >= 0.0 && work.bytes() >= 0.0, "{call:?}: {work:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
