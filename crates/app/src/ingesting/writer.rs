//! Writes ranks, and decides which input becomes a rank if two claim it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eaves_model::{RankSource, Recording};
use eaves_store::{Dataset, Error, RankFile, Source, StagedRank};
use serde::{Deserialize, Serialize};

use super::sources::Sources;

/// What was done with a rank.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// It is new.
    Added,
    /// Its content changed.
    Replaced,
    /// It has not changed.
    Skipped,
}

impl Action {
    /// The name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Skipped => "skipped",
        }
    }
}

/// A rank that is in the run now.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Entry {
    pub(crate) rank: i64,
    pub(crate) action: Action,
    /// The input.
    pub(crate) path: String,
    /// Rows of all its tables.
    pub(crate) rows: u64,
    /// Size of all its tables.
    pub(crate) bytes: u64,
}

impl Entry {
    pub(super) fn of(file: &RankFile, action: Action) -> Self {
        // A file that somebody made up may say anything.
        let sum = |of: fn(&eaves_store::StoredTable) -> u64| {
            file.tables.iter().map(of).fold(0, u64::saturating_add)
        };
        let (rows, bytes) = (sum(|table| table.rows), sum(|table| table.bytes));
        Self { rank: file.rank, action, path: file.path.clone(), rows, bytes }
    }
}

/// The ranks that a run has.
pub(crate) struct Known {
    ranks: BTreeSet<i64>,
    /// Those of them that cannot be read.
    damaged: BTreeSet<i64>,
    /// By the input that they are of.
    files: HashMap<String, RankFile>,
}

impl Known {
    /// Looks at what is there. A damaged rank is as good as none: it will be replaced. One that a later version wrote, or that
    /// cannot be read at this moment, is not.
    pub(crate) fn of(dataset: &Dataset, run: &str) -> Result<Self, Error> {
        let ranks: BTreeSet<i64> = dataset.ranks(run)?.into_iter().collect();
        let (mut damaged, mut files) = (BTreeSet::new(), HashMap::new());
        for &rank in &ranks {
            match dataset.rank_file(run, rank) {
                Ok(file) => drop(files.insert(file.path.clone(), file)),
                Err(Error::Damaged { .. }) => drop(damaged.insert(rank)),
                Err(error) => return Err(error),
            }
        }
        Ok(Self { ranks, damaged, files })
    }

    /// The rank of a file that need not be read, because nothing of it changed and nothing next to it can matter.
    pub(super) fn unchanged_file(&self, path: &Path, sources: &mut Sources) -> Option<Entry> {
        let path = path.display().to_string();
        let file = self.unchanged(&path, sources.remember(&path).as_ref())?;
        let is_alone = eaves_ingest::stands_alone(&file.format) && file.container != "zip";
        is_alone.then(|| Entry::of(file, Action::Skipped))
    }

    /// What is done by writing this rank.
    pub(super) fn action(&self, rank: i64) -> Action {
        if self.ranks.contains(&rank) { Action::Replaced } else { Action::Added }
    }

    /// The rank that an input had before.
    pub(super) fn rank_of(&self, path: &str) -> Option<i64> {
        self.files.get(path).map(|file| file.rank)
    }

    /// The lowest rank that nobody has, and that is not taken besides. A damaged one is given once more, for the recording that
    /// it was made of is unknown.
    pub(super) fn free_rank(&self, is_taken: impl Fn(i64) -> bool) -> i64 {
        let is_there = |rank| self.ranks.contains(&rank) && !self.damaged.contains(&rank);
        (0..).find(|&rank| !is_taken(rank) && !is_there(rank)).unwrap_or(0)
    }

    fn unchanged(&self, path: &str, source: Option<&Source>) -> Option<&RankFile> {
        self.files.get(path).filter(|file| source.is_some() && file.source.as_ref() == source)
    }
}

/// A recording that was written, but whose rank is known only when all were read.
pub(crate) struct Deferred(Box<StagedRank>);

/// Writes recordings as ranks. Inputs that say they are the same rank are not mixed up: the first by name is the rank.
pub(crate) struct Writer<'a> {
    dataset: &'a Dataset,
    run: &'a str,
    known: &'a Known,
    sources: &'a Sources,
    has_unchanged: bool,
    /// The ranks of this command. Each has its own lock, for writing to a bucket takes long.
    places: Mutex<BTreeMap<i64, Arc<Mutex<Option<Entry>>>>>,
    refused: Mutex<Vec<String>>,
}

impl<'a> Writer<'a> {
    /// Of a run of which some ranks need not be read.
    pub(super) fn new(
        dataset: &'a Dataset,
        run: &'a str,
        (known, sources): (&'a Known, &'a Sources),
        unchanged: Vec<Entry>,
    ) -> Self {
        let has_unchanged = !unchanged.is_empty();
        let place = |entry: Entry| (entry.rank, Arc::new(Mutex::new(Some(entry))));
        let places = Mutex::new(unchanged.into_iter().map(place).collect());
        Self { dataset, run, known, sources, has_unchanged, places, refused: Mutex::default() }
    }

    /// Writes a recording, takes its rows, and makes it a rank if that is known already.
    pub(crate) fn take(&self, recording: &mut Recording) -> Result<Option<Deferred>, Error> {
        let path = recording.path.clone();
        let source = self.sources.of_read(&path);
        if let Some(file) = self.known.unchanged(&path, source.as_ref()) {
            drop(recording.trace.take_rows());
            return self.place(file.rank, &path, || Ok(Entry::of(file, Action::Skipped))).map(|()| None);
        }
        let staged = self.dataset.stage(self.run, recording, source)?;
        drop(recording.trace.take_rows());
        // Whether a recording of memory is a rank depends on what lies next to it.
        let is_open =
            recording.rank_source == RankSource::Assumed || eaves_ingest::is_of_memory(recording.format);
        if is_open {
            return Ok(Some(Deferred(Box::new(staged))));
        }
        self.complete(staged, recording.rank, &path)?;
        Ok(None)
    }

    /// Makes ranks of the recordings whose rank was open, in their order.
    pub(crate) fn finish(
        &self,
        recordings: &[Recording],
        answers: Vec<Result<Option<Deferred>, Error>>,
    ) -> Result<(), Error> {
        for (recording, answer) in recordings.iter().zip(answers) {
            let Some(Deferred(staged)) = answer? else { continue };
            if self.has_unchanged && eaves_ingest::is_of_memory(recording.format) {
                let refusal = format!("memory recording next to traces: {}", recording.path);
                lock(&self.refused).push(refusal);
                continue;
            }
            let rank = match (recording.rank_source, self.known.rank_of(&recording.path)) {
                (RankSource::Assumed, Some(before)) => before,
                (RankSource::Assumed, None) => {
                    let places = lock(&self.places);
                    self.known.free_rank(|rank| places.contains_key(&rank))
                }
                _ => recording.rank,
            };
            self.complete(*staged, rank, &recording.path)?;
        }
        Ok(())
    }

    fn complete(&self, staged: StagedRank, rank: i64, path: &str) -> Result<(), Error> {
        self.place(rank, path, || Ok(Entry::of(&staged.complete(rank)?, self.known.action(rank))))
    }

    /// Gives a rank to an input, unless another input of this command is that rank and comes first by name.
    fn place(&self, rank: i64, path: &str, make: impl FnOnce() -> Result<Entry, Error>) -> Result<(), Error> {
        let place = lock(&self.places).entry(rank).or_default().clone();
        let mut holder = lock(&place);
        if let Some(held) = holder.as_ref() {
            if held.path.as_str() <= path {
                lock(&self.refused).push(refusal(rank, path, &held.path));
                return Ok(());
            }
            lock(&self.refused).push(refusal(rank, &held.path, path));
        }
        let entry = make()?;
        *holder = Some(entry);
        Ok(())
    }

    /// What was done, in order of rank, and the inputs whose rank another one has.
    pub(crate) fn into_entries(self) -> (Vec<Entry>, Vec<String>) {
        let places = self.places.into_inner().unwrap_or_else(PoisonError::into_inner);
        let entries = places.into_values().filter_map(|place| lock(&place).clone()).collect();
        let mut refused = self.refused.into_inner().unwrap_or_else(PoisonError::into_inner);
        refused.sort_unstable();
        (entries, refused)
    }
}

/// The refusal of an input whose rank is taken.
pub(super) fn refusal(rank: i64, loser: &str, winner: &str) -> String {
    format!("rank {rank} is already taken by {winner}: {loser}")
}

/// What is guarded is never left half-changed, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
