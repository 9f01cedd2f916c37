//! Extents of shapes as people write them: `4096`, `4k`, `128Ki`, `2m`.

use std::fmt;
use std::str::FromStr;

use crate::text_value::written_as_text;

/// Larger extents are typing errors, and products of those below stay exact enough.
const LARGEST: u64 = 1 << 40;

/// One side of a shape. `k`, `m` and `g`, with or without `i`, are powers of 1024: a context of 4k is 4096 tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent(pub u64);

impl Extent {
    /// The number as formulas take it.
    pub(crate) fn float(self) -> f64 {
        self.0 as f64
    }

    /// The number as memory is counted.
    ///
    /// # Errors
    /// If this machine cannot count so far.
    pub(crate) fn count(self) -> Result<usize, crate::Failure> {
        usize::try_from(self.0).map_err(|_| {
            crate::Failure::usage(format!("{self} is too large for this machine"), "use a smaller extent")
        })
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let suffix = text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase();
        let factor: u64 = match suffix.as_str() {
            "" => 1,
            "k" | "ki" => 1 << 10,
            "m" | "mi" => 1 << 20,
            "g" | "gi" => 1 << 30,
            _ => return Err(format!("`{suffix}` is not a size unit; use k, m or g")),
        };
        let number: u64 = digits
            .replace('_', "")
            .parse()
            .map_err(|_| "expected a whole number such as 4096 or 4k".to_owned())?;
        number
            .checked_mul(factor)
            .filter(|size| (1..=LARGEST).contains(size))
            .map(Self)
            .ok_or_else(|| format!("expected a size from 1 to {LARGEST}"))
    }
}

written_as_text!(Extent, "Extent", "4k");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        for (text, expected) in
            [("1", 1), ("4k", 4096), ("128Ki", 131_072), ("2M", 2_097_152), ("1_000", 1000)]
        {
            assert_eq!(text.parse(), Ok(Extent(expected)), "{text}");
        }
        for text in ["", "0", "k", "4q", "-1", "1.5k", "99999999999g"] {
            assert!(text.parse::<Extent>().is_err(), "{text}");
        }
    }

    #[test]
    fn json_has_numbers_and_texts() {
        for (json, expected) in [("4096", 4096), ("\"4k\"", 4096), ("\"17\"", 17)] {
            assert_eq!(serde_json::from_str::<Extent>(json).unwrap(), Extent(expected), "{json}");
        }
        for json in ["0", "-1", "1.5", "true", "[1]", "\"\""] {
            assert!(serde_json::from_str::<Extent>(json).is_err(), "{json}");
        }
    }
}
