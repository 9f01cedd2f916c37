//! The wheel and the source distribution, and the tools from PyPI that make and check them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::{Outcome, Release, megabytes};
use crate::project;

/// A virtual environment with tools.
pub(super) struct Tools {
    folder: PathBuf,
}

const PACKAGES: [&str; 6] =
    ["cargo-zigbuild", "cyclonedx-python-lib[json-validation]", "maturin", "pipx", "twine", "uv"];
/// A compiler that links for older systems.
const ZIG: &str = "ziglang";

impl Tools {
    /// Installs them, unless they are there.
    pub(super) fn install() -> Result<Self> {
        let tools = Self { folder: std::path::absolute(project::target().join("dist-tools"))? };
        let is_complete = tools.folder.join("complete");
        if !is_complete.exists() {
            println!("installing {} and {ZIG} from PyPI", PACKAGES.join(", "));
            project::run(project::command("python3").args(["-m", "venv", "--clear"]).arg(&tools.folder))?;
            let mut pip = tools.command("python");
            pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]).args(PACKAGES);
            project::run(if cfg!(target_os = "linux") { pip.arg(ZIG) } else { &mut pip })?;
            std::fs::write(is_complete, "")?;
        }
        Ok(tools)
    }

    /// A tool that finds the other ones.
    pub(super) fn command(&self, name: &str) -> Command {
        let bin = scripts(&self.folder);
        let mut command = project::command(&bin.join(name).to_string_lossy());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
        // A folder with the separator in its name is the only failure.
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command
    }
}

/// Where a virtual environment has its programs.
pub(super) fn scripts(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// Builds the source distribution.
pub(super) fn sdist(release: &Release) -> Result<Outcome> {
    let mut maturin = Tools::install()?.command("maturin");
    maturin.args(["sdist", "--out"]).arg(&release.output).current_dir(&release.source);
    project::run(&mut maturin)?;
    let path = release.file(&sdist_name(release))?.context("maturin wrote no source distribution")?;
    Ok(Outcome::Done(format!("{}: {}", sdist_name(release), megabytes(&path)?)))
}

pub(super) fn sdist_name(release: &Release) -> String {
    format!("eaves-{}.tar.gz", release.version)
}

/// Builds the wheel, the whole program in it.
pub(super) fn wheel(release: &Release) -> Result<Outcome> {
    let mut maturin = Tools::install()?.command("maturin");
    maturin.args(["build", "--locked", "--profile", release.profile, "--features", release.features]);
    if release.uses_zig() {
        // Check: a library that would have to be packed into the wheel is a mistake.
        maturin.args(["--zig", "--compatibility", "manylinux2014", "--auditwheel", "check"]);
        maturin.args(["--target", release.target]);
    }
    maturin.arg("--out").arg(&release.output);
    project::run(&mut release.compiling(maturin)?)?;
    let path = release.file(".whl")?.context("maturin wrote no wheel")?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ensure!(name.contains("-cp310-abi3-"), "{name} is not for every Python from 3.10");
    if release.uses_zig() {
        ensure!(
            name.contains("manylinux2014") || name.contains("manylinux_2_17"),
            "{name} is not for old systems"
        );
    }
    Ok(Outcome::Done(format!("{name}: {}", megabytes(&path)?)))
}

/// Checks what PyPI will say of the packages, and the bill of materials against its schema.
pub(super) fn check(release: &Release) -> Result<Outcome> {
    let tools = Tools::install()?;
    let packages: Vec<PathBuf> = [".whl", &sdist_name(release)]
        .iter()
        .filter_map(|ending| release.file(ending).transpose())
        .collect::<Result<_>>()?;
    if packages.is_empty() {
        return Ok(Outcome::Skipped("neither wheel nor source distribution is there".to_owned()));
    }
    project::run(tools.command("twine").args(["check", "--strict"]).args(&packages))?;
    let contents = format!("{}/{}", "licenses", super::THIRD_PARTY);
    for package in packages.iter().filter(|package| package.extension().is_some_and(|ending| ending == "whl"))
    {
        let list = project::output(tools.command("python").args(["-m", "zipfile", "--list"]).arg(package))?;
        if !list.contains(&contents) {
            bail!("{} has no {contents}", package.display());
        }
    }
    Ok(Outcome::Done(format!("{} packages as PyPI wants them", packages.len())))
}

/// Checks the bill of materials against the schema of its format.
pub(super) fn validate_bill(path: &Path) -> Result<()> {
    let script = "import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding='utf-8').read())
sys.exit(str(problem)[:2000] if problem else 0)";
    project::run(Tools::install()?.command("python").args(["-c", script]).arg(path))
}
