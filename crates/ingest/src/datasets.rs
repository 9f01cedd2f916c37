//! Ranks of datasets as inputs like any other.

use std::path::Path;

use eaves_model::Recording;
use eaves_store::{Dataset, is_address};

use crate::{Error, Options, formats};

/// A rank of a dataset.
#[derive(Clone, Debug)]
pub(crate) struct Rank {
    dataset: Dataset,
    run: String,
    rank: i64,
}

/// True if a word names a dataset, a run of one or a rank of that.
pub(crate) fn is_part(word: &Path) -> Result<bool, Error> {
    let Some(text) = word.to_str() else { return Ok(false) };
    if !word.is_dir() && !is_address(text) {
        return Ok(false);
    }
    Ok(Dataset::find(text)?.is_some())
}

/// The ranks that a word stands for, in order.
pub(crate) fn ranks(word: &Path) -> Result<Vec<Rank>, Error> {
    let not_found = || Error::NotFound { path: word.to_owned() };
    let part = Dataset::find(word.to_str().ok_or_else(not_found)?)?.ok_or_else(not_found)?;
    let run = part.dataset.run(part.run.as_deref())?;
    let mut ranks = part.dataset.ranks(&run)?;
    ranks.retain(|&rank| part.rank.is_none_or(|wanted| wanted == rank));
    if ranks.is_empty() {
        return Err(Error::NothingThere { path: word.display().to_string(), count: 0 });
    }
    Ok(ranks.into_iter().map(|rank| Rank { dataset: part.dataset.clone(), run: run.clone(), rank }).collect())
}

impl Rank {
    /// Where it is: what stands for this rank alone.
    pub(crate) fn place(&self) -> String {
        format!("{}/run={}/rank={}", self.dataset.place(), self.run, self.rank)
    }

    /// The recording as it was when the dataset was made.
    pub(crate) fn read(&self, options: &Options) -> Result<Recording, Error> {
        let mut recording = self.dataset.read(&self.run, self.rank)?;
        // Datasets of earlier versions have the format alone.
        let recorder = &mut recording.trace.metadata.recorder;
        *recorder = recorder.or(formats::recorder_of(recording.format));
        options.progress.advance(recording.bytes);
        Ok(recording)
    }
}
