//! Unpacking on its own thread, so that it overlaps with parsing.

use std::io::{self, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};

use crate::source::Source;

/// Bytes handed over at a time: small enough for the cache, large enough that handing over costs nothing.
const BLOCK: usize = 256 << 10;

/// The first block, from which they grow: most of a small file's memory would be blocks otherwise.
const FIRST_BLOCK: usize = 16 << 10;

/// Blocks under way at most. Bounds the memory, and lets the two sides drift a little.
const BLOCKS: usize = 4;

type Producer = dyn Fn(&mut Blocks) -> io::Result<()> + Send + Sync;

/// A source that is read from front to back only.
pub(super) struct Stream {
    produce: Arc<Producer>,
    expected: u64,
}

impl Stream {
    /// A stream of which this many bytes are expected, 0 if nobody knows.
    pub(super) fn boxed(
        expected: u64,
        produce: impl Fn(&mut Blocks) -> io::Result<()> + Send + Sync + 'static,
    ) -> Box<dyn Source + Send> {
        Box::new(Self { produce: Arc::new(produce), expected })
    }
}

impl Source for Stream {
    fn open(&self, offset: u64) -> io::Result<Box<dyn Read + Send + '_>> {
        if offset != 0 {
            return Err(io::Error::other("compressed input can only be read from its start"));
        }
        let (full, received) = crossbeam_channel::bounded(BLOCKS);
        let (back, empty) = crossbeam_channel::bounded(BLOCKS + 1);
        let produce = Arc::clone(&self.produce);
        std::thread::Builder::new().name("unpack".into()).spawn(move || {
            let mut blocks = Blocks { full, empty };
            if let Err(error) = produce(&mut blocks) {
                // Nobody listens any more if the reader was dropped; then nobody needs to know.
                let _ = blocks.full.send(Err(error));
            }
        })?;
        Ok(Box::new(Pipe { received, back, block: Vec::new(), position: 0 }))
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

/// The sending side.
pub(super) struct Blocks {
    full: Sender<io::Result<Vec<u8>>>,
    empty: Receiver<Vec<u8>>,
}

impl Blocks {
    /// Sends everything a reader gives. Stops quietly when nobody reads any more.
    pub(super) fn copy(&mut self, mut reader: impl Read) -> io::Result<()> {
        let mut size = FIRST_BLOCK;
        loop {
            let mut block = self.empty.try_recv().unwrap_or_default();
            block.resize(size, 0);
            let mut length = 0;
            let outcome = loop {
                match reader.read(&mut block[length..]) {
                    Ok(0) => break Ok(true),
                    Ok(read) => length += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => break Err(error),
                }
                if length == size {
                    break Ok(false);
                }
            };
            size = BLOCK.min(2 * size);
            block.truncate(length);
            // What came before an error is sound and goes first.
            if length > 0 && self.full.send(Ok(block)).is_err() {
                return Ok(());
            }
            if outcome? {
                return Ok(());
            }
        }
    }
}

/// The receiving side.
struct Pipe {
    received: Receiver<io::Result<Vec<u8>>>,
    back: Sender<Vec<u8>>,
    block: Vec<u8>,
    position: usize,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.position == self.block.len() {
            let Ok(next) = self.received.recv() else { return Ok(0) };
            let used = std::mem::replace(&mut self.block, next?);
            self.position = 0;
            // Given back for reuse; if the other side is done, it is dropped instead.
            let _ = self.back.try_send(used);
        }
        let rest = &self.block[self.position..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.position += length;
        Ok(length)
    }
}
