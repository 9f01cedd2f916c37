//! A file as it is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::progress::{Counted, Progress};
use crate::source::{ReadAt, Source};
use crate::system;

/// How a file is packed that is not.
pub(crate) const PLAIN: &str = "plain";

/// A plain file, which may be read from several places at once. It is read, not mapped: mapped pages count as
/// memory of ours, and reading in chunks that fit the cache is no slower.
pub(crate) struct PlainFile {
    path: PathBuf,
    size: u64,
    progress: Arc<Progress>,
}

impl PlainFile {
    pub(crate) fn new(path: &Path, size: u64, progress: &Arc<Progress>) -> Self {
        Self { path: path.to_owned(), size, progress: Arc::clone(progress) }
    }
}

impl Source for PlainFile {
    fn open(&self, offset: u64) -> io::Result<Box<dyn Read + Send + '_>> {
        let mut file = File::open(&self.path)?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))?;
        }
        Ok(Box::new(Counted { reader: file, progress: Arc::clone(&self.progress) }))
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    fn positioned(&self) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        let file = File::open(&self.path)?;
        Ok(Some(Box::new(Handle { file, size: self.size, progress: Some(&self.progress) })))
    }

    fn beside(&self, suffix: &str) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        let mut name = self.path.clone().into_os_string();
        name.push(suffix);
        let file = match File::open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        Ok(Some(Box::new(Handle { file, size: metadata.len(), progress: None })))
    }
}

/// An open file. It lives as long as somebody reads, so that a job of a thousand files does not keep them all open.
struct Handle<'a> {
    file: File,
    size: u64,
    progress: Option<&'a Progress>,
}

impl ReadAt for Handle<'_> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut length = 0;
        while length < buffer.len() {
            match system::positioned_read(&self.file, &mut buffer[length..], offset + length as u64) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(progress) = self.progress {
            progress.advance(length as u64);
        }
        Ok(length)
    }

    fn size(&self) -> u64 {
        self.size
    }
}
