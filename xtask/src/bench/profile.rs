//! What `eaves profile` costs a program beyond the profiler of PyTorch itself, with the same settings by hand.
//!
//! Runs go by hand, eaves, eaves, by hand, and so on, so that whatever else the machine does falls on both and a drift
//! favors neither. CPU time is that of the process of Python from its start to its end, which waiting for others is not a part
//! of. Wall time is from the start of the command to the end of that process: with eaves, its own start counts too, and the
//! report that it makes afterwards does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};

use super::ingest::machine;
use super::pairs::{self, Ratio};
use super::table::Table;
use crate::options::Options;
use crate::project;

const SCRIPT: &str = include_str!("profile.py");
/// How many times what it costs by hand.
const GOAL: f64 = 1.03;
/// Fewer pairs are not measurement, however slow the machine is.
const FEWEST_PAIRS: usize = 4;

/// What a program took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    cpu_seconds: f64,
    wall_seconds: f64,
}

/// A figure of a cost.
type Figure = fn(&Cost) -> f64;

const FIGURES: [(&str, Figure); 2] = [("CPU", |cost| cost.cpu_seconds), ("wall", |cost| cost.wall_seconds)];

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let runs: Option<usize> =
        options.value("--runs")?.map(|runs| runs.parse()).transpose().context("`--runs` is a number")?;
    let seconds: u64 = options
        .value("--seconds")?
        .map_or(Ok(150), |seconds| seconds.parse())
        .context("`--seconds` is a number")?;
    let named = options.value("--python")?.map(PathBuf::from);
    let eaves = options.value("--program")?.map(PathBuf::from);
    let stacks = options.flag("--stacks");
    options.finish()?;
    let usual = || project::target().join("python/bin/python");
    let python =
        named.or_else(|| std::env::var_os("EAVES_TEST_PYTHON").map(PathBuf::from)).unwrap_or_else(usual);
    let eaves = eaves.map_or_else(build, Ok)?;
    let directory = project::target().join("bench/profile");
    fs::create_dir_all(&directory)?;
    // Not by the name of a module of Python, which it would hide.
    let script = directory.join("script.py");
    fs::write(&script, SCRIPT)?;
    let benchmark = Benchmark { eaves, python, script, directory, stacks };
    println!("{}\n{}", machine(), benchmark.eaves.display());
    // The files of PyTorch are in memory after it, and nothing that is measured waits for a disk.
    benchmark.by_hand()?;
    let until = Instant::now() + Duration::from_secs(seconds);
    let is_enough = |pairs: usize| match runs {
        Some(runs) => pairs >= runs.max(1),
        None => pairs >= FEWEST_PAIRS && Instant::now() >= until,
    };
    let mut pairs = Vec::new();
    while !is_enough(pairs.len()) {
        let pair = benchmark.pair(pairs.len() % 2 == 1)?;
        print_pair(pairs.len() + 1, &pair);
        pairs.push(pair);
    }
    conclude(&pairs, stacks);
    Ok(())
}

/// What is measured is inside of Python; how eaves itself was built makes no difference to it.
fn build() -> Result<PathBuf> {
    project::run(project::cargo().args(["build", "--quiet", "--package", "eaves-cli"]))?;
    Ok(project::target().join("debug/eaves"))
}

fn print_pair(number: usize, (hand, ours): &(Cost, Cost)) {
    let figures = FIGURES.map(|(name, figure)| {
        let (first, second) = (figure(hand), figure(ours));
        format!("{name} {first:.3} s by hand, {second:.3} s with eaves ({:.3})", second / first)
    });
    println!("  {number:>3}  {}", figures.join("; "));
}

fn conclude(pairs: &[(Cost, Cost)], stacks: bool) {
    let mut table =
        Table::new(&["s of the program, median", "by hand", "with eaves", "ratio", "95 % from", "to"]);
    let mut goals = Vec::new();
    for (name, figure) in FIGURES {
        let figures: Vec<(f64, f64)> =
            pairs.iter().map(|(hand, ours)| (figure(hand), figure(ours))).collect();
        let Some(ratio) = pairs::ratio(&figures) else { continue };
        let Ratio { of_medians, low, high } = ratio;
        let middle =
            |side: fn(&(f64, f64)) -> f64| pairs::median(figures.iter().map(side)).unwrap_or(f64::NAN);
        let cells = [middle(|pair| pair.0), middle(|pair| pair.1), of_medians, low, high];
        table.row(std::iter::once(name.to_owned()).chain(cells.map(|cell| format!("{cell:.3}"))));
        goals.push((name, ratio));
    }
    let with = if stacks { "shapes and stacks" } else { "shapes" };
    println!("\n{} pairs, {with}\n\n{table}\nGoals", pairs.len());
    for (name, Ratio { of_medians, low, high }) in goals {
        // A ratio whose interval has the goal in it says neither.
        let verdict = match () {
            () if high <= GOAL => "met",
            () if low > GOAL => "MISSED",
            () if of_medians <= GOAL => "met, within the noise",
            () => "missed, within the noise",
        };
        println!("  {of_medians:.3} <= {GOAL}  {name} time with eaves, of that by hand: {verdict}");
    }
}

struct Benchmark {
    eaves: PathBuf,
    python: PathBuf,
    script: PathBuf,
    directory: PathBuf,
    stacks: bool,
}

impl Benchmark {
    /// A run by hand and one with eaves; which is first is said by whoever asks.
    fn pair(&self, eaves_first: bool) -> Result<(Cost, Cost)> {
        if eaves_first {
            let ours = self.with_eaves()?;
            return Ok((self.by_hand()?, ours));
        }
        Ok((self.by_hand()?, self.with_eaves()?))
    }

    fn by_hand(&self) -> Result<Cost> {
        let settings = if self.stacks { "stacks" } else { "shapes" };
        cost(Command::new(&self.python).arg(&self.script).arg(settings), &self.directory)
    }

    fn with_eaves(&self) -> Result<Cost> {
        let out = self.directory.join("out");
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        let mut command = Command::new(&self.eaves);
        command.args(["profile", "--quiet", "--json", "--steps", "5", "--shapes", "--output-dir"]).arg(&out);
        command.args(self.stacks.then_some("--stacks"));
        command.arg("--").arg(&self.python).arg(&self.script);
        cost(&mut command, &self.directory)
    }
}

/// What the script writes at its end: its CPU seconds, and when that was.
fn cost(command: &mut Command, directory: &Path) -> Result<Cost> {
    let file = directory.join("cost");
    command.env("EAVES_BENCH_COST", &file).env("KINETO_LOG_LEVEL", "99").stdout(Stdio::null());
    let start = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    if !command.status().with_context(|| format!("cannot start {command:?}"))?.success() {
        bail!("{command:?} failed; --python names a Python with torch");
    }
    let text = fs::read_to_string(&file)?;
    let (cpu, end) = text.trim().split_once(' ').context("the script writes two numbers")?;
    let end: f64 = end.parse()?;
    Ok(Cost { cpu_seconds: cpu.parse()?, wall_seconds: end - start.as_secs_f64() })
}
