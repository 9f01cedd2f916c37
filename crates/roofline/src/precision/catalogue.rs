//! The catalog of precisions.
//!
//! Sources: IEEE 754 (FP16 to FP64); OCP 8-bit Floating Point 1.0 (E4M3, E5M2); OCP Microscaling Formats 1.0 (MX*, FP6,
//! FP4); NVIDIA, "Introducing NVFP4" (one E4M3 scale for 16 elements and one FP32 scale for the tensor); bitsandbytes
//! (NF4: FP32 absmax for 64 elements, optionally quantized again to 8 bits with an FP32 scale for 256 of them).

use super::{Every, Family, Precision, Scale};
use crate::Arithmetic;

const fn plain(
    name: &'static str,
    bits: f64,
    family: Family,
    (exponent_bits, mantissa_bits, largest): (u8, u8, f64),
    arithmetic: Option<Arithmetic>,
) -> Precision {
    let scales = [None, None];
    Precision { name, element_bits: bits, scales, family, exponent_bits, mantissa_bits, largest, arithmetic }
}

const fn scaled(precision: Precision, inner: Scale, outer: Option<Scale>, family: Family) -> Precision {
    Precision { scales: [Some(inner), outer], family, ..precision }
}

const fn renamed(precision: Precision, name: &'static str) -> Precision {
    Precision { name, ..precision }
}

const fn each(elements: f64, bits: f64) -> Scale {
    Scale { bits, every: Every::Elements(elements) }
}

const fn microscaling(precision: Precision, name: &'static str) -> Precision {
    renamed(scaled(precision, each(32.0, 8.0), None, Family::Microscaling), name)
}

pub(super) const FP64: Precision =
    plain("fp64", 64.0, Family::Float, (11, 52, f64::MAX), Some(Arithmetic::Fp64));
pub(super) const FP32: Precision =
    plain("fp32", 32.0, Family::Float, (8, 23, f32::MAX as f64), Some(Arithmetic::Fp32));
/// Stored as FP32; 19 bits exist inside the matrix unit only.
const TF32: Precision =
    plain("tf32", 32.0, Family::Float, (8, 10, 3.401_162_134_214_653e38), Some(Arithmetic::Tf32));
pub(super) const FP16: Precision =
    plain("fp16", 16.0, Family::Float, (5, 10, 65504.0), Some(Arithmetic::Fp16));
pub(super) const BF16: Precision =
    plain("bf16", 16.0, Family::Float, (8, 7, 3.389_531_389_251_535_5e38), Some(Arithmetic::Bf16));
pub(super) const E4M3: Precision =
    plain("fp8_e4m3", 8.0, Family::Float, (4, 3, 448.0), Some(Arithmetic::Fp8));
pub(super) const E5M2: Precision =
    plain("fp8_e5m2", 8.0, Family::Float, (5, 2, 57344.0), Some(Arithmetic::Fp8));
const E3M2: Precision = plain("fp6_e3m2", 6.0, Family::Float, (3, 2, 28.0), Some(Arithmetic::Fp6));
const E2M3: Precision = plain("fp6_e2m3", 6.0, Family::Float, (2, 3, 7.5), Some(Arithmetic::Fp6));
pub(super) const E2M1: Precision = plain("fp4", 4.0, Family::Float, (2, 1, 6.0), Some(Arithmetic::Fp4));
/// PyTorch's packed pair: what a trace counts as one element is two numbers.
const E2M1_PAIR: Precision = plain("fp4x2", 8.0, Family::Float, (2, 1, 6.0), Some(Arithmetic::Fp4));
/// A power of two: a scale, not something to compute with.
pub(super) const E8M0: Precision =
    plain("e8m0", 8.0, Family::Plain, (8, 0, 1.701_411_834_604_692_3e38), None);
const INT64: Precision = plain("int64", 64.0, Family::Integer, (0, 63, 9_223_372_036_854_775_807.0), None);
pub(super) const INT32: Precision =
    plain("int32", 32.0, Family::Integer, (0, 31, 2_147_483_647.0), Some(Arithmetic::Int32));
const INT16: Precision = plain("int16", 16.0, Family::Integer, (0, 15, 32767.0), Some(Arithmetic::Int16));
pub(super) const INT8: Precision = plain("int8", 8.0, Family::Integer, (0, 7, 127.0), Some(Arithmetic::Int8));
const UINT8: Precision = plain("uint8", 8.0, Family::Integer, (0, 8, 255.0), Some(Arithmetic::Int8));
pub(super) const INT4: Precision = plain("int4", 4.0, Family::Integer, (0, 3, 7.0), Some(Arithmetic::Int4));
const INT2: Precision = plain("int2", 2.0, Family::Integer, (0, 1, 1.0), Some(Arithmetic::Int2));
const INT1: Precision = plain("int1", 1.0, Family::Integer, (0, 1, 1.0), Some(Arithmetic::Int1));
const BOOL: Precision = plain("bool", 8.0, Family::Plain, (0, 1, 1.0), None);
const COMPLEX32: Precision =
    plain("complex32", 32.0, Family::Plain, (5, 10, 65504.0), Some(Arithmetic::Fp16));
const COMPLEX64: Precision =
    plain("complex64", 64.0, Family::Plain, (8, 23, f32::MAX as f64), Some(Arithmetic::Fp32));
const COMPLEX128: Precision =
    plain("complex128", 128.0, Family::Plain, (11, 52, f64::MAX), Some(Arithmetic::Fp64));
const NF4_ELEMENT: Precision = plain("nf4", 4.0, Family::Lookup, (0, 0, 1.0), None);

pub(super) const MXFP4: Precision = microscaling(E2M1, "mxfp4");
/// As bitsandbytes stores it.
pub(super) const NF4: Precision = scaled(NF4_ELEMENT, each(64.0, 32.0), None, Family::Lookup);
pub(super) const NVFP4: Precision = renamed(
    scaled(E2M1, each(16.0, 8.0), Some(Scale { bits: 32.0, every: Every::Tensor }), Family::Nvfp4),
    "nvfp4",
);
/// NVFP4 with the tensor's scale spread over 1024 elements, 4.53125 bits: what some published tables compute with.
const NVFP4_1024: Precision =
    renamed(scaled(E2M1, each(16.0, 8.0), Some(each(1024.0, 32.0)), Family::Nvfp4), "nvfp4_1024");

/// Every precision with the other names it goes by.
pub(super) const ALL: &[(Precision, &[&str])] = &[
    (FP64, &["f64", "double", "float64"]),
    (FP32, &["f32", "float", "float32"]),
    (TF32, &[]),
    (FP16, &["f16", "half", "float16"]),
    (BF16, &["bfloat16"]),
    (E4M3, &["fp8", "e4m3", "f8", "float8", "float8_e4m3fn"]),
    (E5M2, &["e5m2", "float8_e5m2"]),
    (E3M2, &["fp6", "e3m2"]),
    (E2M3, &["e2m3"]),
    (E2M1, &["e2m1", "fp4_e2m1"]),
    (E2M1_PAIR, &[]),
    (E8M0, &[]),
    (microscaling(E4M3, "mxfp8_e4m3"), &["mxfp8"]),
    (microscaling(E5M2, "mxfp8_e5m2"), &[]),
    (microscaling(E3M2, "mxfp6_e3m2"), &["mxfp6"]),
    (microscaling(E2M3, "mxfp6_e2m3"), &[]),
    (MXFP4, &["mxfp4_e2m1"]),
    (microscaling(INT8, "mxint8"), &[]),
    (NVFP4, &[]),
    (renamed(NVFP4, "nvfp4_kv"), &[]),
    (NVFP4_1024, &[]),
    (NF4, &[]),
    (
        renamed(
            scaled(NF4_ELEMENT, each(64.0, 8.0), Some(each(64.0 * 256.0, 32.0)), Family::Lookup),
            "nf4_double",
        ),
        &["nf4_dq"],
    ),
    (INT64, &["i64", "long"]),
    (INT32, &["i32", "int"]),
    (INT16, &["i16", "short"]),
    (INT8, &["i8"]),
    (UINT8, &["u8"]),
    (INT4, &["i4", "uint4", "u4"]),
    (INT2, &["i2"]),
    (INT1, &["binary"]),
    (BOOL, &[]),
    (COMPLEX32, &[]),
    (COMPLEX64, &[]),
    (COMPLEX128, &[]),
];
