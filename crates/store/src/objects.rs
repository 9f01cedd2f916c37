//! Objects of object stores as files: which there are, and one of them fetched.

use std::fs::File;

use crate::dataset_error::Error;

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its address.
    pub address: String,
    /// Its size.
    pub size: u64,
    /// What the store calls its content.
    pub etag: Option<String>,
}

impl Object {
    /// The object at an address, if there is one.
    ///
    /// # Errors
    /// If the store cannot be asked.
    pub fn find(address: &str) -> Result<Option<Self>, Error> {
        #[cfg(feature = "cloud")]
        return crate::bucket::Bucket::open(address)?.object();
        #[cfg(not(feature = "cloud"))]
        Err(unknown(address))
    }

    /// All objects below an address, by name.
    ///
    /// # Errors
    /// If the store cannot be asked.
    pub fn below(address: &str) -> Result<Vec<Self>, Error> {
        #[cfg(feature = "cloud")]
        return crate::bucket::Bucket::open(address)?.objects();
        #[cfg(not(feature = "cloud"))]
        Err(unknown(address))
    }

    /// Copies the object into a file. The answer is its size.
    ///
    /// # Errors
    /// If it cannot be read, or the file cannot be written.
    #[cfg_attr(not(feature = "cloud"), expect(unused_variables, reason = "there are no objects"))]
    pub fn fetch(&self, file: &mut File) -> Result<u64, Error> {
        #[cfg(feature = "cloud")]
        return crate::bucket::Bucket::open(&self.address)?.fetch(file);
        #[cfg(not(feature = "cloud"))]
        Err(unknown(&self.address))
    }
}

/// What is said of addresses where the program knows none.
#[cfg(not(feature = "cloud"))]
pub(crate) fn unknown(address: &str) -> Error {
    Error::NotBuilt { place: address.to_owned() }
}
