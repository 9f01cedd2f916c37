//! The letters of a drawing: elements, and how wide texts are.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use crate::markup::escaped;

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn attribute(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Middle => " text-anchor=\"middle\"",
            Self::End => " text-anchor=\"end\"",
        }
    }
}

/// What is drawn so far. Writing to memory cannot fail, so results are dropped.
#[derive(Default)]
pub(super) struct Canvas {
    pub(super) body: String,
    /// True if marks say what they are to whoever points at them; for pages that do so themselves, false.
    pub(super) titles: bool,
}

impl Canvas {
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        writeln!(self.body, "<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>").ok();
    }

    pub(super) fn path(&mut self, class: &str, path: &str) {
        if !path.is_empty() {
            writeln!(self.body, "<path class=\"{class}\" d=\"{path}\"/>").ok();
        }
    }

    /// A mark that says what it is.
    pub(super) fn mark(&mut self, class: &str, path: &str, title: impl FnOnce() -> String) {
        if self.titles {
            writeln!(
                self.body,
                "<path class=\"m {class}\" d=\"{path}\"><title>{}</title></path>",
                escaped(&title())
            )
            .ok();
        } else {
            writeln!(self.body, "<path class=\"m {class}\" d=\"{path}\"/>").ok();
        }
    }

    pub(super) fn rectangle(&mut self, class: &str, area: Rect) {
        let Rect { left, top, right, bottom } = area;
        let (width, height) = ((right - left).max(0.0), (bottom - top).max(0.0));
        writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        )
        .ok();
    }

    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y) = at;
        let anchor = anchor.attribute();
        writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>",
            escaped(text)
        )
        .ok();
    }

    /// A text turned around its place, in degrees.
    pub(super) fn turned(&mut self, class: &str, at: (f64, f64), degrees: f64, anchor: Anchor, text: &str) {
        let (x, y) = at;
        let anchor = anchor.attribute();
        writeln!(
            self.body,
            "<text class=\"{class}\" transform=\"translate({x:.1} {y:.1}) rotate({degrees:.1})\"{anchor}>{}</text>",
            escaped(text)
        )
        .ok();
    }
}

/// A part of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub(super) fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    pub(super) fn grown(&self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    /// True if a line between two places goes through it.
    pub(super) fn is_crossed(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        // What is left of the line after it was cut at each side (Liang and Barsky, 1984).
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let sides = [
            (-dx, from.0 - self.left),
            (dx, self.right - from.0),
            (-dy, from.1 - self.top),
            (dy, self.bottom - from.1),
        ];
        let (mut first, mut last) = (0.0f64, 1.0f64);
        for (step, room) in sides {
            if step == 0.0 {
                if room < 0.0 {
                    return false;
                }
            } else if step < 0.0 {
                first = first.max(room / step);
            } else {
                last = last.min(room / step);
            }
        }
        first <= last
    }
}

/// Advances of the printable ASCII letters in Inter Regular, in hundredths of the size.
const ADVANCES: [u8; 95] = [
    28, 28, 40, 63, 64, 81, 64, 22, 36, 36, 50, 66, 28, 46, 28, 36, 62, 46, 61, 64, 64, 61, 62, 57, 62, 62,
    28, 28, 66, 66, 66, 51, 94, 68, 65, 73, 72, 60, 59, 74, 74, 26, 54, 65, 56, 89, 75, 76, 63, 76, 64, 64,
    64, 74, 68, 95, 64, 66, 62, 36, 36, 36, 47, 45, 50, 56, 62, 56, 62, 58, 36, 61, 59, 24, 24, 54, 24, 87,
    59, 60, 61, 61, 37, 52, 36, 58, 56, 81, 54, 56, 54, 36, 33, 36, 66,
];

/// About how wide a text is in the embedded font. Letters it does not have are drawn by others, about square.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let advance =
        |letter: char| match u32::from(letter).checked_sub(32).and_then(|at| ADVANCES.get(at as usize)) {
            Some(hundredths) => f64::from(*hundredths) / 100.0,
            None => 0.8 * letter.width().unwrap_or(1).max(1) as f64,
        };
    text.chars().map(advance).sum::<f64>() * size
}

/// Words in lines that are not wider than that.
pub(super) fn wrapped(parts: &[String], between: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line)
                if text_width(line, size) + text_width(between, size) + text_width(part, size) <= width =>
            {
                line.push_str(between);
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

/// As much of a text as fits, cut at its end.
pub(super) fn fitting(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut room = width - text_width("…", size);
    let mut kept = String::new();
    for letter in text.chars() {
        room -= text_width(letter.encode_utf8(&mut [0; 4]), size);
        if room < 0.0 {
            break;
        }
        kept.push(letter);
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_what_they_go_through() {
        let area = Rect::new(10.0, 10.0, 10.0, 10.0);
        assert!(area.is_crossed((0.0, 15.0), (30.0, 15.0)));
        assert!(area.is_crossed((12.0, 12.0), (13.0, 13.0)));
        assert!(!area.is_crossed((0.0, 0.0), (30.0, 5.0)));
        assert!(!area.is_crossed((0.0, 25.0), (5.0, 0.0)));
        assert!(!area.is_crossed((15.0, 0.0), (15.0, 9.0)));
    }

    #[test]
    fn texts_are_cut_to_their_room() {
        assert_eq!(fitting("roofline", 10.0, 100.0), "roofline");
        let cut = fitting("a roofline of many kernels", 10.0, 60.0);
        assert!(cut.ends_with('…') && text_width(&cut, 10.0) <= 60.0, "{cut}");
        assert!(text_width("漢", 10.0) > text_width("m", 10.0));
        let lines = wrapped(&["one".into(), "two".into(), "three".into()], " · ", 10.0, 60.0);
        assert_eq!(lines, ["one · two", "three"]);
    }
}
