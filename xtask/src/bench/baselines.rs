//! Baselines: what the machine can do with the bytes of a trace. Each runs in its own process and prints its cost.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use flate2::bufread::MultiGzDecoder;

use super::measure::{self, Cost};
use crate::options::Options;
use crate::project;

/// Runs one baseline and prints its CPU and wall seconds.
pub(super) fn run(mut options: Options) -> Result<()> {
    let (Some(name), Some(file)) = (options.positional(), options.positional()) else {
        bail!("`bench part` needs a name and a file");
    };
    options.finish()?;
    let path = Path::new(&file);
    let cost = match name.as_str() {
        "memchr" => memchr(path)?,
        "read" => timed(|| drain(File::open(path)?))?,
        "gunzip" => {
            timed(|| drain(MultiGzDecoder::new(BufReader::with_capacity(1 << 20, File::open(path)?))))?
        }
        _ => bail!("unknown part `{name}`"),
    };
    println!("{} {}", cost.cpu_seconds, cost.wall_seconds);
    Ok(())
}

/// Measures a baseline in a new process.
pub(super) fn measure(name: &str, file: &Path) -> Result<Cost> {
    let program = std::env::current_exe()?;
    let mut command = project::command(&program.to_string_lossy());
    let printed = project::output(command.args(["bench", "part", name]).arg(file))?;
    let mut figures = printed.split_whitespace().map(str::parse);
    let (Some(Ok(cpu_seconds)), Some(Ok(wall_seconds))) = (figures.next(), figures.next()) else {
        bail!("unexpected answer of part `{name}`: {printed}");
    };
    Ok(Cost { cpu_seconds, wall_seconds, peak_bytes: 0 })
}

fn timed(work: impl FnOnce() -> Result<u64>) -> Result<Cost> {
    let (start, cpu) = (Instant::now(), measure::own_cpu_seconds());
    std::hint::black_box(work()?);
    let wall_seconds = start.elapsed().as_secs_f64();
    Ok(Cost { cpu_seconds: measure::own_cpu_seconds() - cpu, wall_seconds, peak_bytes: 0 })
}

/// One pass over the bytes in memory. Traces have no zero byte, so the search looks at all of them.
fn memchr(path: &Path) -> Result<Cost> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    timed(|| Ok(memchr::memchr(0, &bytes).unwrap_or(bytes.len()) as u64))
}

fn drain(mut from: impl Read) -> Result<u64> {
    let mut block = vec![0; 1 << 20];
    let mut total = 0;
    loop {
        match from.read(&mut block)? {
            0 => return Ok(total),
            read => total += read as u64,
        }
    }
}
