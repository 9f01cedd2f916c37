//! Convolutions.

use eaves_roofline::ops::formula;

use super::{Absent, BF16, FP32, Scalar, Tensor, call, check};

#[test]
fn convolutions() {
    let list = Scalar;
    // 8 inputs, 3 taps, padded by 1, steps of 2: 4 outputs. 6 to 4 channels in 2 groups.
    let general = [
        Tensor("5,6,8", FP32),
        Tensor("4,3,3", FP32),
        Tensor("4", FP32),
        list("[2]"),
        list("[1]"),
        list("[1]"),
        Scalar("False"),
        list("[0]"),
        Scalar("2"),
    ];
    let (macs, outputs) = (5.0 * 4.0 * 4.0 * 9.0, 80.0);
    check("aten::convolution", &general, macs, outputs, 4.0 * (240.0 + 36.0 + 4.0 + 80.0));
    let inside =
        [Tensor("5,6,8", FP32), Tensor("4,3,3", FP32), list("[1]"), list("[2]"), list("[1]"), Scalar("2")];
    check("aten::cudnn_convolution", &inside, macs, 0.0, 4.0 * (240.0 + 36.0 + 80.0));
    let miopen = [
        Tensor("5,6,8", FP32),
        Tensor("4,3,3", FP32),
        Tensor("4", FP32),
        list("[1]"),
        list("[2]"),
        list("[1]"),
        Scalar("2"),
    ];
    check("aten::miopen_convolution", &miopen, macs, outputs, 4.0 * (240.0 + 36.0 + 4.0 + 80.0));
    // Without a batch.
    let single = [
        Tensor("6,8", FP32),
        Tensor("4,6,3", FP32),
        Absent,
        list("[2]"),
        list("[1]"),
        list("[1]"),
        Scalar("1"),
    ];
    check("aten::conv1d", &single, 4.0 * 4.0 * 18.0, 0.0, 4.0 * (48.0 + 72.0 + 16.0));
    // The other way round: 4 inputs spread over 3 taps in steps of 2, less 1 at both ends, one more at the end: 8.
    let spread = [
        Tensor("5,4,4", FP32),
        Tensor("4,3,3", FP32),
        Absent,
        list("[2]"),
        list("[1]"),
        list("[1]"),
        Scalar("True"),
        list("[1]"),
        Scalar("2"),
    ];
    check("aten::convolution", &spread, 5.0 * 4.0 * 4.0 * 9.0, 0.0, 4.0 * (80.0 + 36.0 + 240.0));
    let depthwise = [
        Tensor("1,6,8,8", BF16),
        Tensor("6,1,3,3", BF16),
        list("[3,3]"),
        Absent,
        list("[1,1]"),
        list("[1,1]"),
        list("[1,1]"),
    ];
    check("aten::_conv_depthwise2d", &depthwise, 384.0 * 9.0, 0.0, 2.0 * (384.0 + 54.0 + 384.0));
}

#[test]
fn gradients_of_convolutions() {
    let backward = |mask| {
        [
            Tensor("5,4,4", FP32),
            Tensor("5,6,8", FP32),
            Tensor("4,3,3", FP32),
            Scalar("[4]"),
            Scalar("[2]"),
            Scalar("[1]"),
            Scalar("[1]"),
            Scalar("False"),
            Scalar("[0]"),
            Scalar("2"),
            Scalar(mask),
        ]
    };
    let (macs, x, weight, output) = (5.0 * 4.0 * 4.0 * 9.0, 240.0, 36.0, 80.0);
    let name = "aten::convolution_backward";
    check(name, &backward("[True, True, False]"), 2.0 * macs, 0.0, 4.0 * 2.0 * (x + weight + output));
    check(name, &backward("[False, True, False]"), macs, 0.0, 4.0 * (x + weight + output));
    check(name, &backward("[False, True, True]"), macs, output, 4.0 * (x + weight + output + output + 4.0));
    // Apex: backward from the arguments of the forward.
    let forward = [Tensor("5,6,8", FP32), Tensor("4,6,3", FP32), Tensor("4", FP32), Scalar("2"), Scalar("1")];
    let call = call("ConvBias_", &forward);
    let found = formula("ConvBias_").and_then(|formula| formula.backward).expect("a backward");
    assert_eq!(found(&call).map(|work| work.macs), Ok(4.0 * macs));
}
