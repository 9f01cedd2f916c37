//! `comm`: the communication sections of the report.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::{Question, Recorded};
use crate::{Answer, Context, Failure, HELP_TEMPLATE, Verb};

/// Report sections it shows.
const SECTIONS: &[&str] = &["collectives", "comm-overlap", "stragglers"];

/// Show collectives, bandwidths and stragglers
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves comm traces/                  every rank of a job
  eaves comm traces/ --step 3-7       some steps
  eaves comm traces/ --json | jq '.sections[].findings'"
)]
#[serde(default)]
pub struct Comm {
    /// The recordings, and how to look at them.
    #[command(flatten)]
    #[serde(flatten)]
    pub recorded: Recorded,
}

impl Verb for Comm {
    const NAME: &'static str = "comm";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let Recorded { inputs, closely } = &self.recorded;
        Question::of(Self::NAME, inputs, closely, SECTIONS).answer(context)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.recorded.inputs.clone()
    }
}
