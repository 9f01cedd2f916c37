//! What `eaves profile` costs a program beyond the profiler of PyTorch itself, with the same settings by hand.
//!
//! Both run in turns, so that whatever else the machine does falls on both, and what counts is CPU time of the process
//! from its start to its end, which waiting for others is no part of. Besides the median there is the least, which is
//! what disturbs it least too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::ingest::{goal, machine};
use super::table::Table;
use crate::options::Options;
use crate::project;

const SCRIPT: &str = include_str!("profile.py");
/// How many times the CPU time by hand.
const GOAL: f64 = 1.03;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let runs: usize =
        options.value("--runs")?.map_or(Ok(9), |runs| runs.parse()).context("`--runs` is a number")?;
    let named = options.value("--python")?.map(PathBuf::from);
    options.finish()?;
    let usual = || project::target().join("python/bin/python");
    let python =
        named.or_else(|| std::env::var_os("EAVES_TEST_PYTHON").map(PathBuf::from)).unwrap_or_else(usual);
    // What is measured is inside of Python; how eaves itself was built makes no difference to it.
    project::run(project::cargo().args(["build", "--quiet", "--package", "eaves-cli"]))?;
    let eaves = project::target().join("debug/eaves");
    let directory = project::target().join("bench/profile");
    fs::create_dir_all(&directory)?;
    let script = directory.join("script.py");
    fs::write(&script, SCRIPT)?;
    println!("{}", machine());
    let mut table = Table::new(&["CPU s of the program", "least", "median"]);
    let mut ratios = Vec::new();
    for (settings, option) in [("shapes", None), ("stacks", Some("--stacks"))] {
        let (mut hand, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..runs.max(1) {
            hand.push(by_hand(&python, &script, settings, &directory)?);
            ours.push(with_eaves(&eaves, &python, &script, option, &directory)?);
        }
        for (name, costs) in [("by hand", &mut hand), ("eaves profile", &mut ours)] {
            costs.sort_by(f64::total_cmp);
            table.row([
                format!("{name}, {settings}"),
                format!("{:.3}", costs[0]),
                format!("{:.3}", middle(costs)),
            ]);
        }
        ratios.push((format!("times the CPU time by hand, least of {runs}: {settings}"), ours[0] / hand[0]));
        ratios
            .push((format!("times the CPU time by hand, median: {settings}"), middle(&ours) / middle(&hand)));
    }
    println!("\n{table}");
    for (what, ratio) in ratios {
        goal(&what, ratio, "<=", GOAL);
    }
    Ok(())
}

fn middle(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn by_hand(python: &Path, script: &Path, settings: &str, directory: &Path) -> Result<f64> {
    cost(Command::new(python).arg(script).arg(settings), directory)
}

fn with_eaves(
    eaves: &Path,
    python: &Path,
    script: &Path,
    option: Option<&str>,
    directory: &Path,
) -> Result<f64> {
    let out = directory.join("out");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut command = Command::new(eaves);
    command.args(["profile", "--quiet", "--json", "--steps", "5", "--shapes", "--output-dir"]).arg(&out);
    command.args(option).arg("--").arg(python).arg(script);
    cost(&mut command, directory)
}

/// The CPU seconds that the script writes at its end.
fn cost(command: &mut Command, directory: &Path) -> Result<f64> {
    let file = directory.join("cost");
    command.env("EAVES_BENCH_COST", &file).env("KINETO_LOG_LEVEL", "99").stdout(Stdio::null());
    if !command.status().with_context(|| format!("cannot start {command:?}"))?.success() {
        bail!("{command:?} failed; --python names a Python with torch");
    }
    fs::read_to_string(&file)?.trim().parse().context("the script writes a number")
}
