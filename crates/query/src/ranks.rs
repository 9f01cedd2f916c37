//! What is asked about: ranks in memory, and ranks of datasets, which are read when their rows are needed.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use eaves_model::{Recording, Run};
use eaves_store::{Dataset, Part};

use crate::Error;

/// Recordings in memory, however they are held there.
pub trait Recordings: Send + Sync {
    /// The recordings.
    fn recordings(&self) -> &[Recording];
}

impl Recordings for Run {
    fn recordings(&self) -> &[Recording] {
        &self.recordings
    }
}

/// The ranks that a question is about, of one run or several.
#[derive(Clone, Debug, Default)]
pub struct Ranks(pub(crate) Vec<Arc<Rank>>);

impl Ranks {
    /// Recordings in memory, as ranks of a run.
    pub fn in_memory(run: &str, recordings: &Arc<dyn Recordings>) -> Self {
        let rank = |(index, recording): (usize, &Recording)| {
            let held = Held::Memory { recordings: recordings.clone(), index };
            Arc::new(Rank { run: run.to_owned(), rank: recording.rank, held })
        };
        Self(recordings.recordings().iter().enumerate().map(rank).collect())
    }

    /// Ranks of a dataset: those of all its runs, of one of them, or one rank. Nothing is read but their names.
    ///
    /// # Errors
    /// If the dataset cannot be listed.
    pub fn of_dataset(part: &Part) -> Result<Self, eaves_store::Error> {
        let runs = match &part.run {
            Some(run) => vec![part.dataset.run(Some(run))?],
            None => part.dataset.runs()?,
        };
        let mut ranks = Vec::new();
        for run in runs {
            for rank in part.dataset.ranks(&run)? {
                if part.rank.is_none_or(|wanted| wanted == rank) {
                    let held = Held::Stored { dataset: part.dataset.clone(), opened: Mutex::default() };
                    ranks.push(Arc::new(Rank { run: run.clone(), rank, held }));
                }
            }
        }
        Ok(Self(ranks))
    }

    /// These and others.
    #[must_use]
    pub fn and(mut self, mut others: Self) -> Self {
        self.0.append(&mut others.0);
        self
    }

    /// A run and a rank that are there twice, of different inputs: rows of both would be taken for one.
    pub fn twice(&self) -> Option<(&str, i64)> {
        let mut known = HashSet::new();
        self.0.iter().map(|rank| (rank.run.as_str(), rank.rank)).find(|&rank| !known.insert(rank))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One rank.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(crate) run: String,
    pub(crate) rank: i64,
    held: Held,
}

enum Held {
    Memory {
        recordings: Arc<dyn Recordings>,
        index: usize,
    },
    Stored {
        dataset: Dataset,
        /// Shared by whoever looks at it at the same time, as two tables that are joined.
        opened: Mutex<Weak<Recording>>,
    },
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { index, .. } => write!(f, "recording {index} in memory"),
            Self::Stored { dataset, .. } => write!(f, "in {}", dataset.place()),
        }
    }
}

/// A rank whose rows are in memory for as long as this is held.
pub(crate) enum Opened {
    Memory { recordings: Arc<dyn Recordings>, index: usize },
    Stored(Arc<Recording>),
}

impl Opened {
    pub(crate) fn recording(&self) -> Option<&Recording> {
        match self {
            Self::Memory { recordings, index } => recordings.recordings().get(*index),
            Self::Stored(recording) => Some(recording),
        }
    }
}

impl Rank {
    /// Its rows, read if need be.
    pub(crate) fn open(&self) -> Result<Opened, Error> {
        match &self.held {
            Held::Memory { recordings, index } => {
                Ok(Opened::Memory { recordings: recordings.clone(), index: *index })
            }
            Held::Stored { dataset, opened } => {
                let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(recording) = opened.upgrade() {
                    return Ok(Opened::Stored(recording));
                }
                let recording = dataset.read(&self.run, self.rank).map_err(|error| Error::Read {
                    run: self.run.clone(),
                    rank: self.rank,
                    cause: error.to_string(),
                })?;
                let recording = Arc::new(recording);
                *opened = Arc::downgrade(&recording);
                Ok(Opened::Stored(recording))
            }
        }
    }
}
