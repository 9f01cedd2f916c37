//! Data inside a page: packed with gzip, written as base64.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// More than any page of ours holds: what says that it is more is not a page of ours.
const MOST: u64 = 1 << 30;

/// Bytes as letters that a page can hold.
pub(crate) fn packed(bytes: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes everything.
    drop(encoder.write_all(bytes));
    STANDARD.encode(encoder.finish().unwrap_or_default())
}

/// The bytes again; nothing if they are damaged.
pub(crate) fn unpacked(letters: &str) -> Option<Vec<u8>> {
    let packed = STANDARD.decode(letters.trim()).ok()?;
    let mut bytes = Vec::new();
    let read = GzDecoder::new(packed.as_slice()).take(MOST).read_to_end(&mut bytes).ok()?;
    ((read as u64) < MOST).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_damage_does_not() {
        let bytes: Vec<u8> = (0..2000_u32).map(|number| (number * number % 251) as u8).collect();
        let letters = packed(&bytes);
        assert_eq!(unpacked(&format!("\n{letters}\n")), Some(bytes));
        assert_eq!(unpacked(&letters[..letters.len() - 40]), None);
        assert_eq!(unpacked("no letters of ours!"), None);
    }
}
