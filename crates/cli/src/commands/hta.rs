//! `eaves hta`: what users of Holistic Trace Analysis look for, on one page.

use std::path::PathBuf;

use clap::Args;
use eaves_analyze::analyses::{self, Analysis, HTA_SUMMARY, Shown};
use eaves_analyze::{Options, assemble, measure};
use eaves_present::Document;

use crate::arguments::{HELP_TEMPLATE, OutputArguments};
use crate::failure::hinted;
use crate::selection::SelectionArguments;

/// Show the answers of Holistic Trace Analysis (HTA), corrected
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves hta trace.json.gz
  eaves hta traces/ -o hta_report.html       every rank of a job
  eaves hta trace.json --json | jq .temporal_breakdown"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    selection: SelectionArguments,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Selection")]
    top: usize,
}

/// Sums up the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let destination = output.destination(&arguments.inputs)?;
    let options = Options::default().with_selection(arguments.selection.selection());
    let sections = sections();
    let (run, measured) = super::read_with(&arguments.inputs, output, |recording| {
        measure(&recording.trace.take_rows(), &options, &sections)
    })?;
    let outcomes = assemble(&run.recordings, &measured, &options, &sections).map_err(|error| {
        hinted(error.to_string(), "`eaves info` shows the ranks, steps and times of a recording")
    })?;
    output.finish(&Document::new("hta", &run, outcomes), destination, arguments.top)
}

/// The summary, then the sections whose findings are the bottlenecks: a finding points at rows of its section.
pub(crate) fn sections() -> Vec<&'static Analysis> {
    let main = analyses::in_report_order().into_iter().filter(|analysis| analysis.shown == Shown::Always);
    std::iter::once(&HTA_SUMMARY).chain(main).collect()
}
