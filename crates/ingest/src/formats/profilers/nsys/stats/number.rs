//! Numbers with units. Times never pass through a float.

/// A unit of time or of memory: a power of ten of nanoseconds or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    power: u32,
}

impl Unit {
    pub(super) const NANOSECONDS: Self = Self { power: 0 };
    pub(super) const BYTES: Self = Self { power: 0 };

    /// The unit that a header names. A megabyte is a million bytes here.
    pub(super) fn of(name: &str) -> Option<Self> {
        let power = match name {
            "ns" | "nsec" | "B" => 0,
            "us" | "usec" | "μs" | "µs" | "KB" => 3,
            "ms" | "msec" | "MB" => 6,
            "s" | "sec" | "GB" => 9,
            _ => return None,
        };
        Some(Self { power })
    }

    /// True if a digit of the number is more than one byte or nanosecond.
    pub(super) fn is_coarse(self) -> bool {
        self.power > 0
    }

    /// The number in nanoseconds or bytes, rounded to whole ones.
    pub(super) fn whole(self, text: &str) -> Option<i64> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let power = self.power as usize;
        let kept = fraction.get(..power).unwrap_or(fraction);
        let scale = 10i128.checked_pow(u32::try_from(power - kept.len()).ok()?)?;
        let mut value = format!("{whole}{kept}").parse::<i128>().ok()?.checked_mul(scale)?;
        let rounds_up = fraction.as_bytes().get(power).is_some_and(|next| *next >= b'5');
        value += i128::from(rounds_up);
        i64::try_from(if is_negative { -value } else { value }).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_become_whole_numbers() {
        let of = |unit: &str, text: &str| Unit::of(unit).and_then(|unit| unit.whole(text));
        for (unit, text, expected) in [
            ("ns", "1134711990", Some(1_134_711_990)),
            ("us", "1134711.990", Some(1_134_711_990)),
            ("ms", "1134.71199", Some(1_134_711_990)),
            ("s", "1.13471199", Some(1_134_711_990)),
            ("MB", "4.194", Some(4_194_000)),
            ("ns", "195479.5", Some(195_480)),
            ("ns", "-1957198520", Some(-1_957_198_520)),
            ("us", "", None),
            ("us", "1,5", None),
            ("s", "99999999999999999999", None),
            ("%", "1", None),
        ] {
            assert_eq!(of(unit, text), expected, "{text} {unit}");
        }
    }
}
