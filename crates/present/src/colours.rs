//! The colors of calls and activities: one for each class, the same in timelines and flame graphs, chosen so that people
//! who see few colors can tell them apart (after Okabe and Ito, "Color Universal Design", 2008). Dark text is readable on
//! those of light pages, bright text on those of dark ones.

use eaves_section::timeline::Class;

/// The color of names on a light and on a dark page.
pub(crate) const INK: [&str; 2] = ["#111111", "#f4f6f8"];

/// The color of a class on a light and on a dark page.
pub(crate) const fn of(class: Class) -> [&'static str; 2] {
    match class {
        Class::Operator => ["#7fb8e0", "#2f6f9f"],
        Class::Runtime => ["#f0a073", "#a3562a"],
        Class::Python => ["#c9c3e6", "#5d568c"],
        Class::Range => ["#d8dde2", "#454c55"],
        Class::Compute => ["#63c3a0", "#1f7f5f"],
        Class::Communication => ["#d99abf", "#94487a"],
        Class::Memory => ["#f2c14e", "#8a6717"],
        Class::Record => ["#bfbfbf", "#6a6a6a"],
        Class::Other => ["#b5cf8f", "#557032"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colors as WCAG 2.2 defines it.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let channel = |at: usize| {
                let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn names_are_readable_on_every_colour() {
        // Black on white has 21, by definition.
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        for class in Class::ALL {
            for (colour, ink) in of(class).into_iter().zip(INK) {
                assert!(
                    contrast(colour, ink) >= 4.5,
                    "{class:?}: {ink} on {colour}: {}",
                    contrast(colour, ink)
                );
            }
        }
    }
}
