//! `diff`: two runs side by side.

mod condition;
mod drawing;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use eaves_analyze::compare::{Checked, Checkup, Comparison, Condition, Profile, measure};
use eaves_analyze::{Options, RankView, Selection};
use eaves_present::{Document, saved};
use eaves_section::Section;
use schemars::JsonSchema;
use serde::Deserialize;

use self::drawing::{Drawn, Page};
use super::compile;
use crate::pictures::RankPictures;
use crate::session::name_of;
use crate::text_value::paths;
use crate::{Answer, Context, Failure, Form, HELP_TEMPLATE, Keep, Reading, Selected, TooMuch, Verb, hinted};

/// Compare two runs: what changed, and what is only noise
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves diff before.json.gz after.json.gz
  eaves diff before/ after/                       jobs of several ranks
  eaves diff main.html branch.html -o diff.html   reports that were saved
  eaves diff before.log after.log                 logs of torch.compile
  eaves diff before.json after.json --fail-on 'step>+3%'
  eaves diff a.json b.json --fail-on 'peak_memory>+100MB' --fail-on 'kernel:gemm>5%'"
)]
#[serde(default)]
pub struct Diff {
    /// The run to compare with: a trace, a directory of ranks, or a report
    #[arg(value_name = "BASE")]
    pub base: Inputs,
    /// The run that may have changed
    #[arg(value_name = "NEW")]
    pub new: Inputs,
    /// Exit with 1 if a change is too much and no noise: step>+3%,
    /// idle>+2ms, kernel:NAME>5%, peak_memory>+100MB; may be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    #[serde(deserialize_with = "crate::text_value::several")]
    pub fail_on: Vec<String>,
    /// The part of the recordings to look at.
    #[command(flatten)]
    #[serde(flatten)]
    pub selected: Selected,
}

/// The inputs of one run. A command line names one, which may be a folder; requests may list several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Inputs(#[serde(deserialize_with = "paths")] pub Vec<PathBuf>);

impl From<OsString> for Inputs {
    fn from(path: OsString) -> Self {
        Self(vec![path.into()])
    }
}

impl Verb for Diff {
    const NAME: &'static str = "diff";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let are_logs = |inputs: &[PathBuf]| matches!(inputs, [log] if eaves_ingest::is_compile_log(log));
        if are_logs(&self.base.0) && are_logs(&self.new.0) {
            return self.of_compile_logs(context);
        }
        let conditions: Vec<Condition> =
            self.fail_on.iter().map(|text| condition::parse(text)).collect::<Result<_>>()?;
        let saved = (saved_report(&self.base.0)?, saved_report(&self.new.0)?);
        // Pictures show both runs, and of a report that was saved there are no rows.
        let draws = context.wants(Form::Html) && saved.0.is_none() && saved.1.is_none();
        let sides = Sides { selection: self.selected.selection(), draws, context };
        let base = sides.side(&self.base.0, saved.0, "base")?;
        let new = sides.side(&self.new.0, saved.1, "new")?;
        let comparison = Comparison::new(&base.profile, &new.profile);
        let check = |condition: &Condition| {
            condition.check(&comparison).map_err(|error| condition::explain(condition, &error))
        };
        let checked: Vec<Checked> = conditions.iter().map(check).collect::<Result<_>>()?;
        let mut document = base.document;
        document.inputs.extend(new.document.inputs);
        document.warnings.extend(new.document.warnings);
        document.outcomes = comparison.outcomes(&checked);
        let mut answer = told(Answer::new(document), checked);
        if let Some((base, new)) = base.drawn.zip(new.drawn) {
            answer = answer.drawn_by(Page { base, new });
        }
        Ok(answer)
    }

    fn is_prepared_for(&self, form: Form) -> bool {
        form == Form::Html
    }

    fn files(&self) -> Vec<PathBuf> {
        self.base.0.iter().chain(&self.new.0).cloned().collect()
    }
}

impl Diff {
    fn of_compile_logs(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let conditions = crate::condition::parse_all(&self.fail_on)?;
        let (base, new) = (context.compile_logs(&self.base.0)?, context.compile_logs(&self.new.0)?);
        let mut answer = Answer::new(compile::difference(Self::NAME, &base, &new));
        let sections: Vec<&Section> = answer.document.sections().collect();
        answer.too_much = crate::condition::check_all(&conditions, &sections)?;
        Ok(answer)
    }
}

/// With the conditions that hold.
fn told(mut answer: Answer, checked: Vec<Checked>) -> Answer {
    for one in checked {
        match one.result {
            Checkup::Noise => answer.notes.push(format!(
                "`{}` holds, but the change is inside the noise and does not count: {}",
                one.text, one.message
            )),
            Checkup::Fails => {
                answer.too_much.push(TooMuch { condition: one.text, because: one.message });
            }
            _ => {}
        }
    }
    answer
}

/// The report that was saved, if a file is one.
fn saved_report(inputs: &[PathBuf]) -> Result<Option<saved::SavedReport>> {
    let [path] = inputs else { return Ok(None) };
    saved::read(path)
        .map_err(|error| hinted(error.to_string(), "make the report again, or compare the traces"))
}

/// One run as it was read.
struct Side {
    profile: Profile,
    /// What was read and what was odd, without outcomes.
    document: Document,
    /// What a page draws of it; nothing if one of the runs is a report that was saved.
    drawn: Option<Drawn>,
}

/// How runs are read.
struct Sides<'a> {
    selection: Selection,
    /// Whether rows stay in memory to be drawn.
    draws: bool,
    context: &'a Context<'a>,
}

impl Sides<'_> {
    fn side(
        &self,
        inputs: &[PathBuf],
        saved: Option<saved::SavedReport>,
        role: &'static str,
    ) -> Result<Side> {
        let mut side = match saved {
            Some(report) => self.saved(report)?,
            None => self.traces(inputs)?,
        };
        for input in &mut side.document.inputs {
            input.role = Some(role);
        }
        Ok(side)
    }

    fn saved(&self, report: saved::SavedReport) -> Result<Side> {
        let path = &report.input.path;
        if self.selection != Selection::default() {
            return Err(hinted(
                format!("nothing can be selected from a saved report: {path}"),
                "leave out --step, --time and --rank, or compare the traces",
            ));
        }
        let profile = Profile::from_saved(report.recordings, &report.tables).ok_or_else(|| {
            hinted(
                format!("the saved {} has no tables that are compared: {path}", report.schema),
                "save the whole report of `eaves report` or `eaves hta` as .json or .html",
            )
        })?;
        let document = Document { verb: "diff", inputs: vec![report.input], ..Document::default() };
        Ok(Side { profile, document, drawn: None })
    }

    fn traces(&self, inputs: &[PathBuf]) -> Result<Side> {
        let part = self.context.part(self.selection.clone(), inputs);
        let options = Options::default().with_selection(part.clone());
        let keep = if self.draws { Keep::Selected(&part) } else { Keep::Nothing };
        let read = self.context.read(inputs, Reading::Traces, keep, |trace| {
            let rank = RankView::new(trace, &options);
            (measure(&rank), self.draws.then(|| RankPictures::of(&rank, true)))
        })?;
        let (measured, pictures): (Vec<_>, Vec<_>) = read.answers.into_iter().unzip();
        let name = name_of(&self.context.files(inputs));
        let profile = Profile::of_run(&read.run.recordings, measured, &part).map_err(|error| {
            hinted(format!("{error}: {name}"), "`eaves info` shows the ranks, steps and times of a recording")
        })?;
        let document = Document::new("diff", &read.run, Vec::new());
        let pictures = pictures.into_iter().flatten().collect();
        let drawn = self.draws.then_some(Drawn { name, run: read.run, pictures, options });
        Ok(Side { profile, document, drawn })
    }
}
