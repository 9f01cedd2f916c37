//! Tasks of the project, run as `cargo xtask TASK`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use options::Options;

mod apt;
mod bench;
mod book;
mod dist;
mod environment;
mod generate;
mod nvrtc;
mod options;
mod page;
mod peers;
mod pictures;
mod pocl;
mod project;
mod python;
mod simulate;
mod ssh;
mod test;
mod tidy;
mod tool;

const HELP: &str = "\
Tasks of the project

Usage: cargo xtask TASK

  bench [NAME]    measure; without a name, list what can be measured
  dist [--quick]  build and try what a release page holds; --skip PARTS, --only PARTS, -o DIR
  docs            build the documents as a book below target/docs
  gen [--check]   write or check examples/, fuzz/corpus/, the Python functions and docs/reference/
  gen big         write a big trace: --size 500MB -o FILE
  gen ranks       write the ranks of a job: --count 64 --size 1MB -o DIR
  test [--quick]  everything a change has to pass; --only PART: one part of it;
                  --changed: only what differs from main, and what depends on it
  tidy            rules that compilers do not check
  ui [--check]    build the page from ui/ into crates/webui, or check that it is built
  ui --pictures   redraw the pictures of the README
";

fn run() -> Result<()> {
    let mut options = Options::new(std::env::args().skip(1));
    match options.positional().as_deref() {
        Some("bench") => bench::run(options),
        Some("dist") => dist::run(options),
        Some("docs") => book::run(options),
        Some("gen") => generate::run(options),
        Some("test") => test::run(options),
        Some("tidy") => tidy::run(options),
        Some("ui") => page::run(options),
        Some(other) => bail!("unknown task `{other}`\n\n{HELP}"),
        None => {
            print!("{HELP}");
            Ok(())
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
