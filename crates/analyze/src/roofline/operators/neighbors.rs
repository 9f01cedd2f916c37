//! What operators around and behind one say of its result.
//!
//! Before PyTorch 2.1 lists of tensors are recorded without shapes. Where a function with a single tensor puts parts of it
//! together and hands the whole to the next operator, both are given as many elements as the result has.

use eaves_roofline::ops::{Call, Tensor};

/// Operators that are told so.
pub(super) const TOLD: &[&str] = &["aten::cat"];

/// Whether the only tensor of an operator and the first of the next operator inside it have as many elements and the same
/// type. Each is given as shapes and types.
pub(super) fn agree(around: [&str; 2], next: [&str; 2]) -> bool {
    let parsed = |[dims, types]: [&str; 2]| Call::parse("", dims, types, "", "").ok();
    let (Some(around), Some(next)) = (parsed(around), parsed(next)) else { return false };
    let mut given = around.tensors();
    let (Some(only), None, Some(first)) = (given.next(), given.next(), next.tensors().next()) else {
        return false;
    };
    let size = |tensor: &Tensor| (tensor.elements(), tensor.precision);
    only.elements() > 1.0 && size(only) == size(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_operators_must_say_the_same() {
        let float = r#"["float"]"#;
        let with_scalar = r#"["float","Scalar"]"#;
        let given = ["[[8,12]]", float];
        assert!(agree(given, ["[[24,4],[]]", with_scalar]));
        for (around, next) in [
            (given, ["[[24,5],[]]", with_scalar]),
            (given, ["[[24,4]]", r#"["c10::Half"]"#]),
            (["[[8,12],[8,12]]", r#"["float","float"]"#], ["[[24,4]]", float]),
            (["[[]]", float], ["[[]]", float]),
            (["", ""], ["[[24,4]]", float]),
            (given, ["", ""]),
        ] {
            assert!(!agree(around, next), "{around:?} {next:?}");
        }
    }
}
