//! Products.

use eaves_roofline::Arithmetic;
use eaves_roofline::ops::Call;

use super::{Absent, Argument, BF16, BYTE, FP8, FP32, INT, INT8, Scalar, Tensor, check, work};

#[test]
fn products() {
    let (a, b) = (|| Tensor("2,3", BF16), || Tensor("3,4", BF16));
    check("aten::mm", &[a(), b()], 24.0, 0.0, 2.0 * (6.0 + 12.0 + 8.0));
    // Type 6 is float.
    check("aten::mm", &[a(), b(), Scalar("6")], 24.0, 0.0, 2.0 * (6.0 + 12.0) + 4.0 * 8.0);
    let one = || Scalar("1");
    check("aten::addmm", &[Tensor("4", BF16), a(), b(), one(), one()], 24.0, 8.0, 2.0 * (26.0 + 4.0));
    // A whole matrix is added; or nothing, whatever is there.
    check("aten::addmm", &[Tensor("2,4", FP32), a(), b(), one(), one()], 24.0, 8.0, 2.0 * 26.0 + 4.0 * 8.0);
    check("aten::addmm", &[Tensor("2,4", FP32), a(), b(), Scalar("0"), one()], 24.0, 0.0, 2.0 * 26.0);
    let (a, b) = (|| Tensor("5,2,3", FP32), || Tensor("5,3,4", FP32));
    check("aten::bmm", &[a(), b()], 120.0, 0.0, 4.0 * 5.0 * 26.0);
    check("aten::baddbmm", &[Tensor("5,2,4", FP32), a(), b(), one(), one()], 120.0, 40.0, 4.0 * 5.0 * 34.0);
    check(
        "aten::addbmm",
        &[Tensor("2,4", FP32), a(), b(), one(), one()],
        120.0,
        8.0,
        4.0 * (90.0 + 8.0 + 8.0),
    );
    check("aten::mv", &[Tensor("4,3", FP32), Tensor("3", FP32)], 12.0, 0.0, 4.0 * (12.0 + 3.0 + 4.0));
    check("aten::dot", &[Tensor("9", FP32), Tensor("9", FP32)], 9.0, 0.0, 4.0 * 19.0);
    // A complex multiply-add is four multiplications and four additions.
    let complex = "c10::complex<float>";
    check("aten::mm", &[Tensor("2,3", complex), Tensor("3,4", complex)], 96.0, 0.0, 8.0 * 26.0);
}

#[test]
fn products_of_stacks() {
    check(
        "aten::linear",
        &[Tensor("2,5,3", BF16), Tensor("4,3", BF16), Absent],
        120.0,
        0.0,
        2.0 * (30.0 + 12.0 + 40.0),
    );
    check(
        "aten::matmul",
        &[Tensor("2,5,3", BF16), Tensor("3,4", BF16)],
        120.0,
        0.0,
        2.0 * (30.0 + 12.0 + 40.0),
    );
    // 7 x 2 products, of which one stack has 7 matrices and the other 2.
    let broadcast = [Tensor("7,1,5,3", FP32), Tensor("2,3,4", FP32)];
    check("aten::matmul", &broadcast, 14.0 * 60.0, 0.0, 4.0 * (105.0 + 24.0 + 14.0 * 20.0));
    check("aten::matmul", &[Tensor("3", FP32), Tensor("2,3,4", FP32)], 24.0, 0.0, 4.0 * (3.0 + 24.0 + 8.0));
    // The second stack is one matrix that is repeated with a stride of zero.
    let dims = "[[5,2,3],[5,3,4]]";
    let call =
        Call::parse("aten::bmm", dims, r#"["float","float"]"#, "[[6,3,1],[0,4,1]]", "").expect("a call");
    assert_eq!(work(&call).bytes(), 4.0 * (30.0 + 12.0 + 40.0));
}

#[test]
fn products_of_quantised_matrices() {
    let scale = || Tensor("", FP32);
    // (a, b, scale, scale, bias, scale of the output, type 15 = bfloat16)
    let scaled =
        [Tensor("2,64", FP8), Tensor("64,4", FP8), scale(), scale(), Tensor("4", BF16), Absent, Scalar("15")];
    let found =
        check("aten::_scaled_mm", &scaled, 512.0, 8.0, 128.0 + 256.0 + 4.0 + 4.0 + 4.0 * 2.0 + 8.0 * 2.0);
    assert_eq!(found.arithmetic, Some(Arithmetic::Fp8));
    // The order of arguments in older versions: (a, b, bias, type, scale, scale).
    let scaled =
        [Tensor("2,64", FP8), Tensor("64,4", FP8), Tensor("4", BF16), Scalar("15"), scale(), scale()];
    check("aten::_scaled_mm", &scaled, 512.0, 8.0, 128.0 + 256.0 + 4.0 + 4.0 + 4.0 * 2.0 + 8.0 * 2.0);
    let cutlass =
        [Tensor("2,4", BF16), Tensor("2,64", FP8), Tensor("64,4", FP8), Tensor("2", FP32), Tensor("4", FP32)];
    check("_C::cutlass_scaled_mm", &cutlass, 512.0, 0.0, 16.0 + 128.0 + 256.0 + 8.0 + 16.0);
    // NVFP4: 64 numbers in 32 bytes, an 8-bit scale for 16, one scale for all.
    let tiles = || Tensor("128,4", FP8);
    let nvfp4 =
        [Tensor("2,4", BF16), Tensor("2,32", BYTE), Tensor("4,32", BYTE), tiles(), tiles(), Tensor("", FP32)];
    check("_C::cutlass_scaled_fp4_mm", &nvfp4, 512.0, 0.0, 16.0 + 64.0 + 128.0 + 6.0 * 4.0 + 4.0);
    // Pairs of 4-bit floats: 32 recorded elements are 64 numbers. A scale for 16 of them.
    let pair = "c10::Float4_e2m1fn_x2";
    let packed = [
        Tensor("2,32", pair),
        Tensor("32,4", pair),
        Tensor("8", FP8),
        Tensor("16", FP8),
        Absent,
        Absent,
        Scalar("15"),
    ];
    let found = check("aten::_scaled_mm", &packed, 512.0, 0.0, 64.0 + 128.0 + 8.0 + 16.0 + 16.0);
    assert_eq!(found.arithmetic, Some(Arithmetic::Fp4));
    let found = check(
        "aten::_int_mm",
        &[Tensor("2,8", INT8), Tensor("8,4", INT8)],
        64.0,
        0.0,
        16.0 + 32.0 + 8.0 * 4.0,
    );
    assert_eq!(found.arithmetic, Some(Arithmetic::Int8));
    let linear = [Tensor("2,8", INT8), Tensor("4,8", INT8)];
    check("bitsandbytes::int8_linear_matmul", &linear, 64.0, 0.0, 16.0 + 32.0 + 8.0 * 4.0);
    // 64 x 32 weights of 4 bits in 256 elements of 32 bits, one scale and one zero for 32 of them.
    let tiled = [Tensor("2,32", BF16), Tensor("8,2,16", INT), Scalar("32"), Tensor("1,64,2", BF16)];
    let found = check("aten::_weight_int4pack_mm", &tiled, 4096.0, 0.0, 128.0 + 1024.0 + 256.0 + 256.0);
    assert_eq!(found.arithmetic, Some(Arithmetic::Bf16));
    let blocks = [Tensor("2,256", FP8), Tensor("128,256", FP8), Tensor("2,2", FP32), Tensor("1,2", FP32)];
    check("aiter::gemm_a8w8_blockscale_ck", &blocks, 65536.0, 0.0, 512.0 + 32768.0 + 16.0 + 8.0 + 512.0);
    // MXFP4: half a byte a number, a byte for 32 of them in a row.
    let mxfp4 = [Tensor("2,32", BYTE), Tensor("4,32", BYTE), Tensor("256,8", BYTE), Tensor("256,8", BYTE)];
    let expected = 64.0 + 128.0 + 2.0 * 6.0 + 2.0 * 8.0;
    assert_eq!(check("aiter::gemm_a4w4", &mxfp4, 512.0, 0.0, expected).arithmetic, Some(Arithmetic::Fp4));
    let batch = [Tensor("3,2,64", BF16), Tensor("3,4,32", BYTE), Tensor("3,4,2", BYTE)];
    check("aiter::batched_gemm_a16wfp4_", &batch, 1536.0, 0.0, 3.0 * (256.0 + 128.0 + 8.0 + 16.0));
    let dynamic = [Tensor("2,64", BF16), Tensor("4,32", BYTE), Tensor("4,2", BYTE)];
    check("vllm::gemm_with_dynamic_quant", &dynamic, 512.0, 0.0, 256.0 + 128.0 + 8.0 + 16.0);
    // (a, scale, b, scale, type, transa, transb): a (m, k), b (n, k).
    let transposed = |kind| {
        let operands = [Tensor("2,64", kind), scale(), Tensor("4,64", kind), scale()];
        operands
            .into_iter()
            .chain([Scalar("15"), Scalar("False"), Scalar("True"), Scalar("False")])
            .collect::<Vec<_>>()
    };
    check("primus_turbo::hipblaslt_gemm_fp8", &transposed(FP8), 512.0, 0.0, 128.0 + 256.0 + 8.0 + 16.0);
    check(
        "primus_turbo::hipblaslt_gemm_fp4",
        &transposed(BYTE),
        1024.0,
        0.0,
        128.0 + 256.0 + 4.0 * 6.0 + 16.0,
    );
}

#[test]
fn products_of_transformer_engine() {
    check("_Linear_yfwd_mm", &[Tensor("2,8", FP8), Tensor("8,4", FP8)], 64.0, 0.0, 16.0 + 32.0 + 16.0);
    // A (m, k) transposed by columns, B (n, k), D (n, m), a bias of m.
    let mut arguments: Vec<Argument> = (0..19).map(|_| Absent).collect();
    arguments[0] = Tensor("2,8", FP8);
    arguments[4] = Scalar("1");
    arguments[5] = Tensor("4,8", FP8);
    arguments[9] = Scalar("0");
    arguments[10] = Tensor("4,2", BF16);
    check("tex_ts::te_gemm_ts", &arguments, 64.0, 0.0, 16.0 + 32.0 + 16.0);
    arguments[14] = Tensor("2", BF16);
    check("tex_ts::te_gemm_ts", &arguments, 64.0, 8.0, 16.0 + 32.0 + 16.0 + 4.0);
}
