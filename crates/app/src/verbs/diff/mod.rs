//! `diff`: two runs side by side.

mod condition;
mod drawing;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use eaves_analyze::compare::{Checked, Checkup, Comparison, Condition, Profile, measure};
use eaves_analyze::{Options, RankView, Selection};
use eaves_assess::compile::compare;
use eaves_ingest::Kind;
use eaves_model::compile::CompileLog;
use eaves_present::{Document, saved};
use eaves_section::Section;
use schemars::JsonSchema;
use serde::Deserialize;

use self::drawing::{Drawn, Page};
use super::Report;
use crate::pictures::RankPictures;
use crate::session::name_of;
use crate::text_value::paths;
use crate::{
    Answer, Context, Failure, Form, HELP_TEMPLATE, Keep, Reading, Selected, TooMuch, Verb, other_inputs,
    partial,
};

/// Compare two runs, separating changes from noise
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves diff before.json.gz after.json.gz
  eaves diff before/ after/                       jobs of several ranks
  eaves diff main.html branch.html -o diff.html   saved reports
  eaves diff before.log after.log                 torch.compile logs
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
    /// Exit with 1 on a change beyond this and the noise: step>+3%,
    /// idle>+2ms, kernel:NAME>5%, peak_memory>+100MB; may be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    #[serde(deserialize_with = "crate::text_value::several")]
    pub fail_on: Vec<String>,
    /// What to analyze.
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
        let may_be_logs = [&self.base, &self.new].iter().all(|side| has_logs(&side.0, context));
        let conditions = Conditions::parse(&self.fail_on, may_be_logs)?;
        let sides = Sides { selection: self.selected.selection(), draws: context.wants(Form::Html), context };
        let base = sides.side(&self.base.0, "base")?;
        let new = sides.side(&self.new.0, "new")?;
        let mut document = base.document;
        document.inputs.extend(new.document.inputs);
        document.warnings.extend(new.document.warnings);
        let logs = (!base.logs.is_empty() && !new.logs.is_empty()).then(|| compare(&base.logs, &new.logs));
        let mut answer = match (base.profile.zip(new.profile), logs) {
            (None, None) => return Err(nothing_in_common(base.kinds, new.kinds)),
            (None, Some(logs)) => {
                document.outcomes = logs;
                conditions.check_logs(Answer::new(document))?
            }
            (Some((base, new)), logs) => {
                let comparison = Comparison::new(&base, &new);
                let checked = conditions.check(&comparison)?;
                document.outcomes = comparison.outcomes(&checked);
                document.outcomes.extend(logs.into_iter().flatten());
                told(Answer::new(document), checked)
            }
        };
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

/// What to fail on. Compile logs have conditions of their own, and what the inputs are is known only when they are read.
struct Conditions {
    of_runs: Result<Vec<Condition>, Failure>,
    of_logs: Result<Vec<crate::condition::Condition>, Failure>,
}

impl Conditions {
    /// Fails at once on what means nothing for these inputs.
    fn parse(texts: &[String], may_be_logs: bool) -> Result<Self, Failure> {
        let of_runs: Result<Vec<Condition>> = texts.iter().map(|text| condition::parse(text)).collect();
        let of_logs = crate::condition::parse_all(texts);
        let both = Self { of_runs: of_runs.map_err(Failure::from), of_logs: of_logs.map_err(Failure::from) };
        match (&both.of_runs, &both.of_logs) {
            (Err(failure), of_logs) if of_logs.is_err() || !may_be_logs => Err(failure.clone()),
            _ => Ok(both),
        }
    }

    fn check(self, comparison: &Comparison) -> Result<Vec<Checked>, Failure> {
        let check = |condition: &Condition| {
            condition.check(comparison).map_err(|error| condition::explain(condition, &error))
        };
        Ok(self.of_runs?.iter().map(check).collect::<Result<_>>()?)
    }

    fn check_logs(self, mut answer: Answer) -> Result<Answer, Failure> {
        let sections: Vec<&Section> = answer.document.sections().collect();
        answer.too_much = crate::condition::check_all(&self.of_logs?, &sections)?;
        Ok(answer)
    }
}

/// True if there is a compile log among inputs, which is not known of what can be read only once.
fn has_logs(inputs: &[PathBuf], context: &Context<'_>) -> bool {
    match context.session.find(inputs) {
        Some(held) => !held.compile_logs.is_empty(),
        None => inputs.iter().any(|input| eaves_ingest::is_compile_log(input)),
    }
}

/// Why two runs are not compared.
fn nothing_in_common(base: Vec<Kind>, new: Vec<Kind>) -> Failure {
    let [base, new] = [base, new].map(|kinds| kinds.into_iter().map(Kind::id).collect::<Vec<_>>().join(", "));
    Failure::new(
        format!("nothing to compare: {base} and {new}"),
        "compare traces with traces, or compile logs with compile logs",
    )
}

/// With the conditions that hold.
fn told(mut answer: Answer, checked: Vec<Checked>) -> Answer {
    for one in checked {
        match one.result {
            Checkup::Noise => answer.notes.push(format!(
                "`{}` holds, but the change is within the noise and ignored: {}",
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

/// One run as it was read.
struct Side {
    /// Times by name; nothing if there are compile logs alone.
    profile: Option<Profile>,
    logs: Vec<CompileLog>,
    /// What was read and what was odd, without outcomes.
    document: Document,
    kinds: Vec<Kind>,
    /// What a page draws of it; nothing without rows.
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
    fn side(&self, inputs: &[PathBuf], role: &'static str) -> Result<Side, Failure> {
        let mut side = match partial::split(&self.context.files(inputs)).0.is_empty() {
            true => self.read(inputs)?,
            false => self.partial(inputs)?,
        };
        for input in &mut side.document.inputs {
            input.role = Some(role);
        }
        Ok(side)
    }

    fn read(&self, inputs: &[PathBuf]) -> Result<Side, Failure> {
        let part = self.context.part(self.selection.clone(), inputs);
        let options = Options::default().with_selection(part.clone());
        let keep = if self.draws { Keep::Selected(&part) } else { Keep::Nothing };
        let read = self.context.read(inputs, Reading::Everything, keep, |trace| {
            let rank = RankView::new(trace, &options);
            (measure(&rank), self.draws.then(|| RankPictures::of(&rank, true)))
        })?;
        let recordings = read.recordings;
        if let Some(saved) = &recordings.saved {
            let document =
                Document { verb: "diff", inputs: vec![saved.input.clone()], ..Document::default() };
            return self.tables(&saved.document, document, &saved.schema);
        }
        let (measured, pictures): (Vec<_>, Vec<_>) = read.answers.into_iter().unzip();
        let name = name_of(&self.context.files(inputs));
        let run = &recordings.run;
        let profile = match recordings.has_traces() {
            true => {
                let profile = Profile::of_run(&run.recordings, measured, &part);
                Some(profile.map_err(|error| Failure::from(error).about(&name))?)
            }
            false => Profile::of_measurements(&recordings.measurements),
        };
        let draws = self.draws && recordings.has_traces();
        let pictures = pictures.into_iter().flatten().collect();
        Ok(Side {
            profile,
            logs: recordings.compile_logs.clone(),
            document: other_inputs::list(Document::new("diff", run, Vec::new()), &recordings),
            kinds: recordings.kinds().collect(),
            drawn: draws.then(|| Drawn { name, recordings: recordings.clone(), pictures, options }),
        })
    }

    /// Ranks that were measured elsewhere, by their report.
    fn partial(&self, inputs: &[PathBuf]) -> Result<Side, Failure> {
        let report = Report { inputs: inputs.to_vec(), ..Report::default() };
        let whole = report.run(&Context { forms: &[], ..*self.context })?.document;
        let listed = Document {
            verb: "diff",
            inputs: whole.inputs.clone(),
            warnings: whole.warnings.clone(),
            ..Document::default()
        };
        self.tables(&whole, listed, "partial report")
    }

    /// What a report gives to compare, of which there are no rows.
    fn tables(&self, report: &Document, document: Document, schema: &str) -> Result<Side, Failure> {
        let path = document.inputs.first().map_or("", |input| input.path.as_str());
        if self.selection != Selection::default() {
            return Err(Failure::new(
                format!("saved reports do not support selection: {path}"),
                "drop --step, --time and --rank, or compare the traces",
            ));
        }
        let recordings = report.inputs.len() as u64;
        let profile = Profile::from_saved(recordings, &saved::tables(report)).ok_or_else(|| {
            Failure::new(
                format!("the saved {schema} has no tables to compare: {path}"),
                "save a complete `eaves report` or `eaves hta` as .json or .html",
            )
        })?;
        let kinds = vec![Kind::SavedReport];
        Ok(Side { profile: Some(profile), logs: Vec::new(), document, kinds, drawn: None })
    }
}
