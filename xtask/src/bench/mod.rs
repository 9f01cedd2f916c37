//! `cargo xtask bench`: how fast eaves is, next to what the machine and other tools can do.

use anyhow::{Result, bail};

use crate::options::Options;

mod analyze;
mod baselines;
mod build;
mod compile;
mod dataset;
mod findings;
mod formats;
mod ingest;
mod inputs;
mod kernels;
mod measure;
mod memory;
mod page;
mod pairs;
mod peers;
mod profile;
mod roofline;
mod scale;
mod scaling;
mod table;

const LIST: &str = "\
Benchmarks

  analyze the sections of the report beyond reading
          --size 500MB    size of the trace
          --runs 3        runs of each row; the median counts
          --with-peers    install HTA into target/bench/venv and measure its calls too
          --ranks         measure jobs of 8 to 64 ranks instead

  build   eaves itself from nothing, without features and with each: wall, CPU, size
          --features NAME one of them only
          --profile dist  another profile than release

  compile a log of torch.compile, next to tlparse
          --size 100MB    size of the log
          --runs 3        runs of each row; the median counts
          --program FILE  measure this eaves instead of building one
          --tlparse PROGRAM   measure this one
          --with-peers    install tlparse into target/bench/venv-tlparse

  dataset a big trace into a dataset, next to reading and encoding alone, and out of it again
          --size 500MB    size of the trace
          --runs 3        runs of each row; the median counts
          --program FILE  measure this eaves instead of building one

  findings  jobs with a known fault: is it the first finding, and is the promised gain true
          --case NAME     only cases whose name contains this, with all their findings
          --keep DIR      keep the simulated traces there
          --list          list the faults
          --small         a few of each kind; fails if the goals do not hold
          --program FILE  ask this eaves instead of building one

  formats files of vendors' profilers, from file to kernels or roofline
          --size 1GB      size of those that are made
          --runs 3        runs of each row; the median counts
          --program FILE  measure this eaves instead of building one
          --with-peers    install pandas into target/bench/venv and measure scripts that do the same

  ingest  a big trace from file to report: CPU, wall, memory
          --size 500MB    size of the trace
          --runs 3        runs of each row; the median counts
          --with-peers    install orjson and HTA into target/bench/venv and measure them too
          --scaling       measure 5, 50, 500 and 5000 MB instead

  kernels [PART]  kernels against what the machine can do, libraries and other benchmarks, as ratios in one run
          --runs 3        times each is measured
          --with-peers    install likwid-bench with apt and measure it too

  memory  a big memory snapshot from file to answer: CPU, wall, memory, next to pickle.load
          --size 1GB      size of the snapshot
          --runs 3        runs of eaves; the median counts
          --program FILE  measure this eaves instead of building one

  page    the server: a big trace until it can be looked at, windows of its timeline, many clients at once
          --size 500MB    size of the trace
          --clients 200   clients that ask without a pause
          --seconds 60    how long
          --program FILE  measure this eaves instead of building one

  profile what `eaves profile` costs a program beyond PyTorch's profiler itself
          --seconds 150   runs are added until this much time is over
          --runs N        times each is run, instead
          --stacks        with Python functions
          --program FILE  measure this eaves instead of building one
          --python FILE   a Python with torch; else EAVES_TEST_PYTHON, else target/python/bin/python

  roofline  every operator of a trace against its device
          --trace FILE    a trace of a device that is known; by default those of TraceLens, if they are there
          --runs 3        runs of each row; the median counts
          --tracelens PROGRAM  measure this `TraceLens_generate_perf_report_pytorch` on the same files

  scale   a job of many ranks: time a rank and memory, at a quarter, a half and all of them
          --ranks 1024    ranks of the job
          --size 200KB    size of a rank
          --program FILE  measure this eaves instead of building one
";

/// Runs the task.
pub(crate) fn run(mut options: Options) -> Result<()> {
    match options.positional().as_deref() {
        None => {
            options.finish()?;
            print!("{LIST}");
            Ok(())
        }
        Some("analyze") => analyze::run(options),
        Some("build") => build::run(options),
        Some("compile") => compile::run(options),
        Some("dataset") => dataset::run(options),
        Some("findings") => findings::run(options),
        Some("formats") => formats::run(options),
        Some("ingest") => ingest::run(options),
        Some("kernels") => kernels::run(options),
        Some("memory") => memory::run(options),
        // Baselines run in their own process, so that their memory does not count as that of others.
        Some("part") => baselines::run(options),
        Some("page") => page::run(options),
        Some("profile") => profile::run(options),
        Some("roofline") => roofline::run(options),
        Some("scale") => scale::run(options),
        Some(other) => bail!("unknown benchmark `{other}`\n\n{LIST}"),
    }
}
