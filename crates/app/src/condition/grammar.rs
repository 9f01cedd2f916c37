//! The one grammar of `--fail-on`: a subject, `<` or `>`, and a limit with its unit.

use eaves_section::Unit;

/// A condition in its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parts<'a> {
    /// What it is about: a metric, or a kind of thing, `:` and a name.
    pub(crate) subject: &'a str,
    /// True for `>`, false for `<`.
    pub(crate) above: bool,
    /// The limit as it was typed.
    pub(crate) typed: &'a str,
    /// The limit; nothing if it is not a number or has an unknown unit.
    pub(crate) limit: Option<Limit>,
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// In nanoseconds, bytes, 10^9 a second, percent, or as it is.
    pub(crate) value: f64,
    /// What it counts; [`Unit::Count`] by default.
    pub(crate) unit: Unit,
}

impl<'a> Parts<'a> {
    /// The parts of a condition; nothing without `<` or `>`.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        // The kernel name may hold the signs itself.
        let at = text.rfind(['>', '<'])?;
        let typed = text[at + 1..].trim();
        Some(Self { subject: text[..at].trim(), above: &text[at..=at] == ">", typed, limit: limit(typed) })
    }
}

/// `50`, `+3%`, `-2.5ms`, `80GB/s`, `70GB`.
fn limit(text: &str) -> Option<Limit> {
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
    let (scale, unit) = match text[end..].trim() {
        "" => (1.0, Unit::Count),
        "%" => (1.0, Unit::Percent),
        "ns" => (1.0, Unit::Nanoseconds),
        "us" | "µs" => (1e3, Unit::Nanoseconds),
        "ms" => (1e6, Unit::Nanoseconds),
        "s" => (1e9, Unit::Nanoseconds),
        "B" => (1.0, Unit::Bytes),
        "kB" | "KB" => (1e3, Unit::Bytes),
        "MB" => (1e6, Unit::Bytes),
        "GB" => (1e9, Unit::Bytes),
        "TB" => (1e12, Unit::Bytes),
        "KiB" => (1024.0, Unit::Bytes),
        "MiB" => (1_048_576.0, Unit::Bytes),
        "GiB" => (1_073_741_824.0, Unit::Bytes),
        "GB/s" => (1.0, Unit::GigabytesPerSecond),
        "TB/s" => (1e3, Unit::GigabytesPerSecond),
        "GFLOP/s" => (1.0, Unit::GigaflopsPerSecond),
        "TFLOP/s" => (1e3, Unit::GigaflopsPerSecond),
        _ => return None,
    };
    let number: f64 = text[..end].trim().parse().ok()?;
    Some(Limit { value: number * scale, unit }).filter(|limit| limit.value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_units() {
        let read = |text: &str| limit(text).map(|limit| (limit.value, limit.unit));
        assert_eq!(read("50"), Some((50.0, Unit::Count)));
        assert_eq!(read("+3 %"), Some((3.0, Unit::Percent)));
        assert_eq!(read("-2.5ms"), Some((-2.5e6, Unit::Nanoseconds)));
        assert_eq!(read("1KiB"), Some((1024.0, Unit::Bytes)));
        assert_eq!(read("2TB/s"), Some((2000.0, Unit::GigabytesPerSecond)));
        for text in ["", "x", "3 weeks", "1e999", "ms"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_sign_parts_subject_and_limit() {
        let parts = Parts::of(" kernel:f<int>(a) < 5%").unwrap();
        assert_eq!((parts.subject, parts.above, parts.typed), ("kernel:f<int>(a)", false, "5%"));
        assert_eq!(Parts::of("step"), None);
    }
}
