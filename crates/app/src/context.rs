//! What a verb runs with: the session, a progress reporter, and the output forms.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::Selection;
use eaves_ingest::{Form as InputForm, Wanted};
use eaves_model::compile::CompileLog;
use eaves_model::{RankSource, Recording, Trace};

use crate::{Failure, Form, Recordings, Session, each};

/// Reports before each step: steps done, steps in total, and the next one.
pub type NextStep<'a> = dyn FnMut(usize, usize, &str) + 'a;

/// Receives progress.
pub trait Progress: Sync {
    /// Runs reading, which counts what it read, and may show it meanwhile.
    fn reading(&self, read: &mut dyn FnMut(Arc<eaves_ingest::Progress>)) {
        read(Arc::default());
    }

    /// Runs work in several steps, reporting progress before each.
    fn steps(&self, work: &mut dyn FnMut(&mut NextStep<'_>)) {
        work(&mut |_, _, _| {});
    }

    /// Shows a note while the work continues.
    fn note(&self, _text: &str) {}

    /// Passes on a line of another program.
    fn line(&self, _line: &str) {}

    /// True if progress is discarded, so other programs need not report any.
    fn is_silent(&self) -> bool {
        true
    }
}

/// Reports nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Context of a verb.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// What is in memory.
    pub session: &'a Session,
    /// Who hears about progress.
    pub progress: &'a dyn Progress,
    /// The forms that the answer will have. What none of them draws need not stay in memory.
    pub forms: &'a [Form],
    /// Files and folders of graph captures for recordings that replay these, beside those found by their place.
    pub captures: &'a [PathBuf],
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("forms", &self.forms).finish_non_exhaustive()
    }
}

/// What to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Traces alone.
    Traces,
    /// And what profilers write as sums without a record of each launch.
    #[default]
    WithSums,
    /// And measurements. The content tells what an input is, unless the form is given.
    Measurements(Option<InputForm>),
    /// Everything.
    Everything,
}

impl Reading {
    fn options(self, progress: Arc<eaves_ingest::Progress>, captures: &[PathBuf]) -> eaves_ingest::Options {
        let (wanted, form) = match self {
            Self::Traces => (Wanted::Recordings, None),
            Self::WithSums => (Wanted::RecordingsAndSums, None),
            Self::Measurements(form) => (Wanted::RecordingsAndMeasurements, form),
            Self::Everything => (Wanted::Everything, None),
        };
        eaves_ingest::Options { progress, wanted, form, captures: captures.to_vec(), ..Default::default() }
    }
}

/// Which rows stay in memory after the work on a recording.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'a> {
    /// None.
    Nothing,
    /// Those of the selected ranks, to be drawn.
    Selected(&'a Selection),
}

/// Inputs, read by this request or an earlier one.
#[derive(Debug)]
pub struct Read<R> {
    /// The inputs.
    pub recordings: Arc<Recordings>,
    /// The answers of the work on each recording.
    pub answers: Vec<R>,
    /// The answers of the work on each recording of memory that lies next to others.
    pub of_memory: Vec<R>,
}

impl<'a> Context<'a> {
    /// A context without progress, for the document alone.
    pub fn new(session: &'a Session) -> Self {
        Self { session, progress: &Silent, forms: &[], captures: &[] }
    }

    /// True if the answer will have this form.
    pub fn wants(&self, form: Form) -> bool {
        self.forms.contains(&form)
    }

    /// The part of inputs that is looked at: the one that is asked for, or else the one that inputs in memory were read
    /// for.
    pub(crate) fn part(&self, asked: Selection, inputs: &[PathBuf]) -> Selection {
        match self.session.find(inputs) {
            Some(held) if asked == Selection::default() => held.selection.clone(),
            _ => asked,
        }
    }

    /// The files that inputs are. Those in memory may have another name.
    pub(crate) fn files(&self, inputs: &[PathBuf]) -> Vec<PathBuf> {
        self.session.find(inputs).map_or_else(|| inputs.to_vec(), |held| held.inputs.clone())
    }

    /// Reads inputs and does some work on each recording as soon as it is there, or on the recordings that the session
    /// has in memory.
    ///
    /// # Errors
    /// If an input cannot be read, or inputs in memory hold nothing that is asked for.
    pub fn read<R: Send>(
        &self,
        inputs: &[PathBuf],
        reading: Reading,
        keep: Keep<'_>,
        work: impl Fn(&Trace) -> R + Sync,
    ) -> Result<Read<R>, Failure> {
        if let Some(recordings) = self.session.find(inputs) {
            recordings.check(reading)?;
            if !self.captures.is_empty() {
                return Err(Failure::usage(
                    "captures cannot be added to a recording that is in memory",
                    "name its file instead, or put them into `capture_traces` next to it",
                ));
            }
            let answers = each(&recordings.run, |_, trace| work(trace));
            let of_memory = each(&recordings.memory, |_, trace| work(trace));
            return Ok(Read { recordings, answers, of_memory });
        }
        let at_once = &|recording: &mut Recording| match keep {
            Keep::Nothing => work(&recording.trace.take_rows()),
            Keep::Selected(selection) => {
                let answer = work(&recording.trace);
                // What will not be drawn need not stay. An assumed rank may still change.
                if recording.rank_source != RankSource::Assumed && !selection.has_rank(recording.rank) {
                    drop(recording.trace.take_rows());
                }
                answer
            }
        };
        let contents = self.reading(|progress| {
            eaves_ingest::open(inputs, &reading.options(progress, self.captures), at_once)
        })?;
        let (recordings, mut answers, of_memory) = Recordings::of(inputs, contents)?;
        if answers.is_empty() {
            answers = each(&recordings.run, |_, trace| work(trace));
        }
        Ok(Read { recordings: Arc::new(recordings), answers, of_memory })
    }

    /// Reads logs of compilations, or takes those that the session has in memory.
    ///
    /// # Errors
    /// If an input cannot be read.
    pub fn compile_logs(&self, inputs: &[PathBuf]) -> Result<Vec<CompileLog>, Failure> {
        if let Some(recordings) = self.session.find(inputs).filter(|held| !held.compile_logs.is_empty()) {
            return Ok(recordings.compile_logs.clone());
        }
        self.reading(|progress| {
            eaves_ingest::read_compile_logs(inputs, &eaves_ingest::Options { progress, ..Default::default() })
        })
    }

    /// Runs work in several steps, reporting progress before each.
    ///
    /// # Errors
    /// If the progress reporter did not run it.
    pub fn steps<R>(&self, work: impl FnOnce(&mut dyn FnMut(usize, usize, &str)) -> R) -> Result<R, Failure> {
        let (mut work, mut answer) = (Some(work), None);
        self.progress.steps(&mut |tell| answer = work.take().map(|work| work(tell)));
        answer.ok_or_else(|| Failure::new("nothing was run", "this is a bug in eaves; please report it"))
    }

    /// Reads while reporting progress.
    pub(crate) fn reading<T, E: Into<Failure>>(
        &self,
        read: impl FnOnce(Arc<eaves_ingest::Progress>) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let (mut read, mut answer) = (Some(read), None);
        self.progress.reading(&mut |progress| answer = read.take().map(|read| read(progress)));
        match answer {
            Some(answer) => answer.map_err(Into::into),
            None => Err(Failure::new("nothing was read", "this is a bug in eaves; please report it")),
        }
    }
}
