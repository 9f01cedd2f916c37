//! The benchmark of datasets: a big trace into one, next to reading and encoding alone, and out of it again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::ingest::{build, build_example, cells, goal, machine};
use super::inputs;
use super::measure::{self, Cost};
use super::table::Table;
use crate::generate::big;
use crate::options::Options;

/// What a dataset promises: hardly more than what must be done anyway.
const GOAL_SHARE: f64 = 0.8;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(500_000_000), |size| big::parse_size(&size))?;
    let runs = options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let program = options.value("--program")?.map(PathBuf::from);
    options.finish()?;
    let eaves = program.map_or_else(build, Ok)?;
    let (reader, encoder) =
        (build_example("eaves-ingest", "read")?, build_example("eaves-ingest", "encode")?);
    println!("{}", machine());
    let trace = inputs::big_trace(size, "json")?;
    let dataset = inputs::folder()?.join("dataset");
    let bytes = fs::metadata(&trace)?.len();
    let runs: usize = std::cmp::max(runs, 1);
    let on = |program: &Path, input: &Path| measure::run(Command::new(program).arg(input));
    let reading = measure::median(runs, || on(&reader, &trace))?;
    let encoding = measure::median(runs, || on(&encoder, &trace))?;
    let ingesting = measure::median(runs, || ingest(&eaves, &trace, &dataset))?;
    let again = measure::run(Command::new(&eaves).arg("ingest").arg(&trace).arg("-qo").arg(&dataset))?;
    let back = measure::median(runs, || on(&reader, &dataset))?;
    let mut table = Table::new(&["", "CPU s", "wall s", "GB per CPU s", "peak MB", "of the file"]);
    table.row(cells("reading the trace alone", reading, bytes));
    table.row(cells("reading, and encoding as Parquet to nowhere", encoding, bytes));
    table.row(cells("eaves ingest", ingesting, bytes));
    table.row(cells("eaves ingest, nothing changed", again, bytes));
    table.row(cells("reading the dataset", back, bytes));
    print!("{table}");
    println!("the dataset takes {:.3} of the trace", folder_size(&dataset)? as f64 / bytes as f64);
    println!("reading the dataset takes {:.2} of the CPU of the trace", share(back, reading));
    goal("reading and encoding, of ingesting", share(encoding, ingesting), ">=", GOAL_SHARE);
    Ok(())
}

fn share(part: Cost, whole: Cost) -> f64 {
    part.cpu_seconds / whole.cpu_seconds.max(1e-9)
}

fn ingest(eaves: &Path, trace: &Path, dataset: &Path) -> Result<Cost> {
    if dataset.exists() {
        fs::remove_dir_all(dataset)?;
    }
    measure::run(Command::new(eaves).arg("ingest").arg(trace).arg("-qo").arg(dataset))
}

fn folder_size(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        size +=
            if entry.file_type()?.is_dir() { folder_size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(size)
}
