//! Columns of numbers as bytes: small numbers in few bytes, and bytes as letters.

/// A column of whole numbers, seven bits a byte, the lowest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Column(pub(super) Vec<u8>);

/// The largest number that JavaScript holds exactly. What is larger is cut: 104 days in nanoseconds.
const LARGEST: u64 = (1 << 53) - 1;

impl Column {
    pub(super) fn push(&mut self, value: u64) {
        let mut value = value.min(LARGEST);
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number of either sign: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
    pub(super) fn push_signed(&mut self, value: i64) {
        let doubled = value.unsigned_abs().saturating_mul(2);
        self.push(if value < 0 { doubled - 1 } else { doubled });
    }
}

/// The letters of RFC 4648.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for letter in 0..4 {
            let value = bits >> (18 - 6 * letter) & 63;
            text.push(if letter <= chunk.len() { char::from(LETTERS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_few_bytes() {
        let mut column = Column::default();
        column.push(0);
        column.push(127);
        column.push(128);
        column.push_signed(-1);
        column.push_signed(1);
        assert_eq!(column.0, [0, 127, 0x80, 1, 1, 2]);
        let mut column = Column::default();
        column.push(u64::MAX);
        column.push_signed(i64::MIN);
        assert_eq!(column.0.len(), 16);
    }

    #[test]
    fn base64_of_the_rfc() {
        // Section 10 of RFC 4648.
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in vectors.into_iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), expected);
        }
    }
}
