//! `cargo xtask gen`: inputs made by us, never recorded, so that they may be given away; and what follows from the
//! definitions of verbs: their Python functions and the reference.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::project;

pub(crate) mod big;
pub(crate) mod compile_logs;
mod corpus;
mod damaged;
mod decode;
mod definitions;
mod examples;
mod measurements;
pub(crate) mod profilers;
mod python;
pub(crate) mod ranks;
mod reference;
mod scenarios;
pub(crate) mod snapshot;

/// Runs the task.
pub(crate) fn run(mut options: Options) -> Result<()> {
    match options.positional().as_deref() {
        None => {
            let check = options.flag("--check");
            options.finish()?;
            write_or_check(check)
        }
        Some("big") => {
            let size = options.value("--size")?.map_or(Ok(500_000_000), |size| big::parse_size(&size))?;
            let output = options.value("-o")?.map(PathBuf::from);
            options.finish()?;
            let Some(output) = output else { bail!("`gen big` needs `-o FILE`") };
            let made = big::write(&output, size)?;
            println!("{}: {made}", output.display());
            Ok(())
        }
        Some("ranks") => {
            let count = options.value("--count")?.map_or(Ok(64), |count| count.parse());
            let size = options.value("--size")?.map_or(Ok(1_000_000), |size| big::parse_size(&size))?;
            let output = options.value("-o")?.map(PathBuf::from);
            options.finish()?;
            let Some(output) = output else { bail!("`gen ranks` needs `-o DIR`") };
            let job = ranks::Job { count: count.context("`--count` is a number")?, size };
            let bytes = ranks::write(&output, job)?;
            let (straggler, slow) = (job.straggler(), job.slow_machine());
            println!(
                "{}: {} ranks, {:.1} MB; rank {straggler} comes last, the links of machine {slow} are slow",
                output.display(),
                job.count,
                bytes as f64 / 1e6,
            );
            Ok(())
        }
        Some(other) => {
            bail!(
                "unknown kind `{other}`\nhint: `cargo xtask gen [--check]`, `cargo xtask gen big` or `cargo xtask gen ranks`"
            )
        }
    }
}

fn write_or_check(check: bool) -> Result<()> {
    if !check {
        definitions::write()?;
    }
    let mut stale = Vec::new();
    let inputs = examples::all()?.into_iter().chain(corpus::all()?);
    for (name, file) in inputs.chain(python::all()?).chain(reference::all()?) {
        let path = project::root().join(&name);
        if !check {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&path, &file.bytes)?;
            println!("{name}: {} bytes", file.bytes.len());
        } else if !file.is_current(&path) {
            stale.push(name);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("out of date: {}\nhint: run `cargo xtask gen` and look at the difference", stale.join(", "))
}
