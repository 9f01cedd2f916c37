//! What traces come packed in. A file is opened once; what is inside is told by its first bytes, never by its
//! name.

mod gzip;
mod pipe;
mod zip;
mod zstd;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::plain_file::{PLAIN, PlainFile};
use crate::progress::{Counted, Progress};
use crate::source::Source;
use crate::{Error, Wanted};

/// Something that may hold a trace.
pub(crate) struct Opened {
    /// The input as the user named it, with the member of an archive after `!`.
    pub(crate) path: String,
    /// How it is packed.
    pub(crate) container: &'static str,
    /// The content.
    pub(crate) source: Box<dyn Source + Send>,
}

/// Kinds of packing, by their first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Gzip,
    Zstd,
    Zip,
    Unsupported(&'static str),
}

/// Traces shrink about this much when packed.
const USUAL_RATIO: u64 = 12;

/// Packed bytes read in one go. They are a tenth of what they become, so that reading them costs little anyway.
const PACKED: usize = 32 << 10;

/// Enough bytes to tell.
const MAGIC: usize = 6;

fn kind_of(first: &[u8]) -> Kind {
    match first {
        [0x1F, 0x8B, ..] => Kind::Gzip,
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Kind::Zstd,
        // Skippable frames, which some writers put in front.
        [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Kind::Zstd,
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Kind::Zip,
        [0xFD, b'7', b'z', b'X', b'Z', 0] => Kind::Unsupported("xz"),
        [b'B', b'Z', b'h', ..] => Kind::Unsupported("bzip2"),
        [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C] => Kind::Unsupported("7z"),
        _ => Kind::Plain,
    }
}

/// Opens a file and looks what it is. Of an archive, members are opened that may be of use.
pub(crate) fn open_file(path: &Path, progress: &Arc<Progress>, wanted: Wanted) -> Result<Vec<Opened>, Error> {
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        // A pipe or device can be read once only.
        return open_stream(&path.display().to_string(), Box::new(file), wanted);
    }
    progress.expect(metadata.len());
    let mut first = Vec::new();
    file.take(MAGIC as u64).read_to_end(&mut first).map_err(failed)?;
    let shown = path.display().to_string();
    let reopen = {
        let (path, progress) = (path.to_owned(), Arc::clone(progress));
        move || -> io::Result<Box<dyn Read + Send>> {
            Ok(Box::new(Counted { reader: File::open(&path)?, progress: Arc::clone(&progress) }))
        }
    };
    let expected = metadata.len().saturating_mul(USUAL_RATIO);
    let one = |container, source| Ok(vec![Opened { path: shown.clone(), container, source }]);
    match kind_of(&first) {
        Kind::Plain => one(PLAIN, Box::new(PlainFile::new(path, metadata.len(), progress))),
        Kind::Gzip => {
            one("gzip", pipe::Stream::boxed(expected, move |blocks| blocks.copy(gzip::unpack(reopen()?))))
        }
        Kind::Zstd => {
            one("zstd", pipe::Stream::boxed(expected, move |blocks| blocks.copy(zstd::unpack(reopen()?))))
        }
        Kind::Zip => zip::in_file(path, progress, wanted),
        Kind::Unsupported(kind) => Err(Error::UnsupportedContainer { path: shown, kind }),
    }
}

/// Opens something that can be read once, from front to back.
pub(crate) fn open_stream(
    path: &str,
    reader: Box<dyn Read + Send>,
    wanted: Wanted,
) -> Result<Vec<Opened>, Error> {
    let (kind, reader) = peek(reader).map_err(|source| Error::Io { path: path.into(), source })?;
    if kind == Kind::Zip {
        return zip::in_memory(path, reader, wanted);
    }
    let path = path.to_owned();
    let reader = std::sync::Mutex::new(Some(reader));
    let take = move || -> io::Result<Box<dyn Read + Send>> {
        let taken = reader.lock().ok().and_then(|mut reader| reader.take());
        taken.ok_or_else(|| io::Error::other("a stream can be read only once"))
    };
    let (container, source) = match kind {
        Kind::Gzip => ("gzip", pipe::Stream::boxed(0, move |blocks| blocks.copy(gzip::unpack(take()?)))),
        Kind::Zstd => ("zstd", pipe::Stream::boxed(0, move |blocks| blocks.copy(zstd::unpack(take()?)))),
        Kind::Unsupported(kind) => return Err(Error::UnsupportedContainer { path, kind }),
        Kind::Plain | Kind::Zip => (PLAIN, pipe::Stream::boxed(0, move |blocks| blocks.copy(take()?))),
    };
    Ok(vec![Opened { path, container, source }])
}

/// Looks at the first bytes and gives them back.
fn peek(mut reader: Box<dyn Read + Send>) -> io::Result<(Kind, Box<dyn Read + Send>)> {
    let mut first = Vec::new();
    reader.by_ref().take(MAGIC as u64).read_to_end(&mut first)?;
    let kind = kind_of(&first);
    Ok((kind, Box::new(io::Cursor::new(first).chain(reader))))
}

/// Unpacks what is inside an archive once more if it is packed itself (`traces.zip!rank0.json.gz`).
fn unpack_nested<'a>(reader: Box<dyn Read + 'a>) -> io::Result<Box<dyn Read + 'a>> {
    let mut reader = reader;
    let mut first = Vec::new();
    reader.by_ref().take(MAGIC as u64).read_to_end(&mut first)?;
    let kind = kind_of(&first);
    let reader = io::Cursor::new(first).chain(reader);
    Ok(match kind {
        Kind::Gzip => Box::new(gzip::unpack(reader)),
        Kind::Zstd => Box::new(zstd::unpack(reader)),
        _ => Box::new(reader),
    })
}
