//! `eaves memory`: what the report says about memory.

use clap::Args;

use crate::analysis::AnalysisArguments;
use crate::arguments::{HELP_TEMPLATE, OutputArguments};

/// The sections of the report that it shows.
const SECTIONS: &[&str] = &["memory"];

/// Show the peak of memory, what was in use then, and growth
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves memory trace.json.gz
  eaves memory timeline.raw.json.gz   a file of export_memory_timeline
  eaves memory trace.json --details --csv -o memory/"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    analysis: AnalysisArguments,
}

/// Analyses the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    arguments.analysis.run("memory", |id| SECTIONS.contains(&id), output)
}
