//! Fused attention: one new token after many, with and without shared heads, and many new tokens.

use anyhow::{Result, bail};

use super::Settings;
use super::lines::lines;
use crate::bench::table::Table;
use crate::project;

/// Sequences, heads, heads of keys and values, new tokens, tokens, elements of a head.
const SHAPES: &[&str] = &["1,32,32,1,4096,128", "1,32,8,1,4096,128", "1,8,2,1024,1024,128"];

/// Measures and prints.
pub(super) fn run(settings: &Settings) -> Result<()> {
    let build = ["build", "--quiet", "--package", "eaves-bench", "--example", "attention"];
    project::run(project::cargo().args(build))?;
    let example = project::target().join("debug/examples/attention");
    let seconds = settings.runs.to_string();
    let mut table =
        Table::new(&["from memory, one core", "stored", "GFLOP/s", "GB/s", "times fp32", "clean"]);
    for shape in SHAPES {
        let mut command = project::command(&example.to_string_lossy());
        let output = project::output(command.args(["--seconds", &seconds, "--shape", shape]))?;
        for line in lines(&output) {
            if line.truth("right") != Some(true) {
                bail!("a wrong attention: {line:?}");
            }
            let giga = |key: &str| {
                line.number(key).map_or_else(|| "-".to_owned(), |rate| format!("{:.1}", rate * 1e-9))
            };
            table.row([
                line.text("shape").unwrap_or_default().to_owned(),
                line.text("precision").unwrap_or_default().to_owned(),
                giga("flops_per_second"),
                giga("bytes_per_second"),
                line.number("speedup").map_or_else(|| "-".to_owned(), |speedup| format!("{speedup:.2}")),
                format!("{}/{}", line.number("clean").unwrap_or(0.0), line.number("samples").unwrap_or(0.0)),
            ]);
        }
    }
    print!("{table}");
    Ok(())
}
