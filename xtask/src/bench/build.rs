//! What building costs, from nothing: the program without features, with each of them, and with all.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::measure;
use super::table::Table;
use crate::options::Options;
use crate::project;

/// Features of the program; the empty one is what people build first.
const FEATURES: [&str; 6] = ["", "cloud", "cuda", "png", "sql", "full"];

pub(super) fn run(mut options: Options) -> Result<()> {
    let profile = options.value("--profile")?.unwrap_or_else(|| "release".to_owned());
    let only = options.value("--features")?;
    options.finish()?;
    // Downloads are not building.
    project::run(project::cargo().args(["fetch", "--locked"]))?;
    let folder = project::target().join("bench").join("build");
    let mut table = Table::new(&["features", "wall", "CPU", "program"]);
    for features in FEATURES.into_iter().filter(|name| only.as_deref().is_none_or(|only| only == *name)) {
        let (name, cost, size) = build(features, &profile, &folder)?;
        table.row([
            name,
            format!("{:.0} s", cost.wall_seconds),
            format!("{:.0} s", cost.cpu_seconds),
            format!("{:.1} MB", size as f64 / 1e6),
        ]);
    }
    print!("{table}");
    Ok(())
}

/// Builds into an empty folder.
fn build(features: &str, profile: &str, folder: &Path) -> Result<(String, measure::Cost, u64)> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let mut cargo = project::cargo();
    cargo.args(["build", "--locked", "--offline", "--quiet", "--timings", "--package", "eaves-cli"]);
    cargo.args(["--profile", profile, "--features", features]).arg("--target-dir").arg(folder);
    let cost = measure::run(&mut cargo)?;
    let program = folder.join(profile).join(format!("eaves{}", std::env::consts::EXE_SUFFIX));
    let size = std::fs::metadata(&program).with_context(|| format!("no {}", program.display()))?.len();
    ensure!(cost.cpu_seconds > 0.0, "no time was measured");
    let name = if features.is_empty() { "none" } else { features };
    Ok((name.to_owned(), cost, size))
}
