//! Texts as HTML shows them.

use std::fmt;

/// A text that HTML shows as it is, in elements and in attributes between double quotes.
#[derive(Clone, Copy)]
pub(super) struct Plain<'a>(pub(super) &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

/// A sentence in which backticks enclose code.
#[derive(Clone, Copy)]
pub(super) struct Sentence<'a>(pub(super) &'a str);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.matches('`').count().is_multiple_of(2) {
            return Plain(self.0).fmt(f);
        }
        for (index, part) in self.0.split('`').enumerate() {
            if index % 2 == 0 {
                write!(f, "{}", Plain(part))?;
            } else {
                write!(f, "<code>{}</code>", Plain(part))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_taken_for_markup() {
        assert_eq!(Plain("f<int>(\"a\" & 'b')").to_string(), "f&lt;int&gt;(&quot;a&quot; &amp; &#39;b&#39;)");
        assert_eq!(Plain("µs").to_string(), "µs");
    }

    #[test]
    fn backticks_are_code_if_there_are_pairs() {
        assert_eq!(Sentence("call `f<T>` now").to_string(), "call <code>f&lt;T&gt;</code> now");
        assert_eq!(Sentence("one ` only").to_string(), "one ` only");
    }
}
