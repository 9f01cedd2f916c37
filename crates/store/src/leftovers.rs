//! Folders that a writer left behind which ended in the middle.
//!
//! A writer holds the lock of a file in its folder, and the system gives the lock back when the writer ends, however it
//! ends. So a folder whose lock can be had is nobody's.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

/// The file that is locked.
pub(crate) const LOCK: &str = ".lock";
/// A folder without a lock is about to get one, or was about to lose it. Nobody takes that long.
const BRIEF: Duration = Duration::from_secs(3600);

/// Marks a folder as being written for as long as the answer lives.
pub(crate) fn lock(folder: &Path) -> io::Result<File> {
    let file = File::create(folder.join(LOCK))?;
    // Not every file system has locks; without, nothing but cleaning up is lost.
    drop(file.try_lock());
    Ok(file)
}

/// Removes what writers left in a directory that ended in the middle. What cannot be removed stays: it harms nobody.
pub(crate) fn remove(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(".rank=") && name.ends_with(".part") && is_left(&entry.path()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

fn is_left(folder: &Path) -> bool {
    match File::options().write(true).open(folder.join(LOCK)) {
        Ok(file) => file.try_lock().is_ok(),
        Err(_) => {
            let age = fs::metadata(folder).and_then(|metadata| metadata.modified()).ok();
            age.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > BRIEF)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_writes_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = directory.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let (written, left, new) =
            (folder(".rank=0.a.part"), folder(".rank=1.b.part"), folder(".rank=2.c.part"));
        let (foreign, whole) = (folder(".foreign.part"), folder("rank=3"));
        let held = lock(&written).unwrap();
        drop(lock(&left).unwrap());
        remove(directory.path());
        assert!(written.is_dir() && new.is_dir() && foreign.is_dir() && whole.is_dir());
        assert!(!left.exists());
        drop(held);
        remove(directory.path());
        assert!(!written.exists());
    }
}
