//! A sliding window over the input: constant memory, whatever the size of the file.

use std::io::Read;

use eaves_model::{Diagnostics, WarningKind};

use super::index::Index;
use super::padded::{PADDING, Padded};

/// Fits the second-level cache together with its index, and is large enough that carrying the cut event over
/// costs nothing.
const CHUNK: usize = 128 << 10;

/// The longest single event or header value; anything longer is taken for damage (a lost quote).
const LONGEST: usize = 256 << 20;

/// How much to look at behind damage: each further damage costs this much, not the whole window.
const CAREFUL: usize = 4 << 10;

/// The longest event to wait for once the input turned out to end inside one: else every opening bracket of a
/// damaged tail would be followed to the end.
const LONGEST_AFTER_CUT: usize = 16 << 10;

/// Bytes kept when nothing was found, so that an event start cut by the window's end is not missed.
const OVERLAP: usize = 256;

/// The part of the input being looked at.
pub(crate) struct Window<'a> {
    reader: Box<dyn Read + Send + 'a>,
    buffer: Vec<u8>,
    start: usize,
    /// End of what is looked at. The padding behind it is zero.
    end: usize,
    /// End of what was read.
    filled: usize,
    /// What the padding hides, if less is looked at than was read.
    hidden: [u8; PADDING],
    longest: usize,
    /// Offset in the input of the first byte not yet consumed.
    pub(crate) offset: u64,
    finished: bool,
    index: Index,
}

impl<'a> Window<'a> {
    /// A window on a reader whose first byte stands at an offset of the input.
    pub(crate) fn new(reader: Box<dyn Read + Send + 'a>, offset: u64) -> Self {
        let buffer = vec![0; CHUNK + PADDING];
        Self {
            reader,
            buffer,
            start: 0,
            end: 0,
            filled: 0,
            hidden: [0; PADDING],
            longest: LONGEST,
            offset,
            finished: false,
            index: Index::default(),
        }
    }

    /// True if no byte is left behind the window.
    pub(crate) fn is_last(&self) -> bool {
        self.finished && self.end == self.filled
    }

    /// Looks at a little only, because damage was met.
    pub(crate) fn be_careful(&mut self) {
        if self.end - self.start > CAREFUL {
            self.look_up_to(self.start + CAREFUL);
        }
    }

    /// The same, and waits for no long event any more, because the input ends inside one.
    pub(crate) fn expect_no_end(&mut self) {
        self.longest = LONGEST_AFTER_CUT;
        self.be_careful();
    }

    fn look_up_to(&mut self, end: usize) {
        self.buffer[self.end..self.end + PADDING].copy_from_slice(&self.hidden);
        self.hidden.copy_from_slice(&self.buffer[end..end + PADDING]);
        self.buffer[end..end + PADDING].fill(0);
        self.end = end;
    }

    /// What is in the window.
    pub(crate) fn content(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Indexes what is in the window.
    pub(crate) fn indexed(&mut self) -> (Padded<'_>, &Index) {
        let chunk = Padded::new(&self.buffer[self.start..], self.end - self.start);
        self.index.build(chunk);
        (chunk, &self.index)
    }

    /// Drops bytes at the front.
    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads on. A window that could not be used as it was is made larger; false if there is nothing more to be
    /// had.
    pub(crate) fn fill(&mut self, diagnostics: &mut Diagnostics) -> bool {
        let length = self.end - self.start;
        if length >= self.longest {
            return false;
        }
        if self.end < self.filled {
            self.look_up_to(self.filled.min(self.end + CAREFUL.max(2 * length)));
            return true;
        }
        if self.finished {
            return false;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, length);
        let room = self.buffer.len() - PADDING;
        if self.end > room / 2 {
            self.buffer.resize(2 * room + PADDING, 0);
        } else if room > CHUNK && self.end < CHUNK / 2 {
            // The long event is over.
            self.buffer.truncate(CHUNK + PADDING);
        }
        let before = self.end;
        self.read_full(diagnostics);
        self.filled = self.end;
        self.hidden = [0; PADDING];
        self.buffer[self.end..self.end + PADDING].fill(0);
        self.end > before
    }

    fn read_full(&mut self, diagnostics: &mut Diagnostics) {
        let room = self.buffer.len() - PADDING;
        while self.end < room {
            match self.reader.read(&mut self.buffer[self.end..room]) {
                Ok(0) => {
                    self.finished = true;
                    return;
                }
                Ok(read) => self.end += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let offset = self.offset + self.end as u64;
                    diagnostics.note_detail(WarningKind::DamagedContainer, Some(offset), error.to_string());
                    self.finished = true;
                    return;
                }
            }
        }
    }

    /// At the first byte of a text, object or list: goes past it, however long it is. False if the input ends
    /// before it does.
    pub(crate) fn skip_value(&mut self, diagnostics: &mut Diagnostics) -> bool {
        let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
        loop {
            let end = self.content().iter().position(|&byte| {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_text => escaped = true,
                    b'"' => in_text = !in_text,
                    b'{' | b'[' if !in_text => depth += 1,
                    b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
                    _ => return false,
                }
                depth == 0 && !in_text && !escaped
            });
            self.consume(end.map_or(self.content().len(), |end| end + 1));
            if end.is_some() {
                return true;
            }
            if !self.fill(diagnostics) {
                return false;
            }
        }
    }

    /// Goes to the next place that satisfies a search; false if there is none up to the end of the input. The
    /// search must recognize its place within [`OVERLAP`] bytes.
    pub(crate) fn seek(
        &mut self,
        diagnostics: &mut Diagnostics,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> bool {
        loop {
            if let Some(found) = find(self.content()) {
                self.consume(found);
                return true;
            }
            let keep = if self.is_last() { 0 } else { OVERLAP };
            self.consume(self.content().len().saturating_sub(keep));
            if !self.fill(diagnostics) && self.is_last() {
                let found = find(self.content());
                self.consume(found.unwrap_or(self.content().len()));
                return found.is_some();
            }
        }
    }
}
