//! Values of nvprof with their units, which stand in their own row or right behind the value.

use crate::json::number::scaled;

/// Nanoseconds of a decimal in a unit of time, exactly.
pub(super) fn nanoseconds(cell: &[u8], unit: &str) -> Option<i64> {
    let power = match unit {
        "s" => 9,
        "ms" => 6,
        "us" => 3,
        "ns" => 0,
        _ => return None,
    };
    scaled(cell.trim_ascii(), power)
}

/// Bytes, or bytes a second, that a unit has. Prefixes are powers of 1024.
fn bytes_of(unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/s").unwrap_or(unit).strip_suffix('B')?;
    Some(match unit {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1_048_576.0,
        "G" => 1_073_741_824.0,
        "T" => 1_099_511_627_776.0,
        _ => return None,
    })
}

/// Bytes of a cell in a unit.
pub(super) fn bytes(cell: &[u8], unit: &str) -> Option<f64> {
    Some(number(cell)? * bytes_of(unit)?)
}

/// A plain number.
pub(super) fn number(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    text.parse().ok().filter(|value: &f64| is_number && value.is_finite())
}

/// A value with its unit behind it, in base units: `15.54%`, `52.26GB/s`, `2.5us`; or a level with its number, of ten:
/// `High (9)`.
pub(super) fn value(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    if let Some(plain) = number(cell) {
        return Some(plain);
    }
    if let Some((_, level)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        return number(level.as_bytes());
    }
    let end = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (digits, unit) = text.split_at_checked(end)?;
    let value = number(digits.as_bytes())?;
    match unit.trim() {
        "%" => Some(value),
        "s" | "ms" | "us" | "ns" => Some(nanoseconds(digits.as_bytes(), unit.trim())? as f64),
        unit => Some(value * bytes_of(unit)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_form() {
        for (cell, expected) in [
            ("295565785", Some(295_565_785.0)),
            ("0.900389", Some(0.900_389)),
            ("15.536187%", Some(15.536_187)),
            ("52.260235GB/s", Some(52.260_235 * 1_073_741_824.0)),
            ("182.541992KB/s", Some(182.541_992 * 1024.0)),
            ("0.000000B/s", Some(0.0)),
            ("High (9)", Some(9.0)),
            ("Idle (0)", Some(0.0)),
            ("1.500000us", Some(1_500.0)),
            ("4.000000MB", Some(4_194_304.0)),
            ("<OVERFLOW>", None),
            ("", None),
            ("nan", None),
            ("12furlongs", None),
        ] {
            assert_eq!(value(cell.as_bytes()), expected, "{cell}");
        }
    }

    #[test]
    fn times_are_exact() {
        assert_eq!(nanoseconds(b"515.301806", "ms"), Some(515_301_806));
        assert_eq!(nanoseconds(b"266.655000", "us"), Some(266_655));
        assert_eq!(nanoseconds(b"0.858174", "ms"), Some(858_174));
        assert_eq!(nanoseconds(b"1.5", "s"), Some(1_500_000_000));
        assert_eq!(nanoseconds(b"12", "ns"), Some(12));
        assert_eq!(nanoseconds(b"12", "B"), None);
        assert_eq!(nanoseconds(b"x", "ms"), None);
    }
}
