//! `kernels`: the kernel sections of the report.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::{Question, Recorded};
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
    /// The recordings, and how to look at them.
    #[command(flatten)]
    #[serde(flatten)]
    pub recorded: Recorded,
}

impl Verb for Kernels {
    const NAME: &'static str = "kernels";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let Recorded { inputs, closely } = &self.recorded;
        Question::of(Self::NAME, inputs, closely, SECTIONS).answer(context)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.recorded.inputs.clone()
    }
}
