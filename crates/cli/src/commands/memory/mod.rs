//! `eaves memory`: peak memory and its contents, from a recording or by running a program.

mod record;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use eaves_app::verbs::Memory;
use eaves_app::{Duration, HELP_TEMPLATE, Verb, condition};

use crate::Status;
use crate::arguments::OutputArguments;
use crate::running::RunningArguments;

/// Show peak memory, what was allocated at the peak, and growth
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves memory snapshot.pickle        from torch.cuda.memory._dump_snapshot
  eaves memory trace.json.gz          recorded with profile_memory=True
  eaves memory timeline.raw.json.gz   from export_memory_timeline
  eaves memory -- python train.py     run and record
  eaves memory snapshot.pickle -o memory.html       or .svg, .png, .json
  eaves memory snapshot.pickle --fail-on 'peak>70GB'
  eaves diff before.pickle after.pickle             two recordings"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: Memory,
    /// Program to run and record, with its arguments, after `--`
    #[arg(last = true, conflicts_with = "inputs", value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Optimizer steps to record, or model calls without one [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    steps: Option<u32>,
    /// Warm-up steps before, at least 1 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Running")]
    warmup: Option<u32>,
    /// Recording time for programs without steps [default: 2s]
    #[arg(long, value_name = "TIME", help_heading = "Running")]
    window: Option<Duration>,
    /// Directory for recordings [default: a new eaves-memory]
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    running: RunningArguments,
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
