//! `eaves compile`: what `torch.compile` did, from its log or by running a program.

mod recording;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use eaves_app::verbs::Compile;
use eaves_app::{HELP_TEMPLATE, Verb, condition};

use crate::Status;
use crate::arguments::OutputArguments;
use crate::running::RunningArguments;

/// Show graph breaks, recompilations, compile time and fusion
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves compile -- python train.py
  eaves compile trace_dir/                     TORCH_TRACE logs, all ranks
  eaves compile log.gz --details -o compile.html
  eaves compile log.gz --fail-on 'graph_breaks>0'
  eaves compile new.log --against old.log      what changed
  eaves timeline log.gz                        phases over time"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: Compile,
    /// The program to run with TORCH_TRACE, after `--`
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Directory for the log [default: the log is removed]
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    running: RunningArguments,
}

/// Reads or runs, then tells.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<Status> {
    let mut request = arguments.request.clone();
    let outputs = output.outputs(&request.files(), |form| request.has_form(form))?;
    let recorded = match arguments.program.is_empty() {
        true => None,
        false => {
            condition::parse_all(&request.fail_on)?;
            Some(recording::record(arguments, output)?)
        }
    };
    request.inputs.extend(recorded.iter().map(|recorded| recorded.path.clone()));
    let answer = match output.ask(&request, &outputs) {
        Ok(answer) => answer,
        Err(error) => return recorded.map_or(Err(error), |recorded| recorded.nothing(output)),
    };
    match (output.answered(&answer, outputs)?, recorded) {
        (Status::Done, Some(recorded)) => Ok(Status::Program(recorded.code())),
        (status, _) => Ok(status),
    }
}
