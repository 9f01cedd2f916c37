//! What the verbs do, for programs that have no command line: the Python package.
//!
//! Recordings stay in memory between questions, answers are [`Document`]s, and what went wrong is a [`Failure`]. What
//! a question means, and what a file name asks for, is decided where the verbs decide it.

mod asking;
mod drawing;
mod ingest;
mod partial;
mod question;
mod saving;

use std::path::PathBuf;

use clap::Parser;
use eaves_analyze::{Selection, SelectionError};
use eaves_model::{Measurements, Run};
use eaves_present::Document;

pub use self::asking::{query, query_recordings};
pub(crate) use self::drawing::flame_data;
pub use self::drawing::{FlameGraph, Timeline};
pub use self::ingest::{Ingest, IngestTask, ingest_file, ingested};
pub use self::partial::{files, measured, merged, report_of};
pub use self::question::{diff, hta, info, report, roofline};
pub use self::saving::{export, save, save_report, text};
use crate::arguments::Answer;
use crate::failure;
pub use crate::flame::{Format as FlameFormat, View as FlameView};
pub use crate::picture::FOR_PROGRAMS;
use crate::selection::SelectionArguments;

/// What went wrong, and what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub message: String,
    /// What to try, if anything is known to help.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure with a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { message: format!("{error:#}"), hint: failure::hint(&error).map(str::to_owned) }
    }
}

impl From<SelectionError> for Failure {
    fn from(error: SelectionError) -> Self {
        crate::analysis::not_selected(error).into()
    }
}

/// The part of recordings that texts name, each written as after the option of its name.
///
/// # Errors
/// If a text means nothing.
pub fn selection(step: Option<&str>, time: Option<&str>, rank: Option<&str>) -> Result<Selection, Failure> {
    let parsed = SelectionArguments::parse(step, time, rank);
    parsed.map(|arguments| arguments.selection()).map_err(|message| Failure { message, hint: None })
}

/// A share in percent as millionths.
///
/// # Errors
/// If it is no share, or has more than four decimals.
pub fn millionths(percent: &str) -> Result<u32, Failure> {
    crate::flame::millionths(percent).map_err(|message| Failure { message, hint: None })
}

/// Recordings in memory, and the part of them that questions are about.
#[derive(Debug)]
pub struct Recordings {
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
        let contents = eaves_ingest::read_with_sums(paths, &options, |_| ())
            .map_err(|error| Failure::new(error.to_string(), error.hint()))?;
        let mut run = contents.run;
        let mut known: Vec<i64> = run.recordings.iter().map(|recording| recording.rank).collect();
        known.dedup();
        if let Some(&rank) = selection.ranks.iter().flatten().find(|rank| !known.contains(rank)) {
            return Err(SelectionError::NoSuchRank { rank, known }.into());
        }
        run.recordings.retain(|recording| selection.has_rank(recording.rank));
        Ok(Self { run, sums: contents.measurements, selection })
    }
}

/// What a verb has to say: arguments as on the command line, without the name of the program.
///
/// # Errors
/// If the arguments are wrong, the verb fails, or it says nothing that is a document.
pub fn ask(arguments: &[String]) -> Result<Document, Failure> {
    let name = std::iter::once("eaves");
    let typed = name.chain(arguments.iter().map(String::as_str));
    let mut parsed = crate::Arguments::try_parse_from(typed).map_err(|error| misunderstood(&error))?;
    let answer = Answer::default();
    parsed.output.answer_to(&answer);
    parsed.command.run(&parsed.output)?;
    let document = answer.lock().ok().and_then(|mut answer| answer.take());
    document.ok_or_else(|| {
        let verb = arguments.first().map_or("", String::as_str);
        Failure::new(format!("`{verb}` has no sections to answer with"), "run it as the program does")
    })
}

/// What is wrong with arguments, without the usage of the whole verb.
fn misunderstood(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let (message, _) = text.split_once("\n\nUsage:").unwrap_or((&text, ""));
    let message = message.trim().strip_prefix("error: ").unwrap_or(message.trim());
    Failure::new(message, "the options are those of the command line: `eaves VERB --help` lists them")
}

#[cfg(test)]
mod tests;
