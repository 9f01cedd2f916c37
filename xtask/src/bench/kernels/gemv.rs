//! Products of a matrix and a vector: every format next to FP32, from memory and from the caches.

use anyhow::{Result, bail};

use super::Settings;
use super::lines::lines;
use crate::bench::table::Table;
use crate::project;

/// Weights and activations, and how many times as quick as FP32 they must be from memory on one core with AVX2.
const GOALS: &[(&str, f64)] =
    &[("bf16/fp32", 1.6), ("int8", 2.9), ("int4/int8", 3.4), ("mxfp4/int8", 4.0), ("nvfp4/int8", 2.4)];

/// Measures and prints.
pub(super) fn run(settings: &Settings) -> Result<()> {
    // Full speed in the profile of development too.
    let build = ["build", "--quiet", "--package", "eaves-bench", "--example", "gemv"];
    project::run(project::cargo().args(build))?;
    let example = project::target().join("debug/examples/gemv");
    let seconds = settings.runs.to_string();
    let mut cold = String::new();
    for (title, options) in [
        ("from memory, one core", ["--shape", "4096x4096", "--state", "cold", "--threads", "1"]),
        ("from memory, two threads", ["--shape", "4096x4096", "--state", "cold", "--threads", "2"]),
        ("from the second cache, one core", ["--shape", "128x4096", "--state", "hot", "--threads", "1"]),
    ] {
        let mut command = project::command(&example.to_string_lossy());
        let output = project::output(command.args(["--seconds", &seconds]).args(options))?;
        println!("\n  4096 columns, {title}");
        table(&output)?;
        if cold.is_empty() {
            cold = output;
        }
    }
    println!();
    for (precision, wanted) in GOALS {
        let line = lines(&cold).find(|line| line.text("precision") == Some(precision));
        let speedup = line.and_then(|line| line.number("speedup"));
        let found = speedup.map_or_else(|| "contaminated".to_owned(), |speedup| format!("{speedup:.2}"));
        println!("  goal: {precision} {found} times as quick as fp32 from memory, wanted {wanted}");
    }
    Ok(())
}

fn table(output: &str) -> Result<()> {
    let mut table = Table::new(&["weights/activations", "Gweight/s", "GB/s", "times fp32", "clean", "code"]);
    for line in lines(output) {
        if line.truth("right") != Some(true) {
            bail!("a wrong product: {line:?}");
        }
        let giga =
            |key: &str| line.number(key).map_or_else(|| "-".to_owned(), |rate| format!("{:.1}", rate * 1e-9));
        table.row([
            line.text("precision").unwrap_or_default().to_owned(),
            giga("weights_per_second"),
            giga("bytes_per_second"),
            line.number("speedup").map_or_else(|| "-".to_owned(), |speedup| format!("{speedup:.2}")),
            format!("{}/{}", line.number("clean").unwrap_or(0.0), line.number("samples").unwrap_or(0.0)),
            line.text("code").unwrap_or_default().to_owned(),
        ]);
    }
    print!("{table}");
    Ok(())
}
