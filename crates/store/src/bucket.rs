//! Places in object stores: S3 and what speaks its language, Google Cloud Storage, Azure. The clients are asynchronous, which
//! nothing outside of this crate sees.

use std::fs::{self, File};
use std::future::Future;
use std::io::{self, Write};
use std::path::Path as LocalPath;
use std::sync::{Arc, OnceLock, mpsc};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::{Path, PathPart};
use object_store::{Error as StoreError, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::dataset_error::Error;
use crate::encode::file_name;
use crate::objects::Object;
use crate::rank_file::RankFile;

/// Variables of the environment that say where stores are and who asks; those of the vendors' own tools.
const VARIABLES: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];
const SCHEMES: [&str; 7] = ["abfs", "abfss", "az", "azure", "gs", "s3", "s3a"];

/// A bucket, or what is below a path in one.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// As the user wrote it, without a slash at its end.
    address: String,
}

impl Bucket {
    /// Of an address such as `s3://bucket/path`. Nothing is asked of the store yet.
    pub(crate) fn open(address: &str) -> Result<Self, Error> {
        let refused = |what: String| Error::Address { place: address.to_owned(), what };
        let url = Url::parse(address).map_err(|error| refused(format!("no address ({error})")))?;
        if !SCHEMES.contains(&url.scheme()) {
            return Err(refused(format!("`{}` is not an object store", url.scheme())));
        }
        provide_cryptography();
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let is_meant = VARIABLES.iter().any(|prefix| name.starts_with(prefix));
            is_meant.then(|| (name.to_ascii_lowercase(), value))
        });
        let (store, prefix) =
            object_store::parse_url_opts(&url, variables).map_err(|error| refused(shown_error(&error)))?;
        let address = address.trim_end_matches('/').to_owned();
        Ok(Self { store: store.into(), prefix, address })
    }

    /// The address of a place.
    pub(crate) fn shown(&self, place: &str) -> String {
        if place.is_empty() { self.address.clone() } else { format!("{}/{place}", self.address) }
    }

    fn at(&self, place: &str) -> Path {
        // Names stay as they are, for that is how stores list them; only what no name can be is escaped.
        let named = |part| PathPart::parse(part).unwrap_or_else(|_| PathPart::from(part));
        let parts = place.split('/').filter(|part| !part.is_empty());
        parts.fold(self.prefix.clone(), |path, part| path.join(named(part)))
    }

    /// The content of an object; nothing if there is none.
    pub(crate) fn find(&self, place: &str) -> Result<Option<Bytes>, Error> {
        let (store, path) = (self.store.clone(), self.at(place));
        let answer = wait(async move { store.get(&path).await?.bytes().await });
        match answer {
            Ok(Ok(content)) => Ok(Some(content)),
            Ok(Err(StoreError::NotFound { .. })) => Ok(None),
            Ok(Err(error)) => Err(Error::reading(self.shown(place))(io_error(&error))),
            Err(error) => Err(Error::reading(self.shown(place))(error)),
        }
    }

    /// The names of folders below a place that hold an object of a name, or anything if the name is empty, sorted.
    pub(crate) fn folders_with(&self, place: &str, file: &str) -> Result<Vec<String>, Error> {
        let (store, path) = (self.store.clone(), self.at(place));
        let mut names: Vec<String> = if file.is_empty() {
            let answer = wait(async move { store.list_with_delimiter(Some(&path)).await });
            let listed = self.answer(place, answer)?;
            listed.common_prefixes.iter().filter_map(|folder| Some(folder.filename()?.to_owned())).collect()
        } else {
            let below = path.clone();
            let answer = wait(async move { store.list(Some(&below)).try_collect::<Vec<ObjectMeta>>().await });
            let folder = |object: &ObjectMeta| {
                let mut parts = object.location.prefix_match(&path)?;
                let (folder, name) = (parts.next()?, parts.next()?);
                let is_it = name.as_ref() == file && parts.next().is_none();
                is_it.then(|| folder.as_ref().to_owned())
            };
            self.answer(place, answer)?.iter().filter_map(folder).collect()
        };
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn answer<T>(&self, place: &str, answer: io::Result<Result<T, StoreError>>) -> Result<T, Error> {
        let answer = answer.and_then(|answer| answer.map_err(|error| io_error(&error)));
        answer.map_err(Error::reading(self.shown(place)))
    }

    /// Writes an object.
    pub(crate) fn put(&self, place: &str, content: Vec<u8>) -> Result<(), Error> {
        let (store, path) = (self.store.clone(), self.at(place));
        let answer = wait(async move { store.put(&path, PutPayload::from(content)).await });
        self.written(place, answer).map(drop)
    }

    fn written<T>(&self, place: &str, answer: io::Result<Result<T, StoreError>>) -> Result<T, Error> {
        let answer = answer.and_then(|answer| answer.map_err(|error| io_error(&error)));
        answer.map_err(Error::writing(self.shown(place)))
    }

    /// Puts the files of a rank in place of what is in its folder. What says that the rank is there goes first and comes last.
    pub(crate) fn replace_folder(
        &self,
        folder: &str,
        files: &LocalPath,
        rank: &RankFile,
        rank_file: Vec<u8>,
    ) -> Result<(), Error> {
        let in_folder = |name: &str| format!("{folder}/{name}");
        self.remove(&in_folder(crate::dataset::RANK_FILE))?;
        let old = self.objects_in(folder)?;
        let names: Vec<String> = rank.tables.iter().map(|table| file_name(&table.name)).collect();
        for name in &names {
            let content = fs::read(files.join(name)).map_err(Error::reading(self.shown(&in_folder(name))))?;
            self.put(&in_folder(name), content)?;
        }
        // Tables of the rank that was there, while nobody takes the folder for one.
        for name in old.iter().filter(|old| !names.contains(old) && *old != crate::dataset::RANK_FILE) {
            self.remove(&in_folder(name))?;
        }
        self.put(&in_folder(crate::dataset::RANK_FILE), rank_file)
    }

    /// The names of the objects right below a place.
    fn objects_in(&self, place: &str) -> Result<Vec<String>, Error> {
        let (store, path) = (self.store.clone(), self.at(place));
        let answer = wait(async move { store.list_with_delimiter(Some(&path)).await });
        let listed = self.answer(place, answer)?;
        Ok(listed.objects.iter().filter_map(|object| Some(object.location.filename()?.to_owned())).collect())
    }

    fn remove(&self, place: &str) -> Result<(), Error> {
        let (store, path) = (self.store.clone(), self.at(place));
        match wait(async move { store.delete(&path).await }) {
            Ok(Err(StoreError::NotFound { .. })) => Ok(()),
            answer => self.written(place, answer),
        }
    }

    /// The object at this very address, if there is one.
    pub(crate) fn object(&self) -> Result<Option<Object>, Error> {
        // Whole buckets are not objects.
        if self.prefix.as_ref().is_empty() {
            return Ok(None);
        }
        let (store, path) = (self.store.clone(), self.prefix.clone());
        match wait(async move { store.head(&path).await }) {
            Ok(Err(StoreError::NotFound { .. })) => Ok(None),
            answer => {
                let found = self.answer("", answer)?;
                Ok(Some(Object { address: self.address.clone(), size: found.size, etag: found.e_tag }))
            }
        }
    }

    /// All objects below the address, by name.
    pub(crate) fn objects(&self) -> Result<Vec<Object>, Error> {
        let (store, below) = (self.store.clone(), self.prefix.clone());
        let answer = wait(async move { store.list(Some(&below)).try_collect::<Vec<ObjectMeta>>().await });
        let mut objects = Vec::new();
        for object in self.answer("", answer)? {
            let Some(parts) = object.location.prefix_match(&self.prefix) else { continue };
            let name = parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/");
            let address = self.shown(&name);
            objects.push(Object { address, size: object.size, etag: object.e_tag });
        }
        objects.sort_unstable_by(|a, b| a.address.cmp(&b.address));
        Ok(objects)
    }

    /// Copies the object at this very address into a file, piece by piece.
    pub(crate) fn fetch(&self, file: &mut File) -> Result<u64, Error> {
        /// Pieces that wait to be written.
        const PIECES: usize = 4;
        let (store, path) = (self.store.clone(), self.prefix.clone());
        let (sender, pieces) = mpsc::sync_channel(PIECES);
        let reading = async move {
            let mut content = match store.get(&path).await {
                Ok(found) => found.into_stream().boxed(),
                Err(error) => {
                    drop(sender.send(Err(error)));
                    return;
                }
            };
            while let Some(piece) = content.next().await {
                // Sending waits for the disk, which holds up nobody but this download.
                if tokio::task::block_in_place(|| sender.send(piece)).is_err() {
                    return;
                }
            }
        };
        let failed = |error: io::Error| Error::reading(self.shown(""))(error);
        runtime().map_err(failed)?.spawn(reading);
        let mut size = 0;
        for piece in pieces {
            let piece = piece.map_err(|error| failed(io_error(&error)))?;
            file.write_all(&piece).map_err(failed)?;
            size += piece.len() as u64;
        }
        Ok(size)
    }
}

/// What a store says, without the innards of its client.
fn shown_error(error: &StoreError) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().chars().take(400).collect()
}

fn io_error(error: &StoreError) -> io::Error {
    let kind = match error {
        StoreError::NotFound { .. } => io::ErrorKind::NotFound,
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, shown_error(error))
}

/// The threads that wait for the network.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let made = Builder::new_multi_thread().worker_threads(2).thread_name("bucket").enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| made))
}

/// The answer to a question of the network. It is asked on another thread, so that callers may be what they like, threads of
/// a server among them.
pub(crate) fn wait<T: Send + 'static>(question: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    let (sender, answer) = mpsc::sync_channel(1);
    runtime()?.spawn(async move { drop(sender.send(question.await)) });
    answer.recv().map_err(|_| io::Error::other("no answer"))
}

/// Chooses who encrypts connections, once for the process; another part of it may have chosen already.
pub(crate) fn provide_cryptography() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;
    use crate::names::{rank_folder, run_folder};

    fn bucket() -> Bucket {
        let (store, prefix) = (Arc::new(InMemory::new()), Path::from("below"));
        Bucket { store, prefix, address: "s3://bucket/below".to_owned() }
    }

    #[test]
    fn names_are_found_as_they_were_written() {
        let bucket = bucket();
        let mut folders: Vec<String> =
            ["a", "2026-11-16 night", "job.7_b", "größe+1", "実験"].map(run_folder).into();
        for folder in &folders {
            let place = format!("{folder}/{}/rank.json", rank_folder(-1));
            bucket.put(&place, folder.clone().into_bytes()).unwrap();
            assert_eq!(bucket.find(&place).unwrap().unwrap(), folder.as_bytes());
            assert_eq!(bucket.folders_with(folder, "rank.json").unwrap(), [rank_folder(-1)]);
        }
        folders.sort_unstable();
        assert_eq!(bucket.folders_with("", "").unwrap(), folders);
        let addresses = bucket.objects().unwrap();
        assert!(addresses.iter().any(|object| object.address.contains("größe+1")), "{addresses:?}");
    }
}
