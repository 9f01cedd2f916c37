//! Sizes as people write them: `4096`, `4k`, `128Ki`, `2m`.

/// Larger extents are typing errors, and products of those below stay exact enough.
const LARGEST: u64 = 1 << 40;

/// A size. `k`, `m` and `g`, with or without `i`, are powers of 1024: a context of 4k is 4096 tokens.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let suffix = text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase();
    let factor: u64 = match suffix.as_str() {
        "" => 1,
        "k" | "ki" => 1 << 10,
        "m" | "mi" => 1 << 20,
        "g" | "gi" => 1 << 30,
        _ => return Err(format!("`{suffix}` is no unit of a size: k, m and g are")),
    };
    let number: u64 =
        digits.replace('_', "").parse().map_err(|_| "a whole number such as 4096 or 4k".to_owned())?;
    number
        .checked_mul(factor)
        .filter(|size| (1..=LARGEST).contains(size))
        .ok_or_else(|| format!("a size from 1 to {LARGEST}"))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_as_people_write_them() {
        for (text, expected) in
            [("1", 1), ("4k", 4096), ("128Ki", 131_072), ("2M", 2_097_152), ("1_000", 1000)]
        {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "k", "4q", "-1", "1.5k", "99999999999g"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
