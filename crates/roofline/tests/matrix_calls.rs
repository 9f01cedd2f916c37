//! Recorded calls of operators with matrix products, each with its work counted by hand.

#![expect(clippy::panic, reason = "helpers of tests may fail loudly")]

use eaves_roofline::ops::{Call, Step, Tokens, formula, wrapper};
use eaves_roofline::{Arithmetic, Work};

/// An argument: a shape and a type, or a scalar.
enum Argument {
    Tensor(&'static str, &'static str),
    Scalar(&'static str),
    None,
}
use Argument::{None as Absent, Scalar, Tensor};

const BF16: &str = "c10::BFloat16";
const FP32: &str = "float";
const FP8: &str = "c10::Float8_e4m3fn";
const BYTE: &str = "unsigned char";
const INT8: &str = "signed char";
const INT: &str = "int";

fn call<'a>(name: &'a str, arguments: &[Argument]) -> Call<'a> {
    let list = |text: &dyn Fn(&Argument) -> String| {
        format!("[{}]", arguments.iter().map(text).collect::<Vec<_>>().join(","))
    };
    let dims = list(&|argument| match argument {
        Tensor(shape, _) => format!("[{shape}]"),
        _ => "[]".to_owned(),
    });
    let types = list(&|argument| match argument {
        Tensor(_, kind) => format!("\"{kind}\""),
        Scalar(_) => "\"Scalar\"".to_owned(),
        Absent => "\"\"".to_owned(),
    });
    let concrete = list(&|argument| match argument {
        Scalar(text) => format!("\"{text}\""),
        _ => "\"\"".to_owned(),
    });
    Call::parse(name, &dims, &types, "", &concrete).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn work(call: &Call<'_>) -> Work {
    let found = formula(call.name).or_else(|| wrapper(call.name)).unwrap_or_else(|| panic!("{}", call.name));
    (found.work)(call).unwrap_or_else(|reason| panic!("{}: {reason}", call.name))
}

/// Checks multiply-adds, further additions and bytes.
fn check(name: &str, arguments: &[Argument], macs: f64, additions: f64, bytes: f64) -> Work {
    let work = work(&call(name, arguments));
    assert_eq!((work.macs, work.flops - 2.0 * work.macs, work.bytes()), (macs, additions, bytes), "{name}");
    work
}

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

/// 2 sequences, 4 and 2 heads, 3 queries, 5 keys, extents 6 and 7.
const QUERY: [f64; 4] =
    [2.0 * 4.0 * 3.0 * 6.0, 2.0 * 2.0 * 5.0 * 6.0, 2.0 * 2.0 * 5.0 * 7.0, 2.0 * 4.0 * 3.0 * 7.0];

fn heads_first() -> [Argument; 3] {
    [Tensor("2,4,3,6", BF16), Tensor("2,2,5,6", BF16), Tensor("2,2,5,7", BF16)]
}

fn tokens_first() -> [Argument; 3] {
    [Tensor("2,3,4,6", BF16), Tensor("2,5,2,6", BF16), Tensor("2,5,2,7", BF16)]
}

fn with(before: usize, tensors: [Argument; 3], behind: &[&'static str]) -> Vec<Argument> {
    let before = (0..before).map(|_| Tensor("2,4,3,7", BF16));
    before
        .chain(tensors)
        .chain(behind.iter().map(|text| if text.is_empty() { Absent } else { Scalar(text) }))
        .collect()
}

#[test]
fn attention_forward() {
    let bytes = 2.0 * QUERY.iter().sum::<f64>();
    // Pairs: all 15; at the end of the keys 3 + 4 + 5; from their start 1 + 2 + 3.
    let macs = |pairs: f64| 2.0 * 4.0 * pairs * 13.0;
    let flash = "aten::_scaled_dot_product_flash_attention";
    check(flash, &with(0, heads_first(), &["0.", "False"]), macs(15.0), 0.0, bytes);
    check(flash, &with(0, heads_first(), &["0.", "True"]), macs(12.0), 0.0, bytes);
    let efficient = "aten::_scaled_dot_product_efficient_attention";
    check(efficient, &with(0, heads_first(), &["", "True", "0.", "True"]), macs(6.0), 0.0, bytes);
    let mut biased = with(0, heads_first(), &["", "True", "0.", "False"]);
    biased[3] = Tensor("2,4,3,5", FP32);
    check(efficient, &biased, macs(15.0), 0.0, bytes + 4.0 * 120.0);
    let package = "flash_attn::_flash_attn_forward";
    check(package, &with(0, tokens_first(), &["0.", "0.1", "True", "-1", "-1"]), macs(12.0), 0.0, bytes);
    // One key before the place of the query: 2 keys for each of the three.
    check(package, &with(0, tokens_first(), &["0.", "0.1", "True", "1", "0"]), macs(6.0), 0.0, bytes);
    check(
        "aiter::wrapper_fmha_v3_fwd",
        &with(1, tokens_first(), &["0.", "0.1", "True", "-1", "-1"]),
        macs(12.0),
        0.0,
        bytes,
    );
    let inside = "aten::_flash_attention_forward";
    check(inside, &with(0, tokens_first(), &["", "", "3", "5", "0.", "True"]), macs(12.0), 0.0, bytes);
    let numbered = "aten::_efficient_attention_forward";
    check(numbered, &with(0, tokens_first(), &["", "", "", "", "", "0.", "2"]), macs(12.0), 0.0, bytes);
    check(numbered, &with(0, tokens_first(), &["", "", "", "", "", "0.", "1"]), macs(6.0), 0.0, bytes);
    // Not fused: scores are written and read twice.
    let parts = "aten::_scaled_dot_product_attention_math";
    check(parts, &with(0, heads_first(), &["", "0.", "False"]), macs(15.0), 0.0, bytes + 2.0 * 4.0 * 120.0);
}

#[test]
fn attention_backward() {
    // Queries, keys and values with their gradients, the output and its gradient.
    let bytes = 2.0 * 2.0 * QUERY.iter().sum::<f64>();
    let macs = |pairs: f64| 2.0 * 4.0 * pairs * (3.0 * 6.0 + 2.0 * 7.0);
    let flash = "aten::_scaled_dot_product_flash_attention_backward";
    check(flash, &with(1, heads_first(), &["", "", "", "", "3", "5", "0.", "True"]), macs(12.0), 0.0, bytes);
    let efficient = "aten::_scaled_dot_product_efficient_attention_backward";
    let arguments = with(1, heads_first(), &["", "", "", "", "", "0.", "[True, True, True, False]", "True"]);
    check(efficient, &arguments, macs(6.0), 0.0, bytes);
    let cudnn = "aten::_scaled_dot_product_cudnn_attention_backward";
    let arguments = with(1, heads_first(), &["", "", "", "", "", "", "", "3", "5", "0.", "False"]);
    check(cudnn, &arguments, macs(15.0), 0.0, bytes);
    // With and without tensors for the gradients among the arguments.
    let package = "flash_attn::_flash_attn_backward";
    let arguments = with(1, tokens_first(), &["", "", "", "", "", "0.", "0.1", "True", "-1", "-1"]);
    check(package, &arguments, macs(12.0), 0.0, bytes);
    let arguments = with(1, tokens_first(), &["", "", "0.", "0.1", "True", "-1", "-1"]);
    check("aiter::mha_bwd", &arguments, macs(12.0), 0.0, bytes);
    let forward = call("FlashAttnFunc", &with(0, tokens_first(), &["0.", "0.1", "True"]));
    let found = formula("FlashAttnFunc").and_then(|formula| formula.backward).expect("a backward");
    assert_eq!(found(&forward).map(|work| (work.macs, work.bytes())), Ok((macs(12.0), bytes)));
}

#[test]
fn attention_of_different_lengths() {
    // 10 tokens in 3 sequences, the longest of 4: the others have 3 each at best.
    let packed = |causal| {
        let tensors = [Tensor("10,4,6", BF16), Tensor("10,2,6", BF16), Tensor("10,2,7", BF16)];
        let lengths =
            [Tensor("4", INT), Tensor("4", INT), Scalar("4"), Scalar("4"), Scalar("0."), Scalar("0.1")];
        let flags = [Scalar(causal), Scalar("-1"), Scalar("-1")];
        tensors.into_iter().chain(lengths).chain(flags).collect::<Vec<_>>()
    };
    let bytes = 2.0 * 10.0 * (4.0 * 13.0 + 2.0 * 13.0);
    let name = "flash_attn::_flash_attn_varlen_forward";
    check(name, &packed("False"), 4.0 * (16.0 + 9.0 + 9.0) * 13.0, 0.0, bytes);
    check(name, &packed("True"), 4.0 * (10.0 + 6.0 + 6.0) * 13.0, 0.0, bytes);
}

/// A step of a server: a prompt of 8 tokens of which 3 were read before, and two sequences of 7 and 9 that get a token.
#[test]
fn attention_over_a_paged_cache() {
    let step = Step {
        prefill: Tokens { queries: 5.0, keys: 8.0, squares: 25.0, products: 40.0 },
        decode: Tokens { queries: 2.0, keys: 16.0, squares: 2.0, products: 16.0 },
    };
    let arguments = [Tensor("7,4,6", BF16), Tensor("7,2,6", FP8), Tensor("7,2,6", FP8)];
    let mut call = call("vllm::unified_attention_with_output", &arguments);
    let found = formula(call.name).expect("a formula");
    assert!((found.work)(&call).is_err_and(|reason| reason.contains("not recorded")));
    call.step = Some(step);
    let paged = work(&call);
    // The 5 queries see 4 to 8 keys, the others 7 and 9.
    assert_eq!(paged.macs, 4.0 * (30.0 + 16.0) * 12.0);
    // 7 queries, outputs, keys and values of this step; 3 + 14 keys and values from the cache.
    assert_eq!(paged.bytes(), 2.0 * 7.0 * 12.0 * (4.0 + 2.0) + 17.0 * 2.0 * 12.0);
}

#[test]
fn caches_are_copied_to() {
    let store = [
        Tensor("3,2,8", BF16),
        Tensor("3,2,8", BF16),
        Tensor("9,4,2,8", FP8),
        Tensor("9,4,2,8", FP8),
        Tensor("3", INT),
    ];
    check("_C_cache_ops::reshape_and_cache_flash", &store, 0.0, 0.0, 2.0 * 48.0 * 3.0);
    let latent = [Tensor("3,16", BF16), Tensor("3,4", BF16), Tensor("9,4,20", BF16), Tensor("3", INT)];
    check("_C_cache_ops::concat_and_cache_mla", &latent, 0.0, 0.0, 2.0 * 60.0 * 2.0);
    // 3 tokens choose 4 of 9 slots each: 12 pairs, but there are only 9 slots to read.
    let sparse =
        [Tensor("3,2,8", BF16), Tensor("9,1,8", BF16), Tensor("3,1,4", INT), Scalar("0.1"), Scalar("6")];
    let name = "sglang_profiler::tilelang_kernel_tilelang_sparse_fwd";
    check(name, &sparse, 2.0 * 12.0 * 14.0, 0.0, 2.0 * (48.0 + 72.0 + 36.0));
}

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
