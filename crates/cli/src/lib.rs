//! The command line of eaves.
//!
//! [`run`] is the whole program except `main`. It turns words into requests of `eaves_app` and hands the answers to
//! `eaves_app::Outputs`, which writes them. `commands/` holds what only a terminal can do, such as running a program.

mod arguments;
mod command_line;
mod commands;
mod destination;
#[cfg(test)]
mod doors;
mod failure;
mod printer;
mod progress;
mod running;
mod script;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use self::arguments::OutputArguments;
use self::commands::Command;
use self::printer::Printer;

/// The exit code for "done".
const DONE: u8 = 0;
/// The exit code for "a condition of the user holds".
const CONDITION_HOLDS: u8 = 1;
/// The exit code for "could not do it".
const FAILED: u8 = 2;
/// The exit code after Ctrl-C: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// How a verb ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing more to say.
    Done,
    /// Something holds on which the user wants to fail.
    ConditionHolds,
    /// A program was run, and this is its own exit code.
    Program(u8),
}

/// How far is this program from what the hardware can do, and why?
#[derive(Debug, Parser)]
#[command(
    name = "eaves",
    version,
    max_term_width = 79,
    help_template = eaves_app::HELP_TEMPLATE,
    before_help = "  eaves report trace.json.gz
  eaves info trace.json.gz"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: OutputArguments,
}

/// Runs the program with its arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    ExitCode::from(exit_code(arguments))
}

/// Runs the program as [`run`] does, for callers that end the process themselves.
pub fn exit_code(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let words: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    if let Some(error) = script::misplaced(&words) {
        Printer { quiet: false, color: anstream::ColorChoice::Auto }.error(&error);
        return FAILED;
    }
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(answer) => return usage(&answer),
    };
    let printer = arguments.output.printer();
    match ctrlc::set_handler(interrupted) {
        // Set when the program was run before in this process.
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => {}
        Err(error) => printer.note(&format!("note: Ctrl-C may leave temporary files: {error}\n")),
    }
    match arguments.command.run(&arguments.output) {
        Ok(Status::Done) => DONE,
        Ok(Status::ConditionHolds) => CONDITION_HOLDS,
        Ok(Status::Program(code)) => code,
        Err(error) => {
            printer.error(&error);
            FAILED
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn usage(answer: &clap::Error) -> u8 {
    let printer = Printer { quiet: false, color: anstream::ColorChoice::Auto };
    let text = answer.render().ansi().to_string();
    if answer.use_stderr() {
        printer.message(&text);
        return FAILED;
    }
    match printer.data(text.as_bytes()) {
        Ok(()) => DONE,
        Err(_) => FAILED,
    }
}

#[expect(
    clippy::exit,
    reason = "the threads that work are in the middle of something and cannot be asked to stop"
)]
fn interrupted() {
    // A program under a profiler is told to stop, and what was recorded until then is still shown.
    if eaves_capture::interrupt() {
        return;
    }
    eaves_present::export::files::abandon_all();
    // Last, for it waits for the network.
    eaves_app::ray::stop();
    std::process::exit(INTERRUPTED);
}
