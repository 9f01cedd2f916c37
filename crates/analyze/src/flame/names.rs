//! The texts of a tree.

use std::borrow::Cow;
use std::collections::HashMap;

/// The name of a frame that stands for several small ones.
pub const SMALL: &str = "[small]";
/// The name of the frame around activities without a launch.
pub const NOT_LAUNCHED: &str = "[not launched by anything recorded]";
/// The name of the frame around everything.
const EVERYTHING: &str = "all";
/// What a frame without a name is called.
const NAMELESS: &str = "[no name]";

/// Each text once, by its number.
#[derive(Clone, Debug)]
pub(super) struct Names {
    texts: Vec<String>,
    known: HashMap<String, u32>,
}

impl Names {
    /// The number of the name of the root.
    pub(super) const EVERYTHING: u32 = 0;
    /// The number of [`SMALL`].
    pub(super) const SMALL: u32 = 1;

    pub(super) fn new() -> Self {
        let mut names = Self { texts: Vec::new(), known: HashMap::new() };
        names.intern(EVERYTHING);
        names.intern(SMALL);
        names
    }

    /// The number of a text, which is added if new.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let text = if text.is_empty() { NAMELESS } else { text };
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.to_owned());
        self.known.insert(text.to_owned(), number);
        number
    }

    /// The texts by number.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

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
    fn texts_are_numbered_once() {
        let mut names = Names::new();
        let number = names.intern("a");
        assert_eq!(names.intern("a"), number);
        assert_eq!(names.intern(SMALL), Names::SMALL);
        names.intern("");
        assert_eq!(names.into_texts(), [EVERYTHING, SMALL, "a", NAMELESS]);
    }

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
