//! Reads traces and encodes their tables as Parquet, to nowhere: what a dataset costs at least.
//! The benchmark `cargo xtask bench dataset` measures it as a process.

use std::error::Error;
use std::path::PathBuf;

use eaves_ingest::Options;
use eaves_model::Recording;
use eaves_store::{parquet, tables};

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let encode = |recording: &mut Recording| {
        let trace = recording.trace.take_rows();
        let tables = tables::flat_tables(&trace, None);
        tables.iter().try_for_each(|table| parquet::write(std::slice::from_ref(table), std::io::sink()))
    };
    let (run, written) = eaves_ingest::read_with(&paths, &Options::default(), encode)?;
    written.into_iter().collect::<Result<(), _>>()?;
    println!("{} recordings", run.recordings.len());
    Ok(())
}
