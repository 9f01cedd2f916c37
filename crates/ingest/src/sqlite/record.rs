//! Integers of variable length and the values of records.

/// A variable-length integer at a place, with the place behind it.
#[inline(always)]
pub(super) fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let rest = bytes.get(at..)?;
    let &first = rest.first()?;
    if first < 0x80 {
        return Some((u64::from(first), at + 1));
    }
    if let Some(word) = rest.first_chunk() {
        let word = u64::from_be_bytes(*word);
        // The first byte without the highest bit is the last one.
        let ends = !word & 0x8080_8080_8080_8080;
        if ends != 0 {
            let length = ends.leading_zeros() / 8 + 1;
            return Some((sevens(word >> (64 - 8 * length)), at + length as usize));
        }
    }
    long_varint(bytes, at)
}

/// The lower seven bits of each byte, combined.
#[inline(always)]
fn sevens(bytes: u64) -> u64 {
    let pairs = (bytes & 0x7F00_7F00_7F00_7F00) >> 1 | bytes & 0x007F_007F_007F_007F;
    let fours = (pairs & 0x3FFF_0000_3FFF_0000) >> 2 | pairs & 0x0000_3FFF_0000_3FFF;
    (fours & 0x0FFF_FFFF_0000_0000) >> 4 | fours & 0x0000_0000_0FFF_FFFF
}

/// The same at the end of what there is, and of nine bytes.
#[cold]
fn long_varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for place in at..at.checked_add(8)? {
        let byte = *bytes.get(place)?;
        value = value << 7 | u64::from(byte & 0x7F);
        if byte < 0x80 {
            return Some((value, place + 1));
        }
    }
    let last = *bytes.get(at + 8)?;
    Some((value << 8 | u64::from(last), at + 9))
}

/// Serial types 10 and 11 occur in no file. Here they stand for what is not in the record.
pub(super) const ROWID: u64 = 10;
pub(super) const DEFAULT: u64 = 11;

/// Number of bytes a value of this serial type has in the body of its record.
#[inline(always)]
pub(super) fn length_of(serial: u64) -> Option<usize> {
    const SHORT: [u8; 10] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];
    match SHORT.get(serial as usize) {
        Some(&length) if serial < 10 => Some(usize::from(length)),
        _ if serial >= 12 => usize::try_from((serial - 12) / 2).ok(),
        _ => None,
    }
}

/// The integer of some bytes, the first of which has the sign.
#[inline(always)]
pub(super) fn integer(bytes: &[u8]) -> Option<i64> {
    Some(match *bytes {
        [a] => i64::from(a as i8),
        [a, b] => i64::from(i16::from_be_bytes([a, b])),
        [a, b, c] => i64::from(i32::from_be_bytes([a, b, c, 0]) >> 8),
        [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
        [a, b, c, d, e, f] => i64::from_be_bytes([a, b, c, d, e, f, 0, 0]) >> 16,
        [a, b, c, d, e, f, g, h] => i64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => return None,
    })
}
