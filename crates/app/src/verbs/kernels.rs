//! `kernels`: the kernel sections of the report.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::{Closely, Question, sections};
use crate::{Answer, Context, Failure, HELP_TEMPLATE, Verb};

/// Report sections it shows.
const SECTIONS: &[&str] = &["kernel-types", "kernels"];

/// Show kernels, memcpys and memsets by type and by name
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves kernels trace.json.gz
  eaves kernels trace.json --top 0 --csv -o kernels/"
)]
#[serde(default)]
pub struct Kernels {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// What to analyze, and in how much detail.
    #[command(flatten)]
    #[serde(flatten)]
    pub closely: Closely,
}

impl Verb for Kernels {
    const NAME: &'static str = "kernels";

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
