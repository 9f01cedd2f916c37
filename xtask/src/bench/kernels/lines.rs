//! Lines of JSON that examples print: flat objects, one a line.

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a>(&'a str);

/// The lines of an output that are objects.
pub(super) fn lines(output: &str) -> impl Iterator<Item = Line<'_>> {
    output.lines().filter(|line| line.starts_with('{')).map(Line)
}

impl<'a> Line<'a> {
    /// A text without escapes.
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.value(key)?.strip_prefix('"')?.split('"').next()
    }

    /// A number.
    pub(super) fn number(self, key: &str) -> Option<f64> {
        self.value(key)?.split([',', '}']).next()?.parse().ok()
    }

    /// Whether it is true; `None` if it is neither.
    pub(super) fn truth(self, key: &str) -> Option<bool> {
        self.value(key)?.split([',', '}']).next()?.parse().ok()
    }

    /// Everything from the value on.
    fn value(self, key: &str) -> Option<&'a str> {
        let quoted = format!("\"{key}\":");
        let at = self.0.find(&quoted)?;
        self.0.get(at + quoted.len()..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let output = "warning\n{\"a\":\"x, y\",\"b\":1.5,\"c\":true}\n";
        let found: Vec<Line<'_>> = lines(output).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text("a"), Some("x, y"));
        assert_eq!(found[0].number("b"), Some(1.5));
        assert_eq!(found[0].truth("c"), Some(true));
        assert_eq!((found[0].text("b"), found[0].number("a"), found[0].number("d")), (None, None, None));
    }
}
