//! `eaves compile`: what `torch.compile` did, from its log or by running a program.

mod recording;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use eaves_analyze::compile;
use eaves_analyze::section::{Outcome, Section};
use eaves_model::Ns;
use eaves_model::compile::CompileLog;
use eaves_present::Document;

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::progress::Bar;
use eaves_app::HELP_TEMPLATE;
use eaves_app::condition;
use eaves_app::seconds;

/// Sections that people see only when they ask for details.
const HIDDEN: &[&str] = &["compile-stacks"];

/// Show graph breaks, recompilations, compile time and fusion
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves compile -- python train.py
  eaves compile trace_dir/                     logs of TORCH_TRACE, all ranks
  eaves compile log.gz --details -o compile.html
  eaves compile log.gz --fail-on 'graph_breaks>0'
  eaves compile new.log --against old.log      what changed
  eaves timeline log.gz                        the phases as a picture"
)]
pub(crate) struct Arguments {
    /// Logs that TORCH_TRACE or TORCH_LOGS wrote: files, directories,
    /// patterns, or - for stdin
    #[arg(value_name = "LOG", required_unless_present = "program", conflicts_with = "program")]
    inputs: Vec<PathBuf>,
    /// The program to run with TORCH_TRACE, after `--`
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Compare with the log of another run
    #[arg(long, value_name = "LOG")]
    against: Option<PathBuf>,
    /// Exit with 1 if it holds: graph_breaks>0, recompiles>2,
    /// compile_time>60s, fusion_ratio<2; may be repeated
    #[arg(long, value_name = "CONDITION")]
    fail_on: Vec<String>,
    /// Show all tables
    #[arg(long)]
    details: bool,
    /// Show this section only, with all its tables; may be repeated
    #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(compile::SECTIONS))]
    section: Vec<String>,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Directory that the log is kept in; else it is removed
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    /// End the program and all it started after this time: 300s
    #[arg(long, value_name = "TIME", value_parser = seconds, help_heading = "Running")]
    timeout: Option<Ns>,
    /// Time to end by itself before it is ended for good
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "30s", help_heading = "Running")]
    grace: Ns,
}

/// Reads or runs, then tells.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<Status> {
    let conditions = condition::parse_all(&arguments.fail_on)?;
    let named: Vec<PathBuf> = arguments.inputs.iter().chain(&arguments.against).cloned().collect();
    let destination = output.destination(&named)?;
    let base = arguments.against.as_deref().map(|path| read(&[path.to_owned()], output)).transpose()?;
    let recorded = match arguments.program.is_empty() {
        true => None,
        false => Some(recording::record(arguments, output)?),
    };
    let inputs = recorded.as_ref().map_or(arguments.inputs.as_slice(), |one| std::slice::from_ref(&one.path));
    let logs = match read(inputs, output) {
        Ok(logs) => logs,
        Err(error) => return recorded.map_or(Err(error), |one| one.nothing(output)),
    };
    let document = match &base {
        Some(base) => difference("compile", base, &logs),
        None => alone(arguments, &logs),
    };
    let held = condition::check_all(&conditions, &sections(&document))?;
    output.finish(&document, destination, arguments.top)?;
    match (output.tell(&held), recorded) {
        (Status::Done, Some(recorded)) => Ok(Status::Program(recorded.code())),
        (status, _) => Ok(status),
    }
}

fn sections(document: &Document) -> Vec<&Section> {
    document.outcomes.iter().filter_map(Outcome::section).collect()
}

fn alone(arguments: &Arguments, logs: &[CompileLog]) -> Document {
    let mut outcomes = compile::sections(logs);
    if !arguments.section.is_empty() {
        outcomes.retain(|outcome| arguments.section.iter().any(|id| id == outcome.id()));
    }
    let document = Document::of_compile_logs("compile", logs, outcomes);
    if arguments.details || !arguments.section.is_empty() {
        document
    } else {
        document.with_overview(HIDDEN.to_vec())
    }
}

/// Two runs side by side.
fn difference(verb: &'static str, base: &[CompileLog], new: &[CompileLog]) -> Document {
    let mut document = Document::of_compile_logs(verb, base, compile::compare(base, new));
    let other = Document::of_compile_logs(verb, new, Vec::new());
    for input in &mut document.inputs {
        input.role = Some("base");
    }
    document.inputs.extend(other.inputs.into_iter().map(|mut input| {
        input.role = Some("new");
        input
    }));
    document.warnings.extend(other.warnings);
    document
}

/// True for something that is a log of compilations and nothing else.
pub(super) fn is_log(path: &Path) -> bool {
    eaves_ingest::is_compile_log(path)
}

/// `eaves diff` of two logs.
pub(super) fn diff(
    base: &Path,
    new: &Path,
    fail_on: &[String],
    top: usize,
    output: &OutputArguments,
) -> Result<Status> {
    let conditions = condition::parse_all(fail_on)?;
    let destination = output.destination(&[base.to_owned(), new.to_owned()])?;
    let (base, new) = (read(&[base.to_owned()], output)?, read(&[new.to_owned()], output)?);
    let document = difference("diff", &base, &new);
    let held = condition::check_all(&conditions, &sections(&document))?;
    output.finish(&document, destination, top)?;
    Ok(output.tell(&held))
}

fn read(inputs: &[PathBuf], output: &OutputArguments) -> Result<Vec<CompileLog>> {
    let bar = Bar::start(&output.printer());
    let options = eaves_ingest::Options { progress: bar.progress.clone(), ..Default::default() };
    let logs = eaves_ingest::read_compile_logs(inputs, &options);
    drop(bar);
    logs.map_err(|error| hinted(error.to_string(), error.hint()))
}
