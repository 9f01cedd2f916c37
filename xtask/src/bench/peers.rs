//! Other tools on the same file, in a virtual environment of their own.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::measure::{self, Cost};
use crate::{peers, project};

/// What is measured: name, and the Python program that is given the file.
pub(super) const PEERS: [(&str, &str); 2] = [
    ("orjson.loads", include_str!("peers/orjson.py")),
    ("HTA: load and 3 analyses", include_str!("peers/hta.py")),
];

/// The interpreter of their environment, if it exists or is to be made.
pub(super) fn environment(install: bool) -> Result<Option<PathBuf>> {
    if install && !peers::is_installed() {
        peers::install()?;
    }
    Ok(peers::is_installed().then(|| peers::ENVIRONMENT.interpreter()))
}

/// One call of HTA's.
pub(super) struct Call {
    /// The method.
    pub(super) name: String,
    /// What it took.
    pub(super) cpu_seconds: f64,
    /// `ok`, or the exception.
    pub(super) outcome: String,
}

/// HTA's analyses, each measured by itself after loading.
pub(super) fn analyses(python: &Path, file: &Path) -> Result<Vec<Call>> {
    let mut command = project::command(&python.to_string_lossy());
    let printed = project::output(command.args(["-c", include_str!("peers/hta_analyses.py")]).arg(file))?;
    // The tool prints things of its own too.
    let call = |line: &str| {
        let mut words = line.split(' ');
        let (name, seconds, outcome) = (words.next()?, words.next()?, words.next()?);
        let cpu_seconds = seconds.parse().ok()?;
        Some(Call { name: name.to_owned(), cpu_seconds, outcome: outcome.to_owned() })
    };
    Ok(printed.lines().filter_map(call).collect())
}

/// Runs a peer once.
pub(super) fn run(python: &Path, program: &str, file: &Path) -> Result<Cost> {
    run_with(python, program, file, &[])
}

/// Runs a peer once, with variables that it looks at.
pub(super) fn run_with(
    python: &Path,
    program: &str,
    file: &Path,
    variables: &[(&str, &str)],
) -> Result<Cost> {
    let mut command = project::command(&python.to_string_lossy());
    // The tool logs every step; what matters here is that it ends well.
    command.args(["-c", program]).arg(file).stderr(std::process::Stdio::null());
    measure::run(command.envs(variables.iter().copied()))
}
