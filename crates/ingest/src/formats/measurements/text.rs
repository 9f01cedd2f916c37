//! Bytes to text, whatever the editor or shell that wrote them.

use std::borrow::Cow;

use eaves_model::{Diagnostics, WarningKind};

/// UTF-8 with or without a byte order mark, or UTF-16 of either order. Bytes that are no text are replaced and noted.
pub(super) fn decode<'a>(bytes: &'a [u8], diagnostics: &mut Diagnostics) -> Cow<'a, str> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, diagnostics),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes, diagnostics).into(),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes, diagnostics).into(),
        // Every form here begins with a letter, bracket or quote, which tells the order without a mark.
        [1..=0x7F, 0, ..] => utf16(bytes, u16::from_le_bytes, diagnostics).into(),
        [0, 1..=0x7F, ..] => utf16(bytes, u16::from_be_bytes, diagnostics).into(),
        _ => utf8(bytes, diagnostics),
    }
}

fn utf8<'a>(bytes: &'a [u8], diagnostics: &mut Diagnostics) -> Cow<'a, str> {
    if let Err(error) = std::str::from_utf8(bytes) {
        diagnostics.note(WarningKind::InvalidText, Some(error.valid_up_to() as u64));
    }
    String::from_utf8_lossy(bytes)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, diagnostics: &mut Diagnostics) -> String {
    let units = bytes.as_chunks::<2>().0.iter().copied().map(unit);
    let mut is_bad = false;
    let text = char::decode_utf16(units)
        .map(|letter| {
            letter.unwrap_or_else(|_| {
                is_bad = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    if is_bad {
        diagnostics.note(WarningKind::InvalidText, None);
    }
    text
}
