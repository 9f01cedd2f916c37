//! How many elements the tensors of an operator have, by the shapes and types it recorded.

use super::element::Element;

/// The elements of all tensors together and their type, from the JSON texts `Input Dims` and `Input type`. Nothing if
/// the tensors are of several types or of one that is not known.
pub(crate) fn elements(dims: &str, types: &str) -> Option<(i64, Element)> {
    let mut found: Option<(i64, Element)> = None;
    for (shape, spelling) in entries(dims).zip(names(types)) {
        if spelling.is_empty() || spelling.starts_with("Scalar") {
            continue;
        }
        let element = Element::of(spelling)?;
        let count = count(shape)?;
        found = match found {
            None => Some((count, element)),
            Some((sum, known)) if known == element => Some((sum.saturating_add(count), element)),
            Some(_) => return None,
        };
    }
    found
}

/// The elements of the first tensor and their type; of the one behind it if this many are skipped.
pub(crate) fn tensor(dims: &str, types: &str, passed_over: usize) -> Option<(i64, Element)> {
    let is_tensor = |spelling: &str| !spelling.is_empty() && !spelling.starts_with("Scalar");
    let mut tensors = entries(dims).zip(names(types)).filter(|(_, spelling)| is_tensor(spelling));
    let (shape, spelling) = tensors.nth(passed_over)?;
    Some((count(shape)?, Element::of(spelling)?))
}

/// The entries of a JSON list as text.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    let inner = list.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or("");
    let mut depth = 0usize;
    inner.split(move |letter| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
}

/// The texts of a JSON list. Types have no escapes.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split('"').skip(1).step_by(2)
}

/// The product of the extents of one shape; a tensor without extents has one element.
fn count(shape: &str) -> Option<i64> {
    let inner = shape.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    if inner.is_empty() {
        return Some(1);
    }
    let mut product = 1i64;
    for extent in inner.split(',') {
        product = product.saturating_mul(extent.trim().parse().ok().filter(|&extent: &i64| extent >= 0)?);
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_counted() {
        let of = |dims, types| elements(dims, types).map(|(count, element)| (count, element.name));
        assert_eq!(of("[[295488]]", r#"["float"]"#), Some((295_488, "float32")));
        assert_eq!(of("[[2, 3, 4], []]", r#"["c10::Half", "c10::Half"]"#), Some((25, "float16")));
        assert_eq!(of("[[384], [], []]", r#"["long int", "Scalar", ""]"#), Some((384, "int64")));
        assert_eq!(of("[[0, 7]]", r#"["int"]"#), Some((0, "int32")));
    }

    #[test]
    fn one_tensor_is_told_from_the_others() {
        let dims = "[[], [4, 8], [4, 8], [9], []]";
        let types = r#"["Scalar", "c10::BFloat16", "c10::BFloat16", "float", "Scalar"]"#;
        let of = |passed_over| tensor(dims, types, passed_over).map(|(count, element)| (count, element.name));
        assert_eq!([of(0), of(2), of(3)], [Some((32, "bfloat16")), Some((9, "float32")), None]);
        assert_eq!(tensor("[[[2], [3]]]", r#"["TensorList"]"#, 0), None);
    }

    #[test]
    fn what_is_not_known_is_not_counted() {
        for (dims, types) in [
            ("[[2], [3]]", r#"["float", "int"]"#),
            ("[[[2], [3]]]", r#"["TensorList"]"#),
            ("[[[2], [3]]]", r#"["float"]"#),
            ("[[2, \"s0\"]]", r#"["float"]"#),
            ("[[-1]]", r#"["float"]"#),
            ("[]", "[]"),
            ("", ""),
            ("nonsense", r#"["float"]"#),
        ] {
            assert_eq!(elements(dims, types), None, "{dims} {types}");
        }
    }
}
