//! What verbs do that are not requests yet, for programs that have no command line.

use clap::Parser;
use eaves_app::Failure;
use eaves_present::Document;

use crate::arguments::AnswerTo;

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
        Failure::new(format!("`{verb}` has no sections to answer with"), "run it from the command line")
    })
}

/// What is wrong with arguments, without the usage of the whole verb.
fn misunderstood(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let (message, _) = text.split_once("\n\nUsage:").unwrap_or((&text, ""));
    let message = message.trim().strip_prefix("error: ").unwrap_or(message.trim());
    Failure::new(message, "the options are those of the command line; see `eaves VERB --help`")
}
