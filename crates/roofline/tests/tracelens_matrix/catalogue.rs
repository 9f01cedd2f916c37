//! Every operator that TraceLens has in these families.

use std::collections::BTreeSet;

use eaves_roofline::ops::{formula, wrapper};

use crate::reference::rows;

/// Names of the peer's catalog that have no formula of ours, and why. `docs/operators.md` lists them too.
const NOT_COVERED: &[(&str, &str)] = &[
    (
        "MambaSplitConv1dScanCombinedFnBackward",
        "recorded without arguments; what it computes again is not defined",
    ),
    ("aiter::get_mla_metadata_v1", "only named: no arithmetic and no known layout"),
    ("aiter::indexer_score_topk", "only named: no known layout"),
    ("aiter::linear_attention_with_output_base", "the number of key heads is not recorded"),
    ("aiter::v4_attention_with_output->_swa_write_kernel (Synthetic Op)", KERNEL),
    ("aiter::v4_attention_with_output->_update_compressor_states_kernel (Synthetic Op)", KERNEL),
    (
        "aiter::v4_attention_with_output->fused_compress_attn_D128_RD64_R4_OVL_SS8_KB32_Q_ue8m0_psh_rmsbf16_pf_flydsl (Synthetic Op)",
        KERNEL,
    ),
    (
        "aiter::v4_attention_with_output->fused_compress_attn_D512_RD64_R4_OVL_SS8_KB32_rmsbf16_pf_flydsl (Synthetic Op)",
        KERNEL,
    ),
    (
        "aiter::v4_attention_with_output->hca_compress_forward_D512_R128_NW4_SL256_S128_flydsl (Synthetic Op)",
        KERNEL,
    ),
    (
        "aiter::v4_attention_with_output->hca_compress_forward_D512_R128_NW8_SL128_S128_flydsl (Synthetic Op)",
        KERNEL,
    ),
    ("hipModuleLaunchKernel->kv_indices_generate_kernel (Synthetic Op)", KERNEL),
    ("pseudo_op::moe_flydsl_stage1", ADDED),
    ("pseudo_op::moe_flydsl_stage2", ADDED),
    ("pseudo_op::moe_gptq_awq_down", ADDED),
    ("pseudo_op::moe_gptq_awq_up", ADDED),
    ("pseudo_op::moe_triton_unfused_down", ADDED),
    ("pseudo_op::moe_triton_unfused_up", ADDED),
    ("pseudo_v4_paged_decode_csa", ADDED),
    ("pseudo_v4_paged_decode_hca", ADDED),
    ("pseudo_v4_paged_decode_swa", ADDED),
    ("vllm::gdn_attention_core", "the number of key heads is not recorded"),
];
const KERNEL: &str = "a kernel that the peer gives a row of its own, without arguments or formula";
const ADDED: &str =
    "an operator that the peer adds to the trace, with parameters it finds elsewhere or assumes";

#[test]
fn every_name_of_the_catalogue_has_a_formula_or_a_reason() {
    let Some(root) = eaves_testing::data("tracelens") else { return };
    let families =
        ["CONV", "GEMM", "GroupedGEMM", "InferenceAttention", "MoE_fused", "MoE_unfused", "SDPA", "SSM"];
    let mut missing = BTreeSet::new();
    let mut covered = 0;
    for row in rows(&root.join("op_catalogue.csv")) {
        let category = row["category"].trim_end_matches("_fwd").trim_end_matches("_bwd");
        if !families.contains(&category) {
            continue;
        }
        let name = row["op"].clone();
        // The backward of a function of autograd follows from the arguments of its forward.
        let forward = name.strip_suffix("Backward").and_then(formula).and_then(|formula| formula.backward);
        if formula(&name).or_else(|| wrapper(&name)).is_some() || forward.is_some() {
            covered += 1;
        } else {
            missing.insert(name);
        }
    }
    println!("{covered} names have a formula, {} have none", missing.len());
    let listed: BTreeSet<String> = NOT_COVERED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(missing, listed);
}
