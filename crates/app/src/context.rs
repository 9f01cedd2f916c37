//! What a verb works with: the session, who hears about progress, and what will be drawn.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::Selection;
use eaves_ingest::Form as InputForm;
use eaves_model::compile::CompileLog;
use eaves_model::{Measurements, RankSource, Recording, Run, Trace};

use crate::session::each;
use crate::{Failure, Form, Recordings, Session};

/// Says before each step of some work how many are done, of how many, and what is next.
pub type NextStep<'a> = dyn FnMut(usize, usize, &str) + 'a;

/// Who hears how far the work has come.
pub trait Progress: Sync {
    /// Runs reading, which counts what it read, and may show it meanwhile.
    fn reading(&self, read: &mut dyn FnMut(Arc<eaves_ingest::Progress>)) {
        read(Arc::default());
    }

    /// Runs work of several steps, which says before each how many are done, of how many, and what is next.
    fn steps(&self, work: &mut dyn FnMut(&mut NextStep<'_>)) {
        work(&mut |_, _, _| {});
    }

    /// Says something to people while the work goes on.
    fn note(&self, _text: &str) {}

    /// Passes on a line of another program.
    fn line(&self, _line: &str) {}

    /// True if nobody hears, so that other programs need not say anything.
    fn is_silent(&self) -> bool {
        true
    }
}

/// Nobody hears.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// What a verb works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// What is in memory.
    pub session: &'a Session,
    /// Who hears about progress.
    pub progress: &'a dyn Progress,
    /// The forms that the answer will have. What none of them draws need not stay in memory.
    pub forms: &'a [Form],
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("forms", &self.forms).finish_non_exhaustive()
    }
}

/// What is read beside traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Nothing.
    Traces,
    /// What profilers write as sums without a record of each launch.
    #[default]
    WithSums,
    /// Every kind of measurement. What an input is, its content tells unless it is said.
    Any(Option<InputForm>),
}

/// Which rows stay in memory after the work on a recording.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'a> {
    /// None.
    Nothing,
    /// Those of the selected ranks, to be drawn.
    Selected(&'a Selection),
}

/// A run that was read, by this request or by an earlier one.
#[derive(Debug)]
pub enum HeldRun {
    /// Read for this request.
    Own(Run),
    /// In memory already.
    Loaded(Arc<Recordings>),
}

impl Deref for HeldRun {
    type Target = Run;

    fn deref(&self) -> &Run {
        match self {
            Self::Own(run) => run,
            Self::Loaded(recordings) => &recordings.run,
        }
    }
}

/// What was read.
#[derive(Debug)]
pub struct Read<R> {
    /// The recordings.
    pub run: HeldRun,
    /// The answers of the work on each of them.
    pub answers: Vec<R>,
    /// What was read beside them.
    pub measurements: Vec<Measurements>,
}

impl<'a> Context<'a> {
    /// A context in which nobody waits and nothing but the document is wanted.
    pub fn new(session: &'a Session) -> Self {
        Self { session, progress: &Silent, forms: &[] }
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
    /// If an input cannot be read.
    pub fn read<R: Send>(
        &self,
        inputs: &[PathBuf],
        reading: Reading,
        keep: Keep<'_>,
        work: impl Fn(&Trace) -> R + Sync,
    ) -> Result<Read<R>, Failure> {
        if let Some(recordings) = self.session.find(inputs) {
            let answers = each(&recordings.run, |_, trace| work(trace));
            let measurements = recordings.sums.clone();
            return Ok(Read { run: HeldRun::Loaded(recordings), answers, measurements });
        }
        let work = &|recording: &mut Recording| match keep {
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
        self.reading(|progress| match reading {
            Reading::Traces => eaves_ingest::read_with(inputs, &options(progress), work)
                .map(|(run, answers)| Read { run: HeldRun::Own(run), answers, measurements: Vec::new() }),
            Reading::WithSums => {
                eaves_ingest::read_with_sums(inputs, &options(progress), work).map(from_contents)
            }
            Reading::Any(form) => {
                eaves_ingest::open_with(inputs, &options(progress), form, work).map(from_contents)
            }
        })
    }

    /// Reads logs of compilations.
    ///
    /// # Errors
    /// If an input cannot be read.
    pub fn compile_logs(&self, inputs: &[PathBuf]) -> Result<Vec<CompileLog>, Failure> {
        self.reading(|progress| eaves_ingest::read_compile_logs(inputs, &options(progress)))
    }

    /// Does work of several steps, which says before each how many are done, of how many, and what is next.
    ///
    /// # Errors
    /// If whoever hears about progress did not run it.
    pub fn steps<R>(&self, work: impl FnOnce(&mut dyn FnMut(usize, usize, &str)) -> R) -> Result<R, Failure> {
        let (mut work, mut answer) = (Some(work), None);
        self.progress.steps(&mut |tell| answer = work.take().map(|work| work(tell)));
        answer.ok_or_else(|| Failure::new("nothing was run", "this is a fault of eaves; please report it"))
    }

    /// Runs what reads while whoever asks sees how far it is.
    pub(crate) fn reading<T, E: Into<Failure>>(
        &self,
        read: impl FnOnce(Arc<eaves_ingest::Progress>) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let (mut read, mut answer) = (Some(read), None);
        self.progress.reading(&mut |progress| answer = read.take().map(|read| read(progress)));
        match answer {
            Some(answer) => answer.map_err(Into::into),
            None => Err(Failure::new("nothing was read", "this is a fault of eaves; please report it")),
        }
    }
}

fn options(progress: Arc<eaves_ingest::Progress>) -> eaves_ingest::Options {
    eaves_ingest::Options { progress, ..Default::default() }
}

fn from_contents<R>(contents: eaves_ingest::Contents<R>) -> Read<R> {
    Read { run: HeldRun::Own(contents.run), answers: contents.answers, measurements: contents.measurements }
}
