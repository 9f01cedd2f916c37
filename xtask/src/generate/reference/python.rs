//! The Python package, from its stubs and docstrings, which Python itself reads.

use anyhow::Result;

use super::page as finished;
use crate::project;

const SCRIPT: &str = "xtask/src/generate/reference/python.py";

/// The page; none if there is no Python to read the package.
pub(super) fn page() -> Result<Option<String>> {
    if project::output(project::command("python3").arg("--version")).is_err() {
        println!("docs/reference/python.md: left as it is, because there is no python3");
        return Ok(None);
    }
    Ok(Some(finished(&project::output(project::command("python3").arg(SCRIPT))?)))
}
