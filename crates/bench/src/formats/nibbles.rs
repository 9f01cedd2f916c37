//! Where 4-bit codes are in the bytes of a row.

/// In which order 4-bit codes of a row are stored. The bytes are as many either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Element `2i` in the low half of byte `i`, element `2i + 1` in the high half, as files store them.
    Sequential,
    /// For vectors: eight blocks side by side, so that every 32-bit lane of a 256-bit vector holds elements of one block,
    /// and the lanes of a sum are multiplied by a vector of scales; no lane is ever added to another.
    ///
    /// Eight blocks of `B` elements (`B` is a multiple of 8) are a group of `4 B` bytes, `B / 8` vectors of 32 bytes.
    /// Element `i` of block `j` is in vector `i / 8`, byte `4 j + i % 4`; in the low half if `i % 8 < 4`.
    #[default]
    Interleaved,
}

impl Order {
    /// Elements that are stored together: a row is padded to a multiple of it.
    pub(super) fn group(self, block: usize) -> usize {
        match self {
            Self::Sequential => block,
            Self::Interleaved => 8 * block,
        }
    }

    /// The byte of an element in its row, and how far its code is shifted. `block` is the block that is interleaved.
    pub fn position(self, block: usize, column: usize) -> (usize, u32) {
        match self {
            Self::Sequential => (column / 2, if column.is_multiple_of(2) { 0 } else { 4 }),
            Self::Interleaved => {
                let (group, within) = (column / (8 * block), column % (8 * block));
                let (lane, element) = (within / block, within % block);
                let byte = group * 4 * block + element / 8 * 32 + 4 * lane + element % 4;
                (byte, if element % 8 < 4 { 0 } else { 4 })
            }
        }
    }

    /// The code of an element.
    pub(super) fn get(self, block: usize, column: usize, codes: &[u8]) -> u8 {
        let (byte, shift) = self.position(block, column);
        codes.get(byte).map_or(0, |byte| byte >> shift & 15)
    }

    /// Sets the code of an element of which it was zero.
    pub(super) fn put(self, block: usize, column: usize, codes: &mut [u8], code: u32) {
        let (byte, shift) = self.position(block, column);
        if let Some(byte) = codes.get_mut(byte) {
            *byte |= (code as u8 & 15) << shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_of_every_byte_is_one_element() {
        for order in [Order::Sequential, Order::Interleaved] {
            for block in [16, 32] {
                let columns = 3 * order.group(block).max(2);
                let mut seen = vec![false; columns];
                for column in 0..columns {
                    let (byte, shift) = order.position(block, column);
                    let slot = &mut seen[2 * byte + shift as usize / 4];
                    assert!(!*slot, "{column}");
                    *slot = true;
                }
                assert!(seen.iter().all(|seen| *seen));
            }
        }
    }

    /// By hand: element 37 of the second group of blocks of 32 is element 5 of block 1.
    #[test]
    fn a_position_by_hand() {
        assert_eq!(Order::Interleaved.position(32, 256 + 37), (128 + 4 + 1, 4));
        assert_eq!(Order::Sequential.position(32, 7), (3, 4));
    }
}
