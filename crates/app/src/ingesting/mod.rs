//! Updates a run of a dataset, on one machine or many.

mod cluster;
mod names;
mod outcome;
mod sources;
mod task;
#[cfg(test)]
mod tests;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use eaves_ingest::{Inputs, Progress};
use eaves_model::Run;
use eaves_store::Dataset;

pub use self::cluster::Job;
pub use self::names::default_run;
pub use self::outcome::Outcome;
pub use self::task::{Task, Written};

use self::sources::Sources;
use self::writer::{Entry, Known, Writer};
use crate::hinted;

/// What there is to do: which run of which dataset, and the inputs that are not in it as they are.
pub(crate) struct Work {
    dataset: Dataset,
    run: String,
    known: Known,
    inputs: Inputs,
    /// The inputs before anything was read.
    sources: Sources,
    /// Ranks that need not be read.
    unchanged: Vec<Entry>,
}

impl Work {
    /// Finds out what there is to do. Nothing is written yet.
    pub(crate) fn plan(words: &[PathBuf], dataset: &str, run: Option<&str>) -> anyhow::Result<Self> {
        let run = run.map_or_else(|| default_run(words), str::to_owned);
        if !eaves_store::is_run_name(&run) {
            return Err(of_store(eaves_store::Error::RunName { name: run }));
        }
        let mut inputs = Inputs::find(words).map_err(of_inputs)?;
        inputs.pass_over_faults();
        let dataset = Dataset::create(dataset).map_err(of_store)?;
        dataset.clean(&run);
        let known = Known::of(&dataset, &run).map_err(of_store)?;
        let (mut sources, mut unchanged) = (Sources::default(), Vec::new());
        inputs.retain(|path| match known.unchanged_file(path, &mut sources) {
            Some(entry) => {
                unchanged.push(entry);
                false
            }
            None => true,
        });
        Ok(Self { dataset, run, known, inputs, sources, unchanged })
    }

    /// Does it in this process.
    pub(crate) fn here(self, progress: Arc<Progress>) -> anyhow::Result<Outcome> {
        let Self { dataset, run, known, inputs, sources, unchanged } = self;
        let has_unchanged = !unchanged.is_empty();
        let writer = Writer::new(&dataset, &run, (&known, &sources), unchanged);
        let mut read = Run::default();
        let mut refused = Vec::new();
        if !inputs.is_empty() {
            let options = eaves_ingest::Options { progress, ..Default::default() };
            match eaves_ingest::read_found_with(inputs, &options, |recording| writer.take(recording)) {
                Ok(contents) => {
                    writer.finish(&contents.run.recordings, contents.answers).map_err(of_store)?;
                    (read, refused) = (contents.run, contents.refused);
                }
                // What is new cannot be read, but what was there is up to date.
                Err(error) if has_unchanged => refused.push(error.to_string()),
                Err(error) => return Err(of_inputs(error)),
            }
        }
        let (entries, conflicts) = writer.into_entries();
        refused.extend(conflicts);
        Outcome { entries, refused, read }.checked()
    }
}

/// What to do about a dataset that cannot be read or written.
fn of_store(error: eaves_store::Error) -> anyhow::Error {
    let hint = error.hint();
    hinted(error.to_string(), hint)
}

fn of_inputs(error: eaves_ingest::Error) -> anyhow::Error {
    hinted(error.to_string(), error.hint())
}
