//! Files and directories that are there whole or not at all: written under a temporary name next to their place
//! and renamed when complete. Dropped before that, they leave nothing. Every temporary name is in one list, so
//! that an interruption can remove them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir};

/// Temporary files and directories that exist at this moment.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    // The list is never left half-changed, so a panic elsewhere does not spoil it.
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every unfinished file and lets no other appear. For the last act of a process.
pub fn abandon_all() {
    let paths = temporary();
    for path in paths.iter() {
        // Nobody is left to tell; what cannot be removed stays.
        drop(if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
    }
    // Whoever is about to rename or make one waits for this lock until the process is gone.
    std::mem::forget(paths);
}

/// Keeps a name in the list as long as it lives.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    fn new(list: &mut Vec<PathBuf>, path: &Path) -> Self {
        list.push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        temporary().retain(|known| *known != self.0);
    }
}

/// A file that appears when it is complete.
#[derive(Debug)]
pub struct StagedFile {
    target: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    // Fields are dropped in order: the file is gone before its name leaves the list.
    Temporary(NamedTempFile, Listed),
    /// A device or pipe, which must not be replaced by a file.
    Direct(File),
}

impl StagedFile {
    /// Makes a temporary file next to the target.
    ///
    /// # Errors
    /// If the directory of the target cannot be written, or the target is a directory itself.
    pub fn create(target: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(target).ok();
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
        }
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = fs::OpenOptions::new().write(true).open(target)?;
            return Ok(Self { target: target.to_owned(), place: Place::Direct(file) });
        }
        // A link stays a link: its target is replaced.
        let target = if metadata.is_some() { fs::canonicalize(target)? } else { target.to_owned() };
        let mut builder = Builder::new();
        share(&mut builder, 0o666);
        let mut list = temporary();
        let file = builder.prefix(&prefix(&target)).suffix(".part").tempfile_in(parent(&target))?;
        let listed = Listed::new(&mut list, file.path());
        drop(list);
        if let Some(metadata) = metadata {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Self { target, place: Place::Temporary(file, listed) })
    }

    /// Where to write.
    pub fn file(&mut self) -> &mut File {
        match &mut self.place {
            Place::Temporary(file, _) => file.as_file_mut(),
            Place::Direct(file) => file,
        }
    }

    /// Makes the file appear. The answer is its size.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn complete(self) -> io::Result<u64> {
        match self.place {
            Place::Temporary(file, _listed) => {
                let list = temporary();
                let persisted = file.persist(&self.target);
                drop(list);
                Ok(persisted?.metadata()?.len())
            }
            Place::Direct(file) => Ok(file.metadata()?.len()),
        }
    }
}

/// A file in the directory for temporary ones, which is gone when this is.
#[derive(Debug)]
pub struct TemporaryFile {
    // Fields are dropped in order: the file is gone before its name leaves the list.
    file: NamedTempFile,
    _listed: Listed,
}

impl TemporaryFile {
    /// Makes an empty one.
    ///
    /// # Errors
    /// If the directory for temporary files cannot be written.
    pub fn create() -> io::Result<Self> {
        let mut list = temporary();
        let file = NamedTempFile::new()?;
        let listed = Listed::new(&mut list, file.path());
        Ok(Self { file, _listed: listed })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Where to write.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }
}

/// A directory among the temporary ones, which is gone with all that is in it when this is.
#[derive(Debug)]
pub struct TemporaryDirectory {
    // Fields are dropped in order: the directory is gone before its name leaves the list.
    directory: TempDir,
    _listed: Listed,
}

impl TemporaryDirectory {
    /// Makes an empty one whose name begins like this.
    ///
    /// # Errors
    /// If the directory for temporary files cannot be written.
    pub fn create(prefix: &str) -> io::Result<Self> {
        let mut list = temporary();
        let directory = Builder::new().prefix(prefix).tempdir()?;
        let listed = Listed::new(&mut list, directory.path());
        Ok(Self { directory, _listed: listed })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// A directory that appears when it is complete.
#[derive(Debug)]
pub struct StagedDirectory {
    target: PathBuf,
    staging: TempDir,
    _listed: Listed,
}

impl StagedDirectory {
    /// Makes a temporary directory next to the target.
    ///
    /// # Errors
    /// If the directory of the target cannot be written.
    pub fn create(target: &Path) -> io::Result<Self> {
        // `dir/.` and links have to be resolved, for renaming works on the name.
        let target = if target.exists() { fs::canonicalize(target)? } else { target.to_owned() };
        let mut list = temporary();
        let staging = temporary_directory(&target)?;
        let listed = Listed::new(&mut list, staging.path());
        drop(list);
        Ok(Self { target, staging, _listed: listed })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        self.staging.path()
    }

    /// Makes the directory appear in place of the one that was there.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn complete(self) -> io::Result<()> {
        let target = self.target.clone();
        self.complete_as(&target)
    }

    /// The same under another name in the same directory.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn complete_as(self, target: &Path) -> io::Result<()> {
        // No interruption between the two renames.
        let list = temporary();
        let swapped = swap(self.staging.path(), target);
        drop(list);
        if swapped.is_ok() {
            // It has moved, so there is nothing to remove.
            drop(self.staging.keep());
        }
        swapped
    }
}

/// Puts a directory in the place of another. Of several programs that do so at once the last one stays, so what others did
/// between two steps is not a failure.
fn swap(new: &Path, target: &Path) -> io::Result<()> {
    /// Nobody is overtaken this often.
    const TIMES: usize = 64;
    let mut attempt = 0;
    loop {
        let result = if target.exists() { replace(new, target) } else { fs::rename(new, target) };
        attempt += 1;
        match result {
            Err(error) if attempt < TIMES && is_overtaken(&error) => {}
            result => return result,
        }
    }
}

fn replace(new: &Path, target: &Path) -> io::Result<()> {
    let aside = temporary_directory(target)?;
    let old = aside.path().join("old");
    fs::rename(target, &old)?;
    if let Err(error) = fs::rename(new, target) {
        // If it fails because another is there by now, the old one is not needed.
        if !is_overtaken(&error) {
            fs::rename(&old, target)?;
        }
        return Err(error);
    }
    aside.close()
}

/// True if the directory that was to be moved away is gone, or another is where this one was to be.
fn is_overtaken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotFound)
}

fn temporary_directory(target: &Path) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    share(&mut builder, 0o777);
    builder.prefix(&prefix(target)).suffix(".part").tempdir_in(parent(target))
}

fn parent(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn prefix(target: &Path) -> std::ffi::OsString {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".");
    prefix
}

/// Readable for whom other new files are; the default of temporary files is the owner alone.
#[cfg(unix)]
fn share(builder: &mut Builder<'_, '_>, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn share(_: &mut Builder<'_, '_>, _: u32) {}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_file_appears_when_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        let mut staged = StagedFile::create(&path).unwrap();
        staged.file().write_all(b"new").unwrap();
        assert!(!path.exists());
        drop(staged);
        assert!(names(directory.path()).is_empty());
        for content in ["first", "second!"] {
            let mut staged = StagedFile::create(&path).unwrap();
            staged.file().write_all(content.as_bytes()).unwrap();
            assert_eq!(staged.complete().unwrap(), content.len() as u64);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "second!");
        assert_eq!(names(directory.path()), ["a.json"]);
    }

    #[test]
    fn a_temporary_directory_is_listed_while_it_is_there() {
        let made = TemporaryDirectory::create("eaves-test-").unwrap();
        let path = made.path().to_owned();
        fs::write(path.join("a"), "content").unwrap();
        assert!(path.exists() && temporary().contains(&path));
        drop(made);
        assert!(!path.exists() && !temporary().contains(&path));
    }

    #[test]
    fn a_temporary_file_is_listed_while_it_is_there() {
        let mut made = TemporaryFile::create().unwrap();
        made.file().write_all(b"content").unwrap();
        let path = made.path().to_owned();
        assert!(path.exists() && temporary().contains(&path));
        drop(made);
        assert!(!path.exists() && !temporary().contains(&path));
    }

    #[test]
    fn a_directory_replaces_the_old_one_whole() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("tables");
        drop(StagedDirectory::create(&target).unwrap());
        assert!(names(directory.path()).is_empty());
        for name in ["one", "two"] {
            let staged = StagedDirectory::create(&target).unwrap();
            fs::write(staged.path().join(name), name).unwrap();
            staged.complete().unwrap();
            assert_eq!(names(&target), [name]);
        }
        assert_eq!(names(directory.path()), ["tables"]);
    }

    #[test]
    fn of_many_at_once_one_stays() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("tables");
        let write = |name: &str| {
            for _ in 0..50 {
                // Not through the list of this process, which has one renamed after the other.
                let staged = temporary_directory(&target).unwrap();
                fs::write(staged.path().join(name), name).unwrap();
                swap(&staged.keep(), &target).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for name in ["one", "two", "three", "four"] {
                scope.spawn(move || write(name));
            }
        });
        assert_eq!(names(directory.path()), ["tables"]);
        assert_eq!(names(&target).len(), 1);
    }

    #[test]
    fn a_directory_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        assert!(StagedFile::create(directory.path()).is_err());
        assert!(StagedFile::create(&directory.path().join("absent/report.json")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_and_a_link_is_kept() {
        let write = |path: &Path| {
            let mut staged = StagedFile::create(path).unwrap();
            staged.file().write_all(b"new").unwrap();
            staged.complete().unwrap();
        };
        write(Path::new("/dev/null"));
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("target"), directory.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }
}
