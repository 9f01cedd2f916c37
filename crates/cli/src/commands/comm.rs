//! `eaves comm`: what the report says about communication.

use clap::Args;

use crate::analysis::AnalysisArguments;
use crate::arguments::{HELP_TEMPLATE, OutputArguments};

/// The sections of the report that it shows.
const SECTIONS: &[&str] = &["collectives", "comm-overlap", "stragglers"];

/// Show collectives, their bandwidths, and who waits for whom
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves comm traces/                  all ranks of a job
  eaves comm traces/ --step 3-7       some steps
  eaves comm traces/ --json | jq '.sections[].findings'"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    analysis: AnalysisArguments,
}

/// Analyses the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    arguments.analysis.run("comm", |id| SECTIONS.contains(&id), output)
}
