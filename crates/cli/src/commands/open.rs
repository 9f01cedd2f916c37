//! `eaves open`: serve inputs and show the page.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;
use clap::Args;

use super::serve::ServingArguments;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;

/// Open recordings or reports in a browser
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves open trace.json.gz
  eaves open traces/                          every rank of a job
  eaves open report.html                      a saved report
  eaves open trace.json --no-browser --port 0"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or a saved report
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Print the address instead of opening a browser
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    serving: ServingArguments,
}

/// Serves the inputs as one run and shows it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    let server = arguments.serving.start(&arguments.inputs)?;
    let failed = |problem: eaves_serve::Problem| {
        hinted(
            problem.message().to_owned(),
            problem.advice().unwrap_or("`eaves info` shows what a file contains"),
        )
    };
    let id = server.open(arguments.inputs.clone()).map_err(failed)?;
    let printer = output.printer();
    printer.note("reading...\n");
    server.read(&id).map_err(failed)?;
    let url = server.url();
    printer.message(&format!("serving at {url}\n"));
    if !arguments.no_browser && !show(&url) {
        printer.note("note: could not start a browser; open the address yourself\n");
    }
    server.wait();
    Ok(())
}

/// Starts the browser of the user.
fn show(url: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
