//! One input, read and written by any process.

use std::path::{Path, PathBuf};

use eaves_ingest::{Error as ReadError, Inputs, Options};
use eaves_model::{RankSource, Recording};
use eaves_store::{Dataset, Error, RankFile, Source, is_address};
use serde::{Deserialize, Serialize};

use super::of_store;
use crate::Failure;

/// What to do about bytes of another version.
const SAME_VERSION: &str = "use the same eaves version everywhere";

/// An input to be read and written, in any process of any machine that sees it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The input as the user named it.
    pub file: String,
    /// Recordings in it that are to be written, as these ranks; if not given, all that say which rank they are.
    pub ranks: Option<Vec<(String, i64)>>,
}

/// Ranks written and refused by a task.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Written {
    /// The ranks that were written.
    pub(super) written: Vec<RankFile>,
    /// Recordings without a rank.
    pub(super) open: Vec<String>,
    /// True if the meaning of the input depends on the others.
    pub(super) together: bool,
    /// What could not be read, and why.
    pub(super) refused: Vec<String>,
}

/// Action taken for a recording.
enum Taken {
    Written(Box<RankFile>),
    Open(String),
    Together,
    Other,
}

impl Written {
    /// Serialized for another process.
    ///
    /// # Errors
    /// Never because of its content.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        serde_json::to_vec(self).map_err(|error| Failure::new(error.to_string(), SAME_VERSION))
    }

    /// Deserialized from another process.
    ///
    /// # Errors
    /// If it is something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        serde_json::from_slice(bytes)
            .map_err(|error| Failure::new(format!("not a task result: {error}"), SAME_VERSION))
    }
}

impl Task {
    /// Reads the input and writes what it is of a run. Names that are not absolute are those in a folder.
    ///
    /// # Errors
    /// If the dataset cannot be written. That an input cannot be read is an answer.
    pub fn run(&self, dataset: &str, run: &str, folder: &Path) -> Result<Written, Failure> {
        let dataset = Dataset::create(&absolute(folder, dataset)).map_err(of_store)?;
        let here = absolute(folder, &self.file);
        let before = source(folder, &self.file);
        let work = |recording: &mut Recording| {
            if let Some(member) = recording.path.strip_prefix(&here) {
                recording.path = format!("{}{member}", self.file);
            }
            let taken = self.take(recording, &dataset, run, || {
                // A file that changed while it was read is not known by what it is now.
                source(folder, &recording.path).filter(|now| before.as_ref() == Some(now))
            });
            drop(recording.trace.take_rows());
            taken
        };
        let inputs = Inputs::find(&[PathBuf::from(&here)]).map(|mut inputs| {
            inputs.pass_over_faults();
            inputs
        });
        // Ranks are read side by side by other processes.
        let options = Options { threads: 1, ..Options::default() };
        let as_named = |message: String| message.replace(&here, &self.file);
        let mut answer = Written::default();
        match inputs.and_then(|inputs| eaves_ingest::read_found_with(inputs, &options, work)) {
            Ok(contents) => {
                answer.refused.extend(contents.refused.into_iter().map(as_named));
                for taken in contents.answers {
                    match taken.map_err(of_store)? {
                        Taken::Written(file) => answer.written.push(*file),
                        Taken::Open(path) => answer.open.push(path),
                        Taken::Together => answer.together = true,
                        Taken::Other => {}
                    }
                }
            }
            // Sums are part of what lies next to them.
            Err(ReadError::Sums { .. }) => answer.together = true,
            Err(error) => answer.refused.push(as_named(error.to_string())),
        }
        Ok(answer)
    }

    fn take(
        &self,
        recording: &Recording,
        dataset: &Dataset,
        run: &str,
        source: impl FnOnce() -> Option<Source>,
    ) -> Result<Taken, Error> {
        let rank = match &self.ranks {
            Some(ranks) => match ranks.iter().find(|(path, _)| *path == recording.path) {
                Some((_, rank)) => *rank,
                None => return Ok(Taken::Other),
            },
            None if !eaves_ingest::stands_alone(recording.format) => return Ok(Taken::Together),
            None if recording.rank_source == RankSource::Assumed => {
                return Ok(Taken::Open(recording.path.clone()));
            }
            None => recording.rank,
        };
        let staged = dataset.stage(run, recording, source())?;
        Ok(Taken::Written(Box::new(staged.complete(rank)?)))
    }
}

/// A name as it is on every machine.
fn absolute(folder: &Path, name: &str) -> String {
    if is_address(name) { name.to_owned() } else { folder.join(name).display().to_string() }
}

/// What a file is known by, under the name that the user gave it.
fn source(folder: &Path, path: &str) -> Option<Source> {
    let mut source = Source::of(&absolute(folder, path))?;
    if !is_address(path) && Path::new(path).is_relative() {
        let named = Path::new(&source.path).strip_prefix(folder).ok()?.display().to_string();
        source.path = named;
    }
    Some(source)
}
