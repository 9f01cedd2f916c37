//! Inputs in memory: recordings, measurements, compile logs, a saved report.

use std::path::{Path, PathBuf};

use eaves_analyze::{Options, Selection, SelectionError};
use eaves_ingest::{Contents, Kind, Opened, Wanted};
use eaves_model::compile::CompileLog;
use eaves_model::{Measurements, Recording, Run, Trace, assign_ranks, parallel};
use eaves_present::saved::{self, Saved};

use crate::{Failure, Reading};

/// Bytes of memory that an event takes in columns and indices, as a rule.
const BYTES_OF_EVENT: u64 = 160;

/// Inputs in memory, and the part of them that questions are about.
#[derive(Debug, Default)]
pub struct Recordings {
    /// The inputs as they were named.
    pub inputs: Vec<PathBuf>,
    /// What each of them is, and each file that was found below them.
    pub found: Vec<Opened>,
    /// The recordings of the selected ranks. Compile logs alone are a recording of the compiler's phases.
    pub run: Run,
    /// Recordings of memory alone that lie next to others and are not ranks of their own.
    pub memory: Run,
    /// Measurements, and sums without a record of each launch.
    pub measurements: Vec<Measurements>,
    /// Compile logs, in order of rank.
    pub compile_logs: Vec<CompileLog>,
    /// A report that was saved. It is alone.
    pub saved: Option<Saved>,
    /// The part.
    pub selection: Selection,
}

impl Recordings {
    /// Reads whatever there is, with all rows of the selected ranks.
    ///
    /// # Errors
    /// If an input cannot be read, or no recording is of a rank that is asked for.
    pub fn read(paths: &[PathBuf], selection: Selection, threads: Option<usize>) -> Result<Self, Failure> {
        let mut options = eaves_ingest::Options { wanted: Wanted::Everything, ..Default::default() };
        if let Some(threads) = threads {
            options.threads = threads.max(1);
        }
        let (mut read, ..) = Self::of(paths, eaves_ingest::open(paths, &options, |_| ())?)?;
        let mut known: Vec<i64> = read.run.recordings.iter().map(|recording| recording.rank).collect();
        known.dedup();
        if let Some(&rank) = selection.ranks.iter().flatten().find(|rank| !known.contains(rank)) {
            return Err(SelectionError::NoSuchRank { rank, known }.into());
        }
        for run in [&mut read.run, &mut read.memory] {
            run.recordings.retain(|recording| selection.has_rank(recording.rank));
        }
        Ok(Self { selection, ..read })
    }

    /// What was read of inputs, with the answers of the work on recordings and on those of memory next to them. Phases of
    /// a compiler, which come from its log, have none yet.
    pub(crate) fn of<R>(
        inputs: &[PathBuf],
        contents: Contents<R>,
    ) -> Result<(Self, Vec<R>, Vec<R>), Failure> {
        let saved = saved_report(inputs, &contents)?;
        let mut memory = contents.memory;
        let mut of_memory = Run::default();
        assign_ranks(&mut memory, &mut of_memory.diagnostics);
        let (recordings, answers) = memory.into_iter().unzip();
        of_memory.recordings = recordings;
        let mut run = contents.run;
        if run.recordings.is_empty() {
            run.recordings.extend(contents.compile_logs.iter().filter_map(eaves_ingest::compile_phases));
        }
        let read = Self {
            inputs: inputs.to_vec(),
            found: contents.inputs,
            run,
            memory: of_memory,
            measurements: contents.measurements,
            compile_logs: contents.compile_logs,
            saved,
            selection: Selection::default(),
        };
        Ok((read, contents.answers, answers))
    }

    /// How analyses look at them.
    pub fn options(&self) -> Options {
        Options::default().with_selection(self.selection.clone())
    }

    /// Does some work on each recording, as many side by side as there are threads. Answers are in order.
    pub fn each<R: Send>(&self, work: impl Fn(&Trace) -> R + Sync) -> Vec<R> {
        each(&self.run, |_, trace| work(trace))
    }

    /// True if there are recordings of a program, not of a compiler alone.
    pub fn has_traces(&self) -> bool {
        self.run.recordings.iter().any(|recording| !is_of_compiler(recording))
    }

    /// True if an input is of this kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.found.iter().any(|found| found.kind == kind)
    }

    /// Sums that profilers wrote.
    pub fn sums(&self) -> impl Iterator<Item = &Measurements> {
        self.measurements.iter().filter(|file| is_sums(file))
    }

    /// Checks that exists what a request reads.
    pub(crate) fn check(&self, reading: Reading) -> Result<(), Failure> {
        let is_there = match reading {
            Reading::Everything => true,
            Reading::Traces => !self.run.recordings.is_empty(),
            Reading::WithSums => !self.run.recordings.is_empty() || self.sums().next().is_some(),
            Reading::Measurements(_) => !self.run.recordings.is_empty() || !self.measurements.is_empty(),
        };
        if is_there {
            return Ok(());
        }
        let kinds: Vec<&str> = self.kinds().map(Kind::id).collect();
        let inputs: Vec<String> = self.inputs.iter().map(|path| path.display().to_string()).collect();
        Err(Failure::new(
            format!("no recording in {} ({})", inputs.join(", "), kinds.join(", ")),
            "`eaves report` shows what the input contains",
        ))
    }

    /// Every kind of input that is there, once.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let mut kinds: Vec<Kind> = self.found.iter().map(|found| found.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.into_iter()
    }

    /// Bytes, roughly.
    pub fn size(&self) -> u64 {
        // The numbers of events come from files, which may say anything.
        let runs = [&self.run, &self.memory].into_iter().flat_map(|run| &run.recordings);
        let events = runs.map(|recording| recording.trace.events).fold(0, u64::saturating_add);
        let records = self.measurements.iter().map(|file| file.records.len() as u64);
        let logs = self.compile_logs.iter().map(|log| log.records);
        let events = records.chain(logs).fold(events, u64::saturating_add);
        let saved = self.saved.as_ref().map_or(0, |saved| saved.json.len() as u64);
        events.saturating_mul(BYTES_OF_EVENT).saturating_add(saved.saturating_mul(2))
    }
}

/// True for a file of sums without a record of each launch.
pub(crate) fn is_sums(file: &Measurements) -> bool {
    eaves_ingest::Form::ALL.iter().all(|form| form.id() != file.format)
}

/// True for the phases of a compiler, read from its log.
fn is_of_compiler(recording: &Recording) -> bool {
    eaves_ingest::is_of_compiler(recording.format)
}

/// The saved report, if that is the input. One that lies next to recordings in a directory is made of them, as a rule,
/// and is skipped; one that was named is not.
fn saved_report<R>(inputs: &[PathBuf], contents: &Contents<R>) -> Result<Option<Saved>, Failure> {
    let found = contents.paths(Kind::SavedReport);
    let named: Vec<&PathBuf> = inputs.iter().filter(|input| is_among(input, &found)).collect();
    let is_alone = contents.inputs.iter().all(|input| input.kind == Kind::SavedReport);
    let path = match (found.as_slice(), named.as_slice()) {
        ([], _) => return Ok(None),
        (_, []) if !is_alone => return Ok(None),
        // The path as it was named, which need not be text.
        ([_], [only]) if is_alone => (*only).clone(),
        ([only], []) => only.clone(),
        ([first, ..], _) => {
            return Err(Failure::usage(
                format!("a saved report cannot be combined with other inputs: {}", first.display()),
                "open it alone; `eaves diff BASE NEW` compares two",
            ));
        }
    };
    saved::open(&path)
        .map_err(|error| Failure::new(error.to_string(), "save the report again, or open the recording"))
}

fn is_among(input: &Path, found: &[PathBuf]) -> bool {
    let shown = input.display().to_string();
    found.iter().any(|path| path.as_os_str() == shown.as_str())
}

/// Does some work on each recording of a run, which may need its place, as many side by side as there are threads.
/// Answers are in order.
pub fn each<R: Send>(run: &Run, work: impl Fn(usize, &Trace) -> R + Sync) -> Vec<R> {
    let threads = eaves_ingest::Options::default().threads;
    parallel::map(&run.recordings, threads, |at, recording| work(at, &recording.trace))
}
