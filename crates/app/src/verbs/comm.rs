//! `comm`: what the report says about communication.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::{Closely, Question, sections};
use crate::{Answer, Context, Failure, HELP_TEMPLATE, Verb};

/// The sections of the report that it shows.
const SECTIONS: &[&str] = &["collectives", "comm-overlap", "stragglers"];

/// Show collectives, their bandwidths, and who waits for whom
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves comm traces/                  all ranks of a job
  eaves comm traces/ --step 3-7       some steps
  eaves comm traces/ --json | jq '.sections[].findings'"
)]
#[serde(default)]
pub struct Comm {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The part of the recordings to look at, and how closely.
    #[command(flatten)]
    #[serde(flatten)]
    pub closely: Closely,
}

impl Verb for Comm {
    const NAME: &'static str = "comm";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let question = Question {
            verb: Self::NAME,
            inputs: &self.inputs,
            options: self.closely.options(None),
            analyses: sections(|id| SECTIONS.contains(&id)),
            is_whole: false,
            others: None,
        };
        question.answer(context)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }
}
