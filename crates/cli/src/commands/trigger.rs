//! `eaves trigger`: records a program that runs under `eaves attach`, then reports.

use std::path::PathBuf;

use clap::Args;
use eaves_model::Ns;

use crate::Status;
use crate::arguments::OutputArguments;
use eaves_app::HELP_TEMPLATE;
use eaves_app::analysis::Closely;
use eaves_app::{instant, seconds};

/// Record a program that runs under attach, then report
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves trigger eaves-attach
  eaves trigger --steps 5 --stacks eaves-attach
  eaves trigger --duration 2s 12345      the number of one of its processes"
)]
pub(crate) struct Arguments {
    /// Directory that `eaves attach` told, or number of a process of the program
    #[arg(value_name = "DIR|PID")]
    of: PathBuf,
    /// Steps of the optimizer to record, after one that passes [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "duration", help_heading = "What to record")]
    steps: Option<u32>,
    /// Begin at a step whose number is a multiple: all ranks record the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1, conflicts_with = "duration", help_heading = "What to record")]
    align: u32,
    /// Record for a time, whatever the program does: 2s
    #[arg(long, value_name = "TIME", value_parser = instant, help_heading = "What to record")]
    duration: Option<Ns>,
    /// Record Python functions and modules
    #[arg(long, help_heading = "What to record")]
    stacks: bool,
    /// Record shapes, which a roofline needs
    #[arg(long, help_heading = "What to record")]
    shapes: bool,
    /// Record what is allocated and freed
    #[arg(long, help_heading = "What to record")]
    memory: bool,
    /// Longest to wait for the traces of all processes
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "300s", help_heading = "Running")]
    timeout: Ns,
    #[command(flatten)]
    closely: Closely,
}

/// Asks, waits and reports.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    system::run(arguments, output)
}

#[cfg(unix)]
mod system {
    use eaves_capture::ondemand::{Extent, Order, ask, find};
    use eaves_section::quantity::counted;

    use super::super::profile::duration;
    use super::Arguments;
    use crate::Status;
    use crate::arguments::OutputArguments;
    use crate::failure::hinted;
    use eaves_app::verbs::Report;

    pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
        let printer = output.printer();
        let Some(sockets) = find(&arguments.of) else {
            return Err(hinted(
                format!("no program runs under `eaves attach` there: {}", arguments.of.display()),
                "start it with `eaves attach -- PROGRAM`, which tells the directory to name here",
            ));
        };
        let order = Order {
            extent: match arguments.duration {
                Some(time) => Extent::Duration(duration(time)),
                None => Extent::Steps(arguments.steps.unwrap_or(3)),
            },
            align: arguments.align,
            stacks: arguments.stacks,
            shapes: arguments.shapes,
            memory: arguments.memory,
        };
        let destination = output.destination(&[])?;
        let progress = |text: &str| printer.note(&format!("note: waiting: {text}\n"));
        let answer = ask(&sockets, &order, duration(arguments.timeout), progress).map_err(|error| {
            hinted(format!("nothing was recorded: {error}"), "--timeout lets it take longer")
        })?;
        if !answer.lost.is_empty() {
            let processes = counted(answer.lost.len(), "process");
            printer.note(&format!("note: {processes} ended before there was a trace\n"));
        }
        if answer.files.is_empty() {
            return Err(hinted("nothing was recorded: the program ended", "it must run long enough"));
        }
        for file in &answer.files {
            printer.note(&format!("note: recorded {}\n", file.display()));
        }
        let closely = arguments.closely.clone();
        let report = Report { inputs: answer.files.clone(), closely, ..Report::default() };
        let mut answer = output.ask(&report, &destination)?;
        answer.document.verb = "trigger";
        output.answered(&answer, destination)
    }
}

#[cfg(not(unix))]
mod system {
    use super::Arguments;
    use crate::Status;
    use crate::arguments::OutputArguments;
    use crate::failure::hinted;

    pub(super) fn run(_: &Arguments, _: &OutputArguments) -> anyhow::Result<Status> {
        Err(hinted(
            "trigger needs sockets that this system does not have",
            "`eaves profile -- PROGRAM` works here",
        ))
    }
}
