//! The names by which calls are merged.

use std::borrow::Cow;

/// A text with `*` for each of its numbers: what names have in common that only count.
pub(super) fn without_numbers(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            result.push(letter);
        } else if !result.ends_with('*') {
            result.push('*');
        }
    }
    result
}

/// The name by which calls are merged: without what only tells one call from the next, the number of a profiler step
/// and the address of an object. It would keep apart what people want to see together.
pub(super) fn merged_name(name: &str) -> Cow<'_, str> {
    const STEP: &str = "ProfilerStep#";
    const ADDRESS: &str = " at 0x";
    if name.strip_prefix(STEP).is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit())) {
        return format!("{STEP}*").into();
    }
    let Some(at) = name.find(ADDRESS) else { return name.into() };
    let mut merged = name[..at].to_owned();
    for (index, part) in name[at..].split(ADDRESS).enumerate() {
        if index > 0 {
            merged.push_str(ADDRESS);
            merged.push('*');
        }
        merged.push_str(if index > 0 {
            part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit())
        } else {
            part
        });
    }
    merged.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_addresses_are_merged() {
        let expected = [
            ("ProfilerStep#12", "ProfilerStep#*"),
            ("ProfilerStep#a", "ProfilerStep#a"),
            (
                "<built-in method item of Tensor object at 0x7f5a0c3b10e0>",
                "<built-in method item of Tensor object at 0x*>",
            ),
            ("a at 0x1 and b at 0x2f", "a at 0x* and b at 0x*"),
            ("look at 0", "look at 0"),
        ];
        for (name, merged) in expected {
            assert_eq!(merged_name(name), merged);
        }
    }

    #[test]
    fn names_that_count_are_alike() {
        assert_eq!(without_numbers("thread 48210 (pt_autograd_0)"), "thread * (pt_autograd_*)");
        assert_eq!(without_numbers("main"), "main");
    }
}
