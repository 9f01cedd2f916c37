//! Products of matrices: ours next to OpenBLAS, BLIS and the `gemm` crate, and every precision against its roof.

use anyhow::{Result, bail};

use super::Settings;
use super::lines::{Line, lines};
use crate::bench::table::Table;
use crate::project;

/// Of the best of the others.
const OF_OTHERS: f64 = 0.95;

/// Of the measured roof, in INT8.
const OF_ROOF: f64 = 0.80;

/// Precisions next to those that others have too: weights, activations.
const REST: &str =
    "int8,bf16,fp16,int8/fp32,fp8_e4m3/fp32,fp8_e5m2/fp32,int4/fp32,mxfp4/fp32,nvfp4/fp32,nf4/fp32";

/// Measures and prints.
pub(super) fn run(settings: &Settings) -> Result<()> {
    if settings.with_peers {
        let install =
            ["install", "-y", "--no-install-recommends", "libopenblas0-pthread", "libblis4-pthread"];
        if let Err(error) = project::output(project::command("apt-get").args(install)) {
            println!("  OpenBLAS and BLIS cannot be installed: {error}");
        }
    }
    // Full speed in the profile of development too.
    let build = ["build", "--quiet", "--package", "eaves-bench", "--example", "gemm"];
    project::run(project::cargo().args(build))?;
    let example = project::target().join("debug/examples/gemm");
    let seconds = (2 * settings.runs).to_string();
    let measure = |options: &[&str]| {
        let mut command = project::command(&example.to_string_lossy());
        project::output(command.args(["--seconds", &seconds]).args(options))
    };
    let floats = measure(&["--precisions", "fp32,fp64", "--sizes", "512,1024,2048"])?;
    let others = compared(&floats)?;
    let rest = measure(&["--precisions", REST, "--sizes", "1024", "--implementations", "own"])?;
    let bytes = measure(&["--precisions", "int8", "--sizes", "512,2048", "--implementations", "own"])?;
    let both = format!("{bytes}{rest}");
    let roofs = shares(&both)?;
    println!("\n  goals: {others} of the best of the others at least, wanted {OF_OTHERS}");
    println!("         {roofs} of the roof in INT8 at least, wanted {OF_ROOF}");
    Ok(())
}

/// One shape on some threads, in one precision.
type Case<'a> = (&'a str, &'a str, f64, f64);

fn cases(output: &str) -> Vec<(Case<'_>, Vec<Line<'_>>)> {
    let mut cases: Vec<(Case<'_>, Vec<Line<'_>>)> = Vec::new();
    for line in lines(output) {
        let case = (
            line.text("precision").unwrap_or_default(),
            line.text("instructions").unwrap_or_default(),
            line.number("size").unwrap_or(0.0),
            line.number("threads").unwrap_or(0.0),
        );
        match cases.last_mut() {
            Some((last, lines)) if *last == case => lines.push(line),
            _ => cases.push((case, vec![line])),
        }
    }
    cases
}

/// The rate of one of them: that of the fastest tenth of its calls, since all of them are held up by other programs at
/// times; for threads that only the wall can time, the fastest call.
fn rate(line: Line<'_>) -> Option<f64> {
    line.number(if line.text("timed") == Some("wall") { "best" } else { "tenth" })
}

fn by<'a>(lines: &[Line<'a>], implementation: &str) -> Option<Line<'a>> {
    lines.iter().copied().find(|line| line.text("implementation") == Some(implementation))
}

fn checked(lines: &[Line<'_>]) -> Result<()> {
    for line in lines {
        if line.truth("right") == Some(false) {
            bail!("a wrong product: {line:?}");
        }
    }
    Ok(())
}

/// Ours next to the others; the worst ratio.
fn compared(output: &str) -> Result<String> {
    let names = ["own", "crate", "openblas", "openblas-pool", "blis", "blis-pool", "roof"];
    let mut table = Table::new(&[
        "GFLOP/s",
        "threads",
        "own",
        "crate",
        "openblas",
        "its threads",
        "blis",
        "its threads",
        "roof",
        "own / best other",
        "own / roof",
    ]);
    let mut worst = f64::INFINITY;
    for ((precision, _, size, threads), lines) in cases(output) {
        checked(&lines)?;
        let rates: Vec<Option<f64>> = names.iter().map(|name| by(&lines, name).and_then(rate)).collect();
        let best = rates.iter().take(6).skip(1).flatten().copied().fold(0.0, f64::max);
        let own = rates.first().copied().flatten().unwrap_or(0.0);
        if best > 0.0 {
            worst = worst.min(own / best);
        }
        let mut row = vec![format!("{precision} {size}"), threads.to_string()];
        row.extend(rates.iter().map(|rate| rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"))));
        row.push(format!("{:.3}", own / best));
        row.push(share(own, rates.last().copied().flatten()));
        table.row(row);
    }
    print!("{table}");
    Ok(if worst.is_finite() { format!("{worst:.3}") } else { "unknown".to_owned() })
}

/// Precisions against the roof of what they are computed in; the worst share of INT8.
fn shares(output: &str) -> Result<String> {
    let mut table = Table::new(&["Gop/s", "threads", "own", "roof", "own / roof", "code"]);
    let mut worst = f64::INFINITY;
    for ((precision, _, size, threads), lines) in cases(output) {
        checked(&lines)?;
        let Some(own) = by(&lines, "own") else { continue };
        let (rate, roof) = (rate(own).unwrap_or(0.0), by(&lines, "roof").and_then(rate));
        if let ("int8", Some(roof)) = (precision, roof) {
            worst = worst.min(rate / roof);
        }
        table.row([
            format!("{precision} {size}"),
            threads.to_string(),
            format!("{rate:.1}"),
            roof.map_or_else(|| "-".to_owned(), |roof| format!("{roof:.1}")),
            share(rate, roof),
            own.text("code").unwrap_or_default().to_owned(),
        ]);
    }
    print!("\n{table}");
    Ok(if worst.is_finite() { format!("{worst:.3}") } else { "unknown".to_owned() })
}

fn share(rate: f64, roof: Option<f64>) -> String {
    roof.map_or_else(|| "-".to_owned(), |roof| format!("{:.3}", rate / roof))
}
