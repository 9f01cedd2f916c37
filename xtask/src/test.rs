//! `cargo xtask test`: everything a change has to pass, with the time each part takes.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::options::Options;
use crate::tool::Tool;
use crate::{bench, generate, nvrtc, page, pocl, project, python, ssh, tidy};

/// How a part ended.
enum Outcome {
    Passed,
    Failed(String),
    /// Nothing was checked, and why.
    Skipped(&'static str),
}

impl From<Result<()>> for Outcome {
    fn from(result: Result<()>) -> Self {
        result.map_or_else(|error| Self::Failed(format!("{error:#}")), |()| Self::Passed)
    }
}

type Part = (&'static str, fn(bool) -> Outcome);

/// In the order in which they fail soonest. Tests run without optimisation, because that builds in a fraction of
/// the time and the dependencies are shared with clippy's.
const PARTS: [Part; 14] = [
    ("format", |_| cargo(&["fmt", "--all", "--check"], &[])),
    ("tidy", |_| tidy::run(no_options()).into()),
    ("examples", |_| generate::run(Options::new(["--check".to_owned()])).into()),
    ("clippy", |quick| {
        let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", features(quick)];
        cargo(&[&arguments[..], &["--", "--deny", "warnings"]].concat(), &[])
    }),
    ("opencl device", opencl_device),
    ("ssh", ssh),
    ("pytorch", pytorch),
    ("tests", tests),
    ("findings", findings),
    ("python", python_package),
    ("page", the_page),
    ("cuda", cuda),
    ("documentation", |_| {
        let arguments = ["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
        cargo(&arguments, &[("RUSTDOCFLAGS", "--deny warnings")])
    }),
    ("licences", licences),
];

/// Runs the task.
pub(crate) fn run(mut options: Options) -> Result<()> {
    let quick = options.flag("--quick");
    let only = options.value("--only")?;
    options.finish()?;
    let chosen = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if !PARTS.iter().any(|(name, _)| chosen(name)) {
        bail!("no part has that name; there are {}", PARTS.map(|(name, _)| name).join(", "));
    }
    let mut lines = Vec::new();
    let (mut passed, mut failed) = (0, 0);
    for (name, part) in PARTS.into_iter().filter(|(name, _)| chosen(name)) {
        println!("== {name}");
        let start = Instant::now();
        let outcome = part(quick);
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match outcome {
            Outcome::Passed => {
                passed += 1;
                "passed".to_owned()
            }
            Outcome::Failed(why) => {
                failed += 1;
                eprintln!("{why}");
                "FAILED".to_owned()
            }
            Outcome::Skipped(why) => format!("skipped: {why}"),
        };
        lines.push(format!("{name:<14} {seconds:>7.1} s  {verdict}"));
    }
    println!("\n{}\n\n{passed} passed, {failed} failed", lines.join("\n"));
    if failed > 0 {
        bail!("{failed} of {} parts failed", passed + failed);
    }
    Ok(())
}

/// What tests that need PyTorch run on; without it they say so and check nothing.
fn pytorch(quick: bool) -> Outcome {
    if python::is_installed() {
        Outcome::Passed
    } else if quick {
        Outcome::Skipped("it is not installed; without --quick it would be")
    } else {
        python::install().into()
    }
}

fn tests(quick: bool) -> Outcome {
    let python = python::with_torch().map(|python| python.to_string_lossy().into_owned());
    let environment: Vec<(&str, &str)> =
        python.iter().map(|python| (python::VARIABLE, python.as_str())).collect();
    cargo(&["test", "--workspace", "--quiet", "--no-fail-fast", features(quick)], &environment)
}

/// Simulated jobs with a known fault: the small matrix must meet the goals of the whole one. Nothing in it is timed.
fn findings(quick: bool) -> Outcome {
    // Of the workspace, because features of other packages are refused for one package, and would build it anew.
    match cargo(&["build", "--workspace", "--bin", "eaves", "--quiet", features(quick)], &[]) {
        Outcome::Passed => {
            let program =
                project::target().join("debug").join(format!("eaves{}", std::env::consts::EXE_SUFFIX));
            let words = ["findings", "--small", "--program", &program.to_string_lossy()];
            bench::run(Options::new(words.map(str::to_owned))).into()
        }
        other => other,
    }
}

/// What is built besides: SQL, whose engine takes minutes, so those who are in a hurry do without. Building without it is
/// checked by the documentation.
fn features(quick: bool) -> &'static str {
    if quick {
        "--features="
    } else {
        "--features=eaves-cli/sql,eaves-python/sql,eaves-query/sql,eaves-serve/sql"
    }
}

/// The Python package: built and installed as users do, then tested.
fn python_package(quick: bool) -> Outcome {
    if !python::is_installed() {
        return Outcome::Skipped("its environment is not there");
    }
    python::build(!quick).and_then(|()| python::test()).into()
}

/// The page: that what is committed is what its sources give, and its tests, in a browser too.
fn the_page(quick: bool) -> Outcome {
    match page::tools(!quick) {
        Ok(Some(tools)) => tools.check().and_then(|()| tools.test()).into(),
        Ok(None) => Outcome::Skipped("Node or Chromium is not installed; without --quick they would be"),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

fn no_options() -> Options {
    Options::new([])
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let mut command = project::cargo();
    command.args(arguments).envs(environment.iter().copied());
    project::run(&mut command).into()
}

/// The backend for NVIDIA GPUs: its lints, its kernels on an emulated GPU, and each compiled for every architecture.
fn cuda(quick: bool) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Outcome::Skipped("its kernels are compiled and emulated on Linux");
    }
    let folder = match nvrtc::installed() {
        Some(folder) => folder,
        None if quick => return Outcome::Skipped("NVRTC is not installed; without --quick it would be"),
        None => match nvrtc::install() {
            Ok(folder) => folder,
            Err(error) => return Outcome::Failed(format!("{error:#}")),
        },
    };
    println!("linting with the feature cuda, running every kernel on an emulated GPU, and");
    println!("compiling each for sm_80, sm_89, sm_90a, sm_100a and sm_120a with {}", folder.display());
    let folder = folder.to_string_lossy();
    let environment = [("EAVES_NVRTC", &*folder)];
    let package = ["--package", "eaves-bench", "--features", "cuda", "--quiet"];
    let steps: [(&str, &[&str]); 3] = [
        ("clippy", &["--all-targets", "--", "--deny", "warnings"]),
        ("test", &["--lib", "cuda::"]),
        ("test", &["--test", "cuda_compiles", "--", "--nocapture"]),
    ];
    let run = |(task, rest): (&str, &[&str])| {
        let mut arguments = vec![task];
        arguments.extend(package.iter().chain(rest));
        cargo(&arguments, &environment)
    };
    let failed = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_));
    steps.into_iter().map(run).find(failed).unwrap_or(Outcome::Passed)
}

/// A device that the tests of OpenCL run kernels on; without one they say so and check nothing.
fn opencl_device(quick: bool) -> Outcome {
    if !cfg!(target_os = "linux") || pocl::is_installed() {
        Outcome::Passed
    } else if quick {
        Outcome::Skipped("there is none; without --quick PoCL would be installed")
    } else {
        pocl::install().into()
    }
}

/// A daemon that a test reaches the page through; without one it says so and checks nothing.
fn ssh(quick: bool) -> Outcome {
    if !cfg!(target_os = "linux") || ssh::is_installed() {
        Outcome::Passed
    } else if quick {
        Outcome::Skipped("there is no sshd; without --quick it would be installed")
    } else {
        ssh::install().into()
    }
}

const CARGO_DENY: Tool = Tool { name: "cargo-deny", options: &[] };

/// Licences, sources and bans of dependencies. Advisories are left to a schedule: they change without a change of
/// ours, and need the network.
fn licences(quick: bool) -> Outcome {
    let arguments = ["--log-level", "error", "check", "bans", "licenses", "sources"];
    let program = match CARGO_DENY.find(!quick) {
        Ok(Some(program)) => program,
        Ok(None) => return Outcome::Skipped("cargo-deny is not installed; without --quick it would be"),
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    project::run(project::command(&program.to_string_lossy()).args(arguments)).into()
}
