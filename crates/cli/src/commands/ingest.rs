//! `eaves ingest`: recordings of many ranks as a dataset of Parquet tables.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::arguments::OutputArguments;
use crate::destination::Outputs;
use crate::ingesting::{Outcome, Work};
use crate::progress::Bar;
use crate::ray::Cluster;
use eaves_app::Form;
use eaves_app::HELP_TEMPLATE;

/// Keep recordings of many ranks as a dataset of Parquet tables
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ingest traces/ -o dataset           a rank is added or brought up to date
  eaves ingest traces/ -o dataset --run monday
  eaves ingest s3://bucket/job -o s3://bucket/dataset --ray http://HEAD:8265
  eaves report dataset                      every verb reads a dataset
  eaves report dataset/run=monday           one run of several"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Name of the run; without, that of the directory or of the file
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Ranks listed at the end; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    // These take the place of the options of all verbs: here `-o` names what is made, and the document is only a
    // list of it.
    /// The dataset, which is made if there is none
    #[arg(short, long, value_name = "DATASET", help_heading = "Output")]
    output: PathBuf,
    /// Read the ranks on this cluster of Ray: HOST:PORT, `auto`, or http://HOST:8265
    #[arg(long, value_name = "ADDRESS", help_heading = "Cluster")]
    ray: Option<String>,
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
    let destination = Outputs::new(summary, &[], |_| true)?;
    let (words, run) = (&arguments.inputs, arguments.run.as_deref());
    let dataset = arguments.output.to_string_lossy();
    let outcome = match &arguments.ray {
        Some(address) => {
            let told = Cluster::of(address)?.ingest(words, &dataset, run, output.printer())?;
            Outcome::from_bytes(&told)?
        }
        None => {
            let work = Work::plan(words, &dataset, run)?;
            let bar = Bar::start(&output.printer());
            work.here(bar.progress.clone())?
        }
    };
    for refusal in outcome.refused() {
        output.printer().note(&format!("warning: not added: {refusal}\n"));
    }
    output.finish(&outcome.document(), destination, arguments.top)
}
