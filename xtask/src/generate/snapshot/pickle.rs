//! Writes pickles of protocol 4 as CPython does: objects that are used twice are stored, items come in batches of a
//! thousand.

use std::collections::HashMap;
use std::io::{self, Write};

/// A stored object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored(u32);

/// Items of one batch.
const BATCH: usize = 1000;

/// A pickle under way.
pub(super) struct Pickle<W> {
    output: W,
    pub(super) bytes: u64,
    stored: u32,
    texts: HashMap<String, Stored>,
    /// Items of the batches that are open.
    open: Vec<usize>,
}

impl<W: Write> Pickle<W> {
    pub(super) fn begin(output: W) -> io::Result<Self> {
        let mut pickle = Self { output, bytes: 0, stored: 0, texts: HashMap::new(), open: Vec::new() };
        pickle.raw(&[0x80, 4])?;
        Ok(pickle)
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.raw(b".")?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.output.write_all(bytes)
    }

    fn store(&mut self) -> io::Result<Stored> {
        self.raw(&[0x94])?;
        self.stored += 1;
        Ok(Stored(self.stored - 1))
    }

    /// An object that was stored.
    pub(super) fn again(&mut self, object: Stored) -> io::Result<()> {
        match u8::try_from(object.0) {
            Ok(index) => self.raw(&[b'h', index]),
            Err(_) => self.raw(&[&b"j"[..], &object.0.to_le_bytes()].concat()),
        }
    }

    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if let Some(&known) = self.texts.get(text) {
            return self.again(known);
        }
        match u8::try_from(text.len()) {
            Ok(length) => self.raw(&[0x8C, length])?,
            Err(_) => self.raw(&[&b"X"[..], &(text.len() as u32).to_le_bytes()].concat())?,
        }
        self.raw(text.as_bytes())?;
        let stored = self.store()?;
        self.texts.insert(text.to_owned(), stored);
        Ok(())
    }

    pub(super) fn integer(&mut self, value: i64) -> io::Result<()> {
        if let Ok(byte) = u8::try_from(value) {
            return self.raw(&[b'K', byte]);
        }
        if let Ok(short) = u16::try_from(value) {
            return self.raw(&[&b"M"[..], &short.to_le_bytes()].concat());
        }
        if let Ok(word) = i32::try_from(value) {
            return self.raw(&[&b"J"[..], &word.to_le_bytes()].concat());
        }
        let digits = value.to_le_bytes();
        // As few bytes as hold it with its sign.
        let length = (1..8).find(|&length| value >> (8 * length - 1) == value >> 63).unwrap_or(8);
        self.raw(&[0x8A, length as u8])?;
        self.raw(&digits[..length])
    }

    pub(super) fn truth(&mut self, value: bool) -> io::Result<()> {
        self.raw(&[if value { 0x88 } else { 0x89 }])
    }

    /// Begins a list; items follow, each after [`Self::item`].
    pub(super) fn begin_list(&mut self) -> io::Result<Stored> {
        self.raw(b"]")?;
        let stored = self.store()?;
        self.open.push(0);
        Ok(stored)
    }

    /// Says that an item of the innermost list follows.
    pub(super) fn item(&mut self) -> io::Result<()> {
        let Some(items) = self.open.last_mut() else { return Ok(()) };
        let at = *items;
        *items += 1;
        if at % BATCH == 0 {
            if at > 0 {
                self.raw(b"e")?;
            }
            self.raw(b"(")?;
        }
        Ok(())
    }

    pub(super) fn end_list(&mut self) -> io::Result<()> {
        if self.open.pop().is_some_and(|items| items > 0) { self.raw(b"e") } else { Ok(()) }
    }

    /// Begins a dictionary; keys and values follow.
    pub(super) fn begin_dict(&mut self) -> io::Result<Stored> {
        self.raw(b"}")?;
        let stored = self.store()?;
        self.raw(b"(")?;
        Ok(stored)
    }

    pub(super) fn end_dict(&mut self) -> io::Result<()> {
        self.raw(b"u")
    }
}
