//! The texts of a tree.

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
pub struct Names {
    texts: Vec<String>,
    known: HashMap<String, u32>,
}

impl Names {
    /// The number of the name of the root.
    pub const EVERYTHING: u32 = 0;
    /// The number of [`SMALL`].
    pub const SMALL: u32 = 1;

    /// The names that every tree has.
    #[expect(clippy::new_without_default, reason = "every tree has names")]
    pub fn new() -> Self {
        let mut names = Self { texts: Vec::new(), known: HashMap::new() };
        names.intern(EVERYTHING);
        names.intern(SMALL);
        names
    }

    /// The number of a text, which is added if new.
    pub fn intern(&mut self, text: &str) -> u32 {
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
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }
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
}
