//! Where a dataset is: a directory of this machine or a place in a bucket.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::dataset_error::Error;

/// Where a dataset is. Places in it are named by paths with `/`.
#[derive(Clone, Debug)]
pub(crate) enum Backing {
    /// A directory.
    Directory(PathBuf),
    /// A bucket, or a part of one.
    #[cfg(feature = "cloud")]
    Bucket(crate::bucket::Bucket),
}

impl Backing {
    /// A place in the dataset as it is shown.
    pub(crate) fn shown(&self, place: &str) -> String {
        match self {
            Self::Directory(root) if place.is_empty() => root.display().to_string(),
            Self::Directory(root) => root.join(place).display().to_string(),
            #[cfg(feature = "cloud")]
            Self::Bucket(bucket) => bucket.shown(place),
        }
    }

    /// The content of a file; nothing if there is none.
    pub(crate) fn find(&self, place: &str) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Directory(root) => match fs::read(root.join(place)) {
                Ok(content) => Ok(Some(content.into())),
                Err(error) if is_absence(&error) => Ok(None),
                Err(error) => Err(Error::reading(self.shown(place))(error)),
            },
            #[cfg(feature = "cloud")]
            Self::Bucket(bucket) => bucket.find(place),
        }
    }

    /// The names of folders in a place that hold a file of a name, sorted.
    pub(crate) fn folders_with(&self, place: &str, file: &str) -> Result<Vec<String>, Error> {
        match self {
            Self::Directory(root) => {
                let mut names = folders(&root.join(place)).map_err(Error::reading(self.shown(place)))?;
                names.retain(|name| file.is_empty() || root.join(place).join(name).join(file).is_file());
                Ok(names)
            }
            #[cfg(feature = "cloud")]
            Self::Bucket(bucket) => bucket.folders_with(place, file),
        }
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The names of folders in a directory that are not hidden, sorted; none if it is not there.
fn folders(directory: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = match fs::read_dir(directory) {
        Err(error) if is_absence(&error) => return Ok(names),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        // A name that is no text is none of ours.
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !name.starts_with('.') && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}
