//! Reads a trace, makes sections of the report several times and prints the CPU seconds of one time without reading:
//! `cargo run --release --example sections -- trace.json [SECTION...]`. The benchmark `cargo xtask bench analyze` runs it.

use std::error::Error;
use std::path::PathBuf;

use eaves_analyze::analyses::{Analysis, REPORT};
use eaves_analyze::{Options, RankView, assemble, measure};

/// Enough that the clock of the process, which counts hundredths of a second, does not matter.
const TIMES: u32 = 5;

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().unwrap_or_default());
    let wanted: Vec<String> = arguments.collect();
    let is_wanted = |analysis: &&Analysis| wanted.is_empty() || wanted.iter().any(|id| id == analysis.id);
    let analyses: Vec<&Analysis> = REPORT.iter().filter(is_wanted).collect();
    let run = eaves_ingest::read(&[path], &eaves_ingest::Options::default())?;
    let options = Options::default();
    let start = cpu_seconds()?;
    for _ in 0..TIMES {
        let measured: Vec<_> = run
            .recordings
            .iter()
            .map(|recording| measure(&RankView::new(&recording.trace, &options), &analyses))
            .collect();
        std::hint::black_box(assemble(&run.recordings, &measured, &options, &analyses)?);
    }
    println!("{}", (cpu_seconds()? - start) / f64::from(TIMES));
    Ok(())
}

/// CPU seconds of this process so far: fields 14 and 15 of `/proc/self/stat`, which follow the name in brackets.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).map_or(Ok(0.0), |field| field.parse::<f64>());
    Ok((ticks(11)? + ticks(12)?) / TICKS_PER_SECOND)
}
