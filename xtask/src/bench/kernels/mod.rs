//! The benchmark of kernels: what they reach of what the machine can do, next to libraries and other benchmarks in the same
//! run. One file a part, each listed in [`PARTS`].

use anyhow::{Result, bail};

use super::ingest::machine;
use crate::options::Options;

mod attention;
mod gemm;
mod gemv;
mod lines;
mod peaks;

/// What parts are told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Times each is measured; the best counts where it is a peak.
    pub(super) runs: usize,
    /// Whether other tools may be installed.
    pub(super) with_peers: bool,
}

/// One part: its name and how it is run. It prints its table and its goals.
type Part = (&'static str, fn(&Settings) -> Result<()>);

const PARTS: &[Part] = &[
    // tidy-alphabetical-start
    ("attention", attention::run),
    ("gemm", gemm::run),
    ("gemv", gemv::run),
    ("peaks", peaks::run),
    // tidy-alphabetical-end
];

/// Runs all parts, or the one that is named.
pub(super) fn run(mut options: Options) -> Result<()> {
    let only = options.positional();
    let runs = options.value("--runs")?.map_or(Ok(3), |runs| runs.parse())?;
    let settings = Settings { runs: std::cmp::max(runs, 1), with_peers: options.flag("--with-peers") };
    options.finish()?;
    let wanted = |part: &&Part| only.as_deref().is_none_or(|name| name == part.0);
    let parts: Vec<&Part> = PARTS.iter().filter(wanted).collect();
    if parts.is_empty() {
        let names: Vec<&str> = PARTS.iter().map(|part| part.0).collect();
        bail!("the parts of the benchmark of kernels are {}", names.join(", "));
    }
    println!("{}\n", machine());
    for (name, run) in parts {
        println!("== {name}");
        run(&settings)?;
        println!();
    }
    Ok(())
}
