//! Ranks that are measured on a cluster of Ray, by a Python that has `ray` and `eaves`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;
use eaves_analyze::Selection;
use tempfile::TempDir;

use crate::failure::hinted;
use crate::partial;

/// Names the interpreter to ask first. The program that comes with the Python package sets it to its own.
const VARIABLE: &str = "EAVES_PYTHON";

/// A module of the package, as a program.
pub(crate) fn module() -> anyhow::Result<Command> {
    let question = "import importlib.util as u; \
                    raise SystemExit(any(u.find_spec(name) is None for name in ('ray', 'eaves')))";
    let has_all = |python: &OsString| {
        let answer = Command::new(python).args(["-c", question]).stdin(Stdio::null()).output();
        answer.is_ok_and(|answer| answer.status.success())
    };
    let usual = if cfg!(windows) { "python" } else { "python3" };
    let mut known = std::env::var_os(VARIABLE).into_iter().chain([OsString::from(usual)]);
    let python = known.find(has_all).ok_or_else(|| {
        hinted(
            "no Python that has both `ray` and `eaves`",
            format!(
                "`pip install \"eaves[ray]\"`, and name its interpreter in {VARIABLE} if it is not `{usual}`"
            ),
        )
    })?;
    let mut command = Command::new(python);
    command.args(["-m", "eaves.cluster"]);
    Ok(command)
}

/// Measures recordings on a cluster. The answer is a partial report, and the folder that it is in for as long as it is
/// needed.
pub(crate) fn measure(
    inputs: &[PathBuf],
    address: &str,
    selection: &Selection,
    details: bool,
    quiet: bool,
) -> anyhow::Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let file = folder.path().join("job").with_extension(partial::ENDING);
    let mut command = module()?;
    command.arg("measure").args([OsStr::new("--output"), file.as_os_str()]).args(["--address", address]);
    if let Some(steps) = &selection.steps {
        command.arg("--step").arg(format!("{}-{}", steps.start(), steps.end()));
    }
    if let Some(time) = selection.time {
        command.arg("--time").arg(format!("{}ns..{}ns", time.start.0, time.end.0));
    }
    command.args(details.then_some("--details")).args(quiet.then_some("--quiet"));
    // Its progress goes where ours does; its answer is the file.
    command.arg("--").args(inputs).stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().context("cannot start Python")?;
    if !status.success() {
        return Err(hinted("the ranks could not be measured on the cluster", "what it said is above"));
    }
    Ok((folder, file))
}
