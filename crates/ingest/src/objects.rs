//! Objects of object stores, fetched one at a time as they are read.

use eaves_store::Object;
use eaves_store::staging::TemporaryFile;

use crate::containers::{self, Opened};
use crate::{Error, Options};

/// An object as a temporary file, which is gone when this is.
pub(crate) struct Fetched {
    /// The content, under the address of the object.
    pub(crate) opened: Opened,
    _file: TemporaryFile,
}

impl Fetched {
    /// Fetches an object.
    pub(crate) fn new(object: &Object, options: &Options) -> Result<Self, Error> {
        let path = object.address.clone();
        let failed = |source| Error::Io { path: path.clone().into(), source };
        let mut file = TemporaryFile::create().map_err(failed)?;
        object.fetch(file.file())?;
        // What is read of the file was counted when it was fetched.
        options.progress.advance(object.size);
        let mut opened = containers::open_file(file.path(), &Default::default(), options.wanted)?;
        match opened.pop() {
            // A member of an archive has a name that shows the temporary file.
            Some(one) if opened.is_empty() && one.container != "zip" => {
                Ok(Self { opened: Opened { path, ..one }, _file: file })
            }
            _ => Err(Error::UnsupportedContainer { path, kind: "a zip archive in a bucket" }),
        }
    }
}
