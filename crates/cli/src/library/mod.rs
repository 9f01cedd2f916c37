//! What the verbs do, for programs that have no command line: the Python package.
//!
//! Recordings stay in memory between questions, answers are [`Document`]s, and what went wrong is a [`Failure`]. What
//! a question means, and what a file name asks for, is decided where the verbs decide it.

mod asking;
mod drawing;
mod partial;
mod question;
mod saving;

use clap::Parser;
use eaves_analyze::Selection;
use eaves_present::Document;

pub use self::asking::{query, query_recordings};
pub use self::drawing::{FlameGraph, Timeline};
pub use self::partial::{files, measured, merged, report_of};
pub use self::question::{diff, hta, info, report, roofline};
pub use self::saving::{export, save, save_report, text};
use crate::arguments::AnswerTo;
use eaves_app::Selected;
pub use eaves_app::flame::View as FlameView;
pub use eaves_app::{FOR_PROGRAMS, Failure, Form as FlameFormat, Recordings};

/// The part of recordings that texts name, each written as after the option of its name.
///
/// # Errors
/// If a text means nothing.
pub fn selection(step: Option<&str>, time: Option<&str>, rank: Option<&str>) -> Result<Selection, Failure> {
    let parsed = Selected::parse(step, time, rank);
    parsed
        .map(|arguments| arguments.selection())
        .map_err(|message| Failure { hint: None, ..Failure::usage(message, "") })
}

/// A share in percent as millionths.
///
/// # Errors
/// If it is no share, or has more than four decimals.
pub fn millionths(percent: &str) -> Result<u32, Failure> {
    eaves_app::flame::millionths(percent)
        .map_err(|message| Failure { hint: None, ..Failure::usage(message, "") })
}

/// What a verb has to say: arguments as on the command line, without the name of the program.
///
/// # Errors
/// If the arguments are wrong, the verb fails, or it says nothing that is a document.
pub fn ask(arguments: &[String]) -> Result<Document, Failure> {
    let name = std::iter::once("eaves");
    let typed = name.chain(arguments.iter().map(String::as_str));
    let mut parsed = crate::Arguments::try_parse_from(typed).map_err(|error| misunderstood(&error))?;
    let answer = AnswerTo::default();
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
