//! Texts inside elements of XML and HTML.

/// A text inside an element or between the quotes of an attribute. XML has no way to write most control characters
/// and two more; they become U+FFFD, because one of them would make the whole drawing unreadable.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(letter),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            control if control.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_an_element() {
        assert_eq!(escaped("<a & \"b\">\u{1b}"), "&lt;a &amp; &quot;b&quot;&gt;\u{fffd}");
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(escaped("a\u{0}\u{fffe}\u{ffff}\tb\n"), "a\u{fffd}\u{fffd}\u{fffd}\tb\n");
    }
}
