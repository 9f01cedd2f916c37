//! Text in lines of a given width.

use unicode_width::UnicodeWidthStr;

/// The words of a text in lines not wider than `width`. A number and its unit are one word, and so is what a
/// no-break space joins; a word wider than a line is broken.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in words(text) {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for letter in word.chars() {
            if line.width() >= width.max(1) {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

fn words(text: &str) -> Vec<String> {
    const UNITS: [&str; 9] = ["ns", "us", "µs", "ms", "s", "%", "GB/s", "MiB", "GiB"];
    let mut words: Vec<String> = Vec::new();
    for word in text.split([' ', '\n']).filter(|word| !word.is_empty()) {
        let is_unit = UNITS.contains(&word.trim_end_matches([',', ';', '.', ')']));
        match words.last_mut() {
            Some(last) if is_unit && last.ends_with(|letter: char| letter.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// A text in the width that is left next to `indent` columns, every line but the first indented by them.
pub(super) fn hang(text: &str, indent: usize, width: usize) -> String {
    wrap(text, width.saturating_sub(indent).max(20)).join(&format!("\n{}", " ".repeat(indent)))
}

/// Spaces that bring a text to a width.
pub(super) fn padding(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("one incomprehensibilities", 7), ["one", "incompr", "ehensib", "ilities"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("takes 1.2 s (5 %), ok", 8), ["takes", "1.2 s", "(5 %),", "ok"]);
        assert_eq!(wrap("a\u{a0}b c", 4), ["a\u{a0}b", "c"]);
        assert_eq!(hang("a b", 2, 2), "a b");
        assert_eq!(hang("aaaaaaaaaa bbbbbbbbbb cccccccccc", 4, 26), "aaaaaaaaaa bbbbbbbbbb\n    cccccccccc");
    }
}
