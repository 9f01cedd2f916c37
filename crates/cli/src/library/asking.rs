//! Questions in SQL.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eaves_model::Recording;
use eaves_query::{Answer, Ranks};

use crate::commands::query as query_verb;
use crate::failure::hinted;
use eaves_app::ingesting::default_run;
use eaves_app::{Failure, Recordings};

/// Recordings as SQL sees them.
struct Held(Arc<Recordings>);

impl eaves_query::Recordings for Held {
    fn recordings(&self) -> &[Recording] {
        &self.0.run.recordings
    }
}

/// Answers a question in SQL about inputs. Ranks of datasets are read when they are needed.
///
/// # Errors
/// If an input cannot be read, the question is wrong, or this build has no SQL.
pub fn query(sql: &str, inputs: &[PathBuf]) -> Result<Answer, Failure> {
    let read = |inputs: &[PathBuf]| {
        eaves_ingest::read(inputs, &eaves_ingest::Options::default())
            .map_err(|error| hinted(error.to_string(), error.hint()))
    };
    query_verb::is_there()?;
    let (ranks, _) = query_verb::ranks(inputs, read)?;
    Ok(query_verb::ask(sql, &ranks)?)
}

/// Answers a question in SQL about recordings in memory: about all their rows, whatever steps and times are selected.
///
/// # Errors
/// If the question is wrong, or this build has no SQL.
pub fn query_recordings(sql: &str, recordings: &Arc<Recordings>) -> Result<Answer, Failure> {
    let paths: Vec<PathBuf> =
        recordings.run.recordings.iter().map(|recording| Path::new(&recording.path).to_owned()).collect();
    let held: Arc<dyn eaves_query::Recordings> = Arc::new(Held(recordings.clone()));
    Ok(query_verb::ask(sql, &Ranks::in_memory(&default_run(&paths), &held))?)
}
