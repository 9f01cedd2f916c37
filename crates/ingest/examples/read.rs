//! Reads traces and says what reading alone cost: `cargo run --release --example read -- trace.json`.
//! The benchmark `cargo xtask bench ingest` measures it as a process.

use std::error::Error;
use std::path::PathBuf;

use eaves_ingest::Options;

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let run = eaves_ingest::read(&paths, &Options::default())?;
    let events: u64 = run.recordings.iter().map(|recording| recording.trace.events).sum();
    println!("{events} events");
    Ok(())
}
