//! The benchmark of vendors' files: from file to kernel table or roofline, next to what people write with pandas.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::ingest::{build, cells, goal, machine};
use super::measure::{self, Cost};
use super::table::Table;
use super::{inputs, peers};
use crate::generate::big;
use crate::generate::profilers::{ncu, rocprofv3};
use crate::project;

/// What eaves promises.
const GOAL_TIMES_LESS_CPU: f64 = 20.0;
const GOAL_MEMORY_PCT: f64 = 40.0;

/// Makes a file of a size.
type Make = fn(&Path, u64) -> Result<()>;

/// One kind of file.
struct Format {
    name: &'static str,
    ending: &'static str,
    /// A real file that is taken if it is there, packed; else one is made.
    real: Option<&'static str>,
    size: u64,
    make: Make,
    /// What eaves is asked.
    arguments: &'static [&'static str],
    /// The Python program that does the same.
    program: &'static str,
    /// What it is called, and the variables that it is given.
    peers: &'static [Peer],
}

/// A way to run a program.
type Peer = (&'static str, &'static [(&'static str, &'static str)]);

/// As most scripts do it.
const PANDAS: Peer = ("pandas", &[]);
/// With no more columns than eaves keeps of a large table.
const PANDAS_WANTED: Peer = ("pandas with `usecols`", &[("COLUMNS", "wanted")]);

fn formats(size: u64) -> [Format; 3] {
    [
        Format {
            name: "rocprofv3 JSON",
            ending: "json",
            real: Some("../shared/data/formats/amd/rocprofv3/json/908_results.json.gz"),
            size: 37_000_000,
            make: |path, size| Ok(rocprofv3::write(path, size).map(drop)?),
            arguments: &["kernels"],
            program: include_str!("peers/rocprofv3_json.py"),
            peers: &[PANDAS],
        },
        Format {
            name: "Nsight Compute CSV",
            ending: "ncu.csv",
            real: None,
            size,
            make: |path, size| Ok(ncu::write(path, size).map(drop)?),
            arguments: &["roofline"],
            program: include_str!("peers/ncu_csv.py"),
            peers: &[PANDAS, PANDAS_WANTED],
        },
        Format {
            name: "Nsight Systems SQLite",
            ending: "sqlite",
            real: None,
            size,
            make: nsys,
            arguments: &["kernels"],
            program: include_str!("peers/nsys_sqlite.py"),
            peers: &[PANDAS],
        },
    ]
}

/// Runs the benchmark.
pub(super) fn run(mut options: crate::options::Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(1_000_000_000), |size| big::parse_size(&size))?;
    let runs: usize =
        options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let program = options.value("--program")?.map(PathBuf::from);
    let with_peers = options.flag("--with-peers");
    options.finish()?;
    let eaves = program.map_or_else(build, Ok)?;
    let python = peers::environment(with_peers)?;
    println!("{}", machine());
    let mut table = Table::new(&["", "CPU s", "wall s", "GB per CPU s", "peak MB", "of file"]);
    let mut goals = Vec::new();
    for format in formats(size) {
        let file = format.file()?;
        let bytes = std::fs::metadata(&file)?.len();
        let ours = measure::median(runs.max(1), || ask(&eaves, &format, &file))?;
        table.row(cells(&format!("{}: eaves {}", format.name, format.arguments.join(" ")), ours, bytes));
        let share = 100.0 * ours.peak_bytes as f64 / bytes as f64;
        for (python, (peer, variables)) in
            python.iter().flat_map(|python| format.peers.iter().map(move |peer| (python, peer)))
        {
            // Slow enough that one run says it.
            let theirs = peers::run_with(python, format.program, &file, variables)?;
            table.row(cells(&format!("{}: {peer}", format.name), theirs, bytes));
            goals.push((
                format!("times less CPU than {peer}: {}", format.name),
                theirs.cpu_seconds / ours.cpu_seconds,
                ">=",
                GOAL_TIMES_LESS_CPU,
            ));
        }
        goals.push((format!("peak memory in % of the file: {}", format.name), share, "<=", GOAL_MEMORY_PCT));
    }
    println!("median of {runs} runs\n\n{table}\nGoals");
    for (what, measured, relation, wanted) in goals {
        goal(&what, measured, relation, wanted);
    }
    if python.is_none() {
        println!("  not measured: pandas; `--with-peers` installs it");
    }
    Ok(())
}

fn ask(eaves: &Path, format: &Format, file: &Path) -> Result<Cost> {
    measure::run(Command::new(eaves).args(format.arguments).arg(file).args(["--json", "--quiet"]))
}

impl Format {
    /// The file, made once and kept.
    fn file(&self) -> Result<PathBuf> {
        if let Some(real) = self.real.map(|real| project::root().join(real)).filter(|real| real.is_file()) {
            return unpacked(&real, self.ending);
        }
        let path = inputs::folder()?.join(format!("{}MB.{}", self.size / 1_000_000, self.ending));
        if !path.exists() {
            eprintln!("making {}", path.display());
            let unfinished = path.with_extension("unfinished");
            // What an interrupted run left behind.
            let _ = std::fs::remove_file(&unfinished);
            (self.make)(&unfinished, self.size)?;
            std::fs::rename(&unfinished, &path)?;
        }
        Ok(path)
    }
}

fn unpacked(packed: &Path, ending: &str) -> Result<PathBuf> {
    let path = inputs::folder()?.join(format!("real.{ending}"));
    if !path.exists() {
        let mut reader = flate2::read::GzDecoder::new(std::fs::File::open(packed)?);
        let unfinished = path.with_extension("unfinished");
        std::io::copy(&mut reader, &mut std::fs::File::create(&unfinished)?)?;
        std::fs::rename(&unfinished, &path)?;
    }
    Ok(path)
}

/// Python has SQLite with it, and its own SQL makes rows quickly enough.
fn nsys(path: &Path, size: u64) -> Result<()> {
    let program = include_str!("peers/make_nsys.py");
    project::run(project::command("python3").args(["-c", program]).arg(path).arg(size.to_string()))
}
