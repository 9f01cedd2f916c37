//! Stage two: a walk over the positions that stage one found.

use super::index::Index;
use super::padded::Padded;

/// Why a walk could not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The chunk ends here; with more bytes it may go on.
    Partial,
    /// What stands here is not JSON of the expected kind.
    Bad,
}

/// A place in an indexed chunk.
pub(crate) struct Cursor<'a> {
    /// The bytes.
    pub(crate) chunk: Padded<'a>,
    index: &'a Index,
    entry: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a chunk.
    pub(crate) fn new(chunk: Padded<'a>, index: &'a Index) -> Self {
        Self { chunk, index, entry: 0 }
    }

    /// Position of the next quote or bracket; the length of the chunk if there is none.
    #[inline(always)]
    pub(crate) fn position(&self) -> usize {
        self.index.get(self.entry)
    }

    /// Position of the quote or bracket before; the walk must have gone past one.
    #[inline(always)]
    pub(crate) fn previous(&self) -> usize {
        self.index.get(self.entry - 1)
    }

    /// The next quote or bracket, or `Partial` at the end of the chunk.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Result<u8, Fault> {
        if self.entry >= self.index.count() {
            Err(Fault::Partial)
        } else {
            Ok(self.chunk.at(self.position()))
        }
    }

    /// Goes past the next quote or bracket.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.entry += 1;
    }

    /// A mark to come back to.
    #[inline(always)]
    pub(crate) fn mark(&self) -> usize {
        self.entry
    }

    /// Back to a mark of the same chunk.
    pub(crate) fn return_to(&mut self, mark: usize) {
        self.entry = mark;
    }

    /// True if texts of this chunk may have escapes.
    #[inline(always)]
    pub(crate) fn may_have_escapes(&self) -> bool {
        self.index.has_backslash
    }

    /// At an opening quote: the bounds of the text's body. Goes past the closing quote.
    #[inline(always)]
    pub(crate) fn text(&mut self) -> Result<(usize, usize), Fault> {
        if self.entry + 1 >= self.index.count() {
            return Err(Fault::Partial);
        }
        let bounds = (self.index.get(self.entry) + 1, self.index.get(self.entry + 1));
        self.entry += 2;
        Ok(bounds)
    }

    /// Calls a function with each key of the object it stands at and the position of its value. The function goes past
    /// texts and brackets.
    #[inline(always)]
    pub(crate) fn each_field(
        &mut self,
        mut field: impl FnMut(&mut Self, &[u8], usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.peek()? != b'{' {
            return Err(Fault::Bad);
        }
        self.advance();
        loop {
            match self.peek()? {
                b'}' => {
                    self.advance();
                    return Ok(());
                }
                b'"' => {
                    let (start, end, value) = self.key()?;
                    let key = self.chunk.slice(start, end);
                    field(self, key, value)?;
                }
                _ => return Err(Fault::Bad),
            }
        }
    }

    /// At the opening quote of a key: its bounds and the position of its value. Goes past the key.
    #[inline(always)]
    pub(crate) fn key(&mut self) -> Result<(usize, usize, usize), Fault> {
        let (start, end) = self.text()?;
        // A colon at once, one space, then the value, is what nearly every writer writes.
        let mut value = end + 1;
        if self.chunk.at(value) != b':' {
            value = self.space(value);
            if self.chunk.at(value) != b':' {
                return Err(if value >= self.chunk.len() { Fault::Partial } else { Fault::Bad });
            }
        }
        value += 1;
        if self.chunk.at(value) == b' ' {
            value += 1;
        }
        if self.chunk.at(value) <= b' ' {
            value = self.space(value);
        }
        if value >= self.chunk.len() { Err(Fault::Partial) } else { Ok((start, end, value)) }
    }

    #[cold]
    fn space(&self, mut position: usize) -> usize {
        while matches!(self.chunk.at(position), b' ' | b'\n' | b'\r' | b'\t') {
            position += 1;
        }
        position
    }

    /// Goes past the value at a position, whatever it is.
    #[inline(always)]
    pub(crate) fn skip(&mut self, value: usize) -> Result<(), Fault> {
        match self.chunk.at(value) {
            b'"' => self.text().map(|_| ()),
            b'{' | b'[' => self.skip_nested().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// At an opening bracket: goes past its closing one, whose position is the answer. Kinds of brackets are not
    /// distinguished: a file that mixes them up is damaged, and the next event shows it.
    pub(crate) fn skip_nested(&mut self) -> Result<usize, Fault> {
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.text()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.entry += 1;
            if depth == 0 {
                return Ok(self.index.get(self.entry - 1));
            }
        }
    }

    /// The number, literal or other bare word at a position.
    pub(crate) fn word(&self, value: usize) -> &'a [u8] {
        let content = self.chunk.content();
        let rest = &content[value.min(content.len())..];
        let end =
            rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'));
        &rest[..end.unwrap_or(rest.len())]
    }
}
