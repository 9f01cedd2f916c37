//! The benchmark of reading: from the file to the report.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::measure::{self, Cost};
use super::table::Table;
use super::{baselines, inputs, peers, scaling};
use crate::generate::big;
use crate::options::Options;
use crate::project;

/// What eaves promises.
const GOAL_GIGABYTES_PER_CPU_SECOND: f64 = 1.0;
const GOAL_MEMORY_SHARE: f64 = 0.4;
const GOAL_TIMES_LESS_THAN_HTA: f64 = 100.0;
const GOAL_COMPRESSED_WALL: f64 = 1.5;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(500_000_000), |size| big::parse_size(&size))?;
    let runs = options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let with_peers = options.flag("--with-peers");
    let is_scaling = options.flag("--scaling");
    options.finish()?;
    let eaves = build()?;
    println!("{}", machine());
    if is_scaling {
        return scaling::run(&eaves, runs);
    }
    let benchmark = Benchmark {
        eaves,
        reader: build_example("eaves-ingest", "read")?,
        size,
        runs: std::cmp::max(runs, 1),
    };
    benchmark.run(with_peers)
}

/// The cargo profile of published programs.
const PROFILE: &str = "dist";

/// Builds eaves as users have it.
pub(super) fn build() -> Result<PathBuf> {
    eprintln!("building eaves");
    let arguments = ["build", "--quiet", "--profile", PROFILE, "--package", "eaves-cli"];
    project::run(project::cargo().args(arguments))?;
    Ok(project::target().join(PROFILE).join("eaves"))
}

/// Builds an example of a crate: a program that does one part of the work and nothing else.
pub(super) fn build_example(package: &str, example: &str) -> Result<PathBuf> {
    let arguments = ["build", "--quiet", "--profile", PROFILE, "--package", package, "--example", example];
    project::run(project::cargo().args(arguments))?;
    Ok(project::target().join(PROFILE).join("examples").join(example))
}

/// Reading alone, on one thread.
pub(super) fn reading_alone(reader: &Path, file: &Path) -> Result<Cost> {
    measure::run(Command::new(reader).arg(file).env("EAVES_THREADS", "1"))
}

/// Reading alone, on as many threads as there are.
fn reading_on_all(reader: &Path, file: &Path) -> Result<Cost> {
    measure::run(Command::new(reader).arg(file))
}

/// What the figures belong to. The load tells whether the wall times mean anything.
pub(super) fn machine() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!("{}, {cores} cores, load average {load}", model.unwrap_or("unknown processor"))
}

/// A report of eaves, as JSON.
pub(super) fn report(eaves: &Path, file: &Path, threads: Option<usize>) -> Result<Cost> {
    let mut command = Command::new(eaves);
    command.arg("report").arg(file).args(["--json", "--quiet"]);
    if let Some(threads) = threads {
        command.env("EAVES_THREADS", threads.to_string());
    }
    measure::run(&mut command)
}

/// Cells of a row: cost, and what it means for this many bytes of JSON.
pub(super) fn cells(name: &str, cost: Cost, json_bytes: u64) -> [String; 6] {
    let per_cpu_second = json_bytes as f64 / 1e9 / cost.cpu_seconds.max(1e-9);
    let (memory, share) = match cost.peak_bytes {
        0 => (String::new(), String::new()),
        peak => {
            (format!("{:.0}", peak as f64 / 1e6), format!("{:.0} %", 100.0 * peak as f64 / json_bytes as f64))
        }
    };
    [
        name.to_owned(),
        format!("{:.3}", cost.cpu_seconds),
        format!("{:.3}", cost.wall_seconds),
        format!("{per_cpu_second:.3}"),
        memory,
        share,
    ]
}

pub(super) const HEADER: [&str; 6] = ["", "CPU s", "wall s", "GB per CPU s", "peak MB", "of JSON"];

struct Benchmark {
    eaves: PathBuf,
    reader: PathBuf,
    size: u64,
    runs: usize,
}

impl Benchmark {
    fn run(&self, with_peers: bool) -> Result<()> {
        let plain = inputs::big_trace(self.size, "json")?;
        let compressed = inputs::big_trace(self.size, "json.gz")?;
        let json_bytes = std::fs::metadata(&plain)?.len();
        let part = |name: &str, file: &Path| measure::median(self.runs, || baselines::measure(name, file));

        // Reading comes first, so that everything after it finds the file in the page cache.
        let read = part("read", &plain)?;
        let memchr = part("memchr", &plain)?;
        let gunzip = part("gunzip", &compressed)?;
        let alone = measure::median(self.runs, || reading_alone(&self.reader, &plain))?;
        let single = measure::median(self.runs, || report(&self.eaves, &plain, Some(1)))?;
        let all = measure::median(self.runs, || report(&self.eaves, &plain, None))?;
        let packed = measure::median(self.runs, || reading_on_all(&self.reader, &compressed))?;

        let mut table = Table::new(&HEADER);
        for (name, cost) in [
            ("memchr over the bytes in memory", memchr),
            ("read(2) in blocks of 1 MB", read),
            ("gunzip alone (zlib-rs)", gunzip),
            ("eaves, reading alone, one thread", alone),
            ("eaves report, one thread", single),
            ("eaves report", all),
            ("eaves, reading alone, .json.gz", packed),
        ] {
            table.row(cells(name, cost, json_bytes));
        }
        let mut hta = None;
        let python = peers::environment(with_peers)?;
        for (name, program) in peers::PEERS {
            if let Some(python) = &python {
                // Slow enough that one run says it.
                let cost = peers::run(python, program, &plain).with_context(|| format!("{name} failed"))?;
                table.row(cells(name, cost, json_bytes));
                hta = name.starts_with("HTA").then_some(cost).or(hta);
            }
        }
        println!("{:.1} MB of JSON, median of {} runs\n\n{table}", json_bytes as f64 / 1e6, self.runs);
        if python.is_none() {
            println!("not measured: orjson and HTA; `--with-peers` installs them into target/bench/venv\n");
        }

        println!("Goals");
        let speed = json_bytes as f64 / 1e9 / alone.cpu_seconds;
        goal("GB per CPU second, reading alone", speed, ">=", GOAL_GIGABYTES_PER_CPU_SECOND);
        for (name, cost) in [("one thread", single), ("all threads", all), (".json.gz", packed)] {
            let share = cost.peak_bytes as f64 / json_bytes as f64;
            goal(&format!("peak memory as a share of the JSON, {name}"), share, "<=", GOAL_MEMORY_SHARE);
        }
        let slower = gunzip.wall_seconds.max(alone.wall_seconds);
        let ratio = packed.wall_seconds / slower;
        goal("wall of .json.gz to the slower of its two halves alone", ratio, "<=", GOAL_COMPRESSED_WALL);
        if let Some(hta) = hta {
            let ratio = hta.cpu_seconds / all.cpu_seconds;
            goal("times less CPU than HTA", ratio, ">=", GOAL_TIMES_LESS_THAN_HTA);
        }
        Ok(())
    }
}

pub(super) fn goal(what: &str, measured: f64, relation: &str, wanted: f64) {
    let holds = if relation == ">=" { measured >= wanted } else { measured <= wanted };
    let verdict = if holds { "met" } else { "MISSED" };
    println!("  {verdict:<6}  {measured:>8.3} {relation} {wanted:<5}  {what}");
}
