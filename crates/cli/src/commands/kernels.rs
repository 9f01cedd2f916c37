//! `eaves kernels`: what the report says about kernels.

use clap::Args;

use crate::analysis::AnalysisArguments;
use crate::arguments::{HELP_TEMPLATE, OutputArguments};

/// The sections of the report that it shows.
const SECTIONS: &[&str] = &["kernel-types", "kernels"];

/// Show kernels, copies and sets by type and by name
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves kernels trace.json.gz
  eaves kernels trace.json --top 0 --csv -o kernels/"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    analysis: AnalysisArguments,
}

/// Analyses the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    arguments.analysis.run("kernels", |id| SECTIONS.contains(&id), output)
}
