//! The benchmark of jobs of many ranks: time a rank and memory may not grow with the job.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::measure::{self, Cost};
use super::table::Table;
use super::{ingest, inputs};
use crate::generate::big;
use crate::generate::ranks::{self, Job};
use crate::options::Options;
use crate::project;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let count: u64 =
        options.value("--ranks")?.map_or(Ok(1024), |count| count.parse()).context("`--ranks` is a number")?;
    let size = options.value("--size")?.map_or(Ok(200_000), |size| big::parse_size(&size))?;
    let program = options.value("--program")?.map(PathBuf::from);
    options.finish()?;
    let eaves = program.map_or_else(ingest::build, Ok)?;
    println!("{}", ingest::machine());
    let mut table = Table::new(&[
        "ranks",
        "CPU s",
        "CPU ms a rank",
        "peak MB",
        "partial KB a rank",
        "merge CPU ms a rank",
    ]);
    let mut costs = Vec::new();
    for count in [count / 4, count / 2, count] {
        let job = Job { count, size };
        let folder = inputs::folder()?.join(format!("ranks-{count}-{}KB", size / 1000));
        if !folder.is_dir() {
            eprintln!("making {}", folder.display());
            ranks::write(&folder, job)?;
        }
        check(&eaves, &folder, job)?;
        let part = inputs::folder()?.join(format!("ranks-{count}.eaves-partial"));
        let report =
            measure::run(Command::new(&eaves).arg("report").arg(&folder).args(["--json", "--quiet"]))?;
        let mut write = Command::new(&eaves);
        measure::run(write.arg("report").arg(&folder).args(["--partial", "--quiet", "-o"]).arg(&part))?;
        let merge = measure::run(Command::new(&eaves).arg("report").arg(&part).args(["--json", "--quiet"]))?;
        let bytes = std::fs::metadata(&part)?.len();
        let each = |seconds: f64| format!("{:.2}", 1e3 * seconds / count as f64);
        table.row([
            count.to_string(),
            format!("{:.2}", report.cpu_seconds),
            each(report.cpu_seconds),
            format!("{:.0}", report.peak_bytes as f64 / 1e6),
            format!("{:.1}", bytes as f64 / 1e3 / count as f64),
            each(merge.cpu_seconds),
        ]);
        costs.push((count, report));
    }
    print!("{table}");
    if let [(few, small), .., (many, large)] = costs.as_slice() {
        let per_rank = |cost: &Cost, count: &u64| cost.cpu_seconds / *count as f64;
        println!(
            "{:.1} times the ranks: {:.2} times the time a rank, {:.2} times the memory",
            *many as f64 / *few as f64,
            per_rank(large, many) / per_rank(small, few).max(1e-12),
            large.peak_bytes as f64 / small.peak_bytes.max(1) as f64,
        );
    }
    Ok(())
}

/// A speed of wrong answers is none: the straggler must be named.
fn check(eaves: &Path, folder: &Path, job: Job) -> Result<()> {
    let mut command = project::command(&eaves.to_string_lossy());
    let printed = project::output(command.arg("report").arg(folder).args([
        "--section",
        "stragglers",
        "--markdown",
        "--quiet",
    ]))?;
    let wanted = format!("rank {}", job.straggler());
    if !printed.to_lowercase().contains(&wanted) {
        bail!("eaves did not find that the others wait for {wanted}");
    }
    Ok(())
}
