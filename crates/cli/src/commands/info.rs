//! `eaves info`: what is in the inputs, what is not, and how to record it.

use std::path::PathBuf;

use clap::Args;
use eaves_present::Document;

use crate::arguments::{HELP_TEMPLATE, OutputArguments};

/// Show what is in a trace, what is missing, and how to record it
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves info trace.json.gz
  eaves info traces/                  every rank of a job
  eaves info trace.json --json | jq '.sections[].id'"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Rows of each table; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

/// Describes the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let destination = output.destination(&arguments.inputs)?;
    let run = super::read(&arguments.inputs, output)?;
    let document = Document::new("info", &run, eaves_analyze::info(&run));
    output.finish(&document, destination, arguments.top)
}
