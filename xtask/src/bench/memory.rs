//! The benchmark of memory snapshots: from the pickle to the report, next to Python's own reader of pickles.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::measure::{self, Cost};
use super::table::Table;
use super::{ingest, inputs};
use crate::generate::big;
use crate::generate::snapshot::{self, Shape};
use crate::options::Options;
use crate::project;

/// What eaves promises: memory well below that of the file.
const GOAL_MEMORY_SHARE: f64 = 0.6;

/// The least that a tool in Python has to do.
const PEER: &str = include_str!("peers/pickle_load.py");

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(1_000_000_000), |size| big::parse_size(&size))?;
    let runs = options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let program = options.value("--program")?.map(PathBuf::from);
    options.finish()?;
    let eaves = program.map_or_else(ingest::build, Ok)?;
    println!("{}", ingest::machine());
    let path = inputs::folder()?.join(format!("snapshot-{}MB.pickle", size / 1_000_000));
    let shape = Shape { layers: 24, native: 38, bytes: size, fails: false };
    // Written again each time: what it holds decides what the answer must be.
    eprintln!("making {}", path.display());
    let (_, made) = snapshot::write(BufWriter::new(File::create(&path)?), shape)?;
    println!("{:.1} MB, {} events, peak {} B as simulated", made.bytes as f64 / 1e6, made.events, made.peak);
    check(&eaves, &path, made.peak)?;
    let runs: usize = std::cmp::max(runs, 1);
    let memory = measure::median(runs, || {
        measure::run(Command::new(&eaves).arg("memory").arg(&path).args(["--json", "--quiet"]))
    })?;
    let python = measure::median(1, || measure::run(Command::new("python3").args(["-c", PEER]).arg(&path)))?;
    let mut table = Table::new(&["", "CPU s", "wall s", "MB per CPU s", "peak MB", "of the file"]);
    let mut row = |name: &str, cost: Cost| {
        table.row([
            name.to_owned(),
            format!("{:.2}", cost.cpu_seconds),
            format!("{:.2}", cost.wall_seconds),
            format!("{:.0}", made.bytes as f64 / 1e6 / cost.cpu_seconds.max(1e-9)),
            format!("{:.0}", cost.peak_bytes as f64 / 1e6),
            format!("{:.2}", cost.peak_bytes as f64 / made.bytes as f64),
        ]);
    };
    row("eaves memory, whole answer", memory);
    row("pickle.load of Python, nothing else", python);
    print!("{table}");
    println!(
        "{:.1} times less CPU and {:.1} times less memory than pickle.load; memory of the file: goal {GOAL_MEMORY_SHARE}, is {:.2}",
        python.cpu_seconds / memory.cpu_seconds.max(1e-9),
        python.peak_bytes as f64 / memory.peak_bytes.max(1) as f64,
        memory.peak_bytes as f64 / made.bytes as f64,
    );
    Ok(())
}

/// A speed of wrong answers is none.
fn check(eaves: &Path, path: &Path, peak: i64) -> Result<()> {
    let mut command = project::command(&eaves.to_string_lossy());
    let printed = project::output(command.arg("memory").arg(path).args(["--json", "--quiet"]))?;
    let wanted = format!("\"value\": {peak},");
    let compact = wanted.replace(' ', "");
    if !printed.contains(&wanted) && !printed.contains(&compact) {
        bail!("eaves did not find the peak of {peak} B");
    }
    Ok(())
}
