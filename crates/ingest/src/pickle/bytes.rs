//! The input through a window of constant size.

use std::io::{self, Read};

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The longest text that is kept; of longer ones the beginning.
pub(super) const LONGEST_TEXT: usize = 64 << 10;

/// The input from front to back.
pub(super) struct Bytes<'a> {
    reader: Box<dyn Read + Send + 'a>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Offset of the window in the input.
    start: u64,
    failure: Option<io::Error>,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(reader: Box<dyn Read + Send + 'a>) -> Self {
        Self { reader, buffer: vec![0; CHUNK], at: 0, end: 0, start: 0, failure: None }
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Why the input ended, if it is not its end.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Counts what is left of an input that has ended as read.
    pub(super) fn exhaust(&mut self) {
        self.at = self.end;
    }

    /// Makes this many bytes available, which must fit the window.
    #[cold]
    fn fill(&mut self, length: usize) -> bool {
        self.buffer.copy_within(self.at..self.end, 0);
        self.start += self.at as u64;
        self.end -= self.at;
        self.at = 0;
        while self.end < length && self.failure.is_none() {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.failure = Some(error),
            }
        }
        self.end >= length
    }

    /// The next bytes, if there are as many; the window has room for [`LONGEST_TEXT`].
    #[inline]
    pub(super) fn span(&mut self, length: usize) -> Option<&[u8]> {
        if self.end - self.at < length && !(length <= CHUNK && self.fill(length)) {
            return None;
        }
        let from = self.at;
        self.at += length;
        Some(&self.buffer[from..self.at])
    }

    /// The next bytes as an array.
    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.span(N)?.try_into().ok()
    }

    /// The next byte.
    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Passes over bytes, however many are said to be there.
    pub(super) fn skip(&mut self, length: u64) -> Option<()> {
        let mut left = length;
        while left > 0 {
            if self.at == self.end && !self.fill(1) {
                return None;
            }
            let step = ((self.end - self.at) as u64).min(left);
            self.at += step as usize;
            left -= step;
        }
        Some(())
    }
}
