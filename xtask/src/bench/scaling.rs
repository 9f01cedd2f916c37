//! The same at growing sizes: nothing may grow faster than the file.

use std::path::Path;

use anyhow::Result;

use super::table::Table;
use super::{ingest, inputs, measure};

const SIZES: [u64; 4] = [5_000_000, 50_000_000, 500_000_000, 5_000_000_000];

/// Prints one row per size.
pub(super) fn run(eaves: &Path, runs: usize) -> Result<()> {
    let mut table = Table::new(&ingest::HEADER);
    for size in SIZES {
        let file = inputs::big_trace(size, "json")?;
        let json_bytes = std::fs::metadata(&file)?.len();
        // The first run brings the file into the page cache.
        ingest::report(eaves, &file, None)?;
        let cost = measure::median(runs, || ingest::report(eaves, &file, None))?;
        let name = format!("eaves report, {} MB", size / 1_000_000);
        table.row(ingest::cells(&name, cost, json_bytes));
    }
    println!("median of {runs} runs\n\n{table}");
    Ok(())
}
