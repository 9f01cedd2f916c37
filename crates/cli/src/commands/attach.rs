//! `eaves attach`: runs a PyTorch program for recording on demand with `eaves trigger`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::Status;
use crate::arguments::OutputArguments;
use crate::running::{RunningArguments, directory_of, variable};
use eaves_app::HELP_TEMPLATE;

/// Run a PyTorch program for recording on demand
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves attach -- torchrun --nproc-per-node 8 train.py
  eaves trigger --steps 3 eaves-attach             from another terminal
  eaves attach --listen jobs/1     for a program started elsewhere"
)]
pub(crate) struct Arguments {
    /// The program and its arguments, after `--`
    #[arg(last = true, required_unless_present = "listen", value_name = "PROGRAM")]
    pub(super) program: Vec<OsString>,
    /// Run nothing: print the environment for a program, and wait
    #[arg(long, value_name = "DIR", conflicts_with_all = ["program", "output_dir", "timeout", "env"], help_heading = "Running")]
    pub(super) listen: Option<PathBuf>,
    /// Directory for recordings [default: a new eaves-attach]
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(super) running: RunningArguments,
    /// Environment variable for the program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, help_heading = "Running")]
    pub(super) env: Vec<(OsString, OsString)>,
}

/// Runs the program, or waits for one.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    let named = arguments.listen.as_deref().or(arguments.output_dir.as_deref());
    let directory = directory_of(named, "eaves-attach")?;
    system::run(arguments, &directory, output)
}

#[cfg(unix)]
mod system {
    use std::path::Path;

    use eaves_capture::ondemand::{Daemon, Place};
    use eaves_capture::{Ended, quoted, torch};
    use eaves_section::quantity::counted;

    use super::Arguments;
    use crate::Status;
    use crate::arguments::OutputArguments;
    use crate::failure::hinted;

    pub(super) fn run(
        arguments: &Arguments,
        directory: &Path,
        output: &OutputArguments,
    ) -> anyhow::Result<Status> {
        let printer = output.printer();
        let cannot = |error: std::io::Error| {
            hinted(
                format!("cannot listen in {}: {error}", directory.display()),
                "use --output-dir to name a writable directory",
            )
        };
        let place = Place::new(directory).map_err(cannot)?;
        let daemon = Daemon::start(&place).map_err(cannot)?;
        let tell = || {
            let trigger = format!("eaves trigger --steps 3 {}", quoted(directory.as_os_str()));
            printer.note(&format!("note: to record: {trigger}\n"));
        };
        let status = if arguments.listen.is_some() {
            let plan =
                place.plan(&["python".into()]).map_err(|error| hinted(error.to_string(), error.hint))?;
            eaves_capture::prepare(&plan)
                .map_err(|error| hinted(error.to_string(), "name another directory"))?;
            let run = plan.runs.first();
            output.write_text(&run.map(eaves_capture::Invocation::to_exports).unwrap_or_default())?;
            tell();
            eaves_capture::wait_for_interrupt();
            Status::Done
        } else {
            let plan =
                place.plan(&arguments.program).map_err(|error| hinted(error.to_string(), error.hint))?;
            let Some(tool) = eaves_capture::find("torch") else { return Ok(Status::Done) };
            tell();
            let conditions = arguments.running.conditions(arguments.env.clone(), output);
            let outcome = eaves_capture::run(tool, &plan, directory, &conditions).map_err(|error| {
                hinted(error.to_string(), "the program must be on the PATH, or named with its path")
            })?;
            let traces = counted(torch::ending(&outcome.files, torch::TRACE).count(), "trace");
            printer.note(&format!("note: {traces} in {}\n", directory.display()));
            match outcome.ended {
                Ended::Exited(0) => Status::Done,
                ended => Status::Program(ended.code()),
            }
        };
        if daemon.malformed() > 0 {
            let messages = counted(usize::try_from(daemon.malformed()).unwrap_or(usize::MAX), "message");
            printer.note(&format!("note: ignored malformed input: {messages}\n"));
        }
        Ok(status)
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::Path;

    use super::Arguments;
    use crate::Status;
    use crate::arguments::OutputArguments;
    use crate::failure::hinted;

    pub(super) fn run(_: &Arguments, _: &Path, _: &OutputArguments) -> anyhow::Result<Status> {
        Err(hinted(
            "`attach` needs Unix sockets, which this system does not have",
            "use `eaves profile -- PROGRAM`",
        ))
    }
}
