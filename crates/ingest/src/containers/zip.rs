//! zip archives: every member that may be a trace, and every one that a profiler wrote.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use ::zip::ZipArchive;

use super::{Opened, pipe};
use crate::inputs::{is_of_use, may_be_trace};
use crate::progress::{Counted, Progress};
use crate::{Error, Wanted};

fn invalid(error: ::zip::result::ZipError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// The members of an archive on disk that may be traces.
pub(super) fn in_file(path: &Path, progress: &Arc<Progress>, wanted: Wanted) -> Result<Vec<Opened>, Error> {
    let file = path.to_owned();
    members(&path.display().to_string(), progress, wanted, move || File::open(&file).map(BufReader::new))
}

/// The same for an archive that came as a stream. Its index is at its end, so it must be there whole.
pub(super) fn in_memory(
    path: &str,
    mut reader: Box<dyn Read + Send>,
    wanted: Wanted,
) -> Result<Vec<Opened>, Error> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|source| Error::Io { path: path.into(), source })?;
    let bytes: Arc<[u8]> = bytes.into();
    members(path, &Arc::default(), wanted, move || Ok(Cursor::new(Arc::clone(&bytes))))
}

fn members<R: Read + Seek>(
    path: &str,
    progress: &Arc<Progress>,
    wanted: Wanted,
    open: impl Fn() -> io::Result<R> + Clone + Send + Sync + 'static,
) -> Result<Vec<Opened>, Error> {
    let archive = open().and_then(|archive| ZipArchive::new(archive).map_err(invalid));
    let mut archive = archive.map_err(|source| Error::Io { path: path.into(), source })?;
    let names: Vec<(usize, String)> = (0..archive.len())
        .filter_map(|index| Some((index, String::from(archive.name_for_index(index)?.ok()?))))
        .collect();
    let is_beside = |other: &Path| names.iter().any(|(_, name)| Path::new(name) == other);
    let opened: Vec<Opened> = names
        .iter()
        .filter(|(index, name)| {
            // As in a directory: an archive of traces may have any notes and tables next to them.
            let archive = &mut archive;
            may_be_trace(name)
                || is_of_use(Path::new(name), wanted, is_beside, move || {
                    let member = archive.by_index(*index).map_err(invalid)?;
                    super::unpack_nested(Box::new(member))
                })
        })
        .map(|&(index, ref name)| {
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
