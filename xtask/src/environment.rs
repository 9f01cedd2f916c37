//! Virtual environments of Python below `target`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::project;

/// An environment by the name of its folder.
pub(crate) struct Environment(pub(crate) &'static str);

impl Environment {
    fn folder(&self) -> PathBuf {
        project::target().join(self.0)
    }

    /// Where its programs are. Absolute, because tests run in folders of their own.
    pub(crate) fn programs(&self) -> PathBuf {
        let folder = self.folder().join(if cfg!(windows) { "Scripts" } else { "bin" });
        std::path::absolute(&folder).unwrap_or(folder)
    }

    /// Its interpreter, whether it exists or not.
    pub(crate) fn interpreter(&self) -> PathBuf {
        self.programs().join(format!("python{}", std::env::consts::EXE_SUFFIX))
    }

    /// Whether it finds all of these packages. They are not imported, which would take seconds.
    pub(crate) fn has(&self, packages: &[&str]) -> bool {
        let question = "import importlib.util as u, sys; sys.exit(any(u.find_spec(name) is None for name in sys.argv[1:]))";
        let answer = Command::new(self.interpreter()).args(["-c", question]).args(packages).output();
        answer.is_ok_and(|answer| answer.status.success())
    }

    /// Makes it again, without packages, with a certain interpreter or the usual one.
    pub(crate) fn make(&self, base: Option<&str>) -> Result<()> {
        let mut make = project::command(base.unwrap_or("python3"));
        project::run(make.args(["-m", "venv", "--clear"]).arg(self.folder()))
            .with_context(|| format!("cannot make the virtual environment {}", self.folder().display()))
    }

    /// Runs its interpreter.
    pub(crate) fn python(&self, arguments: &[&str]) -> Command {
        let mut command = project::command(&self.interpreter().to_string_lossy());
        command.args(arguments);
        command
    }

    /// Runs its pip.
    pub(crate) fn pip(&self, arguments: &[&str]) -> Command {
        let mut command = self.python(&["-m", "pip", "--disable-pip-version-check"]);
        command.args(arguments);
        command
    }

    /// Installs packages from PyPI.
    pub(crate) fn install(&self, packages: &[&str], size: &str) -> Result<()> {
        println!("installing {} from PyPI: {size}", packages.join(", "));
        project::run(self.pip(&["install", "--quiet"]).args(packages)).context("cannot install from PyPI")
    }
}
