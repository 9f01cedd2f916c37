//! `hta`: what Holistic Trace Analysis users look for, on one page.

use std::path::PathBuf;

use clap::Args;
use eaves_analyze::analyses::{self, Analysis, HTA_SUMMARY, Shown};
use eaves_analyze::{Options, RankView, assemble, measure};
use eaves_present::Document;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Answer, Context, Failure, HELP_TEMPLATE, Keep, Reading, Selected, Verb};

/// Answer the questions of Holistic Trace Analysis
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves hta trace.json.gz
  eaves hta traces/ -o hta_report.html       every rank of a job
  eaves hta trace.json --json | jq .temporal_breakdown"
)]
#[serde(default)]
pub struct Hta {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The part of the recordings to look at.
    #[command(flatten)]
    #[serde(flatten)]
    pub selected: Selected,
}

impl Verb for Hta {
    const NAME: &'static str = "hta";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let options =
            Options::default().with_selection(context.part(self.selected.selection(), &self.inputs));
        let sections = hta_sections();
        let read = context.read(&self.inputs, Reading::Traces, Keep::Nothing, |trace| {
            measure(&RankView::new(trace, &options), &sections)
        })?;
        let outcomes = assemble(&read.recordings.run.recordings, &read.answers, &options, &sections)?;
        Ok(Answer::new(Document::new(Self::NAME, &read.recordings.run, outcomes)))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }
}

/// The summary, then the sections whose findings are the bottlenecks: a finding points at rows of its section.
pub fn hta_sections() -> Vec<&'static Analysis> {
    let main = analyses::REPORT.iter().filter(|analysis| analysis.shown == Shown::Always);
    std::iter::once(&HTA_SUMMARY).chain(main).collect()
}
