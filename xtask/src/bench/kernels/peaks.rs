//! The roofs: multiply-adds against what the instruction set can do, streams against STREAM and likwid-bench.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Settings;
use crate::bench::ingest::{build_example, goal};
use crate::bench::inputs;
use crate::bench::table::Table;
use crate::project;

/// What eaves promises.
const GOAL_OF_INSTRUCTION_SET: f64 = 0.99;
const GOAL_SPREAD: f64 = 0.01;
const GOAL_OF_OTHERS: f64 = 1.0;

/// Times that each kernel of STREAM is run, as STREAM does.
const STREAM_TIMES: &str = "10";

/// Kernels of likwid-bench, with ordinary stores and past the caches; those that a processor does not have fail.
const LIKWID: [(&str, &[&str]); 2] = [
    ("read", &["load_avx", "load_avx512"]),
    ("triad", &["stream_avx_fma", "stream_avx512_fma", "stream_mem_avx_fma", "stream_mem_avx512"]),
];

/// What else measures memory. Processor time skips what other programs took, and is told of one thread.
const TOOLS: [&str; 3] = ["STREAM", "STREAM, processor time", "likwid-bench"];

/// Numbers by name.
type Numbers = BTreeMap<String, Vec<f64>>;

/// Measures and prints.
pub(super) fn run(settings: &Settings) -> Result<()> {
    let roofs = build_example("eaves-bench", "roofs")?;
    multiply_adds(&roofs, settings.runs)?;
    memory(&roofs, settings)
}

/// Lines of a name and numbers, apart by tabs.
fn numbers(text: &str) -> Numbers {
    let line = |line: &str| {
        let mut cells = line.split('\t');
        let name = cells.next()?.to_owned();
        Some((name, cells.map_while(|cell| cell.trim().parse().ok()).collect()))
    };
    text.lines().filter_map(line).collect()
}

fn measured(program: &Path, word: &str) -> Result<Numbers> {
    Ok(numbers(&project::output(project::command(&program.to_string_lossy()).arg(word))?))
}

/// The peak of each arithmetic, in several processes: what it is of the instruction set's, and how far runs differ.
fn multiply_adds(roofs: &Path, runs: usize) -> Result<()> {
    let mut seen: BTreeMap<String, Vec<Vec<f64>>> = BTreeMap::new();
    for _ in 0..runs {
        for (name, numbers) in measured(roofs, "fma")? {
            seen.entry(name).or_default().push(numbers);
        }
    }
    let column = |runs: &[Vec<f64>], column: usize| -> Vec<f64> {
        let mut numbers: Vec<f64> = runs.iter().filter_map(|run| run.get(column)).copied().collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let mut table = Table::new(&["one core", "G/s", "per cycle", "of the instruction set", "runs differ by"]);
    let mut goals = Vec::new();
    for (name, runs) in &seen {
        let (rates, cycles) = (column(runs, 0), column(runs, 1));
        let most = column(runs, 2).first().copied().unwrap_or(f64::NAN);
        let (Some(low), Some(high), Some(per_cycle)) = (rates.first(), rates.last(), cycles.first()) else {
            continue;
        };
        let spread = (high - low) / high;
        let share = per_cycle / most;
        let percent =
            |share: f64| if share.is_nan() { String::new() } else { format!("{:.2} %", share * 100.0) };
        table.row([
            name.clone(),
            format!("{:.2}", high / 1e9),
            format!("{per_cycle:.2}"),
            percent(share),
            percent(spread),
        ]);
        // Chains that are not of one instruction a step are not peak of the instruction set.
        if (name.ends_with("fp32") || name.ends_with("fp64")) && !most.is_nan() {
            goals.push((format!("share of the instruction set's operations per cycle, {name}"), share, true));
            goals.push((format!("difference of runs, {name}"), spread, false));
        }
    }
    println!("Multiply-adds, {runs} processes, the worst of them per cycle\n\n{table}\nGoals");
    for (what, value, least) in goals {
        if least {
            goal(&what, value, ">=", GOAL_OF_INSTRUCTION_SET);
        } else {
            goal(&what, value, "<=", GOAL_SPREAD);
        }
    }
    Ok(())
}

/// Main memory next to STREAM and likwid-bench, in alternation.
fn memory(roofs: &Path, settings: &Settings) -> Result<()> {
    let stream = build_stream()?;
    let likwid = find_likwid(settings.with_peers)?;
    let (mut ours, mut theirs) = (Numbers::new(), Numbers::new());
    let keep = |into: &mut Numbers, name: String, value: f64| into.entry(name).or_default().push(value);
    for _ in 0..settings.runs {
        for (name, numbers) in measured(roofs, "memory")? {
            for (which, value) in ["best", "median"].into_iter().zip(numbers) {
                keep(&mut ours, format!("{name} {which}"), value);
            }
        }
        for (cores, threads) in threads() {
            if let Some(stream) = &stream {
                let mut command = project::command(&stream.to_string_lossy());
                command.args(["128", STREAM_TIMES]).env("OMP_NUM_THREADS", threads.to_string());
                command.env("OMP_PROC_BIND", "true");
                for (name, numbers) in numbers(&project::output(&mut command)?) {
                    let (name, tool) =
                        name.strip_suffix(" cpu").map_or((&*name, TOOLS[0]), |name| (name, TOOLS[1]));
                    for value in numbers {
                        keep(&mut theirs, format!("{name} {cores} {tool}"), value);
                    }
                }
            }
            for (name, kernels) in LIKWID.iter().filter(|_| likwid) {
                for value in kernels.iter().filter_map(|kernel| likwid_bench(kernel, threads)) {
                    keep(&mut theirs, format!("{name} {cores} {}", TOOLS[2]), value);
                }
            }
        }
    }
    let highest = |numbers: &Numbers, name: &str| {
        numbers.get(name).and_then(|values| values.iter().copied().max_by(f64::total_cmp))
    };
    let mut table = Table::new(&["main memory, GB/s", "eaves", "median", TOOLS[0], TOOLS[1], TOOLS[2]]);
    let mut goals = Vec::new();
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| format!("{:.1}", value / 1e9));
    for kind in ["read", "copy", "triad"] {
        for (cores, _) in threads() {
            let best = highest(&ours, &format!("{kind} {cores} best"));
            let median = highest(&ours, &format!("{kind} {cores} median"));
            let others = TOOLS.map(|tool| highest(&theirs, &format!("{kind} {cores} {tool}")));
            let mut row = vec![format!("{kind}, {cores}"), cell(best), cell(median)];
            row.extend(others.map(cell));
            table.row(row);
            for (tool, other) in TOOLS.into_iter().zip(others).filter(|_| kind != "copy") {
                if let (Some(best), Some(other)) = (best, other) {
                    goals.push((format!("{kind} to that of {tool}, cores: {cores}"), best / other));
                }
            }
        }
    }
    println!(
        "\nThe best of {} runs in turns; the median is that of clean samples\n\n{table}\nGoals",
        settings.runs
    );
    for (what, ratio) in goals {
        goal(&what, ratio, ">=", GOAL_OF_OTHERS);
    }
    if stream.is_none() {
        println!("  not measured: STREAM; it needs gcc with OpenMP");
    }
    if !likwid {
        println!("  not measured: likwid-bench; `--with-peers` installs it with apt");
    }
    Ok(())
}

/// One thread, and all if that is more.
fn threads() -> Vec<(&'static str, usize)> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    if all > 1 { vec![("one", 1), ("all", all)] } else { vec![("one", 1)] }
}

/// STREAM's kernels as gcc makes them, if there is one.
fn build_stream() -> Result<Option<PathBuf>> {
    let folder = inputs::folder()?;
    let (source, program) = (folder.join("stream.c"), folder.join("stream"));
    std::fs::write(&source, include_str!("../peers/stream.c"))?;
    let mut command = project::command("gcc");
    command.args(["-O3", "-march=native", "-fopenmp"]).arg(&source).arg("-o").arg(&program);
    Ok(command.status().is_ok_and(|status| status.success()).then_some(program))
}

fn find_likwid(install: bool) -> Result<bool> {
    let there =
        || project::command("likwid-bench").arg("-a").output().is_ok_and(|output| output.status.success());
    if install && !there() {
        eprintln!("installing likwid");
        project::run(project::command("apt-get").args(["install", "--yes", "--quiet", "likwid"]))?;
    }
    Ok(there())
}

/// Bytes per second of a kernel of likwid-bench on this many threads, if it has it.
fn likwid_bench(kernel: &str, threads: usize) -> Option<f64> {
    let mut command = project::command("likwid-bench");
    command.args(["-t", kernel, "-s", "1", "-w", &format!("N:384MB:{threads}")]);
    let output = command.output().ok().filter(|output| output.status.success())?;
    megabytes_per_second(&String::from_utf8_lossy(&output.stdout)).map(|megabytes| megabytes * 1e6)
}

/// `MByte/s:\t\t12345.67` of what it prints.
fn megabytes_per_second(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("MByte/s:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_name() {
        let read = numbers("read one\t2.5e9\t1e9\npeak\t3\tby avx2\nmissing\tfma: no time left\n");
        assert_eq!(read["read one"], [2.5e9, 1e9]);
        assert_eq!(read["peak"], [3.0]);
        assert_eq!(read["missing"], [] as [f64; 0]);
    }

    #[test]
    fn the_rate_of_likwid_bench_is_found() {
        let text = "Cycles:\t\t\t2600000\nMByte/s:\t\t9876.54\nCycles per update:\t1.3\n";
        assert_eq!(megabytes_per_second(text), Some(9876.54));
        assert_eq!(megabytes_per_second(""), None);
    }
}
