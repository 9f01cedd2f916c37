//! A dataset: the recordings of many ranks as Parquet tables in folders, exact and plain.
//!
//! ```text
//! DATASET/eaves-dataset.json
//! DATASET/run=<name>/rank=<number>/rank.json
//! DATASET/run=<name>/rank=<number>/<table>.parquet
//! ```
//!
//! A rank is written under a hidden name and renamed when it is complete, in a bucket its `rank.json` comes last: what can
//! be seen is whole. Ranks know nothing of each other, so they may be written by many programs at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eaves_model::Recording;
use flate2::Crc;
use serde::{Deserialize, Serialize};

use crate::backing::Backing;
use crate::dataset_error::Error;
use crate::encode::{file_name, write_tables};
use crate::layout::STRINGS;
use crate::names::{is_run_name, rank_folder, rank_of_folder, run_folder, run_of_folder};
use crate::rank_file::{FORMAT_VERSION, RankFile, Source, StoredTable};
use crate::staging::StagedDirectory;
use crate::{decode, leftovers};

/// The file that makes a directory a dataset.
pub const DATASET_FILE: &str = "eaves-dataset.json";
/// The file that makes a folder a rank.
pub const RANK_FILE: &str = "rank.json";

/// What [`DATASET_FILE`] holds.
#[derive(Debug, Deserialize, Serialize)]
struct DatasetFile {
    format: String,
    format_version: u64,
    written_by: String,
}

const FORMAT: &str = "eaves-dataset";

/// A dataset, in a directory or in a bucket.
#[derive(Clone, Debug)]
pub struct Dataset {
    backing: Backing,
    /// True once there is [`DATASET_FILE`].
    is_made: Arc<AtomicBool>,
}

/// A rank of a dataset, or all of a run, or all there is: what a path into a dataset names.
#[derive(Clone, Debug)]
pub struct Part {
    /// The dataset.
    pub dataset: Dataset,
    /// The run, if one is named.
    pub run: Option<String>,
    /// The rank, if one is named.
    pub rank: Option<i64>,
}

impl Dataset {
    /// The part of a dataset that a path names: a dataset, a run in it, or a rank of that. `None` if it is not a part of a
    /// dataset.
    ///
    /// # Errors
    /// If it is one that cannot be read.
    pub fn find(path: &str) -> Result<Option<Part>, Error> {
        let mut root = path.trim_end_matches('/');
        let (mut run, mut rank) = (None, None);
        let last = |root: &str| root.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(number) = rank_of_folder(&last(root)) {
            rank = Some(number);
            root = root.rsplit_once('/').map_or(".", |(before, _)| before);
        }
        if let Some(name) = run_of_folder(&last(root)) {
            run = Some(name.to_owned());
            root = root.rsplit_once('/').map_or(".", |(before, _)| before);
        }
        if rank.is_some() && run.is_none() {
            return Ok(None);
        }
        let root = if root.is_empty() { "/" } else { root };
        match Self::open(root) {
            Ok(dataset) => Ok(Some(Part { dataset, run, rank })),
            Err(Error::NotADataset { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a dataset.
    ///
    /// # Errors
    /// If there is none, or one of a later version.
    pub fn open(path: &str) -> Result<Self, Error> {
        let dataset = Self::at(path)?;
        if dataset.check()? { Ok(dataset) } else { Err(Error::NotADataset { place: path.to_owned() }) }
    }

    /// Opens a dataset, or one that is made when its first rank is written: whoever has nothing to add leaves nothing.
    ///
    /// # Errors
    /// If something else is there.
    pub fn create(path: &str) -> Result<Self, Error> {
        let dataset = Self::at(path)?;
        if !dataset.check()? {
            dataset.check_room()?;
        }
        Ok(dataset)
    }

    fn at(path: &str) -> Result<Self, Error> {
        Ok(Self { backing: backing(path)?, is_made: Arc::default() })
    }

    /// Makes it, unless it is there. Its file is written among those of a rank that is being made, where the next program looks
    /// for what a killed one left.
    fn make(&self, staging: &Path) -> Result<(), Error> {
        if self.is_made.load(Ordering::Relaxed) || self.check()? {
            return Ok(());
        }
        let content = DatasetFile {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            written_by: crate::parquet::CREATED_BY.to_owned(),
        };
        let content = json(&content, &self.place())?;
        match &self.backing {
            Backing::Directory(root) => {
                let new = staging.join(".dataset");
                let written =
                    fs::write(&new, content).and_then(|()| fs::rename(&new, root.join(DATASET_FILE)));
                written.map_err(Error::writing(self.backing.shown(DATASET_FILE)))?;
            }
            #[cfg(feature = "cloud")]
            Backing::Bucket(bucket) => bucket.put(DATASET_FILE, content)?,
        }
        self.is_made.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Checks that nothing else is in the directory, if it is one.
    fn check_room(&self) -> Result<(), Error> {
        match &self.backing {
            Backing::Directory(root) => {
                let entries = match fs::read_dir(root) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
                    entries => entries.map_err(Error::writing(self.place()))?,
                };
                // Another program may be about to make the same dataset, or was killed when it was.
                let is_other = |entry: &fs::DirEntry| {
                    let name = entry.file_name();
                    let text = name.to_string_lossy();
                    !text.starts_with('.') && name != DATASET_FILE && run_of_folder(&text).is_none()
                };
                match entries.flatten().filter(is_other).min_by_key(fs::DirEntry::file_name) {
                    Some(other) if !self.check()? => {
                        Err(Error::Occupied { entry: other.path().display().to_string() })
                    }
                    _ => Ok(()),
                }
            }
            #[cfg(feature = "cloud")]
            Backing::Bucket(_) => Ok(()),
        }
    }

    /// True if there is a dataset.
    fn check(&self) -> Result<bool, Error> {
        let Some(content) = self.backing.find(DATASET_FILE)? else { return Ok(false) };
        let place = self.backing.shown(DATASET_FILE);
        let file: DatasetFile =
            serde_json::from_slice(&content).map_err(|error| Error::damaged(&place, error))?;
        if file.format != FORMAT {
            return Err(Error::damaged(
                place,
                format!("the format is `{:.80}`, not `{FORMAT}`", file.format),
            ));
        }
        check_version(place, file.format_version)?;
        self.is_made.store(true, Ordering::Relaxed);
        Ok(true)
    }

    /// Where it is.
    pub fn place(&self) -> String {
        self.backing.shown("")
    }

    /// The runs, by name.
    ///
    /// # Errors
    /// If the place cannot be read.
    pub fn runs(&self) -> Result<Vec<String>, Error> {
        let folders = self.backing.folders_with("", "")?;
        Ok(folders.iter().filter_map(|folder| run_of_folder(folder)).map(str::to_owned).collect())
    }

    /// The only run, or the one of a name.
    ///
    /// # Errors
    /// If there is no such run, or one must be named.
    pub fn run(&self, name: Option<&str>) -> Result<String, Error> {
        let mut known = self.runs()?;
        match name {
            Some(name) if known.iter().any(|known| known == name) => Ok(name.to_owned()),
            Some(name) => Err(Error::NoRun { place: self.place(), name: name.to_owned(), known }),
            None if known.len() == 1 => Ok(known.remove(0)),
            None => Err(Error::NotOneRun { place: self.place(), known }),
        }
    }

    /// The ranks of a run that are complete, in order; none if there is no such run.
    ///
    /// # Errors
    /// If the place cannot be read.
    pub fn ranks(&self, run: &str) -> Result<Vec<i64>, Error> {
        let folders = self.backing.folders_with(&run_folder(run), RANK_FILE)?;
        let mut ranks: Vec<i64> = folders.iter().filter_map(|folder| rank_of_folder(folder)).collect();
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// What is known of a rank besides its rows.
    ///
    /// # Errors
    /// If it is not there, or cannot be read.
    pub fn rank_file(&self, run: &str, rank: i64) -> Result<RankFile, Error> {
        let place = place(run, rank, RANK_FILE);
        let shown = || self.backing.shown(&place);
        let content =
            self.backing.find(&place)?.ok_or_else(|| Error::damaged(shown(), "the file is missing"))?;
        // The version first: fields of a later one may be of other types.
        #[derive(Deserialize)]
        struct Version {
            format_version: u64,
        }
        let damaged =
            |error: serde_json::Error| Error::damaged(shown(), format!("not JSON of a rank ({error})"));
        let version: Version = serde_json::from_slice(&content).map_err(damaged)?;
        check_version(shown(), version.format_version)?;
        let file: RankFile = serde_json::from_slice(&content).map_err(damaged)?;
        if file.rank != rank {
            return Err(Error::damaged(shown(), format!("it belongs to rank {}", file.rank)));
        }
        Ok(file)
    }

    /// Reads a rank: the recording as it was written.
    ///
    /// # Errors
    /// If a file is missing or is not what was written.
    pub fn read(&self, run: &str, rank: i64) -> Result<Recording, Error> {
        let file = self.rank_file(run, rank)?;
        let in_rank_file =
            |what: String| Error::damaged(self.backing.shown(&place(run, rank, RANK_FILE)), what);
        let mut recording = file.recording().map_err(in_rank_file)?;
        // Texts first: the numbers of the other tables are theirs.
        let (strings, others): (Vec<_>, Vec<_>) = file.tables.iter().partition(|table| table.name == STRINGS);
        for table in strings.into_iter().chain(others) {
            self.read_table(&mut recording, run, rank, table)?;
        }
        recording.trace.check_rows().map_err(|unfit| in_rank_file(unfit.to_string()))?;
        Ok(recording)
    }

    fn read_table(
        &self,
        recording: &mut Recording,
        run: &str,
        rank: i64,
        table: &StoredTable,
    ) -> Result<(), Error> {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        if !table.name.chars().all(is_plain) {
            let place = self.backing.shown(&place(run, rank, RANK_FILE));
            return Err(Error::damaged(place, format!("`{:.80}` is not a table name", table.name)));
        }
        let place = place(run, rank, &file_name(&table.name));
        let damaged = |what: String| Error::damaged(self.backing.shown(&place), what);
        let content = self.backing.find(&place)?.ok_or_else(|| damaged("the file is missing".to_owned()))?;
        let mut crc = Crc::new();
        crc.update(&content);
        if content.len() as u64 != table.bytes {
            return Err(damaged(format!("{} bytes where {} were written", content.len(), table.bytes)));
        }
        if crc.sum() != table.crc32 {
            return Err(damaged("the content is not what was written (its checksum differs)".to_owned()));
        }
        decode::read_table(&mut recording.trace, &table.name, table.rows, content).map_err(damaged)
    }

    /// Writes the tables of a recording where nobody sees them yet. `source` is the file that it was read from.
    ///
    /// # Errors
    /// If the place cannot be written.
    pub fn stage(
        &self,
        run: &str,
        recording: &Recording,
        source: Option<Source>,
    ) -> Result<StagedRank, Error> {
        if !is_run_name(run) {
            return Err(Error::RunName { name: run.to_owned() });
        }
        let folder = self.staging_folder(run)?;
        let target = folder.join(rank_folder(recording.rank));
        let failed = |error| Error::writing(target.display().to_string())(error);
        let staged = StagedDirectory::create(&target).map_err(failed)?;
        let lock = leftovers::lock(staged.path()).map_err(failed)?;
        self.make(staged.path())?;
        let tables = write_tables(&recording.trace, staged.path()).map_err(failed)?;
        let file = RankFile::new(recording, source, tables);
        Ok(StagedRank {
            dataset: self.clone(),
            #[cfg(feature = "cloud")]
            run: run.to_owned(),
            folder,
            staged,
            lock,
            file,
        })
    }

    /// Where ranks of a run are made: next to their place, or on this machine if that is a bucket.
    fn staging_folder(&self, run: &str) -> Result<PathBuf, Error> {
        match &self.backing {
            Backing::Directory(root) => {
                let folder = root.join(run_folder(run));
                fs::create_dir_all(&folder).map_err(Error::writing(folder.display().to_string()))?;
                Ok(folder)
            }
            #[cfg(feature = "cloud")]
            Backing::Bucket(_) => Ok(std::env::temp_dir()),
        }
    }

    /// Removes what programs left in a run that ended in the middle. What others are writing stays.
    pub fn clean(&self, run: &str) {
        match &self.backing {
            Backing::Directory(root) => leftovers::remove(&root.join(run_folder(run))),
            #[cfg(feature = "cloud")]
            Backing::Bucket(_) => {}
        }
    }
}

/// A rank whose tables are written, but that is not there yet. Dropped, it leaves nothing.
#[derive(Debug)]
pub struct StagedRank {
    dataset: Dataset,
    #[cfg(feature = "cloud")]
    run: String,
    folder: PathBuf,
    staged: StagedDirectory,
    lock: fs::File,
    file: RankFile,
}

impl StagedRank {
    /// Its tables.
    pub fn tables(&self) -> &[StoredTable] {
        &self.file.tables
    }

    /// Makes it appear as this rank, in place of what was there.
    ///
    /// # Errors
    /// If the place cannot be written.
    pub fn complete(mut self, rank: i64) -> Result<RankFile, Error> {
        self.file.rank = rank;
        let target = self.folder.join(rank_folder(rank));
        let failed = |error| Error::writing(target.display().to_string())(error);
        let content = json(&self.file, &target.display().to_string())?;
        match &self.dataset.backing {
            Backing::Directory(_) => {
                fs::write(self.staged.path().join(RANK_FILE), content).map_err(failed)?;
                drop(fs::remove_file(self.staged.path().join(leftovers::LOCK)));
                drop(self.lock);
                self.staged.complete_as(&target).map_err(failed)?;
            }
            #[cfg(feature = "cloud")]
            Backing::Bucket(bucket) => {
                let folder = place(&self.run, rank, "");
                bucket.replace_folder(
                    folder.trim_end_matches('/'),
                    self.staged.path(),
                    &self.file,
                    content,
                )?;
            }
        }
        Ok(self.file)
    }
}

fn place(run: &str, rank: i64, file: &str) -> String {
    format!("{}/{}/{file}", run_folder(run), rank_folder(rank))
}

fn check_version(place: String, found: u64) -> Result<(), Error> {
    if found > FORMAT_VERSION {
        return Err(Error::Version { place, found, known: FORMAT_VERSION });
    }
    Ok(())
}

fn json(value: &impl Serialize, place: &str) -> Result<Vec<u8>, Error> {
    let mut content = serde_json::to_vec_pretty(value).map_err(|error| Error::damaged(place, error))?;
    content.push(b'\n');
    Ok(content)
}

/// True for an address of an object store.
pub fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|letter| letter.is_ascii_alphanumeric())
    })
}

fn backing(path: &str) -> Result<Backing, Error> {
    if !is_address(path) {
        return Ok(Backing::Directory(Path::new(path).to_owned()));
    }
    #[cfg(feature = "cloud")]
    return crate::bucket::Bucket::open(path).map(Backing::Bucket);
    #[cfg(not(feature = "cloud"))]
    Err(crate::objects::unknown(path))
}
