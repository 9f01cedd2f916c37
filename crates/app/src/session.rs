//! Recordings that are in memory, so that a second question reads no file.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use eaves_analyze::{Options, Selection, SelectionError};
use eaves_model::{Measurements, Run, Trace, parallel};

use crate::Failure;

/// Bytes of memory that an event takes in columns and indices, as a rule.
const BYTES_OF_EVENT: u64 = 160;

/// Recordings in memory, and the part of them that questions are about.
#[derive(Debug)]
pub struct Recordings {
    /// The inputs as they were named.
    pub inputs: Vec<PathBuf>,
    /// The recordings of the selected ranks.
    pub run: Run,
    /// Sums without a record of each launch.
    pub sums: Vec<Measurements>,
    /// The part.
    pub selection: Selection,
}

impl Recordings {
    /// Reads traces and sums of profilers.
    ///
    /// # Errors
    /// If an input cannot be read, or no recording is of a rank that is asked for.
    pub fn read(paths: &[PathBuf], selection: Selection, threads: Option<usize>) -> Result<Self, Failure> {
        let mut options = eaves_ingest::Options::default();
        if let Some(threads) = threads {
            options.threads = threads.max(1);
        }
        let contents = eaves_ingest::read_with_sums(paths, &options, |_| ())?;
        let mut run = contents.run;
        let mut known: Vec<i64> = run.recordings.iter().map(|recording| recording.rank).collect();
        known.dedup();
        if let Some(&rank) = selection.ranks.iter().flatten().find(|rank| !known.contains(rank)) {
            return Err(SelectionError::NoSuchRank { rank, known }.into());
        }
        run.recordings.retain(|recording| selection.has_rank(recording.rank));
        Ok(Self { inputs: paths.to_vec(), run, sums: contents.measurements, selection })
    }

    /// How analyses look at them.
    pub fn options(&self) -> Options {
        Options::default().with_selection(self.selection.clone())
    }

    /// Does some work on each recording, as many side by side as there are threads. Answers are in order.
    pub fn each<R: Send>(&self, work: impl Fn(&Trace) -> R + Sync) -> Vec<R> {
        each(&self.run, |_, trace| work(trace))
    }

    /// Bytes, roughly.
    pub fn size(&self) -> u64 {
        // The numbers of events come from files, which may say anything.
        let events = self.run.recordings.iter().map(|recording| recording.trace.events);
        events.fold(0, u64::saturating_add).saturating_mul(BYTES_OF_EVENT)
    }
}

/// Does some work on each recording of a run, which may need its place, as many side by side as there are threads.
/// Answers are in order.
pub fn each<R: Send>(run: &Run, work: impl Fn(usize, &Trace) -> R + Sync) -> Vec<R> {
    let threads = eaves_ingest::Options::default().threads;
    parallel::map(&run.recordings, threads, |at, recording| work(at, &recording.trace))
}

/// What is loaded. Whoever holds recordings keeps them in memory; the session itself keeps the ones used last within a
/// budget, and finds all that are still there.
#[derive(Debug, Default)]
pub struct Session {
    /// Bytes of recordings that the session itself keeps.
    budget: u64,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    known: Vec<Weak<Recordings>>,
    /// The one used last comes first.
    kept: VecDeque<Arc<Recordings>>,
}

impl Session {
    /// A session that keeps recordings of so many bytes.
    pub fn with_budget(budget: u64) -> Self {
        Self { budget, held: Mutex::default() }
    }

    /// A session that knows recordings which somebody else keeps.
    pub fn of(recordings: &Arc<Recordings>) -> Self {
        let session = Self::default();
        session.add(recordings);
        session
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Lists are never left half-changed.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of recordings, and keeps them if there is room.
    pub fn add(&self, recordings: &Arc<Recordings>) {
        let mut held = self.held();
        held.known.retain(|known| known.strong_count() > 0);
        held.known.push(Arc::downgrade(recordings));
        if recordings.size() <= self.budget {
            held.kept.push_front(recordings.clone());
            let mut size = 0u64;
            held.kept.retain(|kept| {
                size = size.saturating_add(kept.size());
                size <= self.budget
            });
        }
    }

    /// The recordings of these inputs, whole, if they are in memory.
    pub fn find(&self, inputs: &[PathBuf]) -> Option<Arc<Recordings>> {
        let mut held = self.held();
        let found = held.known.iter().filter_map(Weak::upgrade).find(|known| known.inputs == inputs)?;
        if let Some(at) = held.kept.iter().position(|kept| Arc::ptr_eq(kept, &found))
            && let Some(kept) = held.kept.remove(at)
        {
            held.kept.push_front(kept);
        }
        Some(found)
    }

    /// Forgets inputs that changed.
    pub fn forget(&self, input: &Path) {
        let is_other = |recordings: &Recordings| !recordings.inputs.iter().any(|known| known == input);
        let mut held = self.held();
        held.kept.retain(|kept| is_other(kept));
        held.known.retain(|known| known.upgrade().is_some_and(|known| is_other(&known)));
    }
}
