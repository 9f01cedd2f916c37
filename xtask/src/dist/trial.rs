//! What was built, tried as users get it: unpacked or installed into an empty folder, run with an empty environment.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::archive::COMPLETIONS;
use super::python::{self, Tools, scripts};
use super::{Outcome, Release};
use crate::project;

/// An empty home with the example in it.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(release: &Release, name: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("eaves-dist-{}-{name}", std::process::id()));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let example = release.source.join("examples").join("training");
        std::fs::create_dir_all(folder.join("training"))?;
        for entry in
            std::fs::read_dir(&example).with_context(|| format!("cannot read {}", example.display()))?
        {
            let path = entry?.path();
            std::fs::copy(&path, folder.join("training").join(path.file_name().unwrap_or_default()))?;
        }
        Ok(Self { folder: std::fs::canonicalize(folder)? })
    }

    /// A program that is told nothing about this machine but where the usual programs are.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(&self.folder).env("HOME", &self.folder);
        if cfg!(windows) {
            for name in ["SYSTEMROOT", "PATH"] {
                command.env(name, std::env::var_os(name).unwrap_or_default());
            }
        } else {
            command.env("PATH", "/usr/bin:/bin");
        }
        command
    }

    /// Asks the program for its version, a report, a page and, if it is complete, for what needs its features.
    fn try_program(&self, release: &Release, program: &Path) -> Result<()> {
        let ask = |arguments: &[&str]| project::output(self.command(program).args(arguments));
        let version = ask(&["--version"])?;
        ensure!(version.trim() == format!("eaves {}", release.version), "it says to be {version}");
        let report = ask(&["report", "training"])?;
        ensure!(report.contains("Verdict") && report.contains("Findings"), "no report:\n{report}");
        ask(&["report", "training", "-o", "report.html"])?;
        let page = std::fs::read_to_string(self.folder.join("report.html"))?;
        ensure!(page.contains("</html>"), "report.html is no page");
        if release.features == "full" {
            let answer = ask(&["query", "SELECT count(*) > 0 AS some FROM kernels", "training", "--csv"])?;
            ensure!(answer.trim() == "some\ntrue", "SQL answers {answer}");
            ask(&["roofline", "training", "--device", "a100-sxm4-80gb", "-o", "roofline.png"])?;
            let picture = std::fs::read(self.folder.join("roofline.png"))?;
            ensure!(picture.starts_with(b"\x89PNG"), "roofline.png is no picture");
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What stays behind is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Unpacks the archive and looks at everything in it.
pub(super) fn archive(release: &Release) -> Result<Outcome> {
    let path = release.output.join(format!("{}.tar.gz", release.stem()));
    if !path.exists() {
        return Ok(Outcome::Skipped("there is no archive".to_owned()));
    }
    let place = Place::new(release, "archive")?;
    project::run(Command::new("tar").arg("-xzf").arg(&path).current_dir(&place.folder))?;
    let folder = place.folder.join(release.stem());
    place.try_program(release, &folder.join(format!("eaves{}", std::env::consts::EXE_SUFFIX)))?;
    for (shell, file) in COMPLETIONS {
        let file = folder.join("completions").join(file);
        ensure!(std::fs::metadata(&file)?.len() > 1000, "{} is empty", file.display());
        // PowerShell has no mode that only reads.
        if shell != "powershell" && Command::new(shell).arg("-c").arg("true").output().is_ok() {
            project::run(place.command(Path::new(shell)).arg("-n").arg(&file))?;
        }
    }
    let page = std::fs::read_to_string(folder.join("man").join("man1").join("eaves-report.1"))?;
    ensure!(page.contains(".SH NAME"), "eaves-report.1 is no manual page");
    Ok(Outcome::Done("version, report, page, completions, manual".to_owned()))
}

/// Installs the wheel into the oldest and the newest Python of this machine, without Rust and without network.
pub(super) fn wheel(release: &Release) -> Result<Outcome> {
    let Some(wheel) = release.file(".whl")? else {
        return Ok(Outcome::Skipped("there is no wheel".to_owned()));
    };
    let mut notes = Vec::new();
    for ((major, minor), interpreter) in oldest_and_newest()? {
        let place = Place::new(release, "wheel")?;
        let environment = place.folder.join("environment");
        project::run(Command::new(&interpreter).args(["-m", "venv"]).arg(&environment))?;
        let start = Instant::now();
        let python = scripts(&environment).join("python");
        let mut pip = place.command(&python);
        pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"])
            .arg(&wheel);
        project::run(&mut pip)?;
        let seconds = start.elapsed().as_secs_f64();
        place.try_program(release, &scripts(&environment).join("eaves"))?;
        let script = "import eaves; print(eaves.read('training').report().findings[0].claim)";
        let claim = project::output(place.command(&python).args(["-c", script]))?;
        ensure!(!claim.trim().is_empty(), "Python {major}.{minor} finds nothing");
        notes.push(format!("Python {major}.{minor}: installed in {seconds:.1} s"));
    }
    ensure!(!notes.is_empty(), "no Python from 3.10 on this machine");
    Ok(Outcome::Done(notes.join(", ")))
}

/// Installs the source distribution, which compiles the crates of this project.
pub(super) fn sdist(release: &Release) -> Result<Outcome> {
    let Some(sdist) = release.file(&python::sdist_name(release))? else {
        return Ok(Outcome::Skipped("there is no source distribution".to_owned()));
    };
    let Some(((major, minor), interpreter)) = oldest_and_newest()?.pop() else {
        bail!("no Python from 3.10")
    };
    let place = Place::new(release, "sdist")?;
    let environment = place.folder.join("environment");
    project::run(Command::new(&interpreter).args(["-m", "venv"]).arg(&environment))?;
    let mut pip = Command::new(scripts(&environment).join("python"));
    pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]).arg(&sdist);
    // What is compiled of others is there already.
    project::run(
        pip.current_dir(&place.folder).env("CARGO_TARGET_DIR", std::path::absolute(project::target())?),
    )?;
    let version = project::output(place.command(&scripts(&environment).join("eaves")).arg("--version"))?;
    ensure!(version.trim() == format!("eaves {}", release.version), "it says to be {version}");
    project::output(place.command(&scripts(&environment).join("eaves")).args(["report", "training"]))?;
    Ok(Outcome::Done(format!("Python {major}.{minor}: compiled, version, report")))
}

/// Runs the wheel through pipx.
pub(super) fn pipx(release: &Release) -> Result<Outcome> {
    runner(release, "pipx", |wheel| vec!["run".into(), "--spec".into(), wheel.into(), "eaves".into()])
}

/// Runs the wheel through uv.
pub(super) fn uvx(release: &Release) -> Result<Outcome> {
    runner(release, "uvx", |wheel| vec!["--from".into(), wheel.into(), "eaves".into()])
}

/// Runs the wheel by a program that installs it only for that.
fn runner(release: &Release, name: &str, arguments: fn(&Path) -> Vec<std::ffi::OsString>) -> Result<Outcome> {
    let Some(wheel) = release.file(".whl")? else {
        return Ok(Outcome::Skipped("there is no wheel".to_owned()));
    };
    let place = Place::new(release, name)?;
    let mut command = Tools::install()?.command(name);
    command.args(arguments(&wheel)).args(["report", "training"]).current_dir(&place.folder);
    for variable in ["PIPX_HOME", "UV_CACHE_DIR"] {
        command.env(variable, place.folder.join(variable));
    }
    let report = project::output(&mut command)?;
    ensure!(report.contains("Verdict"), "no report:\n{report}");
    Ok(Outcome::Done("report".to_owned()))
}

/// Installs the program as README says.
pub(super) fn cargo_install(release: &Release) -> Result<Outcome> {
    let place = Place::new(release, "cargo")?;
    let mut cargo = project::cargo();
    cargo
        .args(["install", "--quiet", "--locked", "--path", "crates/cli", "--root"])
        .arg(place.folder.join("cargo"));
    cargo.current_dir(&release.source).env("CARGO_TARGET_DIR", std::path::absolute(project::target())?);
    project::run(&mut cargo)?;
    let program =
        place.folder.join("cargo").join("bin").join(format!("eaves{}", std::env::consts::EXE_SUFFIX));
    let report = project::output(place.command(&program).args(["report", "training"]))?;
    ensure!(report.contains("Verdict"), "no report:\n{report}");
    Ok(Outcome::Done("report".to_owned()))
}

type Version = (u32, u32);

/// The oldest and the newest Python that eaves runs on; one if there is no other.
fn oldest_and_newest() -> Result<Vec<(Version, PathBuf)>> {
    let mut found: Vec<(Version, PathBuf)> = candidates()
        .into_iter()
        .filter_map(|path| Some((asked(&path)?, path)))
        .filter(|(version, _)| *version >= (3, 10))
        .collect();
    found.sort();
    found.dedup_by_key(|(version, _)| *version);
    if found.len() > 2 {
        found.drain(1..found.len() - 1);
    }
    Ok(found)
}

/// Interpreters by the names that they usually have, and those of pyenv.
fn candidates() -> Vec<PathBuf> {
    let names =
        (10..30).map(|minor| format!("python3.{minor}")).chain(["python3".to_owned(), "python".to_owned()]);
    let mut paths: Vec<PathBuf> = names.map(PathBuf::from).collect();
    let root = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".pyenv")));
    let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
    paths.extend(versions.into_iter().flatten().flatten().map(|entry| scripts(&entry.path()).join("python")));
    paths
}

/// The version of an interpreter that can make virtual environments.
fn asked(interpreter: &Path) -> Option<Version> {
    let script = "import ensurepip, sys, venv; print(*sys.version_info[:2])";
    let output = Command::new(interpreter)
        .args(["-c", script])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}
