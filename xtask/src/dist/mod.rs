//! `cargo xtask dist`: everything that a release page holds, built from a clean copy of the sources and tried where no file of
//! the project is.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::options::Options;
use crate::project;

mod archive;
mod build;
mod checksums;
mod licenses;
mod packages;
mod python;
mod readme;
mod sbom;
mod source;
mod tar;
mod trial;

use packages::Package;

const REPOSITORY: &str = "https://github.com/eaves-dev/eaves";
/// What the list of licenses is called in the archive and in the wheel. The name is one that `license-files` collects.
const THIRD_PARTY: &str = "LICENSE-THIRD-PARTY.txt";

/// How a part ended, unless it failed.
enum Outcome {
    /// What there is now, or what was seen.
    Done(String),
    /// Nothing happened, and why.
    Skipped(String),
}

/// What the parts work on.
struct Release {
    /// A copy of what git tracks, with the README and the licenses as users get them.
    source: PathBuf,
    /// Where the files go that the release page has.
    output: PathBuf,
    version: String,
    /// The triple of this machine.
    target: &'static str,
    /// The cargo profile.
    profile: &'static str,
    /// The features of the program.
    features: &'static str,
    /// What the program is made of.
    packages: Vec<Package>,
    /// Seconds since 1970 of the last commit: the time of all files.
    time: u64,
    /// True for what is published: for old systems too, without paths of this machine.
    is_portable: bool,
}

type Part = (&'static str, fn(&Release) -> Result<Outcome>);

/// In the order in which they need each other.
const PARTS: [Part; 13] = [
    ("program", build::program),
    ("archive", archive::write),
    ("sdist", python::sdist),
    ("wheel", python::wheel),
    ("metadata", python::check),
    ("sbom", bill),
    ("checksums", sums),
    ("try archive", trial::archive),
    ("try wheel", trial::wheel),
    ("try pipx", trial::pipx),
    ("try uvx", trial::uvx),
    ("try sdist", trial::sdist),
    ("try cargo install", trial::cargo_install),
];

/// Runs the task.
pub(crate) fn run(mut options: Options) -> Result<()> {
    let is_quick = options.flag("--quick");
    let output = options.value("-o")?.map_or_else(|| project::root().join("dist"), PathBuf::from);
    let listed = |list: Option<String>| -> Vec<String> {
        list.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect()
    };
    let (skipped, only) = (listed(options.value("--skip")?), listed(options.value("--only")?));
    options.finish()?;
    for name in skipped.iter().chain(&only) {
        if !PARTS.iter().any(|(part, _)| part == name) {
            bail!("no part `{name}`; there are {}", PARTS.map(|(name, _)| name).join(", "));
        }
    }
    if only.is_empty() {
        clear(&output)?;
    }
    let release = prepare(&output, is_quick)?;
    let mut lines = Vec::new();
    let (mut done, mut failed, mut left_out) = (0, 0, 0);
    for (name, part) in
        PARTS.iter().filter(|(name, _)| only.is_empty() || only.iter().any(|only| only == name))
    {
        println!("== {name}");
        let start = Instant::now();
        let outcome = if skipped.iter().any(|skipped| skipped == name) {
            Ok(Outcome::Skipped("by --skip".to_owned()))
        } else {
            part(&release)
        };
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match outcome {
            Ok(Outcome::Done(what)) => {
                done += 1;
                what
            }
            Ok(Outcome::Skipped(why)) => {
                left_out += 1;
                format!("skipped: {why}")
            }
            Err(error) => {
                failed += 1;
                eprintln!("{error:#}");
                "FAILED".to_owned()
            }
        };
        lines.push(format!("{name:<18} {seconds:>7.1} s  {verdict}"));
    }
    println!("\n{}\n\n{done} done, {failed} failed, {left_out} skipped", lines.join("\n"));
    println!("{}", output.display());
    if failed > 0 {
        bail!("{failed} of {} parts failed", done + failed);
    }
    Ok(())
}

/// Copies the sources, and writes what only a release has among them.
fn prepare(output: &Path, is_quick: bool) -> Result<Release> {
    let source = project::target().join("dist-source");
    std::fs::create_dir_all(output)?;
    source::copy(&project::root(), &source)?;
    let (source, output) = (std::path::absolute(source)?, std::path::absolute(output)?);
    let features = if is_quick { "default" } else { "full" };
    let target = build::host()?;
    let metadata = metadata(&source, features, target)?;
    let lock_file = std::fs::read_to_string(source.join("Cargo.lock"))?;
    let packages = packages::linked(&metadata, &lock_file, &["eaves-cli", "eaves-python"])?;
    let version = packages::version(&metadata, "eaves-cli")?;
    let readme = std::fs::read_to_string(source.join("README.md"))?;
    source::write(&source.join("README.md"), readme::absolute(&readme, REPOSITORY, &version).as_bytes())?;
    source::write(&source.join(THIRD_PARTY), licenses::list(&source, &packages)?.as_bytes())?;
    let time = project::output(project::command("git").args(["log", "-1", "--format=%ct"]))?;
    Ok(Release {
        source,
        output,
        version,
        target,
        profile: if is_quick { "release" } else { "dist" },
        features,
        packages,
        time: time.trim().parse().context("git log prints no time")?,
        is_portable: !is_quick,
    })
}

/// The graph of crates for one system.
fn metadata(source: &Path, features: &str, target: &str) -> Result<Value> {
    let features = format!("eaves-cli/{features},eaves-python/{features}");
    let mut cargo = project::cargo();
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target, "--features"]);
    let text = project::output(cargo.arg(features).current_dir(source))?;
    serde_json::from_str(&text).context("cannot read `cargo metadata`")
}

/// Removes what an earlier run made, and nothing else.
fn clear(output: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(output) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == checksums::FILE || name.starts_with("eaves-") {
            std::fs::remove_file(entry.path()).with_context(|| format!("cannot remove {name}"))?;
        }
    }
    Ok(())
}

fn bill(release: &Release) -> Result<Outcome> {
    let document = sbom::document("eaves", &release.version, release.target, &release.packages);
    let name = format!("eaves-{}-{}.cdx.json", release.version, release.target);
    let path = release.output.join(&name);
    std::fs::write(&path, serde_json::to_string_pretty(&document)? + "\n")?;
    python::validate_bill(&path)?;
    Ok(Outcome::Done(format!("{name}: {} packages", release.packages.len())))
}

fn sums(release: &Release) -> Result<Outcome> {
    let count = checksums::write(&release.output)?;
    Ok(Outcome::Done(format!("{}: {count} files", checksums::FILE)))
}

impl Release {
    /// The only file of the output that ends so.
    fn file(&self, ending: &str) -> Result<Option<PathBuf>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.output)? {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            many => bail!("{many} files in {} end in {ending}", self.output.display()),
        }
    }

    /// The name of the archive, and of the folder in it.
    fn stem(&self) -> String {
        format!("eaves-{}-{}", self.version, self.target)
    }
}

/// A size for people.
fn megabytes(path: &Path) -> Result<String> {
    let size = std::fs::metadata(path).with_context(|| format!("no file {}", path.display()))?.len();
    Ok(format!("{:.1} MB", size as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds of release ask for features by name, of the program and of the Python package.
    #[test]
    fn features_of_releases_exist() {
        let count = |features| {
            let metadata = metadata(&project::root(), features, build::host().unwrap()).unwrap();
            let lock_file = std::fs::read_to_string(project::root().join("Cargo.lock")).unwrap();
            packages::linked(&metadata, &lock_file, &["eaves-cli", "eaves-python"]).unwrap().len()
        };
        let (quick, full) = (count("default"), count("full"));
        assert!(quick > 100 && full > quick + 100, "{quick} {full}");
    }
}
