//! Element types of tensors: how the recorders spell them and how large they are.

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The name that PyTorch gives it in Python.
    pub(crate) name: &'static str,
    /// Bytes of one element.
    pub(crate) size: i64,
}

/// Name, size and the other spellings in lower case: PyTorch's `ScalarType` (`Float`), which collectives record, and
/// the C++ types, which operators record (`float`, `c10::Half`).
const ELEMENTS: &[(&str, i64, &[&str])] = &[
    ("bfloat16", 2, &[]),
    ("bool", 1, &[]),
    ("complex128", 16, &["complexdouble", "complex<double>"]),
    ("complex32", 4, &["complexhalf", "complex<half>", "complex<c10::half>"]),
    ("complex64", 8, &["complexfloat", "complex<float>"]),
    ("float16", 2, &["half"]),
    ("float32", 4, &["float"]),
    // Two elements in a byte, which is what PyTorch counts as one.
    ("float4_e2m1fn_x2", 1, &[]),
    ("float64", 8, &["double"]),
    ("float8_e4m3fn", 1, &[]),
    ("float8_e4m3fnuz", 1, &[]),
    ("float8_e5m2", 1, &[]),
    ("float8_e5m2fnuz", 1, &[]),
    ("float8_e8m0fnu", 1, &[]),
    ("int16", 2, &["short", "short int"]),
    ("int32", 4, &["int"]),
    ("int64", 8, &["long", "long int", "long long", "long long int"]),
    ("int8", 1, &["char", "signed char"]),
    ("uint16", 2, &["unsigned short"]),
    ("uint32", 4, &["unsigned int"]),
    ("uint64", 8, &["unsigned long", "unsigned long long"]),
    ("uint8", 1, &["byte", "unsigned char"]),
];

impl Element {
    /// The type of a spelling, if it is known.
    pub(crate) fn of(spelling: &str) -> Option<Self> {
        let lower = spelling.trim().to_ascii_lowercase();
        let plain = lower.strip_prefix("c10::").unwrap_or(&lower);
        let known = ELEMENTS.iter().find(|(name, _, others)| *name == plain || others.contains(&plain));
        known.map(|&(name, size, _)| Self { name, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_both_recorders_are_known() {
        for (spelling, name, size) in [
            ("Float", "float32", 4),
            ("float", "float32", 4),
            ("c10::BFloat16", "bfloat16", 2),
            ("BFloat16", "bfloat16", 2),
            ("Half", "float16", 2),
            ("c10::Half", "float16", 2),
            ("Long", "int64", 8),
            ("long int", "int64", 8),
            ("Int", "int32", 4),
            ("Byte", "uint8", 1),
            ("unsigned char", "uint8", 1),
            ("Char", "int8", 1),
            ("Bool", "bool", 1),
            ("Float8_e4m3fn", "float8_e4m3fn", 1),
            ("c10::Float8_e5m2fnuz", "float8_e5m2fnuz", 1),
            ("c10::complex<float>", "complex64", 8),
        ] {
            assert_eq!(Element::of(spelling), Some(Element { name, size }), "{spelling}");
        }
        assert_eq!(Element::of("TensorList"), None);
        assert_eq!(Element::of(""), None);
    }
}
