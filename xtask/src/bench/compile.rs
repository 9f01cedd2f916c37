//! The benchmark of logs of `torch.compile`: `eaves compile` next to tlparse on the same log.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::ingest::{build, cells, goal, machine};
use super::inputs;
use super::measure::{self, Cost};
use super::table::Table;
use crate::generate::{big, compile_logs};
use crate::options::Options;
use crate::project;

/// What eaves promises.
const GOAL_TIMES_FASTER: f64 = 5.0;
const GOAL_MEMORY_PCT: f64 = 50.0;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(100_000_000), |size| big::parse_size(&size))?;
    let runs: usize =
        options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let eaves = options.value("--program")?.map(PathBuf::from);
    let tlparse = options.value("--tlparse")?.map(PathBuf::from);
    let with_peers = options.flag("--with-peers");
    options.finish()?;
    let file = log(size)?;
    let bytes = std::fs::metadata(&file)?.len();
    let eaves = eaves.map_or_else(build, Ok)?;
    let tlparse = match tlparse {
        Some(program) => Some(program),
        None => installed(with_peers)?,
    };
    println!("{}", machine());
    let mut table = Table::new(&["", "CPU s", "wall s", "GB per CPU s", "peak MB", "of log"]);
    let one = measure::median(runs.max(1), || ours(&eaves, &file))?;
    table.row(cells("eaves compile --json", one, bytes));
    let other = tlparse
        .as_deref()
        .map(|program| measure::median(runs.max(1), || theirs(program, &file)))
        .transpose()?;
    if let Some(other) = other {
        table.row(cells("tlparse", other, bytes));
    }
    println!("{}, median of {runs} runs\n\n{table}\nGoals", eaves.display());
    if let Some(other) = other {
        goal("times less CPU than tlparse", other.cpu_seconds / one.cpu_seconds, ">=", GOAL_TIMES_FASTER);
        goal(
            "times less wall time than tlparse",
            other.wall_seconds / one.wall_seconds,
            ">=",
            GOAL_TIMES_FASTER,
        );
    } else {
        println!("  not measured: tlparse; `--with-peers` installs it, `--tlparse PROGRAM` names it");
    }
    goal("peak memory in % of the log", 100.0 * one.peak_bytes as f64 / bytes as f64, "<=", GOAL_MEMORY_PCT);
    Ok(())
}

/// The log, made once and kept.
fn log(size: u64) -> Result<PathBuf> {
    let path = inputs::folder()?.join(format!("compile-{}MB.log", size / 1_000_000));
    if !path.exists() {
        eprintln!("making {}", path.display());
        let unfinished = path.with_extension("unfinished");
        compile_logs::write(&unfinished, size)?;
        std::fs::rename(&unfinished, &path)?;
    }
    Ok(path)
}

fn ours(eaves: &Path, file: &Path) -> Result<Cost> {
    measure::run(Command::new(eaves).arg("compile").arg(file).args(["--json", "--quiet"]))
}

/// It writes a directory of pages, which is removed again.
fn theirs(program: &Path, file: &Path) -> Result<Cost> {
    let folder = inputs::folder()?.join("tlparse-output");
    let cost = measure::run(
        Command::new(program)
            .arg(file)
            .arg("-o")
            .arg(&folder)
            .args(["--overwrite", "--no-browser"])
            .stderr(Stdio::null()),
    );
    // What is left is written over by the next run.
    let _ = std::fs::remove_dir_all(&folder);
    cost
}

/// tlparse in its own environment, if it is there or is to be made.
fn installed(install: bool) -> Result<Option<PathBuf>> {
    let folder = inputs::folder()?.join("venv-tlparse");
    let program = folder.join("bin").join("tlparse");
    if install && !program.exists() {
        eprintln!("installing tlparse into {}", folder.display());
        project::run(project::command("python3").args(["-m", "venv"]).arg(&folder))?;
        let python = folder.join("bin").join("python");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "tlparse"];
        project::run(project::command(&python.to_string_lossy()).args(pip))?;
    }
    Ok(program.exists().then_some(program))
}
