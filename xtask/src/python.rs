//! The Python package: a virtual environment with what it is tested with, its build and its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::project;
use crate::test::{Counts, pytest};

/// Names an interpreter that has everything already, and in particular PyTorch.
pub(crate) const VARIABLE: &str = "EAVES_TEST_PYTHON";

/// What tests of the package need. PyTorch is by far the largest.
const PACKAGES: [&str; 13] = [
    "build",
    "duckdb",
    "maturin",
    "moto[server]",
    "mypy",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "pytest",
    "ray[default]",
    "schemathesis",
    "torch",
];

/// The environment that the package is installed into.
fn environment() -> PathBuf {
    project::target().join("python")
}

fn interpreter() -> PathBuf {
    let (folder, name) = if cfg!(windows) { ("Scripts", "python.exe") } else { ("bin", "python") };
    environment().join(folder).join(name)
}

/// The interpreter for tests that need PyTorch, if there is one. Tests run in folders of their own, so it is absolute.
pub(crate) fn with_torch() -> Option<PathBuf> {
    let made = std::path::absolute(interpreter()).ok().filter(|python| has(python, "torch"));
    made.or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from))
}

/// Whether an interpreter finds a package; it is not imported, which would take seconds.
fn has(python: &Path, package: &str) -> bool {
    let question = format!("import importlib.util as u; raise SystemExit(u.find_spec('{package}') is None)");
    let answer = Command::new(python).args(["-c", &question]).output();
    answer.is_ok_and(|answer| answer.status.success())
}

/// Whether the environment has everything.
pub(crate) fn is_installed() -> bool {
    has(&interpreter(), "torch") && has(&interpreter(), "pytest")
}

/// Makes the environment. What the interpreter that the variable names has is used from where it is; otherwise
/// everything is installed from PyPI.
pub(crate) fn install() -> Result<()> {
    let base = std::env::var(VARIABLE).ok();
    let mut make = project::command(base.as_deref().unwrap_or("python3"));
    project::run(make.args(["-m", "venv", "--clear"]).arg(environment()))
        .context("cannot make a virtual environment")?;
    match base {
        Some(base) => {
            let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
            let packages = project::output(project::command(&base).args(["-c", place]))?;
            let ours =
                project::output(project::command(&interpreter().to_string_lossy()).args(["-c", place]))?;
            // A file of this kind adds the folders that it names to those where packages are looked for.
            std::fs::write(Path::new(ours.trim()).join("base.pth"), packages).context("cannot write base.pth")
        }
        None => {
            println!("installing {} from PyPI: about 3 GB", PACKAGES.join(", "));
            project::run(pip(&["install", "--quiet"]).args(PACKAGES)).context("cannot install from PyPI")
        }
    }
}

fn python(arguments: &[&str]) -> Command {
    let mut command = project::command(&interpreter().to_string_lossy());
    command.args(arguments);
    command
}

fn pip(arguments: &[&str]) -> Command {
    let mut command = python(&["-m", "pip", "--disable-pip-version-check"]);
    command.args(arguments);
    command
}

/// Builds the package as `pip install` does, but for the profile, which shares what the other tests built, and with SQL if
/// these have it.
pub(crate) fn build(with_sql: bool) -> Result<()> {
    let mut install = pip(&["install", "--quiet", "--no-build-isolation", "--no-deps", "--force-reinstall"]);
    let features = if with_sql { " --features sql" } else { "" };
    install.args([&format!("--config-settings=build-args=--profile dev{features}"), "."]);
    // The backend calls maturin by name.
    let folder = interpreter().parent().map(Path::to_path_buf).unwrap_or_default();
    let mut folders = vec![std::path::absolute(folder)?];
    folders.extend(std::env::var(VARIABLE).ok().and_then(|base| Some(Path::new(&base).parent()?.to_owned())));
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    project::run(install.env("PATH", std::env::join_paths(folders)?))
}

/// How long importing the package takes: the median of a few, in milliseconds of the processor. Told, not checked, for
/// machines differ.
fn import_time() -> Result<f64> {
    const TIMES: usize = 11;
    let script =
        "import time; start = time.process_time(); import eaves; print(1e3 * (time.process_time() - start))";
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        times.push(project::output(&mut python(&["-c", script]))?.trim().parse::<f64>()?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[TIMES / 2])
}

/// Runs the tests of the package, and checks its types.
pub(crate) fn test() -> Counts {
    match import_time() {
        Ok(milliseconds) => println!("importing eaves takes {milliseconds:.1} ms of the processor"),
        Err(error) => return Counts::of(Err(error)),
    }
    let absolute = std::path::absolute(interpreter()).unwrap_or_else(|_| interpreter());
    let tests = pytest(python(&["-m", "pytest", "--quiet", "python/tests"]).env(VARIABLE, absolute));
    if !has(&interpreter(), "mypy") {
        return tests.and(Counts::skip("types of the Python package", "mypy is not installed"));
    }
    tests
        .and(Counts::of(project::run(&mut python(&["-m", "mypy", "--strict", "python/eaves"]))))
        .and(Counts::of(project::run(&mut python(&["-m", "mypy.stubtest", "eaves._core"]))))
}
