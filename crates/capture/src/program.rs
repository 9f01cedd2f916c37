//! A program by itself, that records what is wanted when variables of its environment say so.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::interrupt::Running;
use crate::run::{Conditions, Ended, Error, Patience, watch};
use crate::streams::Passed;
use crate::system;

/// Runs a program in a process group of its own until it ends, the time is over or the user has enough.
///
/// # Errors
///
/// If it cannot be started.
pub fn run_program(program: &[OsString], conditions: &Conditions) -> Result<Ended, Error> {
    let name = program.first().cloned().unwrap_or_default();
    let mut command = Command::new(&name);
    command.args(program.iter().skip(1));
    command.envs(conditions.environment.iter().map(|(name, value)| (name, value)));
    // A program in its own group that reads from the terminal would be stopped forever.
    command.stdin(if io::stdin().is_terminal() { Stdio::null() } else { Stdio::inherit() });
    command.stdout(match conditions.passed {
        Passed::ToStdout => Stdio::inherit(),
        Passed::ToStderr => Stdio::from(io::stderr()),
    });
    let failed = |source| Error::Program { program: name.to_string_lossy().into_owned(), source };
    let limit = conditions.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let running = Running::start();
    let mut child = system::spawn(&mut command).map_err(failed)?;
    watch(&mut child, conditions.grace, Patience { running: &running, heard: 0, limit }).map_err(failed)
}
