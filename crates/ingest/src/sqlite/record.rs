//! Integers of variable length and the values of records.

/// A variable-length integer at a place, with the place behind it.
#[inline(always)]
pub(super) fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    match bytes.get(at) {
        Some(&first) if first < 0x80 => Some((u64::from(first), at + 1)),
        Some(_) => long_varint(bytes, at),
        None => None,
    }
}

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
