//! Experts, groups, recurrent and state-space layers.

use eaves_roofline::ops::Call;

use super::{Absent, Argument, BF16, BYTE, FP8, FP32, INT, Scalar, Tensor, check, work};

/// Every token goes through both of two experts, so all weights are read.
#[test]
fn experts() {
    let (hidden, between) = (16.0, 8.0);
    let whole = [Tensor("3,16", BF16), Tensor("2,16,16", FP8), Tensor("2,16,8", FP8), Tensor("3,2", FP32)];
    let (macs, additions) = (3.0 * 2.0 * hidden * between * 3.0, 3.0 * hidden * 3.0);
    let bytes = 2.0 * 48.0 + 2.0 * 3.0 * hidden * between + 2.0 * 48.0;
    check("vllm::outplace_fused_experts", &whole, macs, additions, bytes);
    let mut into: Vec<Argument> =
        vec![Tensor("3,16", BF16), Tensor("3,16", FP8), Tensor("2,16,16", FP8), Tensor("2,16,8", FP8)];
    into.extend([Absent, Absent, Absent, Absent, Scalar("2")]);
    check("aiter::fmoe_g1u1", &into, macs, additions, bytes - 48.0);
    // Two 4-bit floats in each byte of the weights.
    let up = [Tensor("3,16", BF16), Tensor("2,16,8", BYTE), Tensor("3,2,8", BF16)];
    let bytes = 2.0 * 48.0 + 2.0 * 2.0 * hidden * between / 2.0 + 2.0 * 48.0;
    check("aiter::moe_cktile2stages_gemm1_ck", &up, 3.0 * 2.0 * 2.0 * hidden * between, 0.0, bytes);
    let down = [Tensor("3,2,8", BF16), Tensor("2,16,8", FP8), Tensor("3,16", BF16)];
    let bytes = 2.0 * 48.0 + 2.0 * hidden * between + 2.0 * 48.0;
    check("aiter::moe_cktile2stages_gemm2_ck", &down, 3.0 * 2.0 * hidden * between, 0.0, bytes);
}

#[test]
fn groups() {
    let bounds = || Tensor("3", INT);
    let name = "aten::_grouped_mm";
    check(
        name,
        &[Tensor("10,4", BF16), Tensor("3,4,5", BF16), bounds()],
        200.0,
        0.0,
        2.0 * (40.0 + 60.0 + 50.0),
    );
    check(
        name,
        &[Tensor("3,5,4", BF16), Tensor("4,10", BF16), bounds()],
        200.0,
        0.0,
        2.0 * (40.0 + 60.0 + 50.0),
    );
    check(name, &[Tensor("3,2,4", BF16), Tensor("3,4,5", BF16)], 120.0, 0.0, 2.0 * (24.0 + 60.0 + 30.0));
    // The ten are summed over in three groups.
    check(
        name,
        &[Tensor("4,10", BF16), Tensor("10,5", BF16), bounds()],
        200.0,
        0.0,
        2.0 * (40.0 + 50.0 + 60.0),
    );
    let turbo = "primus_turbo::grouped_gemm_variable_k";
    check(
        turbo,
        &[Tensor("10,4", BF16), Tensor("10,5", BF16), bounds()],
        200.0,
        0.0,
        2.0 * (40.0 + 50.0 + 60.0),
    );
}

/// An LSTM of one layer: four matrices of 5 x 3 and of 5 x 5 as two tensors, two biases of 20.
#[test]
fn recurrent_layers() {
    let dims = "[[7,2,3],[[20,3],[20,5],[20],[20]],[],[200],[1,2,5],[1,2,5],[],[],[],[],[],[],[],[]]";
    let mut types = vec!["\"\""; 14];
    for place in [0, 3, 4, 5] {
        types[place] = "\"float\"";
    }
    types[1] = "\"TensorList\"";
    let concrete = r#"["","","4","","","","2","5","0","1","False","0.","True","False"]"#;
    let call = Call::parse("aten::_cudnn_rnn", dims, &format!("[{}]", types.join(",")), "", concrete)
        .expect("a call");
    let found = work(&call);
    assert_eq!(found.macs, 7.0 * 2.0 * (60.0 + 100.0));
    assert_eq!(found.bytes(), 4.0 * (42.0 + 200.0 + 20.0 + 70.0 + 20.0));
}

#[test]
fn state_space_layers() {
    let causal = [Tensor("2,6,8", BF16), Tensor("6,4", BF16), Tensor("6", BF16)];
    check("DaoAILab::_causal_conv1d_fwd_cpp", &causal, 96.0 * 4.0, 96.0, 2.0 * (96.0 + 24.0 + 6.0 + 96.0));
    // 1 x 8 tokens, 3 heads of 4, one group, a state of 5: 2*12 + 2*5 + 3 columns, 22 channels with 2 taps, chunks of 4.
    let mut scan: Vec<Argument> = (0..17).map(|_| Absent).collect();
    scan[0] = Tensor("1,8,37", BF16);
    scan[1] = Tensor("22,2", BF16);
    scan[2] = Tensor("22", BF16);
    scan[3..6].fill_with(|| Tensor("3", FP32));
    scan[6] = Scalar("4");
    scan[15] = Scalar("4");
    scan[16] = Scalar("1");
    let products = 8.0 * (22.0 * 2.0 + 4.0 * 5.0 + 3.0 * 4.0 * 4.0 + 2.0 * 3.0 * 5.0 * 4.0);
    let bytes = 2.0 * (8.0 * 37.0 + 44.0 + 22.0 + 8.0 * 12.0) + 4.0 * 9.0;
    check("MambaSplitConv1dScanCombinedFn", &scan, products, 0.0, bytes);
}
