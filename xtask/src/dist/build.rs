//! The program.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Outcome, Release, megabytes, python};
use crate::project;

/// The oldest C library that programs run on: that of Red Hat 7. Rust supports no older one.
const GLIBC: &str = "2.17";

/// The triple of this machine.
pub(super) fn host() -> Result<&'static str> {
    let text = project::output(project::command("rustc").arg("-vV"))?;
    let triple = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(String::leak(triple.to_owned()))
}

impl Release {
    /// True where Zig links for an older C library than that of this machine.
    pub(super) fn uses_zig(&self) -> bool {
        self.is_portable && self.target.ends_with("-linux-gnu")
    }

    /// Where cargo puts what it builds.
    fn built(&self) -> PathBuf {
        let target = project::target();
        let folder = if self.uses_zig() { target.join(self.target) } else { target };
        folder.join(self.profile)
    }

    /// The program that was built.
    pub(super) fn program(&self) -> PathBuf {
        self.built().join(format!("eaves{}", std::env::consts::EXE_SUFFIX))
    }

    /// A command that compiles the copied sources.
    pub(super) fn compiling(&self, mut command: Command) -> Result<Command> {
        command.current_dir(&self.source).env("CARGO_TARGET_DIR", std::path::absolute(project::target())?);
        if self.is_portable {
            // Messages name source files; whose machine they were on is nobody's business.
            let cargo = std::env::var("CARGO_HOME").map(PathBuf::from);
            let cargo =
                cargo.ok().or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("no CARGO_HOME")?;
            let flags = [(&self.source, "eaves"), (&cargo, "cargo")]
                .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
            command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        }
        Ok(command)
    }
}

/// Builds the program, stripped.
pub(super) fn program(release: &Release) -> Result<Outcome> {
    let mut command = if release.uses_zig() {
        let tools = python::Tools::install()?;
        let mut zigbuild = tools.command("cargo-zigbuild");
        zigbuild.args(["zigbuild", "--target", &format!("{}.{GLIBC}", release.target)]);
        zigbuild
    } else {
        let mut cargo = project::cargo();
        cargo.arg("build");
        cargo
    };
    command.args([
        "--locked",
        "--package",
        "eaves-cli",
        "--features",
        release.features,
        "--profile",
        release.profile,
    ]);
    project::run(&mut release.compiling(command)?)?;
    let program = release.program();
    if release.is_portable {
        let content = std::fs::read(&program)?;
        let root = project::root().to_string_lossy().into_owned();
        if memchr::memmem::find(&content, root.as_bytes()).is_some() {
            bail!("{} contains the path {root}", program.display());
        }
    }
    Ok(Outcome::Done(format!(
        "{} with profile {}, features {}",
        megabytes(&program)?,
        release.profile,
        release.features
    )))
}
