//! Running a program so that its memory is recorded.

use std::path::PathBuf;

use eaves_capture::{Record, Request, torch};
use eaves_section::quantity::counted;

use super::Arguments;
use crate::arguments::OutputArguments;
use crate::commands::profile::nothing;
use crate::failure::hinted;
use crate::running::{check_empty, directory_of};

/// What was recorded, and the exit code of the program.
pub(super) struct Recorded {
    pub(super) files: Vec<PathBuf>,
    pub(super) code: u8,
}

/// Runs the program: on CUDA its allocator is recorded, everywhere the memory that PyTorch's profiler sees, with stacks
/// and shapes.
pub(super) fn record(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Recorded> {
    let printer = output.printer();
    let Some(tool) = eaves_capture::find("torch") else {
        return Err(hinted("PyTorch's profiler is unknown".to_owned(), "pass a recording instead"));
    };
    let raw = directory_of(arguments.output_dir.as_deref(), "eaves-memory")?.join(tool.raw_directory());
    let usual = torch::Request::default();
    let request = Request {
        record: Record::default(),
        counters: Default::default(),
        metrics: Vec::new(),
        torch: torch::Request {
            steps: arguments.steps.unwrap_or(usual.steps),
            warmup: arguments.warmup.unwrap_or(usual.warmup),
            memory: true,
            stacks: true,
            shapes: true,
            snapshot: true,
            categories: true,
            window: arguments.window.map_or(usual.window, Into::into),
        },
        directory: raw.clone(),
        program: arguments.program.clone(),
    };
    let plan = tool.plan(&request, None).map_err(|refused| hinted(refused.to_string(), refused.hint))?;
    check_empty(&raw)?;
    let conditions = arguments.running.conditions(Vec::new(), output);
    let outcome = eaves_capture::run(tool, &plan, &raw, &conditions).map_err(|error| {
        hinted(error.to_string(), "the program must be on the PATH, and --output-dir writable")
    })?;
    arguments.running.tell(&outcome, &printer);
    let snapshots: Vec<PathBuf> = torch::ending(&outcome.files, torch::SNAPSHOT).cloned().collect();
    if snapshots.is_empty()
        && let Some(error) = nothing(&outcome)
    {
        return Err(error);
    }
    // The allocator's own history has every block; what the profiler saw of it is the same with less.
    let files = if snapshots.is_empty() { outcome.readable.clone() } else { snapshots };
    printer.note(&format!("note: recorded {} in {}\n", counted(files.len(), "file"), raw.display()));
    Ok(Recorded { files, code: outcome.ended.code() })
}
