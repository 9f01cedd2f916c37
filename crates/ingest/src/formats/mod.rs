//! One module per trace format.

// tidy-alphabetical-start
pub(crate) mod kineto;
mod memory_timeline;
// tidy-alphabetical-end

use std::io::{self, Read};

use eaves_model::Trace;

use self::kineto::{Refusal, Source};

pub(crate) use self::memory_timeline::FORMAT as MEMORY_TIMELINE;

/// Enough bytes to tell the formats apart.
const FIRST: u64 = 256;

/// A trace that was read.
pub(crate) struct Document {
    /// The rows.
    pub(crate) trace: Trace,
    /// Number of bytes it had.
    pub(crate) bytes: u64,
    /// Name of the format.
    pub(crate) format: &'static str,
}

/// Reads a trace in whichever format it is.
pub(crate) fn read(source: &dyn Source, threads: usize) -> Result<Document, Refusal> {
    let mut reader = source.open(0).map_err(Refusal::Io)?;
    let mut first = Vec::new();
    // What fails here fails again where it can be noted.
    let failed = Failed(reader.by_ref().take(FIRST).read_to_end(&mut first).err());
    let is_timeline = memory_timeline::is_it(&first);
    let reader: Box<dyn Read + Send + '_> = Box::new(io::Cursor::new(first).chain(failed).chain(reader));
    if is_timeline {
        let (trace, bytes) = memory_timeline::read(reader)?;
        return Ok(Document { trace, bytes, format: MEMORY_TIMELINE });
    }
    let (trace, bytes) = kineto::read(source, reader, threads)?;
    let format = kineto::format_of(&trace);
    Ok(Document { trace, bytes, format })
}

/// A reader of nothing, which may fail once.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
