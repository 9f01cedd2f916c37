//! Which gradients of a convolution were computed, by the names of the kernels: recordings before PyTorch 2.1 have no mask.

use crate::ops::Launch;

/// Words in kernel names for the gradient of the input: cuDNN and CUTLASS (`dgrad`), Composable Kernel (`bwd_data`), MIOpen
/// (`igemm_bwd_gtcx`, `naive_conv_nonpacked_bwd_nchw`), PyTorch (`conv_depthwise2d_backward_kernel`).
const OF_INPUT: &[&str] = &[
    "backward_data",
    "bwd_data",
    "bwddata",
    "conv_depthwise2d_backward",
    "dgrad",
    "igemm_bwd",
    "packed_bwd_",
];

/// The same for the gradient of the weights; MIOpen says `wrw`, PyTorch `grad_weight`.
const OF_WEIGHTS: &[&str] = &["backward_weight", "bwd_weight", "bwdweight", "grad_weight", "wgrad", "wrw"];

/// For the gradient of the bias, a sum over all but channels.
const OF_BIAS: &[&str] = &["bgrad", "bwdbias", "miopenconvbwdb", "reduce_kernel"];

/// Of kernels that may compute either.
const PRODUCTS: &[&str] = &["cijk", "conv", "fft", "gemm", "winograd"];

/// The gradients of input, weights and bias that these kernels compute; nothing if one of them may compute another.
pub(super) fn launched(launches: &[Launch<'_>]) -> Option<[bool; 3]> {
    let mut found = [false; 3];
    let mut is_open = false;
    for launch in launches {
        let name = launch.name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let said = [has(OF_INPUT), has(OF_WEIGHTS), has(OF_BIAS)];
        is_open |= said == [false; 3] && has(PRODUCTS);
        for (found, said) in found.iter_mut().zip(said) {
            *found |= said;
        }
    }
    let [input, weights, _] = found;
    ((input && weights) || (input || weights) && !is_open).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::operands::testing::call;
    use crate::{Basis, ops};

    const DATA: &str = "cudnn::cnn::dgrad2d_grouped_direct_kernel<false, float>";
    const WEIGHTS: &str =
        "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16";
    const LAYOUT: &str = "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>";
    const SUM: &str = "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::func_wrapper_t<float>>>";
    /// Forward kernels compute gradients too.
    const EITHER: &str = "implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1>";

    fn launches(names: &[&'static str]) -> Vec<Launch<'static>> {
        names.iter().map(|name| Launch { name, grid: [1, 1, 1] }).collect()
    }

    #[test]
    fn names_say_which_gradient_a_kernel_computes() {
        for (names, expected) in [
            (vec![LAYOUT, DATA, WEIGHTS, SUM], Some([true, true, true])),
            (vec![LAYOUT, WEIGHTS], Some([false, true, false])),
            (vec!["kernel_grouped_conv_bwd_data_multiple_d_xdl_cshuffle"], Some([true, false, false])),
            (vec!["igemm_wrw_gtcx3_nhwc_bf16", "igemm_bwd_gtcx3_nhwc_bf16"], Some([true, true, false])),
            (vec!["conv_depthwise2d_grad_weight_kernel<float>"], Some([false, true, false])),
            (vec![EITHER, WEIGHTS], None),
            (vec![EITHER, DATA, WEIGHTS], Some([true, true, false])),
            (vec![SUM], None),
            (vec![], None),
        ] {
            assert_eq!(launched(&launches(&names)), expected, "{names:?}");
        }
    }

    /// The first layer of ResNet-50, a picture: 118 013 952 multiply-adds; strides and mask are not recorded.
    #[test]
    fn a_mask_that_was_not_recorded_by_hand() {
        let name = "aten::convolution_backward";
        let none = ("", "");
        let (x, y, w) = (("[1,3,224,224]", "float"), ("[1,64,112,112]", "float"), ("[64,3,7,7]", "float"));
        let mut recorded = call(name, &[y, x, w, none, none, none, none, none, none, none, none]);
        let work = ops::formula(name).unwrap().work;
        assert!(work(&recorded).unwrap_err().contains("not recorded"));
        let bytes = 4.0 * (150_528.0 + 802_816.0 + 9408.0);
        for (names, flops, bytes) in [
            (vec![WEIGHTS], 236_027_904.0, bytes),
            (vec![DATA, WEIGHTS], 472_055_808.0, 2.0 * bytes),
            (vec![WEIGHTS, SUM], 236_027_904.0 + 802_816.0, bytes + 4.0 * (802_816.0 + 64.0)),
        ] {
            recorded.launches = launches(&names);
            let found = work(&recorded).unwrap();
            assert_eq!((found.flops, found.bytes()), (flops, bytes), "{names:?}");
            assert!(matches!(found.basis, Basis::Estimated(_)));
        }
        // Transposed: 6 channels of 5x5 become 3 of 10x10, each input element going to 48 places.
        let (x, y, w) = (("[1,6,5,5]", "float"), ("[1,3,10,10]", "float"), ("[6,3,4,4]", "float"));
        let mut recorded = call(name, &[y, x, w, none, none, none, none, none, none, none, none]);
        recorded.launches = launches(&[DATA]);
        assert_eq!(work(&recorded).unwrap().flops, 2.0 * 150.0 * 48.0);
    }
}
