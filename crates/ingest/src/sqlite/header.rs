//! The first 100 bytes of a database.

use super::Error;

/// What a database begins with.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How texts are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16LittleEndian,
    Utf16BigEndian,
}

/// What the header says that matters to a reader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Bytes of a page.
    pub(super) page_size: usize,
    /// Bytes of a page that b-trees use, from its beginning.
    pub(super) usable: usize,
    pub(super) encoding: Encoding,
    /// Pages the file should have, if the header knows.
    pub(super) pages: Option<u32>,
}

impl Header {
    /// Number of bytes.
    pub(super) const SIZE: usize = 100;

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let bytes: &[u8; Self::SIZE] = bytes.first_chunk().ok_or(Error::Header("less than 100 bytes"))?;
        if !bytes.starts_with(MAGIC) {
            return Err(Error::Header("does not start with `SQLite format 3`"));
        }
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let page_size = match u16::from_be_bytes([bytes[16], bytes[17]]) {
            1 => 65_536,
            size if size >= 512 && size.is_power_of_two() => usize::from(size),
            _ => return Err(Error::Header("invalid page size")),
        };
        let usable = page_size - usize::from(bytes[20]);
        // SQLite itself refuses fewer: four cells must fit a page.
        if usable < 480 {
            return Err(Error::Header("less than 480 usable bytes per page"));
        }
        let encoding = match word(56) {
            // 0 while the first table is still to come.
            0 | 1 => Encoding::Utf8,
            2 => Encoding::Utf16LittleEndian,
            3 => Encoding::Utf16BigEndian,
            _ => return Err(Error::Header("invalid text encoding")),
        };
        // Writers before 3.7.0 left the number of pages alone and changed the counter next to it.
        let is_valid = word(24) == word(92) && word(28) > 0;
        Ok(Self { page_size, usable, encoding, pages: is_valid.then(|| word(28)) })
    }
}
