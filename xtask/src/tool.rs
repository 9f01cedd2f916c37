//! Programs from crates.io that tasks run, installed below `target` if the system has none.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::project;

/// A program and the crate it comes from.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Further arguments of `cargo install`.
    pub(crate) options: &'static [&'static str],
}

impl Tool {
    /// The program; without `install`, only if it is there already.
    pub(crate) fn find(&self, install: bool) -> Result<Option<PathBuf>> {
        let tools = project::target().join("tools");
        let ours = tools.join("bin").join(format!("{}{}", self.name, std::env::consts::EXE_SUFFIX));
        let found = [PathBuf::from(self.name), ours.clone()].into_iter().find(|program| runs(program));
        if found.is_some() || !install {
            return Ok(found);
        }
        println!("installing {} into {}, which takes minutes", self.name, tools.display());
        // Optimizing a tool takes longer than it ever runs.
        let mut cargo = project::cargo();
        cargo.args(["install", self.name, "--debug", "--locked", "--quiet"]).args(self.options);
        project::run(cargo.arg("--root").arg(&tools))?;
        Ok(Some(ours))
    }
}

fn runs(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
