//! `ingest`: stores recordings of many ranks as a Parquet dataset.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ingesting::{Outcome, Work};
use crate::ray::Cluster;
use crate::{Answer, Context, Failure, HELP_TEMPLATE, Verb};

/// Ranks shown by default.
const ROWS: usize = 20;

/// Store recordings of many ranks as a Parquet dataset
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ingest traces/ -o dataset           adds or updates ranks
  eaves ingest traces/ -o dataset --run monday
  eaves ingest s3://bucket/job -o s3://bucket/dataset --ray http://HEAD:8265
  eaves report dataset                      every verb reads a dataset
  eaves report dataset/run=monday           one run of several"
)]
pub struct Ingest {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Name of the run [default: the name of the directory or file]
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub run: Option<String>,
    // It takes the place of the option of all verbs: what it names is what is made, and the document only lists it.
    /// Dataset; created if it does not exist
    #[arg(short, long, value_name = "DATASET", help_heading = "Output")]
    pub output: PathBuf,
    /// Read the ranks on this Ray cluster: HOST:PORT, `auto`, or http://HOST:8265
    #[arg(long, value_name = "ADDRESS", help_heading = "Cluster")]
    #[serde(default)]
    pub ray: Option<String>,
}

impl Verb for Ingest {
    const NAME: &'static str = "ingest";
    const MAKES_FILES: bool = true;

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let outcome = self.outcome(context)?;
        let mut answer = Answer::new(outcome.document()).with_top(ROWS);
        answer.notes.extend(outcome.refused().iter().map(|refusal| format!("not added: {refusal}")));
        Ok(answer)
    }
}

impl Ingest {
    fn outcome(&self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let (dataset, run) = (self.output.to_string_lossy(), self.run.as_deref());
        if let Some(address) = &self.ray {
            return Cluster::of(address)?.ingest(&self.inputs, &dataset, run, context.progress);
        }
        let work = Work::plan(&self.inputs, &dataset, run)?;
        context.reading(|progress| work.here(progress))
    }
}
