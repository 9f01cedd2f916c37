//! `eaves report --partial`: what was measured as a file.

use clap::Args;
use eaves_app::verbs::Report;
use eaves_app::{Form, HELP_TEMPLATE};

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;

/// Show where the time went, and what to fix first
#[derive(Args, Debug)]
#[command(help_template = HELP_TEMPLATE)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: Report,
    /// Write partial results to -o FILE.eaves-partial, to merge with other ranks
    #[arg(long, conflicts_with_all = ["csv", "device", "json", "markdown", "section"], help_heading = "Output")]
    partial: bool,
}

/// Analyzes the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    if arguments.partial && output.files().all(|path| Form::of(path) != Some(Form::Partial)) {
        return Err(hinted("--partial needs an output file", "add `-o NAME.eaves-partial`"));
    }
    output.run(&arguments.request)
}
