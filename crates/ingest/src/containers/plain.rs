//! A file as it is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::kineto::Source;
use crate::progress::{Counted, Progress};

/// A plain file, which may be read from several places at once. It is read, not mapped: mapped pages count as
/// memory of ours, and reading in chunks that fit the cache is no slower.
pub(super) struct PlainFile {
    path: PathBuf,
    size: u64,
    progress: Arc<Progress>,
}

impl PlainFile {
    pub(super) fn new(path: &Path, size: u64, progress: &Arc<Progress>) -> Self {
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
}
