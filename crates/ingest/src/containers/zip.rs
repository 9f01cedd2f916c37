//! zip archives: every member that may be a trace.

use std::fs::File;
use std::io::{self, BufReader};
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

/// The members whose names are those of traces.
pub(super) fn members(path: &Path, progress: &Arc<Progress>) -> Result<Vec<Opened>, Error> {
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let archive = File::open(path).map(BufReader::new).map_err(failed)?;
    let archive = ZipArchive::new(archive).map_err(|error| failed(invalid(error)))?;
    let opened: Vec<Opened> = (0..archive.len())
        .filter_map(|index| Some((index, archive.name_for_index(index)?.ok()?)))
        .filter(|(_, name)| may_be_trace(name))
        .map(|(index, name)| {
            let (file, progress) = (path.to_owned(), Arc::clone(progress));
            let source = pipe::Stream::boxed(move |blocks| {
                let mut archive = ZipArchive::new(BufReader::new(File::open(&file)?)).map_err(invalid)?;
                let member = archive.by_index(index).map_err(invalid)?;
                let counted = Counted { reader: member, progress: Arc::clone(&progress) };
                blocks.copy(super::unpack_nested(Box::new(counted))?)
            });
            Opened { path: format!("{}!{name}", path.display()), container: "zip", source }
        })
        .collect();
    if opened.is_empty() {
        return Err(Error::NothingThere { path: path.display().to_string(), count: archive.len() });
    }
    Ok(opened)
}
