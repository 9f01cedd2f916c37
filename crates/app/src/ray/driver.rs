//! A local Python with `ray` and `eaves`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::Call;
use crate::{Failure, Progress, hinted};

/// Names the interpreter to ask first. The program that comes with the Python package sets it to its own.
const VARIABLE: &str = "EAVES_PYTHON";

/// A module of the package, as a program.
///
/// # Errors
/// If no Python has both.
pub fn module() -> Result<Command, Failure> {
    let question = "import importlib.util as u; \
                    raise SystemExit(any(u.find_spec(name) is None for name in ('ray', 'eaves')))";
    let has_all = |python: &OsString| {
        let answer = Command::new(python).args(["-c", question]).stdin(Stdio::null()).output();
        answer.is_ok_and(|answer| answer.status.success())
    };
    let usual = if cfg!(windows) { "python" } else { "python3" };
    let mut known = std::env::var_os(VARIABLE).into_iter().chain([OsString::from(usual)]);
    let python = known.find(has_all).ok_or_else(|| {
        Failure::new(
            "no Python with both `ray` and `eaves`",
            format!(
                "`pip install \"eaves[ray]\"`, and name its interpreter in {VARIABLE} if it is not `{usual}`; \
                 `--ray http://HOST:8265` needs neither"
            ),
        )
    })?;
    let mut command = Command::new(python);
    command.args(["-m", "eaves.cluster"]);
    Ok(command)
}

/// Runs it and leaves its answer in a file.
pub(super) fn run(
    call: &Call<'_>,
    address: &str,
    file: &Path,
    progress: &dyn Progress,
) -> anyhow::Result<()> {
    let mut command = module()?;
    command.arg(call.verb).args([OsStr::new("--output"), file.as_os_str()]).args(["--address", address]);
    command.args(progress.is_silent().then_some("--quiet"));
    // Its progress goes where ours does; its answer is the file.
    command.args(&call.options).arg("--").args(call.inputs).stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().context("cannot start Python")?;
    if !status.success() {
        return Err(hinted("the cluster failed", "its output is above"));
    }
    Ok(())
}
