//! The arguments that were not decoded, looked up again in the file.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::containers::open_file;
use crate::formats::kineto::event_text;
use crate::{Error, Wanted};

/// The JSON text of the event at a position of a recording, as the file has it. Plain files are read from that
/// position on; packed ones are unpacked up to it.
///
/// # Errors
/// If the file cannot be read any more, or has no event there.
pub fn event_at(path: &str, position: u64) -> Result<String, Error> {
    // A `!` stands before the member of an archive, but may be part of a file name too.
    let file = path.match_indices('!').map(|(at, _)| &path[..at]).find(|file| Path::new(file).is_file());
    let file = if Path::new(path).is_file() { path } else { file.unwrap_or(path) };
    let failed = |source| Error::Io { path: path.into(), source };
    let opened = open_file(Path::new(file), &Arc::default(), Wanted::Recordings)?;
    let wanted = opened.iter().find(|one| one.path == path);
    let one = wanted.ok_or_else(|| Error::NotFound { path: path.into() })?;
    let reader = if one.source.size().is_some() {
        one.source.open(position).map_err(failed)?
    } else {
        let mut reader = one.source.open(0).map_err(failed)?;
        io::copy(&mut reader.by_ref().take(position), &mut io::sink()).map_err(failed)?;
        reader
    };
    event_text(reader).ok_or_else(|| failed(io::Error::other(format!("no event at byte {position}"))))
}
