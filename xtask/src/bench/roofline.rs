//! The benchmark of the roofline: every operator of a trace against its device, next to TraceLens.
//!
//! TraceLens (AMD-AGI/TraceLens) is not on PyPI: the package `tracelens` there is another project. So it is measured
//! only where a program of it is named; otherwise its figures are those of an earlier run, and are called so.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::ingest::{build, goal, machine};
use super::inputs;
use super::measure::{self, Cost};
use super::table::Table;
use crate::options::Options;
use crate::project;

/// What eaves promises.
const GOAL_TIMES_LESS_CPU: f64 = 50.0;
const GOAL_TIMES_LESS_MEMORY: f64 = 10.0;

/// Figures of TraceLens 171dd747 with Python 3.11, the least of three runs: trace, CPU seconds, peak megabytes.
const EARLIER: [(&str, f64, f64); 3] = [
    ("mi300_timesformer", 3.8, 322.0),
    ("mi300_resnet_recompute", 5.3, 360.0),
    ("mi300_torch_compile_triton", 1.5, 118.0),
];

/// Size of the simulated trace, if the traces of TraceLens are not there.
const SIMULATED: u64 = 20_000_000;

struct Input {
    name: String,
    file: PathBuf,
    /// CPU seconds and peak megabytes of an earlier run of TraceLens.
    earlier: Option<(f64, f64)>,
}

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let runs: usize =
        options.value("--runs")?.map_or(Ok(3), |runs| runs.parse()).context("`--runs` is a number")?;
    let program = options.value("--tracelens")?.map(PathBuf::from);
    let trace = options.value("--trace")?.map(PathBuf::from);
    options.finish()?;
    let eaves = build()?;
    let runs = runs.max(1);
    println!("{}", machine());
    let mut table = Table::new(&["", "CPU s", "wall s", "peak MB"]);
    let mut goals = Vec::new();
    let inputs = inputs(trace)?;
    for input in &inputs {
        let ours = measure::median(runs, || roofline(&eaves, &input.file))?;
        table.row(cells(&format!("{}: eaves roofline", input.name), ours));
        let (theirs, how) = if let Some(program) = &program {
            // Slow enough that one run says it.
            let cost = perf_report(program, &input.file)?;
            table.row(cells(&format!("{}: TraceLens", input.name), cost));
            (Some((cost.cpu_seconds, cost.peak_bytes as f64 / 1e6)), "")
        } else {
            if let Some((cpu, peak)) = input.earlier {
                let name = format!("{}: TraceLens, an earlier run, not measured now", input.name);
                table.row([name, format!("{cpu:.3}"), String::new(), format!("{peak:.0}")]);
            }
            (input.earlier, ", by the figures of an earlier run of it")
        };
        if let Some((cpu, peak)) = theirs {
            let name = &input.name;
            goals.push((
                format!("times less CPU than TraceLens{how}: {name}"),
                cpu / ours.cpu_seconds,
                GOAL_TIMES_LESS_CPU,
            ));
            goals.push((
                format!("times less memory than TraceLens{how}: {name}"),
                peak * 1e6 / ours.peak_bytes as f64,
                GOAL_TIMES_LESS_MEMORY,
            ));
        }
    }
    println!("median of {runs} runs\n\n{table}");
    println!("Goals");
    for (what, measured, wanted) in goals {
        goal(&what, measured, ">=", wanted);
    }
    if program.is_none() {
        println!(
            "  not measured: TraceLens; `--tracelens PROGRAM` names its \
             `TraceLens_generate_perf_report_pytorch`, which no package index has"
        );
    }
    Ok(())
}

/// The trace that was asked for; else the traces of TraceLens next to the checkout; else a simulated one.
fn inputs(trace: Option<PathBuf>) -> Result<Vec<Input>> {
    if let Some(file) = trace {
        return Ok(vec![Input { name: file.display().to_string(), file, earlier: None }]);
    }
    let cases = project::root().join("../shared/data/tracelens/cases");
    let there = EARLIER.iter().filter_map(|&(name, cpu, peak)| {
        let file = cases.join(name).join("trace.json.gz");
        file.is_file().then(|| Input { name: name.to_owned(), file, earlier: Some((cpu, peak)) })
    });
    let mut found: Vec<Input> = there.collect();
    if found.is_empty() {
        let file = inputs::big_trace(SIMULATED, "json")?;
        found.push(Input { name: "simulated".to_owned(), file, earlier: None });
    }
    Ok(found)
}

fn cells(name: &str, cost: Cost) -> [String; 4] {
    [
        name.to_owned(),
        format!("{:.3}", cost.cpu_seconds),
        format!("{:.3}", cost.wall_seconds),
        format!("{:.0}", cost.peak_bytes as f64 / 1e6),
    ]
}

/// Every operator against its device, as JSON.
fn roofline(eaves: &Path, file: &Path) -> Result<Cost> {
    measure::run(Command::new(eaves).arg("roofline").arg(file).args(["--json", "--quiet"]))
}

/// TraceLens' report of the same file, as CSV.
fn perf_report(program: &Path, file: &Path) -> Result<Cost> {
    let folder = inputs::folder()?.join("tracelens");
    std::fs::create_dir_all(&folder)?;
    let mut command = Command::new(program);
    command.arg("--profile_json_path").arg(file).arg("--output_csvs_dir").arg(&folder);
    measure::run(command.stderr(Stdio::null()))
}
