//! Inputs that are read and written by many processes, and the one that says which of them is which rank.
//!
//! First, every input is a task; inputs that record their rank end up in the dataset. Then come decisions that need all
//! inputs: recordings without a rank are assigned one, and if two claim the same rank, the first by name is written again,
//! because the order in which they finished is unknown. Recordings assembled from several files are read here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use eaves_ingest::{Inputs, Progress};
use eaves_model::{Diagnostics, Recording, Run, WarningKind, assign_ranks};
use eaves_store::RankFile;

use super::outcome::Outcome;
use super::task::{Task, Written};
use super::writer::{Action, Entry, refusal};
use super::{Work, of_inputs};
use crate::{Failure, hinted};

/// Updates a run of a dataset with many processes: this one plans the work and assigns ranks, others
/// [read and write](Task::run).
pub struct Job {
    work: Work,
    round: u8,
    /// What each input turned out to be.
    answers: BTreeMap<String, Written>,
    /// The ranks, with the inputs that are written.
    entries: BTreeMap<i64, Entry>,
    /// What was written, as it was found, by the names of the recordings.
    found: BTreeMap<String, RankFile>,
    /// What cannot be read or written.
    faults: Vec<String>,
    /// Recordings whose rank another one has.
    conflicts: Vec<String>,
}

impl Job {
    /// Finds out what there is to do. `run` is by default named after the inputs.
    ///
    /// # Errors
    /// If there is nothing of a name, or the dataset cannot be read.
    pub fn plan(inputs: &[PathBuf], dataset: &str, run: Option<&str>) -> Result<Self, Failure> {
        Ok(Self::of(Work::plan(inputs, dataset, run)?))
    }

    pub(super) fn of(work: Work) -> Self {
        let entries = work.unchanged.iter().map(|entry| (entry.rank, entry.clone())).collect();
        Self {
            work,
            round: 0,
            answers: BTreeMap::new(),
            entries,
            found: BTreeMap::new(),
            faults: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    /// The run.
    pub fn run(&self) -> &str {
        &self.work.run
    }

    /// Tasks that can be done side by side. When all are done or failed there may be more of them.
    ///
    /// # Errors
    /// If an input is of this machine only.
    pub fn tasks(&mut self) -> Result<Vec<Task>, Failure> {
        self.round = self.round.saturating_add(1);
        match self.round {
            1 => Ok(self.all()?),
            2 => Ok(self.settle()),
            _ => Ok(Vec::new()),
        }
    }

    fn all(&self) -> anyhow::Result<Vec<Task>> {
        let files = self.work.inputs.files().map_err(of_inputs)?;
        if files.iter().any(|file| file.as_os_str() == "-") {
            return Err(hinted(
                "standard input is on this machine only",
                "name a file that all machines can access",
            ));
        }
        let task = |file: PathBuf| Task { file: file.display().to_string(), ranks: None };
        Ok(files.into_iter().map(task).collect())
    }

    /// Takes what a task wrote.
    pub fn answered(&mut self, file: &str, answer: Written) {
        if self.round < 2 {
            self.answers.insert(file.to_owned(), answer);
            return;
        }
        self.faults.extend(answer.refused);
        for written in answer.written {
            self.hold(written);
        }
    }

    /// Takes that a task failed.
    pub fn failed(&mut self, file: &str, why: &str) {
        let named = if why.contains(file) { why.to_owned() } else { format!("{why}: {file}") };
        self.faults.push(named);
        // What was to be written once more is not what is there.
        if self.round >= 2 {
            let of_file = |path: &str| {
                path.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with('!'))
            };
            self.entries.retain(|_, entry| !of_file(&entry.path));
        }
    }

    /// Makes a recording that was written the holder of its rank.
    fn hold(&mut self, written: RankFile) {
        let held = self.entries.get(&written.rank);
        // It was in the dataset as it is, and had to be written once more.
        if held.is_some_and(|entry| entry.action == Action::Skipped && entry.path == written.path) {
            return;
        }
        let action = self.work.known.action(written.rank);
        self.entries.insert(written.rank, Entry::of(&written, action));
        self.found.insert(written.path.clone(), written);
    }

    /// Decides which recording is which rank, when all inputs were looked at.
    fn settle(&mut self) -> Vec<Task> {
        let mut again: BTreeMap<String, Vec<(String, i64)>> = BTreeMap::new();
        let mut written: BTreeMap<i64, Vec<(String, RankFile)>> = BTreeMap::new();
        for (file, answer) in &mut self.answers {
            self.faults.append(&mut answer.refused);
            // What is read once more, with others, is written then.
            if !answer.together {
                for rank in std::mem::take(&mut answer.written) {
                    written.entry(rank.rank).or_default().push((file.clone(), rank));
                }
            }
        }
        for (rank, mut claims) in written {
            claims.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
            let unchanged = self.entries.get(&rank).map(|entry| entry.path.clone());
            let first = claims.first().map(|(file, claim)| (file.clone(), claim.path.clone()));
            let Some((file, path)) = first else { continue };
            let is_first = unchanged.as_ref().is_none_or(|unchanged| path < *unchanged);
            let (file, path) = match unchanged.clone() {
                Some(unchanged) if !is_first => (unchanged.clone(), unchanged),
                _ => (file, path),
            };
            let others = claims.iter().map(|(_, claim)| &claim.path).chain(&unchanged);
            let others: BTreeSet<&String> = others.filter(|other| **other != path).collect();
            self.conflicts.extend(others.iter().map(|other| refusal(rank, other, &path)));
            if claims.len() > 1 || !is_first {
                again.entry(file).or_default().push((path.clone(), rank));
            }
            for (_, claim) in claims {
                if claim.path == path {
                    self.hold(claim);
                } else {
                    self.found.insert(claim.path.clone(), claim);
                }
            }
        }
        if !self.answers.values().any(|answer| answer.together) {
            self.number(&mut again);
        }
        again.into_iter().map(|(file, ranks)| Task { file, ranks: Some(ranks) }).collect()
    }

    /// Gives ranks to the recordings that nothing gives one.
    fn number(&self, again: &mut BTreeMap<String, Vec<(String, i64)>>) {
        let open =
            self.answers.iter().flat_map(|(file, answer)| answer.open.iter().map(move |path| (path, file)));
        let mut open: Vec<(&String, &String)> = open.collect();
        open.sort_unstable();
        let mut taken: BTreeSet<i64> = self.entries.keys().copied().collect();
        for (path, file) in open {
            let before = self.work.known.rank_of(path).filter(|rank| !taken.contains(rank));
            let rank = before.unwrap_or_else(|| self.work.known.free_rank(|rank| taken.contains(&rank)));
            taken.insert(rank);
            again.entry(file.clone()).or_default().push((path.clone(), rank));
        }
    }

    /// What became of the inputs. What is combined of several files is read by this process.
    ///
    /// # Errors
    /// If nothing could be added.
    pub fn finish(mut self) -> Result<Outcome, Failure> {
        let has_parts = self.answers.values().any(|answer| answer.together);
        let is_left = |answer: &Written| answer.together || has_parts && !answer.open.is_empty();
        let left = self.answers.iter().filter(|(_, answer)| is_left(answer));
        let left: Vec<PathBuf> = left.map(|(file, _)| PathBuf::from(file)).collect();
        let dataset = self.work.dataset.clone();
        let run = self.work.run.clone();
        let mut outcome = if left.is_empty() {
            Outcome { entries: self.entries.into_values().collect(), ..Outcome::default() }
        } else {
            self.work.unchanged = self.entries.into_values().collect();
            self.work.inputs = Inputs::find(&left).map_err(of_inputs)?;
            self.work.inputs.pass_over_faults();
            self.work.here(Arc::<Progress>::default())?
        };
        // What was left by processes that went away in the middle.
        dataset.clean(&run);
        self.faults.sort_unstable();
        outcome.read = together(outcome.read, &self.found, &self.faults)?;
        self.conflicts.sort_unstable();
        outcome.refused = [self.faults, outcome.refused, self.conflicts].concat();
        Ok(outcome.checked()?)
    }
}

/// Everything that was read, as if this process had.
fn together(here: Run, found: &BTreeMap<String, RankFile>, faults: &[String]) -> anyhow::Result<Run> {
    let elsewhere = found.values().map(RankFile::recording).collect::<Result<Vec<Recording>, String>>();
    let elsewhere = elsewhere.map_err(|what| hinted(what, "use the same eaves version on all machines"))?;
    let mut recordings: Vec<(Recording, ())> =
        here.recordings.into_iter().chain(elsewhere).map(|recording| (recording, ())).collect();
    let mut diagnostics = Diagnostics::default();
    for fault in faults {
        diagnostics.note_detail(WarningKind::NotATrace, None, fault.as_str());
    }
    assign_ranks(&mut recordings, &mut diagnostics);
    diagnostics.absorb(here.diagnostics);
    Ok(Run { recordings: recordings.into_iter().map(|(recording, ())| recording).collect(), diagnostics })
}
