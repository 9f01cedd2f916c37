//! Shapes and element types of an operator's inputs as people read them: `16x5185x64 bf16, 64x64 bf16, scalar`.
//!
//! Recorders write them as JSON with whatever spaces and line breaks they like, which has no place in a cell or a
//! sentence.

use crate::Precision;

/// Shapes with their types, an operand after the other. Operands that are neither are skipped.
pub fn described(dims: &str, types: &str) -> String {
    let (Some(shapes), Some(types)) = (elements(dims), elements(types)) else { return compact(dims) };
    let mut types = types.into_iter();
    let described = shapes.into_iter().filter_map(|shape| {
        let kind = types.next().map(element).unwrap_or_default();
        match (element(shape).as_str(), kind.as_str()) {
            ("-", "-" | "") => None,
            ("-", kind) => Some(kind.to_owned()),
            (shape, "-" | "") => Some(shape.to_owned()),
            (shape, kind) => Some(format!("{shape} {kind}")),
        }
    });
    described.collect::<Vec<_>>().join(", ")
}

/// A JSON list of shapes, strides or types on one line: `16x5185x64, 64x64, -`. Other text keeps its words.
pub fn compact(text: &str) -> String {
    match elements(text) {
        Some(elements) => elements.into_iter().map(element).collect::<Vec<_>>().join(", "),
        None => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// One entry: extents, a type, or a list of them.
fn element(text: &str) -> String {
    let text = text.trim();
    let Some(inner) = elements(text) else {
        let name = text.trim_matches('"').split_whitespace().collect::<Vec<_>>().join(" ");
        return match (name.as_str(), Precision::from_torch(&name)) {
            ("", _) => "-".to_owned(),
            ("Scalar", _) => "scalar".to_owned(),
            (_, Some(precision)) => precision.to_string(),
            (other, None) => other.to_owned(),
        };
    };
    let is_extent = |extent: &&str| {
        !extent.is_empty() && extent.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    if inner.is_empty() {
        "-".to_owned()
    } else if inner.iter().all(is_extent) {
        inner.join("x")
    } else {
        format!("[{}]", inner.into_iter().map(element).collect::<Vec<_>>().join(", "))
    }
}

/// The entries of a JSON list as written; nothing if the text is not a list.
fn elements(list: &str) -> Option<Vec<&str>> {
    let inner = list.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (mut depth, mut is_text) = (0usize, false);
    let entries = inner.split(|letter| {
        match letter {
            '"' => is_text = !is_text,
            '[' if !is_text => depth += 1,
            ']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0 && !is_text
    });
    Some(if inner.trim().is_empty() { Vec::new() } else { entries.map(str::trim).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_one_line() {
        assert_eq!(
            compact("[\n [ 16, 5185, 64 ],\n [],\n [ [ 2, 3 ], [ 4 ] ]\n]"),
            "16x5185x64, -, [2x3, 4]"
        );
        assert_eq!(
            compact("[\"c10::BFloat16\", \"Scalar\", \"\", \"std::vector<int>\"]"),
            "bf16, scalar, -, std::vector<int>"
        );
        assert_eq!(compact("[[331840, 64, 1]]"), "331840x64x1");
        assert_eq!(compact("grid 1,1,1\n block 8"), "grid 1,1,1 block 8");
        assert_eq!(
            (compact("[]"), compact(""), compact("[[1, 2")),
            (String::new(), String::new(), "[[1, 2".to_owned())
        );
    }

    #[test]
    fn operands_have_shape_and_type() {
        let dims = "[[16, 5185, 64], [64, 64], [], []]";
        let types = "[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"\"]";
        assert_eq!(described(dims, types), "16x5185x64 bf16, 64x64 bf16, scalar");
        assert_eq!(described("[[8], [2]]", ""), "8, 2");
        assert_eq!(described("[[8], [2]]", "[\"float\"]"), "8 fp32, 2");
    }
}
