//! How recorders spell element types.
//!
//! Operators record the C++ type (`caffe2::TypeMeta`: `float`, `c10::Half`, `long int`), collectives and TorchScript
//! PyTorch's `c10::ScalarType` (`Float`, `Long`), Python code `torch.float32`, Triton the signature of a kernel
//! (`*fp32`, `i64`, `fp8e4nv`), XLA its own (`f32`, `pred`, `f8e4m3fn`).

/// The catalog's name, and the spellings without a namespace, in any case. Spellings that are names or aliases of the
/// catalog need no entry.
const SPELLINGS: &[(&str, &[&str])] = &[
    ("bool", &["boolean", "i1", "pred"]),
    ("complex128", &["c128", "complex<double>", "complexdouble"]),
    ("complex32", &["chalf", "complex<c10::half>", "complex<half>", "complexhalf"]),
    ("complex64", &["c64", "complex<float>", "complexfloat"]),
    ("e8m0", &["f8e8m0fnu", "float8_e8m0fnu"]),
    ("fp16", &["__half", "_float16"]),
    ("fp4x2", &["float4_e2m1fn_x2"]),
    ("fp8_e4m3", &["f8e4m3fn", "f8e4m3fnuz", "float8_e4m3fnuz", "fp8e4b15", "fp8e4b8", "fp8e4nv"]),
    ("fp8_e5m2", &["f8e5m2", "f8e5m2fnuz", "float8_e5m2fnuz", "fp8e5", "fp8e5b16"]),
    ("int16", &["s16", "short int", "u16", "uint16", "uint16_t", "unsigned short"]),
    ("int32", &["int32_t", "qint32", "s32", "scalar", "u32", "uint32", "uint32_t", "unsigned int"]),
    (
        "int64",
        &[
            "int64_t",
            "long int",
            "long long",
            "long long int",
            "s64",
            "u64",
            "uint64",
            "uint64_t",
            "unsigned long",
            "unsigned long long",
        ],
    ),
    ("int8", &["char", "int8_t", "qint8", "s8", "signed char"]),
    ("uint8", &["bits8", "byte", "quint8", "uint8_t", "unsigned char"]),
];

/// What stands before the type itself.
const PREFIXES: [&str; 5] = ["*", "at::", "c10::", "std::", "torch."];

/// The name that the catalog may know a spelling by.
pub(super) fn catalogue_name(spelling: &str) -> &str {
    let mut plain = spelling.trim();
    // Execution traces write `Tensor(float)`.
    if let Some(inner) = plain.strip_prefix("Tensor(").and_then(|rest| rest.strip_suffix(')')) {
        plain = inner;
    }
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| plain.strip_prefix(prefix)) {
        plain = rest;
    }
    let is_it = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(plain));
    SPELLINGS.iter().find(|(_, names)| is_it(names)).map_or(plain, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use crate::Precision;

    /// Spellings of all recorders, with the catalog's name.
    #[test]
    fn every_recorder_is_understood() {
        for (expected, spellings) in [
            ("fp64", vec!["double", "Double", "torch.float64", "fp64", "*fp64", "f64"]),
            (
                "fp32",
                vec!["float", "Float", "torch.float32", "float32", "*fp32", "fp32", "f32", "Tensor(float)"],
            ),
            (
                "fp16",
                vec!["c10::Half", "Half", "half", "at::Half", "torch.float16", "*fp16", "f16", "__half"],
            ),
            (
                "bf16",
                vec!["c10::BFloat16", "BFloat16", "torch.bfloat16", "*bf16", "bf16", "Tensor(c10::BFloat16)"],
            ),
            (
                "fp8_e4m3",
                vec!["c10::Float8_e4m3fn", "Float8_e4m3fnuz", "torch.float8_e4m3fn", "*fp8e4nv", "f8e4m3fn"],
            ),
            ("fp8_e5m2", vec!["c10::Float8_e5m2", "Float8_e5m2fnuz", "*fp8e5", "f8e5m2"]),
            ("e8m0", vec!["c10::Float8_e8m0fnu", "torch.float8_e8m0fnu"]),
            ("fp4x2", vec!["c10::Float4_e2m1fn_x2", "torch.float4_e2m1fn_x2"]),
            (
                "int64",
                vec!["long", "long int", "Long", "torch.int64", "*i64", "int64_t", "unsigned long", "s64"],
            ),
            ("int32", vec!["int", "Int", "torch.int32", "i32", "*i32", "unsigned int", "Scalar", "s32"]),
            (
                "int16",
                vec!["short", "short int", "Short", "torch.int16", "i16", "unsigned short", "torch.uint16"],
            ),
            ("int8", vec!["signed char", "Char", "char", "torch.int8", "*i8", "s8", "c10::qint8"]),
            ("uint8", vec!["unsigned char", "Byte", "torch.uint8", "*u8", "u8", "c10::quint8"]),
            ("bool", vec!["bool", "Bool", "torch.bool", "*i1", "pred"]),
            (
                "complex64",
                vec!["c10::complex<float>", "ComplexFloat", "torch.complex64", "complex<float>", "c64"],
            ),
            ("complex128", vec!["c10::complex<double>", "ComplexDouble", "torch.complex128"]),
            ("complex32", vec!["c10::complex<c10::Half>", "ComplexHalf", "torch.complex32"]),
        ] {
            for spelling in spellings {
                let found = Precision::from_torch(spelling).map(|precision| precision.name);
                assert_eq!(found, Some(expected), "{spelling}");
            }
        }
        for unknown in ["", "TensorList", "GenericList", "Optional", "c10::", "*", "floats"] {
            assert_eq!(Precision::from_torch(unknown), None, "{unknown}");
        }
    }
}
