//! `eaves memory`: the peak of memory and what was in use then, of a recording or of a program that is run.

mod record;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use eaves_analyze::section::Section;
use eaves_model::Ns;
use eaves_present::{Document, memory, png};

use crate::Status;
use crate::analysis::AnalysisOptions;
use crate::arguments::{HELP_TEMPLATE, OutputArguments, check_output};
use crate::condition;
use crate::destination::{Destination, Target};
use crate::failure::hinted;
use crate::selection::instant;

/// The sections of the report that it shows.
const SECTIONS: &[&str] = &["memory"];

/// Show the peak of memory, what was in use then, and growth
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves memory snapshot.pickle        of torch.cuda.memory._dump_snapshot
  eaves memory trace.json.gz          recorded with profile_memory=True
  eaves memory timeline.raw.json.gz   a file of export_memory_timeline
  eaves memory -- python train.py     run it and look
  eaves memory snapshot.pickle -o memory.html       or .svg, .png, .json
  eaves memory snapshot.pickle --fail-on 'peak>70GB'
  eaves diff before.pickle after.pickle             two recordings"
)]
pub(crate) struct Arguments {
    /// Files, directories with one recording per rank, patterns, or -
    #[arg(required_unless_present = "program", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// A program to run and record, with its arguments, after `--`
    #[arg(last = true, conflicts_with = "inputs", value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Exit with 1 if a number is too much: peak>70GB,
    /// unused_at_peak>4GiB; may be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    fail_on: Vec<String>,
    /// Steps to record: of the optimizer, else calls of the model [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    steps: Option<u32>,
    /// Steps that pass before, at least one [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    warmup: Option<u32>,
    /// How long to record a program that has no steps [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = instant, help_heading = "Running")]
    window: Option<Ns>,
    /// Directory for everything that is recorded; else a new eaves-memory
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    /// End the program and all it started after this time: 300s
    #[arg(long, value_name = "TIME", value_parser = instant, help_heading = "Running")]
    timeout: Option<Ns>,
    /// Time to write what was recorded before it is ended for good
    #[arg(long, value_name = "TIME", value_parser = instant, default_value = "30s", help_heading = "Running")]
    grace: Ns,
    #[command(flatten)]
    analysis: AnalysisOptions,
}

/// What is made, and where it goes.
enum Form {
    Png(Target),
    Svg(Target),
    Document(Destination),
}

/// Found out before the work, so that a wrong name costs no time.
fn form(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Form> {
    let path = output.path();
    check_output(path, &arguments.inputs)?;
    let ending = path.and_then(Path::extension).and_then(|ending| ending.to_str()).unwrap_or_default();
    let picture: Option<fn(Target) -> Form> = match ending.to_ascii_lowercase().as_str() {
        "png" => Some(Form::Png),
        "svg" => Some(Form::Svg),
        _ => None,
    };
    match (picture, output.format()) {
        (Some(_), Some(_)) => Err(hinted(
            "--json, --csv and --markdown do not go with a picture".to_owned(),
            "give one of the two",
        )),
        (Some(form), None) => Ok(form(Target::open(path)?)),
        (None, _) => Ok(Form::Document(output.destination(&arguments.inputs)?)),
    }
}

/// Analyses the inputs, or what a program did.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    let conditions = condition::parse_all(&arguments.fail_on)?;
    let form = form(arguments, output)?;
    let (inputs, code) = if arguments.program.is_empty() {
        (arguments.inputs.clone(), 0)
    } else {
        let recorded = record::record(arguments, output)?;
        (recorded.files, recorded.code)
    };
    let wanted = |id: &str| SECTIONS.contains(&id);
    let document = arguments.analysis.document(&inputs, None, "memory", wanted, output)?;
    let held = condition::check_all(&conditions, &document.sections().collect::<Vec<_>>())?;
    write(&document, form, arguments.analysis.top(), output)?;
    match condition::tell(&held, output) {
        Status::Done if code != 0 => Ok(Status::Program(code)),
        status => Ok(status),
    }
}

fn write(document: &Document, form: Form, top: usize, output: &OutputArguments) -> anyhow::Result<()> {
    let drawing = |document: &Document| {
        let sections: Vec<&Section> = document.sections().collect();
        memory::svg(&sections)
    };
    match form {
        Form::Document(destination) => output.finish(document, destination, top),
        Form::Svg(target) => {
            let drawing = drawing(document);
            output.finish_with(document, false, |printer| target.write(drawing.as_bytes(), printer))
        }
        Form::Png(target) => {
            let picture = png::render(&drawing(document), png::SCREEN)?;
            output.finish_with(document, false, |printer| target.write(&picture, printer))
        }
    }
}
