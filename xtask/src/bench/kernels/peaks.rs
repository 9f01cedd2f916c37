//! The roofs: multiply-adds against what the instruction set can do, streams against STREAM and likwid-bench.

use anyhow::Result;

use super::Settings;

/// Measures and prints.
pub(super) fn run(_settings: &Settings) -> Result<()> {
    println!("  not measured yet");
    Ok(())
}
