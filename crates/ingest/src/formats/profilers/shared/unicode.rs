//! Text in blocks, as UTF-8 whatever it was: shells on Windows redirect programs into UTF-16 and put marks in front.

use std::borrow::Cow;
use std::io::Read;

use crate::json::padded::{PADDING, Padded};

/// How text is written down.
#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
}

/// The encoding, and the length of the mark that says so.
fn encoding(first: &[u8]) -> (Encoding, usize) {
    match first {
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
        [0xFF, 0xFE, ..] => (Encoding::Utf16(u16::from_le_bytes), 2),
        [0xFE, 0xFF, ..] => (Encoding::Utf16(u16::from_be_bytes), 2),
        // What profilers write begins with a letter, sign or quote, which tells the order without a mark.
        [1..=0x7F, 0, 1..=0x7F, 0, ..] => (Encoding::Utf16(u16::from_le_bytes), 0),
        [0, 1..=0x7F, 0, 1..=0x7F, ..] => (Encoding::Utf16(u16::from_be_bytes), 0),
        _ => (Encoding::Utf8, 0),
    }
}

/// The beginning of a file as UTF-8 without its mark. Bytes that are no text stay what they are.
pub(in super::super) fn beginning(first: &[u8]) -> Cow<'_, [u8]> {
    let (encoding, mark) = encoding(first);
    let first = first.get(mark..).unwrap_or_default();
    match encoding {
        Encoding::Utf8 => first.into(),
        Encoding::Utf16(unit) => {
            let mut text = Vec::with_capacity(first.len() / 2);
            Utf16 { unit, half: None, high: None }.decode(first, &mut text);
            text.into()
        }
    }
}

/// Bytes that the first block has at least, where the input has as many. It may be used to tell what the others are.
const FIRST_BLOCK: usize = 2 << 20;

/// Bytes that later blocks have: together with what is found in them they fit the cache.
const BLOCK: usize = 256 << 10;

/// Bytes that are made room for at first.
const RAW: usize = 64 << 10;

/// Text that is read in blocks and used up from its front.
pub(in super::super) struct Text<'a> {
    reader: Box<dyn Read + Send + 'a>,
    utf16: Option<Utf16>,
    raw: Vec<u8>,
    /// What was read, zeros behind it, and whatever else there is room for.
    content: Vec<u8>,
    /// Bytes of the content, without the zeros.
    filled: usize,
    /// Bytes of the content that are used up.
    used: usize,
    /// Where the content begins in the input, if its bytes are those of the input.
    offset: u64,
    /// Bytes read so far.
    bytes: u64,
    ended: bool,
    failure: Option<String>,
}

impl<'a> Text<'a> {
    /// The text of a reader whose first bytes are known.
    pub(in super::super) fn new(first: &[u8], reader: Box<dyn Read + Send + 'a>) -> Self {
        let (encoding, mark) = encoding(first);
        let utf16 = match encoding {
            Encoding::Utf8 => None,
            Encoding::Utf16(unit) => Some(Utf16 { unit, half: None, high: None }),
        };
        let mut text = Self {
            reader,
            utf16,
            raw: Vec::new(),
            content: vec![0; PADDING],
            filled: 0,
            used: 0,
            offset: 0,
            bytes: 0,
            ended: false,
            failure: None,
        };
        text.skip(mark);
        text
    }

    fn skip(&mut self, mark: usize) {
        let mut bytes = [0; 3];
        let mark = bytes.get_mut(..mark).unwrap_or_default();
        match self.reader.read_exact(mark) {
            Ok(()) => {
                self.bytes = mark.len() as u64;
                self.offset = self.bytes;
            }
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &std::io::Error) {
        self.failure = Some(error.to_string());
        self.ended = true;
    }

    /// Reads on until there is a block that is not used up, and more of it than before. False at the end.
    pub(in super::super) fn fill(&mut self) -> bool {
        let usual = if self.bytes < FIRST_BLOCK as u64 { FIRST_BLOCK } else { BLOCK };
        self.content.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.offset += self.used as u64;
        self.used = 0;
        let before = self.filled;
        let wanted = usual.max(before * 2);
        while !self.ended && self.filled < wanted {
            match self.utf16 {
                None => self.read(wanted),
                Some(_) => self.decode(),
            }
        }
        let needed = self.filled + PADDING;
        if self.content.len() < needed {
            self.content.resize(needed, 0);
        }
        if let Some(padding) = self.content.get_mut(self.filled..needed) {
            padding.fill(0);
        }
        self.filled > before
    }

    /// Reads into the content until it has this many bytes at most. Bytes are set to zero once, not for each block.
    fn read(&mut self, most: usize) {
        if self.content.len() <= self.filled {
            let more = (self.content.len() * 2).clamp(RAW, most.max(RAW));
            self.content.resize(more.max(self.filled + 1), 0);
        }
        let end = self.content.len().min(most.max(self.filled + 1));
        let room = self.content.get_mut(self.filled..end).unwrap_or_default();
        match self.reader.read(room) {
            Ok(0) => self.ended = true,
            Ok(read) => {
                self.filled += read;
                self.bytes += read as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => self.fail(&error),
        }
    }

    /// Reads some UTF-16 and appends what it says.
    fn decode(&mut self) {
        self.content.truncate(self.filled);
        self.raw.clear();
        let result = self.reader.by_ref().take(RAW as u64).read_to_end(&mut self.raw);
        self.bytes += self.raw.len() as u64;
        self.ended = self.raw.is_empty();
        if let Some(utf16) = &mut self.utf16 {
            utf16.decode(&self.raw, &mut self.content);
        }
        self.filled = self.content.len();
        if let Err(error) = result {
            self.fail(&error);
        }
    }

    /// What was read and is not used up.
    pub(in super::super) fn content(&self) -> &[u8] {
        self.content.get(self.used..self.filled).unwrap_or_default()
    }

    /// The same, with zeros behind it.
    pub(in super::super) fn padded(&self) -> Padded<'_> {
        Padded::new(
            self.content.get(self.used..).unwrap_or(&[0; PADDING]),
            self.filled.saturating_sub(self.used),
        )
    }

    /// Takes bytes off the front.
    pub(in super::super) fn consume(&mut self, bytes: usize) {
        self.used = (self.used + bytes).min(self.filled);
    }

    /// True if nothing comes after the content.
    pub(in super::super) fn ended(&self) -> bool {
        self.ended
    }

    /// Where the content begins in the input, if places in it are places of the input.
    pub(in super::super) fn offset(&self) -> Option<u64> {
        self.utf16.is_none().then_some(self.offset + self.used as u64)
    }

    /// Bytes read so far.
    pub(in super::super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Why reading ended before the end.
    pub(in super::super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

/// UTF-16 under way: half a unit and half a pair may wait for the next bytes.
struct Utf16 {
    unit: fn([u8; 2]) -> u16,
    half: Option<u8>,
    high: Option<u16>,
}

impl Utf16 {
    /// Appends the text of some bytes. What is no text becomes U+FFFD.
    fn decode(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for &byte in bytes {
            let Some(first) = self.half.take() else {
                self.half = Some(byte);
                continue;
            };
            let unit = (self.unit)([first, byte]);
            let pair = self.high.take().map_or([unit, 0], |high| [high, unit]);
            let is_high = |unit: u16| (0xD800..0xDC00).contains(&unit);
            if pair[1] == 0 && is_high(unit) {
                self.high = Some(unit);
                continue;
            }
            let units = if pair[1] == 0 { &pair[..1] } else { &pair[..] };
            for letter in char::decode_utf16(units.iter().copied()) {
                let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (String, u64) {
        let mut text = Text::new(bytes, Box::new(bytes));
        let mut all = Vec::new();
        while text.fill() {
            let content = text.content().to_vec();
            // Not all of it, so that a rest is carried over.
            let used = content.len().div_ceil(2);
            all.extend_from_slice(&content[..used]);
            text.consume(used);
        }
        all.extend_from_slice(text.content());
        (String::from_utf8(all).unwrap(), text.bytes())
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "\"ID\",\"Müller 😀\"\n".repeat(3);
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        for bytes in [
            text.clone().into_bytes(),
            marked(b"\xEF\xBB\xBF", text.as_bytes()),
            le.clone(),
            be.clone(),
            marked(b"\xFF\xFE", &le),
            marked(b"\xFE\xFF", &be),
        ] {
            assert_eq!(all(&bytes), (text.clone(), bytes.len() as u64));
            assert_eq!(beginning(&bytes), text.as_bytes());
        }
    }

    #[test]
    fn half_pairs_are_replaced() {
        let units = [0xFEFF, 0xD83D, 0x41, 0xDE00, 0x42, 0xD83D];
        let bytes: Vec<u8> = units.iter().flat_map(|unit: &u16| unit.to_le_bytes()).collect();
        assert_eq!(all(&bytes).0, "\u{FFFD}A\u{FFFD}B");
    }

    #[test]
    fn places_are_those_of_the_input_behind_a_mark() {
        let bytes = b"\xEF\xBB\xBFabc";
        let mut text = Text::new(bytes, Box::new(&bytes[..]));
        assert!(text.fill());
        assert_eq!((text.content(), text.offset()), (&b"abc"[..], Some(3)));
        text.consume(2);
        assert_eq!((text.content(), text.offset(), text.ended()), (&b"c"[..], Some(5), true));
    }
}
