//! Element types that only the names of kernels say.

use crate::Precision;

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
