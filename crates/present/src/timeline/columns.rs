//! Columns of numbers as bytes: small numbers in few bytes.

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
}
