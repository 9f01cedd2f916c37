//! `eaves profile`: runs a program under a profiler and reports on what was recorded.

mod counting;
mod torch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use eaves_capture::{Outcome, Plan, Record, Request, Tool};
use eaves_present::export::files;
use eaves_section::quantity::counted;

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::running::{RunningArguments, check_empty, directory_of, variable};
use eaves_app::HELP_TEMPLATE;
use eaves_app::analysis::Closely;
use eaves_app::verbs::Report;
use eaves_app::{Keep, Reading, Selected};
use eaves_app::{device, profile_plan};

pub(crate) use self::torch::TorchArguments;
pub(super) use self::torch::nothing;

/// Run a program under a profiler, then report
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves profile -- python train.py                 PyTorch's profiler
  eaves profile --steps 5 --stacks -- torchrun --nproc-per-node 8 train.py
  eaves profile --with rocprofv3 -- python train.py
  eaves profile --with rocprof --hip --stats -- ./app -n 1
  eaves profile --with rocprofv3 --counters roofline -- ./app
  eaves profile --with rocprof --counters input.txt --timeout 300s -- ./app
  eaves profile --with ncu -o report.html -- ./app
  eaves profile --with nsys --dry-run -- ./app     show the commands"
)]
pub(crate) struct Arguments {
    /// Profiler: torch, ncu, nsys, rocprof, rocprofv2 or rocprofv3
    #[arg(long, value_name = "TOOL", value_parser = PossibleValuesParser::new(eaves_capture::ALL.iter().map(|tool| tool.id)), hide_possible_values = true, default_value = "torch")]
    with: String,
    /// The program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    #[command(flatten)]
    torch: TorchArguments,
    /// Record HIP or CUDA calls, kernels and copies
    #[arg(long, visible_aliases = ["cuda", "hip-trace"], help_heading = "What to record")]
    hip: bool,
    /// Record HSA calls, kernels and copies
    #[arg(long, visible_alias = "hsa-trace", help_heading = "What to record")]
    hsa: bool,
    /// Record everything the profiler can trace
    #[arg(long, visible_alias = "sys-trace", help_heading = "What to record")]
    sys: bool,
    /// Record markers and ranges: roctx or NVTX
    #[arg(long, visible_aliases = ["roctx", "nvtx"], help_heading = "What to record")]
    markers: bool,
    /// Record kernels
    #[arg(long, visible_alias = "kernel-trace", help_heading = "What to record")]
    kernels: bool,
    /// Also write the profiler's own statistics
    #[arg(long, help_heading = "What to record")]
    stats: bool,
    /// AMD counters to record: a counter file, names, or a set such as roofline
    #[arg(long, value_name = "FILE|NAMES", help_heading = "What to record")]
    counters: Option<String>,
    /// Architecture to check counters for [default: this machine's]
    #[arg(long, value_name = "GFX", help_heading = "What to record")]
    arch: Option<String>,
    /// Metrics for ncu to record [default: those a roofline needs]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "What to record")]
    metrics: Vec<String>,
    /// Directory for recordings [default: a new eaves-profile]
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    running: RunningArguments,
    /// Environment variable for the program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, help_heading = "Running")]
    env: Vec<(OsString, OsString)>,
    /// Print the exact commands without running them
    #[arg(long, help_heading = "Running")]
    dry_run: bool,
    /// Compare work with this device or peaks file
    #[arg(long, value_name = "NAME|FILE", help_heading = "Device")]
    device: Option<String>,
    #[command(flatten)]
    closely: Closely,
}

/// Runs the program.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    let printer = output.printer();
    let Some(tool) = eaves_capture::find(&arguments.with) else {
        return Err(hinted(format!("no profiler `{}`", arguments.with), "see `eaves profile --help`"));
    };
    arguments.device.as_deref().map(device::named).transpose()?;
    arguments.torch.check(tool)?;
    let installed = tool.command.is_none() || eaves_capture::located(tool).is_some();
    if !installed && !arguments.dry_run {
        return Err(not_installed(tool));
    }
    let directory = directory_of(arguments.output_dir.as_deref(), "eaves-profile")?;
    let raw = directory.join(tool.raw_directory());
    let counted = counting::counters(arguments, tool)?;
    let request = Request {
        record: Record {
            runtime: arguments.hip,
            hsa: arguments.hsa,
            system: arguments.sys,
            markers: arguments.markers,
            kernels: arguments.kernels,
            stats: arguments.stats,
        },
        counters: counted.request,
        metrics: arguments.metrics.clone(),
        torch: arguments.torch.request(arguments.device.is_some()),
        directory: raw.clone(),
        program: arguments.program.clone(),
    };
    let said = if installed { eaves_capture::probe(tool) } else { None };
    let plan =
        tool.plan(&request, said.as_deref()).map_err(|refused| hinted(refused.to_string(), refused.hint))?;
    for note in counted.notes.iter().chain(&plan.notes) {
        printer.note(&format!("note: {note}\n"));
    }
    if arguments.dry_run {
        return show(tool, &plan, &arguments.env, output);
    }
    check_empty(&raw)?;
    let destination = output.destination(&[])?;
    let outcome = record(arguments, tool, &plan, &raw, output)?;
    let code = outcome.ended.code();
    tell(&outcome, &directory, tool, arguments, output);
    if let Some(error) = failed(tool, &outcome) {
        // The program's own failure is what its user must see first.
        if code == 0 || !outcome.failures.is_empty() {
            return Err(error);
        }
        printer.error(&error);
        return Ok(Status::Program(code));
    }
    let report = || -> anyhow::Result<()> {
        if tool.command.is_some() {
            write_kernels(tool, &directory, &outcome.readable, output)?;
        }
        let report = Report {
            inputs: outcome.readable.clone(),
            closely: arguments.closely.clone(),
            device: arguments.device.clone(),
            ..Report::default()
        };
        let mut answer = output.ask(&report, &destination)?;
        answer.document.verb = "profile";
        output.answered(&answer, destination).map(drop)
    };
    match report() {
        Ok(()) => Ok(Status::Program(code)),
        Err(error) if code != 0 => {
            printer.error(&error);
            Ok(Status::Program(code))
        }
        Err(error) => Err(error),
    }
}

/// What would be run: a script for people, a document for programs.
fn show(
    tool: &Tool,
    plan: &Plan,
    environment: &[(OsString, OsString)],
    output: &OutputArguments,
) -> anyhow::Result<Status> {
    if output.prints_text() {
        output.write_text(&profile_plan::script(plan, environment))?;
        return Ok(Status::Done);
    }
    let destination = output.destination(&[])?;
    output.finish(&profile_plan::document(tool, plan, environment), destination, 0)?;
    Ok(Status::Done)
}

fn record(
    arguments: &Arguments,
    tool: &'static Tool,
    plan: &Plan,
    raw: &Path,
    output: &OutputArguments,
) -> anyhow::Result<Outcome> {
    let conditions = arguments.running.conditions(arguments.env.clone(), output);
    eaves_capture::run(tool, plan, raw, &conditions).map_err(|error| {
        let hint = match &error {
            eaves_capture::Error::Start { .. } => "the program must be on the PATH, or named with its path",
            _ => "use --output-dir to name a writable directory",
        };
        hinted(error.to_string(), hint)
    })
}

/// What happened to the program, and where everything is.
fn tell(outcome: &Outcome, directory: &Path, tool: &Tool, arguments: &Arguments, output: &OutputArguments) {
    let printer = output.printer();
    arguments.running.tell(outcome, &printer);
    let raw = directory.join(tool.raw_directory());
    let files = match tool.command {
        Some(_) => counted(outcome.files.len(), "file"),
        None => counted(outcome.readable.len(), "trace"),
    };
    printer.note(&format!("note: {} recorded {files} in {}\n", tool.id, raw.display()));
}

/// Why there is nothing to report, if there is nothing.
fn failed(tool: &Tool, outcome: &Outcome) -> Option<anyhow::Error> {
    if tool.command.is_none() {
        return torch::nothing(outcome);
    }
    let log = format!("its output is in {}", outcome.log.display());
    if !outcome.failures.is_empty() && (outcome.readable.is_empty() || outcome.ended.code() != 0) {
        return Some(hinted(format!("{} failed: {}", tool.id, outcome.failures.join("\n")), log));
    }
    outcome.readable.is_empty().then(|| hinted(format!("{} recorded nothing readable", tool.id), log))
}

/// The kernels in the schema that documents promise, next to the raw files.
fn write_kernels(
    tool: &Tool,
    directory: &Path,
    inputs: &[PathBuf],
    output: &OutputArguments,
) -> anyhow::Result<()> {
    let everything = Selected::default().selection();
    let read = output.with_context(&[], |context| {
        context.read(inputs, Reading::Traces, Keep::Selected(&everything), |_| ())
    })?;
    let run = &read.recordings.run;
    if run.recordings.iter().all(|recording| recording.trace.gpu.is_empty()) {
        return Ok(());
    }
    let path = directory.join(tool.kernels_file());
    let file = files::write_kernels(&run.recordings, &path)
        .map_err(|error| hinted(error.to_string(), "use --output-dir to name a writable directory"))?;
    if file.counters_left_out > 0 {
        let counters = counted(file.counters_left_out as usize, "hardware counter");
        output.printer().note(&format!("note: {} has no column for {counters}\n", path.display()));
    }
    Ok(())
}

fn not_installed(tool: &Tool) -> anyhow::Error {
    let ways = tool.install.join("\n      ");
    hinted(format!("{} is not on the PATH; nothing was run", tool.id), ways)
}
