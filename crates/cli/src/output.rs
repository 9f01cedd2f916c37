//! Files that are there whole or not at all.
//!
//! A file is written under a temporary name in the directory where it will stay and renamed when it is
//! complete. Every temporary name is in one list, so that an interruption can remove them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

/// Temporary files that exist at this moment.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    // The list is never left half-changed, so a panic elsewhere does not spoil it.
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file and lets no other appear. For the last act of a process.
pub(crate) fn abandon_all() {
    let files = temporary();
    for path in files.iter() {
        // Nobody is left to tell; what cannot be removed stays.
        drop(fs::remove_file(path));
    }
    // Whoever is about to rename or create one waits for this lock until the process is gone.
    std::mem::forget(files);
}

/// A file that appears when it is complete. Dropped before that, it leaves nothing.
#[derive(Debug)]
pub(crate) struct PendingFile {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Temporary(NamedTempFile),
    /// A device or pipe, which must not be replaced by a file.
    Direct(fs::File),
    /// Complete.
    Done,
}

impl PendingFile {
    /// Makes sure that the file can be written, before there is anything to write.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
        }
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = fs::OpenOptions::new().write(true).open(path)?;
            return Ok(Self { path: path.to_owned(), place: Place::Direct(file) });
        }
        // A link stays a link: its target is replaced.
        let path = if metadata.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(path.file_name().unwrap_or_default());
        prefix.push(".");
        let mut files = temporary();
        let file = new_temporary(&prefix, directory)?;
        files.push(file.path().to_owned());
        drop(files);
        if let Some(metadata) = metadata {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Self { path, place: Place::Temporary(file) })
    }

    /// Where it will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the content and makes the file appear.
    pub(crate) fn complete(mut self, content: &[u8]) -> io::Result<()> {
        match std::mem::replace(&mut self.place, Place::Done) {
            Place::Done => Ok(()),
            Place::Direct(mut file) => file.write_all(content),
            Place::Temporary(mut file) => {
                let written = file.write_all(content).and_then(|()| file.flush());
                let mut files = temporary();
                files.retain(|known| known != file.path());
                // A failed file is removed when dropped, still under the lock.
                written?;
                file.persist(&self.path)?;
                Ok(())
            }
        }
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Place::Temporary(file) = std::mem::replace(&mut self.place, Place::Done) {
            let mut files = temporary();
            files.retain(|known| known != file.path());
            drop(file);
        }
    }
}

/// Readable for whom other new files are; the default of temporary files is the owner alone.
fn new_temporary(prefix: &std::ffi::OsStr, directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
        builder.tempfile_in(directory)
    }
    #[cfg(not(unix))]
    builder.tempfile_in(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.json");
        let pending = PendingFile::create(&path).unwrap();
        assert_eq!(names(directory.path()).len(), 1);
        assert!(names(directory.path())[0].starts_with(".report.json."));
        drop(pending);
        assert!(names(directory.path()).is_empty());
        PendingFile::create(&path).unwrap().complete(b"first").unwrap();
        PendingFile::create(&path).unwrap().complete(b"second").unwrap();
        assert_eq!(names(directory.path()), ["report.json"]);
        assert_eq!(fs::read(&path).unwrap(), b"second");
    }

    #[test]
    fn a_directory_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        assert!(PendingFile::create(directory.path()).is_err());
        assert!(PendingFile::create(&directory.path().join("absent/report.json")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_and_a_link_is_kept() {
        PendingFile::create(Path::new("/dev/null")).unwrap().complete(b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("target"), directory.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        PendingFile::create(&link).unwrap().complete(b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }
}
