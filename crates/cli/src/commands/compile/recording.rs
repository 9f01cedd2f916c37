//! Running a program such that PyTorch logs what it compiles.

use std::path::{Path, PathBuf};

use anyhow::Result;
use eaves_capture::Ended;

use super::Arguments;
use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::running::check_empty;

/// A program that was run.
pub(super) struct Recorded {
    /// Where its logs are.
    pub(super) path: PathBuf,
    ended: Ended,
    /// Removes the logs at the end, if nobody wants them.
    _directory: Option<tempfile::TempDir>,
}

impl Recorded {
    /// The program's own exit code.
    pub(super) fn code(&self) -> u8 {
        self.ended.code()
    }

    /// What to say if nothing was logged: the program's own failure comes first.
    pub(super) fn nothing(self, output: &OutputArguments) -> Result<Status> {
        let error = hinted(
            "the program compiled nothing: PyTorch wrote no log",
            "torch.compile logs when a compiled function is first called; is the program's Python started with -I or -E?",
        );
        if self.code() == 0 {
            return Err(error);
        }
        output.printer().error(&error);
        Ok(Status::Program(self.code()))
    }
}

/// Runs the program with a directory for its logs that nobody else writes to.
pub(super) fn record(arguments: &Arguments, output: &OutputArguments) -> Result<Recorded> {
    let (path, directory) = directory(arguments.output_dir.as_deref())?;
    let environment = vec![("TORCH_TRACE".into(), path.clone().into_os_string())];
    let conditions = arguments.running.conditions(environment, output);
    let ended = eaves_capture::run_program(&arguments.program, &conditions)
        .map_err(|error| hinted(error.to_string(), "put the program and its arguments after `--`"))?;
    let printer = output.printer();
    arguments.running.tell_end(ended, &printer);
    if arguments.output_dir.is_some() {
        printer.note(&format!("note: the log is in {}\n", path.display()));
    }
    Ok(Recorded { path, ended, _directory: directory })
}

/// The directory that was named, which must be empty, or one of our own.
fn directory(named: Option<&Path>) -> Result<(PathBuf, Option<tempfile::TempDir>)> {
    let failed = |error: std::io::Error| {
        hinted(format!("no directory for the log: {error}"), "use --output-dir to name a writable one")
    };
    let Some(named) = named else {
        let directory = tempfile::Builder::new().prefix("eaves-compile-").tempdir().map_err(failed)?;
        return Ok((directory.path().to_owned(), Some(directory)));
    };
    let path = std::path::absolute(named).map_err(failed)?;
    std::fs::create_dir_all(&path).map_err(failed)?;
    check_empty(&path)?;
    Ok((path, None))
}
