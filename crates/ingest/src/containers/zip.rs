//! zip archives: every member that may be a trace.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use ::zip::ZipArchive;

use super::{Opened, pipe};
use crate::Error;
use crate::inputs::may_be_trace;
use crate::progress::{Counted, Progress};

fn invalid(error: ::zip::result::ZipError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// The members of an archive on disk whose names are those of traces.
pub(super) fn in_file(path: &Path, progress: &Arc<Progress>) -> Result<Vec<Opened>, Error> {
    let file = path.to_owned();
    members(&path.display().to_string(), progress, move || File::open(&file).map(BufReader::new))
}

/// The same for an archive that came as a stream. Its index is at its end, so it must be there whole.
pub(super) fn in_memory(path: &str, mut reader: Box<dyn Read + Send>) -> Result<Vec<Opened>, Error> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|source| Error::Io { path: path.into(), source })?;
    let bytes: Arc<[u8]> = bytes.into();
    members(path, &Arc::default(), move || Ok(Cursor::new(Arc::clone(&bytes))))
}

fn members<R: Read + Seek>(
    path: &str,
    progress: &Arc<Progress>,
    open: impl Fn() -> io::Result<R> + Clone + Send + Sync + 'static,
) -> Result<Vec<Opened>, Error> {
    let archive = open().and_then(|archive| ZipArchive::new(archive).map_err(invalid));
    let archive = archive.map_err(|source| Error::Io { path: path.into(), source })?;
    let opened: Vec<Opened> = (0..archive.len())
        .filter_map(|index| Some((index, archive.name_for_index(index)?.ok()?)))
        .filter(|(_, name)| may_be_trace(name))
        .map(|(index, name)| {
            let (open, progress) = (open.clone(), Arc::clone(progress));
            let source = pipe::Stream::boxed(0, move |blocks| {
                let mut archive = ZipArchive::new(open()?).map_err(invalid)?;
                let member = archive.by_index(index).map_err(invalid)?;
                let counted = Counted { reader: member, progress: Arc::clone(&progress) };
                blocks.copy(super::unpack_nested(Box::new(counted))?)
            });
            Opened { path: format!("{path}!{name}"), container: "zip", source }
        })
        .collect();
    if opened.is_empty() {
        return Err(Error::NothingThere { path: path.to_owned(), count: archive.len() });
    }
    Ok(opened)
}
