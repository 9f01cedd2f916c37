//! Types that only the kernel names say: of elements, and of the arithmetic.

use crate::{Arithmetic, Precision};

/// Words of kernel names that multiply matrices. Others say nothing about matrix units.
const PRODUCTS: &[&str] = &[
    "attention",
    "attn",
    "cijk",
    "conv",
    "cudnn",
    "cutlass",
    "dgrad",
    "flash",
    "fmha",
    "fprop",
    "gemm",
    "matmul",
    "mma",
    "nvjet",
    "wgrad",
];

/// What a matrix kernel computes in, as its name says it; nothing if it does not.
///
/// An FP32 operator may run in FP32, TF32, or as products of BF16; only the kernel tells. Names: CUTLASS's generator
/// (`s1688gemm` is TF32 unless an operand is named, `tensorop_s1688fprop_optimized_tf32`), cuBLAS and cuDNN
/// (`xmma_gemm_f32f32_tf32f32_f32`), cuBLAS's `nvjet` (types of the operands as in BLAS: `nvjet_tst` BF16, `nvjet_hsh`
/// FP16, `nvjet_sss` single precision on tensor cores, which is TF32, `nvjet_qqtst` FP8), Tensile (`_S_MX_`: FP32 operands
/// in XF32, which gfx950 does as products of BF16), xFormers (`fmha_cutlassF_f32_aligned_sm80`, three TF32 products).
pub fn arithmetic_of_kernel(name: &str) -> Option<Arithmetic> {
    let lower = name.to_ascii_lowercase();
    let has = |word: &str| lower.contains(word);
    if !PRODUCTS.iter().any(|word| has(word)) {
        return None;
    }
    if has("bf16x3") || has("bf16x6") || has("bf16x9") || has("16bfx9") {
        return Some(Arithmetic::Bf16);
    }
    if let Some((_, types)) = lower.split_once("nvjet_") {
        return nvjet(types);
    }
    if has("cijk_") {
        let is_emulated = has("gfx950") || has("isa950");
        let tensor_float = if is_emulated { Arithmetic::Bf16 } else { Arithmetic::Tf32 };
        return has("_s_mx_").then_some(tensor_float);
    }
    if has("tf32") || has("xf32") {
        return Some(Arithmetic::Tf32);
    }
    let types: [(&[&str], Arithmetic); 4] = [
        (&["e2m1", "mxf4", "nvfp4"], Arithmetic::Fp4),
        (&["e4m3", "e5m2", "fp8", "_f8f8"], Arithmetic::Fp8),
        (&["bf16"], Arithmetic::Bf16),
        (&["f16", "fp16", "half"], Arithmetic::Fp16),
    ];
    if let Some((_, found)) = types.iter().find(|(words, _)| words.iter().any(|word| has(word))) {
        return Some(*found);
    }
    // Matrix instructions of 16x8x4 and 16x8x8 with single-precision sums and operands without a name.
    let is_tensor_float = has("tensorop_s1688") || has("tensorop_s1684");
    let is_attention =
        has("fmha_cutlass") && has("_f32_") && !["sm50", "sm70", "sm75"].iter().any(|sm| has(sm));
    (is_tensor_float || is_attention).then_some(Arithmetic::Tf32)
}

/// The letters behind `nvjet_` and perhaps the architecture: those of the operands come first.
fn nvjet(types: &str) -> Option<Arithmetic> {
    let letters = types.split('_').find(|word| !word.starts_with("sm"))?;
    match letters.as_bytes().first()? {
        b'd' => Some(Arithmetic::Fp64),
        b'h' => Some(Arithmetic::Fp16),
        b'q' => Some(Arithmetic::Fp8),
        b's' => Some(Arithmetic::Tf32),
        b't' => Some(Arithmetic::Bf16),
        _ => None,
    }
}

/// The element type that a kernel's name says: `at::native::...<c10::BFloat16, ...>`, or its size, `OpaqueType<2u>`. For
/// what is recorded without one, like lists of tensors.
pub fn element_type_of_kernel(name: &str) -> Option<Precision> {
    if let Some((_, rest)) = name.split_once("OpaqueType<") {
        let bytes = rest.split(|character: char| !character.is_ascii_digit()).next().unwrap_or("");
        let of_size = match bytes {
            "1" => "uint8",
            "2" => "int16",
            "4" => "int32",
            "8" => "int64",
            "16" => "complex128",
            _ => return None,
        };
        return of_size.parse().ok();
    }
    let by_name = || {
        let types = ["c10::BFloat16", "c10::Half", "c10::Float8_e4m3fn", "c10::Float8_e5m2"];
        types.into_iter().find(|written| name.contains(written))
    };
    let by_word = || {
        let words = ["float", "double", "long", "int", "bool", "unsigned char", "signed char"];
        // As an argument of a template: behind `<` or a comma, before `>` or a comma.
        words.into_iter().find(|word| {
            name.match_indices(word).any(|(at, _)| {
                let (before, after) = (name[..at].trim_end(), name[at + word.len()..].trim_start());
                before.ends_with(['<', ',']) && after.starts_with(['>', ','])
            })
        })
    };
    Precision::from_torch(by_name().or_else(by_word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_kernels_say_what_they_compute_in() {
        use Arithmetic::{Bf16, Fp8, Fp16, Tf32};
        for (name, expected) in [
            (
                "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x256_32x3_tn_align1>(Params)",
                Some(Tf32),
            ),
            ("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_256x128_16x3_nn_align4>", Some(Tf32)),
            ("cutlass_tensorop_s1688fprop_optimized_tf32_128x128_16x4_nhwc_align4", Some(Tf32)),
            ("void cutlass__5x_cudnn::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x64>", Some(Tf32)),
            ("cutlass_75_tensorop_s1688gemm_bf16_64x64_tn_align1", Some(Bf16)),
            ("cutlass_75_tensorop_f16_s1688gemm_f16_128x128_nn_align8", Some(Fp16)),
            ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16", Some(Tf32)),
            ("sm86_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckcrs", Some(Tf32)),
            ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", Some(Bf16)),
            ("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8", None),
            ("ampere_sgemm_128x64_tn", None),
            ("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn", Some(Fp16)),
            ("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", Some(Bf16)),
            ("nvjet_sm100_tst_64x32_64x16_2x1_2cta_v_bz_TNN", Some(Bf16)),
            ("nvjet_sss_tf32_128x256_TNT", Some(Tf32)),
            ("nvjet_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", Some(Fp8)),
            ("Cijk_Alik_Bljk_S_MX_B_Bias_AS_SAV_UserArgs_MT192x16x64_MI16x16x1_ISA942", Some(Tf32)),
            ("Cijk_Alik_Bljk_S_MX_B_Bias_HA_S_SAV_UserArgs_MT256x256x32_gfx950", Some(Bf16)),
            ("Cijk_Ailk_Bljk_SB_MT64x64x16_MI16x16x4x1", None),
            ("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)", Some(Tf32)),
            ("fmha_cutlassF_f32_aligned_64x64_rf_sm75(PyTorchMemEffAttention::Params)", None),
            ("gemm_f32_bf16x9_kernel", Some(Bf16)),
            ("cublasLt_gemm_e4m3_e4m3_bf16", Some(Fp8)),
            ("void at::native::vectorized_elementwise_kernel<4, half>", None),
            ("Memset (Device)", None),
            ("nvjet_", None),
        ] {
            assert_eq!(arithmetic_of_kernel(name), expected, "{name}");
        }
    }

    #[test]
    fn kernels_say_what_they_move() {
        for (name, expected) in [
            (
                "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 64, 64>(",
                Some(16.0),
            ),
            (
                "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>, at::native::BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>, std::plus<float>, float>",
                Some(16.0),
            ),
            ("void at::native::fill<float, int>", Some(32.0)),
            ("CatArrayBatchedCopy<OpaqueType<16u>, unsigned int>", Some(128.0)),
            ("CatArrayBatchedCopy<OpaqueType<3u>, unsigned int>", None),
            ("CatArrayBatchedCopy<OpaqueType<", None),
            ("void cutlass_kernel()", None),
        ] {
            assert_eq!(element_type_of_kernel(name).map(|found| found.element_bits), expected, "{name}");
        }
    }
}
