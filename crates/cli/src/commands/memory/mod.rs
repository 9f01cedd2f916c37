//! `eaves memory`: the peak of memory and what was in use then, of a recording or of a program that is run.

mod record;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use eaves_app::verbs::Memory;
use eaves_app::{Duration, HELP_TEMPLATE, Timeout, Verb, condition};

use crate::Status;
use crate::arguments::OutputArguments;

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
    #[command(flatten)]
    request: Memory,
    /// A program to run and record, with its arguments, after `--`
    #[arg(last = true, conflicts_with = "inputs", value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Steps to record: of the optimizer, else calls of the model [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    steps: Option<u32>,
    /// Steps that pass before, at least one [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    warmup: Option<u32>,
    /// How long to record a program that has no steps [default: 2s]
    #[arg(long, value_name = "TIME", help_heading = "Running")]
    window: Option<Duration>,
    /// Directory for everything that is recorded; else a new eaves-memory
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    /// End the program and all it started after this time: 300s
    #[arg(long, value_name = "TIME", help_heading = "Running")]
    timeout: Option<Timeout>,
    /// Time to write what was recorded before it is ended for good
    #[arg(long, value_name = "TIME", default_value = "30s", help_heading = "Running")]
    grace: Timeout,
}

/// Analyzes the inputs, or what a program did.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    let mut request = arguments.request.clone();
    let outputs = output.outputs(&request.inputs, |form| request.has_form(form))?;
    let mut code = 0;
    if !arguments.program.is_empty() {
        condition::parse_all(&request.fail_on)?;
        let recorded = record::record(arguments, output)?;
        (request.inputs, code) = (recorded.files, recorded.code);
    }
    let answer = output.ask(&request, &outputs)?;
    match output.answered(&answer, outputs)? {
        Status::Done if code != 0 => Ok(Status::Program(code)),
        status => Ok(status),
    }
}
