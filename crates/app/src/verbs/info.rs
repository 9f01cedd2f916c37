//! `info`: what the inputs contain, what is missing, and how to record it.

use std::path::PathBuf;

use clap::Args;
use eaves_present::Document;
use eaves_section::Outcome;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Answer, Context, Failure, HELP_TEMPLATE, Keep, Reading, Recordings, Verb, other_inputs};

/// Rows shown per table by default.
const ROWS: usize = 20;

/// Show what an input contains, what is missing, and how to record it
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves info trace.json.gz
  eaves info traces/                  every rank of a job
  eaves info trace.json --json | jq '.sections[].id'"
)]
#[serde(default)]
pub struct Info {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
}

impl Verb for Info {
    const NAME: &'static str = "info";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let everything = eaves_analyze::Selection::default();
        let read = context.read(&self.inputs, Reading::Everything, Keep::Selected(&everything), |_| ())?;
        Ok(Answer::new(document(&read.recordings)).with_top(ROWS))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }
}

/// What recordings contain, and what other inputs are.
fn document(recordings: &Recordings) -> Document {
    let mut document = Document::new(Info::NAME, &recordings.run, Vec::new());
    if !recordings.run.recordings.is_empty() {
        document.outcomes = eaves_analyze::info(&recordings.run);
    }
    let inputs = other_inputs::inputs(recordings);
    if !inputs.is_empty() {
        document.outcomes.push(Outcome::Section(eaves_assess::other_inputs(&inputs)));
    }
    other_inputs::list(document, recordings)
}
