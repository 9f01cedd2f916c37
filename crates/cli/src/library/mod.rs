//! What verbs do that are no requests yet, for programs that have no command line.

mod asking;

use std::path::Path;

use clap::Parser;
use eaves_app::{Failure, Recordings};
use eaves_present::Document;

pub use self::asking::{query, query_recordings};
use crate::arguments::AnswerTo;
use crate::commands::export as export_verb;

/// Writes recordings in a format of other tools: `chrome`, `perfetto`, `parquet` or `csv`. The answer is the names of
/// the files.
///
/// # Errors
/// If there is no such format or table, or something cannot be written.
pub fn export(
    recordings: &Recordings,
    path: &Path,
    to: &str,
    table: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let files = export_verb::write_run(&recordings.run, to, table, path)?;
    Ok(files.into_iter().map(|file| file.path.display().to_string()).collect())
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
