//! What frames look like. One list for all pictures.
//!
//! Kinds have the colors of timelines; changes go from blue to red as in ColorBrewer's RdBu. Both are made for all kinds
//! of color vision.

use eaves_section::flame::FrameKind;
use eaves_section::timeline::Class;

use crate::colours;

/// A kind of frame with its colors for light and dark pages.
pub(super) struct Style {
    pub(super) kind: FrameKind,
    pub(super) label: &'static str,
    pub(super) light: &'static str,
    pub(super) dark: &'static str,
}

/// A kind that timelines show too, as they do.
const fn style(kind: FrameKind, label: &'static str, class: Class) -> Style {
    let [light, dark] = colours::of(class);
    Style { kind, label, light, dark }
}

/// Every kind, in the order of [`FrameKind::ALL`].
pub(super) static STYLES: [Style; FrameKind::ALL.len()] = [
    Style { kind: FrameKind::Root, label: "rank or thread", light: "#d4d7db", dark: "#5b626b" },
    style(FrameKind::Annotation, "annotation", Class::Range),
    style(FrameKind::Python, "Python", Class::Python),
    style(FrameKind::Op, "operator", Class::Operator),
    style(FrameKind::Runtime, "runtime call", Class::Runtime),
    style(FrameKind::Other, "other call", Class::Other),
    style(FrameKind::Kernel, "kernel (GPU)", Class::Compute),
    style(FrameKind::Communication, "communication (GPU)", Class::Communication),
    style(FrameKind::Memory, "memory (GPU)", Class::Memory),
    Style { kind: FrameKind::Small, label: "several small frames", light: "#ebebeb", dark: "#3a4048" },
];

/// What people call a kind.
pub(super) fn label(kind: FrameKind) -> &'static str {
    STYLES.iter().find(|style| style.kind == kind).map_or("", |style| style.label)
}

/// A change from less to more than before.
pub(super) struct Change {
    /// Changes up to this one, as a share of the larger amount.
    pub(super) most: f64,
    pub(super) fill: &'static str,
    pub(super) text: &'static str,
}

const DARK: &str = "#111111";
const BRIGHT: &str = "#ffffff";

const fn step(most: f64, fill: &'static str, text: &'static str) -> Change {
    Change { most, fill, text }
}

/// Changes of less than two in a hundred are taken for none.
pub(super) static CHANGES: [Change; 9] = [
    step(-0.5, "#2166ac", BRIGHT),
    step(-0.2, "#4393c3", DARK),
    step(-0.07, "#92c5de", DARK),
    step(-0.02, "#d1e5f0", DARK),
    step(0.02, "#d9d9d9", DARK),
    step(0.07, "#fddbc7", DARK),
    step(0.2, "#f4a582", DARK),
    step(0.5, "#d6604d", DARK),
    step(1.0, "#b2182b", BRIGHT),
];

/// Which of [`CHANGES`] the step from one amount to another is.
pub(super) fn change(now: i64, before: i64) -> usize {
    let larger = now.max(before);
    let share = if larger <= 0 { 0.0 } else { (now as f64 - before as f64) / larger as f64 };
    CHANGES.iter().position(|change| share <= change.most).unwrap_or(CHANGES.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_in_the_order_of_kinds() {
        assert_eq!(STYLES.each_ref().map(|style| style.kind), FrameKind::ALL);
    }

    #[test]
    fn more_is_red_less_is_blue_the_same_is_grey() {
        assert_eq!(
            [change(0, 9), change(99, 100), change(100, 100), change(0, 0), change(9, 0)],
            [0, 4, 4, 4, 8]
        );
        assert_eq!([change(110, 100), change(100, 110)], [6, 2]);
    }
}
