//! `eaves diff`: two runs side by side.

mod condition;
mod drawn;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use eaves_analyze::compare::{Checked, Checkup, Comparison, Condition, Profile, measure};
use eaves_analyze::{Options, Selection};
use eaves_app::Answer;
use eaves_model::RankSource;
use eaves_present::{Document, saved};

use self::drawn::Drawn;
use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;
use eaves_app::Selected;

/// Compare two runs: what changed, and what is only noise
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves diff before.json.gz after.json.gz
  eaves diff before/ after/                       jobs of several ranks
  eaves diff main.html branch.html -o diff.html   reports that were saved
  eaves diff before.log after.log                 logs of torch.compile
  eaves diff before.json after.json --fail-on 'step>+3%'
  eaves diff a.json b.json --fail-on 'peak_memory>+100MB' --fail-on 'kernel:gemm>5%'"
)]
pub(crate) struct Arguments {
    /// The run to compare with: a trace, a directory of ranks, or a report
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// The run that may have changed
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Exit with 1 if a change is too much and no noise: step>+3%,
    /// idle>+2ms, kernel:NAME>5%, peak_memory>+100MB; may be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    fail_on: Vec<String>,
    #[command(flatten)]
    selection: Selected,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Selection")]
    top: usize,
}

/// Compares the runs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<Status> {
    if super::compile::is_log(&arguments.base) && super::compile::is_log(&arguments.new) {
        let Arguments { base, new, fail_on, top, .. } = arguments;
        return super::compile::diff(base, new, fail_on, *top, output);
    }
    let conditions: Vec<Condition> =
        arguments.fail_on.iter().map(|text| condition::parse(text)).collect::<Result<_>>()?;
    let destination = output.destination(&[arguments.base.clone(), arguments.new.clone()])?;
    let selection = arguments.selection.selection();
    let saved = (saved_report(&arguments.base)?, saved_report(&arguments.new)?);
    // Pictures show both runs, and of a report that was saved there are no rows.
    let draws = destination.is_page() && saved.0.is_none() && saved.1.is_none();
    let reading = Reading { selection: &selection, draws, output };
    let base = reading.side(&arguments.base, saved.0, "base")?;
    let new = reading.side(&arguments.new, saved.1, "new")?;
    let comparison = Comparison::new(&base.profile, &new.profile);
    let checked: Vec<Checked> = conditions
        .iter()
        .map(|condition| condition.check(&comparison).map_err(|error| condition::explain(condition, &error)))
        .collect::<Result<_>>()?;
    let mut document = base.document;
    document.inputs.extend(new.document.inputs);
    document.warnings.extend(new.document.warnings);
    document.outcomes = comparison.outcomes(&checked);
    let drawn = base.drawn.zip(new.drawn);
    let mut answer = Answer::new(document).with_top(arguments.top);
    if let Some((base, new)) = drawn {
        answer = answer.drawn_by(drawn::Pictures { base, new, options: reading.options() });
    }
    output.answered(&answer, destination)?;
    Ok(tell(&checked, output))
}

/// Says which conditions hold.
fn tell(checked: &[Checked], output: &OutputArguments) -> Status {
    let printer = output.printer();
    for one in checked.iter().filter(|one| one.result == Checkup::Noise) {
        printer.note(&format!(
            "note: `{}` holds, but the change is inside the noise and does not count: {}\n",
            one.text, one.message
        ));
    }
    let mut status = Status::Done;
    for one in checked.iter().filter(|one| one.result == Checkup::Fails) {
        printer.message(&format!("failed: `{}` holds: {}\n", one.text, one.message));
        status = Status::ConditionHolds;
    }
    status
}

/// The report that was saved, if a file is one.
fn saved_report(path: &Path) -> Result<Option<saved::SavedReport>> {
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
struct Reading<'a> {
    selection: &'a Selection,
    /// Whether rows stay in memory to be drawn.
    draws: bool,
    output: &'a OutputArguments,
}

impl Reading<'_> {
    fn options(&self) -> Options {
        Options::default().with_selection(self.selection.clone())
    }

    fn side(&self, path: &Path, saved: Option<saved::SavedReport>, role: &'static str) -> Result<Side> {
        let mut side = match saved {
            Some(report) => self.saved(report)?,
            None => self.traces(path)?,
        };
        for input in &mut side.document.inputs {
            input.role = Some(role);
        }
        Ok(side)
    }

    fn saved(&self, report: saved::SavedReport) -> Result<Side> {
        let path = &report.input.path;
        if *self.selection != Selection::default() {
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

    fn traces(&self, path: &Path) -> Result<Side> {
        let options = self.options();
        let (run, measured) = super::read_with(&[path.to_owned()], self.output, |recording| {
            if !self.draws {
                return (measure(&recording.trace.take_rows(), &options), None);
            }
            let measured = (measure(&recording.trace, &options), Some(drawn::measure(recording, &options)));
            // What will not be drawn need not stay. An assumed rank may still change.
            if recording.rank_source != RankSource::Assumed && !self.selection.has_rank(recording.rank) {
                drop(recording.trace.take_rows());
            }
            measured
        })?;
        let (measured, of_pictures): (Vec<_>, Vec<_>) = measured.into_iter().unzip();
        let profile = Profile::of_run(&run.recordings, measured, self.selection).map_err(|error| {
            hinted(
                format!("{error}: {}", path.display()),
                "`eaves info` shows the ranks, steps and times of a recording",
            )
        })?;
        let document = Document::new("diff", &run, Vec::new());
        let drawn = self.draws.then(|| Drawn::new(path, run, of_pictures.into_iter().flatten()));
        Ok(Side { profile, document, drawn })
    }
}
