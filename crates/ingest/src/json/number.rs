//! Numbers, exactly. Times become integer nanoseconds from their decimal digits; no float is in between.

use super::padded::Padded;

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Value and number of the leading decimal digits of eight bytes, all at once: find the first byte that is no
/// digit, shift the digits to the top, and add neighbors pairwise.
#[inline(always)]
fn digits_of_word(word: u64) -> (u64, usize) {
    const HIGH: u64 = 0xF0F0_F0F0_F0F0_F0F0;
    const THREES: u64 = 0x3030_3030_3030_3030;
    const SIXES: u64 = 0x0606_0606_0606_0606;
    let other = ((word & HIGH) ^ THREES) | ((word.wrapping_add(SIXES) & HIGH) ^ THREES);
    let count = if other == 0 { 8 } else { other.trailing_zeros() as usize / 8 };
    if count == 0 {
        return (0, 0);
    }
    let digits = (word << (64 - 8 * count)) & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let value = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
    (value, count)
}

/// Value and number of the digits at a position. More than 18 digits give a wrong value and a count above 18.
#[inline(always)]
fn digits(chunk: Padded<'_>, position: usize) -> (u64, usize) {
    let (value, count) = digits_of_word(chunk.word(position));
    if count < 8 {
        return (value, count);
    }
    let (next, more) = digits_of_word(chunk.word(position + 8));
    let value = value * POWERS[more] + next;
    if more < 8 {
        return (value, 8 + more);
    }
    let (next, more) = digits_of_word(chunk.word(position + 16));
    if more > 2 { (0, 19) } else { (value * POWERS[more] + next, 16 + more) }
}

#[inline(always)]
fn ends_value(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b'"')
}

/// The integer at a position, if a plain one of at most 18 digits stands there.
#[inline(always)]
pub(crate) fn integer(chunk: Padded<'_>, position: usize) -> Option<i64> {
    let negative = chunk.at(position) == b'-';
    let start = position + usize::from(negative);
    let (value, count) = digits(chunk, start);
    if count == 0 || count > 18 || !ends_value(chunk.at(start + count)) {
        return None;
    }
    Some(if negative { -(value as i64) } else { value as i64 })
}

/// The decimal number of microseconds at a position in nanoseconds, if it stands there in plain form. Digits
/// beyond the nanosecond are rounded, half up: files that went through a float say 1.0009999999 for 1.001.
#[inline(always)]
pub(crate) fn microseconds(chunk: Padded<'_>, position: usize) -> Option<i64> {
    let negative = chunk.at(position) == b'-';
    let mut end = position + usize::from(negative);
    let (whole, count) = digits(chunk, end);
    if count == 0 || count > 15 {
        return None;
    }
    end += count;
    let mut value = whole * 1_000;
    if chunk.at(end) == b'.' {
        let (fraction, count) = digits_of_word(chunk.word(end + 1));
        end += 1 + count;
        value += match count {
            0 => return None,
            1..=3 => fraction * POWERS[3 - count],
            _ => (fraction / POWERS[count - 4]).rounded_tenths(),
        };
        if count == 8 {
            while chunk.at(end).is_ascii_digit() {
                end += 1;
            }
        }
    }
    if !ends_value(chunk.at(end)) {
        return None;
    }
    Some(if negative { -(value as i64) } else { value as i64 })
}

trait RoundTenths {
    /// Tenths to whole numbers, half up.
    fn rounded_tenths(self) -> u64;
}

impl RoundTenths for u64 {
    #[inline(always)]
    fn rounded_tenths(self) -> u64 {
        (self + 5) / 10
    }
}

/// Any JSON number as an integer scaled by a power of ten, rounded half away from zero, exact up to the range of
/// the answer and saturating there. `None` for what is not a number (null, NaN, texts).
#[cold]
pub(crate) fn scaled(text: &[u8], power: i32) -> Option<i64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => {
            let exponent: i32 = std::str::from_utf8(&text[at + 1..]).ok()?.parse().ok()?;
            (&text[..at], exponent)
        }
        None => (text, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &mantissa[..0]),
    };
    if whole.len() + fraction.len() == 0 || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    // The value is digits * 10^shift; keep digits while they matter.
    let shift = exponent.saturating_add(power).saturating_sub(fraction.len() as i32);
    let digits = whole.iter().chain(fraction).map(|byte| byte - b'0').skip_while(|&digit| digit == 0);
    let magnitude = shifted(digits, shift);
    Some(if negative { magnitude.saturating_neg() } else { magnitude })
}

fn shifted(digits: impl Iterator<Item = u8> + Clone, shift: i32) -> i64 {
    let count = digits.clone().count() as i64;
    let kept = count + i64::from(shift).min(0);
    if kept < 0 {
        return 0;
    }
    let mut value: i64 = 0;
    for digit in digits.clone().take(kept as usize) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit));
    }
    if shift < 0 {
        let first_lost = digits.clone().nth(kept as usize).unwrap_or(0);
        return value.saturating_add(i64::from(first_lost >= 5));
    }
    for _ in 0..shift.min(20) {
        value = value.saturating_mul(10);
    }
    value
}

/// A float as JSON or a bare `NaN`/`Infinity` gives it; only finite ones count.
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// A number written as a text: decimal, or hexadecimal behind `0x`.
pub(crate) fn integer_of_text(text: &[u8]) -> Option<i64> {
    match text {
        [b'0', b'x' | b'X', digits @ ..] => {
            let value = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            Some(value as i64)
        }
        _ => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::padded::PADDING;
    use super::*;

    fn fast<T>(text: &str, parse: impl Fn(Padded<'_>, usize) -> Option<T>) -> Option<T> {
        let mut bytes = format!("{text},").into_bytes();
        let length = bytes.len();
        bytes.resize(length + PADDING, 0);
        parse(Padded::new(&bytes, length), 0)
    }

    #[test]
    fn microseconds_are_exact_nanoseconds() {
        for (text, expected) in [
            ("0", 0),
            ("1", 1_000),
            ("4458677009853.422", 4_458_677_009_853_422),
            ("1712195495519689.047", 1_712_195_495_519_689_047),
            ("0.001", 1),
            ("12.5", 12_500),
            ("12.05", 12_050),
            ("-3.25", -3_250),
            ("1.0009999999999", 1_001),
            ("1.00049", 1_000),
            ("1.0005", 1_001),
            ("123.45600000000002", 123_456),
            ("0.9999", 1_000),
        ] {
            let slow = scaled(text.as_bytes(), 3);
            assert_eq!(slow, Some(expected), "{text} the general way");
            if text.len() < 17 {
                assert_eq!(fast(text, microseconds), Some(expected), "{text} the fast way");
            }
        }
    }

    #[test]
    fn odd_numbers_take_the_general_way() {
        for (text, expected) in [
            ("1.5e3", Some(1_500_000)),
            ("15E-1", Some(1_500)),
            ("1e-9", Some(0)),
            ("9223372036854775807", Some(i64::MAX)),
            ("1e400", Some(i64::MAX)),
            ("-1e400", Some(-i64::MAX)),
            ("NaN", None),
            ("Infinity", None),
            ("null", None),
            ("", None),
            ("1.2.3", None),
            ("1e99999999999", None),
        ] {
            assert_eq!(scaled(text.as_bytes(), 3), expected, "{text}");
            assert_eq!(fast(text, microseconds), None, "{text}");
        }
    }

    #[test]
    fn texts_may_hold_numbers() {
        assert_eq!(integer_of_text(b"0x1f"), Some(31));
        assert_eq!(integer_of_text(b"0xffffffffffffffff"), Some(-1));
        assert_eq!(integer_of_text(b"60"), Some(60));
        assert_eq!(integer_of_text(b"Spans"), None);
    }

    proptest! {
        #[test]
        fn integers_agree_with_the_standard_library(value in -999_999_999_999_999_999i64..=999_999_999_999_999_999) {
            prop_assert_eq!(fast(&value.to_string(), integer), Some(value));
        }

        #[test]
        fn both_ways_agree(whole in 0u64..1_000_000_000_000_000, fraction in "[0-9]{1,12}") {
            let text = format!("{whole}.{fraction}");
            prop_assert_eq!(fast(&text, microseconds), scaled(text.as_bytes(), 3));
        }

        /// Twin: 128 bit arithmetic on the padded digits.
        #[test]
        fn the_general_way_is_exact(whole in 0u64..1_000_000_000_000_000, fraction in "[0-9]{0,12}") {
            let padded: u128 = format!("{fraction:0<12}").parse().unwrap();
            let picoseconds = u128::from(whole) * 1_000_000_000_000 + padded;
            let expected = (picoseconds + 500_000_000) / 1_000_000_000;
            let text = format!("{whole}.{fraction}");
            prop_assert_eq!(scaled(text.as_bytes(), 3), Some(expected as i64));
        }
    }
}
