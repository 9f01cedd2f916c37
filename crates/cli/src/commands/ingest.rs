//! `eaves ingest`: recordings of many ranks as a dataset of Parquet tables.

use anyhow::Result;
use clap::Args;
use eaves_app::verbs::Ingest;
use eaves_app::{Form, HELP_TEMPLATE, Outputs};

use crate::arguments::OutputArguments;

/// Keep recordings of many ranks as a dataset of Parquet tables
#[derive(Args, Debug)]
#[command(help_template = HELP_TEMPLATE)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: Ingest,
    /// Ranks listed at the end; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    // These take the place of the options of all verbs: the document is only a list of what is made.
    /// Print what was done as JSON
    #[arg(long, help_heading = "Output", conflicts_with_all = ["csv", "markdown"])]
    json: bool,
    /// Print what was done as CSV
    #[arg(long, help_heading = "Output", conflicts_with = "markdown")]
    csv: bool,
    /// Print what was done as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
}

/// Brings a dataset up to date.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    let summary = match (arguments.json, arguments.csv, arguments.markdown) {
        (true, ..) => Some(Form::Json),
        (_, true, _) => Some(Form::Csv),
        (.., true) => Some(Form::Markdown),
        _ => None,
    };
    let outputs = Outputs::new(summary, &[], |_| true)?;
    let answer = output.ask(&arguments.request, &outputs)?.with_top(arguments.top);
    output.answered(&answer, outputs).map(drop)
}
