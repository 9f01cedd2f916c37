//! The benchmark of analyzing: what the report costs beyond reading, and how it grows with the ranks.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::ingest::{build, build_example, goal, machine};
use super::measure::{self, Cost};
use super::table::Table;
use super::{ingest, inputs, peers};
use crate::generate::big;
use crate::options::Options;
use crate::project;

/// What eaves promises.
const GOAL_TIMES_LESS_THAN_HTA: f64 = 50.0;
const GOAL_MEMORY_OF_MODEL: f64 = 1.5;

/// The sections that answer the calls of HTA that are measured. Its critical path is that of one step, ours that of all.
const SAME: [&str; 11] = [
    "annotations",
    "comm-overlap",
    "critical-path",
    "idle-time",
    "kernel-types",
    "kernels",
    "launch-stats",
    "memory-bandwidth",
    "op-delays",
    "queue-length",
    "temporal-breakdown",
];

/// Ranks of the growing job, and the size of each.
const RANKS: [usize; 4] = [8, 16, 32, 64];
const RANK_SIZE: u64 = 20_000_000;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(500_000_000), |size| big::parse_size(&size))?;
    let runs: usize =
        options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let with_peers = options.flag("--with-peers");
    let is_ranks = options.flag("--ranks");
    options.finish()?;
    let eaves = build()?;
    let runs = runs.max(1);
    println!("{}", machine());
    if is_ranks { many_ranks(&eaves, runs) } else { sections(&eaves, size, runs, with_peers) }
}

/// All sections beyond reading, against the same calls of HTA.
fn sections(eaves: &Path, size: u64, runs: usize, with_peers: bool) -> Result<()> {
    let reader = build_example("eaves-ingest", "read")?;
    let analyzer = build_example("eaves-analyze", "sections")?;
    let file = inputs::big_trace(size, "json")?;
    let read = measure::median(runs, || ingest::reading_alone(&reader, &file))?;
    let report = measure::median(runs, || ingest::report(eaves, &file, Some(1)))?;
    let sections = |ids: &[&str]| -> Result<f64> {
        let mut command = project::command(&analyzer.to_string_lossy());
        let printed = project::output(command.arg(&file).args(ids))?;
        printed.trim().parse().context("the example prints a number")
    };
    let (all, same) = (sections(&[])?, sections(&SAME)?);
    let mut table = Table::new(&["", "CPU s", "wall s", "peak MB"]);
    let row = |name: &str, cost: Cost| {
        let peak = format!("{:.0}", cost.peak_bytes as f64 / 1e6);
        [name.to_owned(), format!("{:.3}", cost.cpu_seconds), format!("{:.3}", cost.wall_seconds), peak]
    };
    table.row(row("eaves, reading alone", read));
    table.row(row("eaves report, all sections", report));
    table.row(["all sections alone".to_owned(), format!("{all:.3}")]);
    table.row(["the sections that answer HTA's calls below".to_owned(), format!("{same:.3}")]);
    let python = peers::environment(with_peers)?;
    let calls = python.map(|python| peers::analyses(&python, &file)).transpose()?.unwrap_or_default();
    for call in &calls {
        let note = if call.outcome == "ok" { "" } else { &call.outcome };
        table.row([format!("HTA {}", call.name), format!("{:.3}", call.cpu_seconds), note.to_owned()]);
    }
    println!("{} MB of JSON, one thread, median of {runs} runs\n\n{table}", size / 1_000_000);
    println!("Goals");
    let memory = report.peak_bytes as f64 / read.peak_bytes as f64;
    goal("peak memory of the report to that of reading", memory, "<=", GOAL_MEMORY_OF_MODEL);
    if calls.is_empty() {
        println!("  not measured: HTA; `--with-peers` installs it into target/bench/venv");
        return Ok(());
    }
    let hta: f64 = calls.iter().map(|call| call.cpu_seconds).sum();
    goal("times less CPU than HTA for the same answers", hta / same, ">=", GOAL_TIMES_LESS_THAN_HTA);
    goal("times less CPU than HTA for all sections", hta / all, ">=", GOAL_TIMES_LESS_THAN_HTA);
    Ok(())
}

/// The same trace as more and more ranks: CPU grows with them, memory does not.
fn many_ranks(eaves: &Path, runs: usize) -> Result<()> {
    let trace = inputs::big_trace(RANK_SIZE, "json")?;
    let mut table = Table::new(&["", "CPU s", "wall s", "CPU s per rank", "peak MB"]);
    for ranks in RANKS {
        let folder = job(&trace, ranks)?;
        let cost = measure::median(runs, || ingest::report(eaves, &folder, None))?;
        table.row([
            format!("eaves report, {ranks} ranks of {} MB", RANK_SIZE / 1_000_000),
            format!("{:.3}", cost.cpu_seconds),
            format!("{:.3}", cost.wall_seconds),
            format!("{:.4}", cost.cpu_seconds / ranks as f64),
            format!("{:.0}", cost.peak_bytes as f64 / 1e6),
        ]);
    }
    println!("median of {runs} runs\n\n{table}");
    Ok(())
}

/// A folder with this many ranks, all the same file.
fn job(trace: &Path, ranks: usize) -> Result<PathBuf> {
    let folder = inputs::folder()?.join(format!("{ranks}-ranks"));
    std::fs::create_dir_all(&folder)?;
    for rank in 0..ranks {
        let link = folder.join(format!("rank{rank}.json"));
        if !link.exists() {
            std::fs::hard_link(trace, &link).with_context(|| format!("cannot link {}", link.display()))?;
        }
    }
    Ok(folder)
}
