//! JSON as bytes appended to a buffer. Traces hold tens of millions of values, so nothing here allocates per
//! value and no value tree is built.

use std::io::Write as _;

use eaves_model::{Ns, StringId, Strings};

/// Appends an integer.
pub(super) fn push_integer(buffer: &mut Vec<u8>, value: i64) {
    if value < 0 {
        buffer.push(b'-');
    }
    push_unsigned(buffer, value.unsigned_abs());
}

/// Appends an integer without sign.
pub(super) fn push_unsigned(buffer: &mut Vec<u8>, value: u64) {
    let mut digits = [0; 20];
    let first = fill_digits(&mut digits, value);
    buffer.extend_from_slice(&digits[first..]);
}

/// Writes a number to the end of the array; the answer is where it begins.
fn fill_digits(digits: &mut [u8; 20], mut value: u64) -> usize {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return first;
        }
    }
}

/// Appends a time as microseconds with three decimals, which is exact.
pub(super) fn push_microseconds(buffer: &mut Vec<u8>, time: Ns) {
    if time.0 < 0 {
        buffer.push(b'-');
    }
    let nanoseconds = time.0.unsigned_abs();
    push_unsigned(buffer, nanoseconds / 1000);
    let digit = |unit: u64| b'0' + (nanoseconds / unit % 10) as u8;
    buffer.extend_from_slice(&[b'.', digit(100), digit(10), digit(1)]);
}

/// Appends the shortest text that reads as the same float. Whole numbers get no fraction, as profilers write
/// them. JSON has no infinity; `1e999` is a valid number and reads as one.
pub(super) fn push_float(buffer: &mut Vec<u8>, value: f64) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.is_infinite() {
        buffer.extend_from_slice(if value > 0.0 { b"1e999" } else { b"-1e999" });
    } else if value.is_nan() {
        buffer.extend_from_slice(b"null");
    } else if value.fract() == 0.0 && value.abs() < EXACT && (value != 0.0 || value.is_sign_positive()) {
        push_integer(buffer, value as i64);
    } else {
        // Writing to memory cannot fail.
        write!(buffer, "{value:?}").ok();
    }
}

/// Appends a JSON string.
pub(super) fn push_string(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    if is_plain(text) {
        buffer.extend_from_slice(text.as_bytes());
    } else {
        push_escaped(buffer, text);
    }
    buffer.push(b'"');
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\')
}

fn push_escaped(buffer: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => buffer.extend_from_slice(&[b'\\', byte]),
            b'\n' => buffer.extend_from_slice(b"\\n"),
            b'\r' => buffer.extend_from_slice(b"\\r"),
            b'\t' => buffer.extend_from_slice(b"\\t"),
            0..b' ' => {
                buffer.extend_from_slice(b"\\u00");
                buffer.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            _ => buffer.push(byte),
        }
    }
}

/// The strings of a trace, with what must be known to write each of them, found once instead of once per use.
pub(super) struct Texts<'a> {
    strings: &'a Strings,
    plain: Vec<bool>,
    json: Vec<Option<bool>>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(strings: &'a Strings) -> Self {
        Self { strings, plain: strings.iter().map(is_plain).collect(), json: vec![None; strings.len()] }
    }

    /// The text itself.
    pub(super) fn get(&self, id: StringId) -> &'a str {
        self.strings.get(id)
    }

    /// Appends a text as a JSON string.
    pub(super) fn push(&self, buffer: &mut Vec<u8>, id: StringId) {
        let text = self.strings.get(id);
        if self.plain.get(id.index()) == Some(&true) {
            buffer.push(b'"');
            buffer.extend_from_slice(text.as_bytes());
            buffer.push(b'"');
        } else {
            push_string(buffer, text);
        }
    }

    /// Appends a text that holds JSON as it stands. One that does not would break the file and becomes a string.
    pub(super) fn push_json(&mut self, buffer: &mut Vec<u8>, id: StringId) {
        let text = self.strings.get(id);
        let is_json =
            self.json.get_mut(id.index()).is_some_and(|known| *known.get_or_insert_with(|| stands_raw(text)));
        if is_json {
            buffer.extend_from_slice(text.as_bytes());
        } else {
            self.push(buffer, id);
        }
    }
}

/// True for JSON that reads as the same text without quotes around it. A reader takes a string for what is in it,
/// `null` for nothing, and no blanks.
fn stands_raw(text: &str) -> bool {
    !text.starts_with('"')
        && text != "null"
        && text.trim() == text
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut buffer = Vec::new();
        push(&mut buffer);
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn times_are_exact_decimals() {
        for (time, text) in [
            (0, "0.000"),
            (7, "0.007"),
            (-7, "-0.007"),
            (1_234_567_890_123, "1234567890.123"),
            (999, "0.999"),
            (i64::MIN, "-9223372036854775.808"),
            (i64::MAX, "9223372036854775.807"),
        ] {
            assert_eq!(written(|buffer| push_microseconds(buffer, Ns(time))), text);
        }
    }

    #[test]
    fn numbers_read_as_what_they_were() {
        for value in [0.0, -0.0, 1.0, 0.1, 7.827493261455525, 1e300, 5e-324, -2.5, 9007199254740993.0, 1e16] {
            let text = written(|buffer| push_float(buffer, value));
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
            serde_json::from_str::<f64>(&text).unwrap();
        }
        assert_eq!(written(|buffer| push_float(buffer, 38_731_776.0)), "38731776");
        assert_eq!(written(|buffer| push_float(buffer, f64::INFINITY)).parse(), Ok(f64::INFINITY));
        for value in [0, 9, 10, -1, i64::MIN, i64::MAX] {
            assert_eq!(written(|buffer| push_integer(buffer, value)), value.to_string());
        }
    }

    #[test]
    fn strings_are_escaped_as_serde_does() {
        for text in ["", "aten::mm", "a\"b\\c", "tab\tline\nreturn\r", "\u{0}\u{1f}\u{7f}", "Größe 行列 🦉"]
        {
            assert_eq!(written(|buffer| push_string(buffer, text)), serde_json::to_string(text).unwrap());
        }
    }

    #[test]
    fn json_text_is_raw_only_if_it_is_json() {
        let mut strings = Strings::default();
        let list = strings.intern("[[2, 3], []]");
        let broken = strings.intern("[[2, 3], [");
        let mut texts = Texts::new(&strings);
        assert_eq!(written(|buffer| texts.push_json(buffer, list)), "[[2, 3], []]");
        assert_eq!(written(|buffer| texts.push_json(buffer, broken)), "\"[[2, 3], [\"");
        for (text, raw) in
            [("{}", true), ("7", true), ("null", false), ("\"a\"", false), (" []", false), ("a", false)]
        {
            assert_eq!(stands_raw(text), raw, "{text}");
        }
    }
}
