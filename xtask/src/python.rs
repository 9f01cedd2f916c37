//! The Python package: a virtual environment with what it is tested with, its build and its tests.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::environment::Environment;
use crate::project;
use crate::test::{Counts, pytest};

/// Names an interpreter that has everything already, and in particular PyTorch.
pub(crate) const VARIABLE: &str = "EAVES_TEST_PYTHON";

/// What tests of the package need. PyTorch is by far the largest.
const PACKAGES: [&str; 14] = [
    "build",
    "duckdb",
    "jsonschema",
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
const ENVIRONMENT: Environment = Environment("python");

/// The interpreter for tests that need PyTorch, if there is one.
pub(crate) fn with_torch() -> Option<PathBuf> {
    let made = ENVIRONMENT.has(&["torch"]).then(|| ENVIRONMENT.interpreter());
    made.or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from))
}

/// Whether the environment has everything.
pub(crate) fn is_installed() -> bool {
    ENVIRONMENT.has(&["jsonschema", "pytest", "torch"])
}

/// Makes the environment. What the interpreter that the variable names has is used from where it is; otherwise
/// everything is installed from PyPI.
pub(crate) fn install() -> Result<()> {
    let base = std::env::var(VARIABLE).ok();
    ENVIRONMENT.make(base.as_deref())?;
    let Some(base) = base else { return ENVIRONMENT.install(&PACKAGES, "about 3 GB") };
    let place = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
    let packages = project::output(project::command(&base).args(place))?;
    let ours = project::output(&mut ENVIRONMENT.python(&place))?;
    // A file of this kind adds the folders that it names to those where packages are looked for.
    std::fs::write(Path::new(ours.trim()).join("base.pth"), packages).context("cannot write base.pth")
}

/// Builds the package as `pip install` does, but for the profile and the features, which share what the other tests built.
pub(crate) fn build(is_full: bool) -> Result<()> {
    let options = ["install", "--quiet", "--no-build-isolation", "--no-deps", "--force-reinstall"];
    let mut install = ENVIRONMENT.pip(&options);
    let features = if is_full { " --features full" } else { "" };
    install.args([&format!("--config-settings=build-args=--profile dev{features}"), "."]);
    // The backend calls maturin by name.
    let mut folders = vec![ENVIRONMENT.programs()];
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
        times.push(project::output(&mut ENVIRONMENT.python(&["-c", script]))?.trim().parse::<f64>()?);
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
    let mut command = ENVIRONMENT.python(&[]);
    let tests = pytest(command.env(VARIABLE, ENVIRONMENT.interpreter()), &["python/tests"]);
    if !ENVIRONMENT.has(&["mypy"]) {
        return tests.and(Counts::skip("types of the Python package", "mypy is not installed"));
    }
    tests
        .and(Counts::of(project::run(&mut ENVIRONMENT.python(&["-m", "mypy", "--strict", "python/eaves"]))))
        .and(Counts::of(project::run(&mut ENVIRONMENT.python(&["-m", "mypy.stubtest", "eaves._core"]))))
}
