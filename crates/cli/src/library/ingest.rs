//! Ranks that are read and written by many processes.

use std::path::{Path, PathBuf};

use eaves_present::Document;

use super::Failure;
use crate::ingesting::{Job, Outcome, Task, Work};

/// An input, and the recordings in it that are to be written as ranks, if that was decided.
pub type IngestTask = (String, Option<Vec<(String, i64)>>);

/// A run of a dataset that is brought up to date by many processes: this one says what there is to do and which input is which
/// rank, others [read and write](ingest_file).
pub struct Ingest {
    /// None when it is finished.
    job: Option<Job>,
}

impl Ingest {
    /// Finds out what there is to do. `run` is by default named after the inputs.
    ///
    /// # Errors
    /// If there is nothing of a name, or the dataset cannot be read.
    pub fn new(inputs: &[PathBuf], dataset: &str, run: Option<&str>) -> Result<Self, Failure> {
        Ok(Self { job: Some(Job::new(Work::plan(inputs, dataset, run)?)) })
    }

    /// The run.
    pub fn run(&self) -> &str {
        self.job.as_ref().map_or("", Job::run)
    }

    /// What can be done side by side. When all are done or failed there may be more.
    ///
    /// # Errors
    /// If an input is of this machine only.
    pub fn tasks(&mut self) -> Result<Vec<IngestTask>, Failure> {
        let tasks = self.job()?.tasks()?;
        Ok(tasks.into_iter().map(|Task { file, ranks }| (file, ranks)).collect())
    }

    /// Takes what [`ingest_file`] gave.
    ///
    /// # Errors
    /// If it is something else.
    pub fn answered(&mut self, file: &str, answer: &[u8]) -> Result<(), Failure> {
        let answer = serde_json::from_slice(answer).map_err(|error| {
            Failure::new(
                format!("not what became of an input: {error}"),
                "use one version of eaves everywhere",
            )
        })?;
        self.job()?.answered(file, answer);
        Ok(())
    }

    /// Takes that an input could not be read or written.
    ///
    /// # Errors
    /// If it is finished.
    pub fn failed(&mut self, file: &str, why: &str) -> Result<(), Failure> {
        self.job()?.failed(file, why);
        Ok(())
    }

    /// What became of all inputs, to be told to [`ingested`].
    ///
    /// # Errors
    /// If nothing could be added.
    pub fn finish(&mut self) -> Result<Vec<u8>, Failure> {
        let job = self.job.take().ok_or_else(finished)?;
        Ok(job.finish()?.to_bytes()?)
    }

    fn job(&mut self) -> Result<&mut Job, Failure> {
        self.job.as_mut().ok_or_else(finished)
    }
}

fn finished() -> Failure {
    Failure::new("it is finished", "plan another")
}

/// Reads an input and writes what it is of a run, all that say which rank they are or those that are named. Names that are not
/// absolute are those in a folder.
///
/// # Errors
/// If the dataset cannot be written. An input that cannot be read is an answer.
pub fn ingest_file(
    file: &str,
    ranks: Option<Vec<(String, i64)>>,
    dataset: &str,
    run: &str,
    folder: &Path,
) -> Result<Vec<u8>, Failure> {
    let answer = Task { file: file.to_owned(), ranks }.run(dataset, run, folder)?;
    serde_json::to_vec(&answer)
        .map_err(|error| Failure::new(error.to_string(), "use one version of eaves everywhere"))
}

/// What became of inputs, as a document.
///
/// # Errors
/// If the bytes are something else.
pub fn ingested(outcome: &[u8]) -> Result<Document, Failure> {
    Ok(Outcome::from_bytes(outcome)?.document())
}
