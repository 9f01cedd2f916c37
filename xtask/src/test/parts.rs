//! The parts of `cargo xtask test`.

use std::path::Path;

use anyhow::Result;

use super::count::{self, Counts};
use super::reach::Reach;
use crate::options::Options;
use crate::tool::Tool;
use crate::{bench, generate, nvrtc, page, peers, pocl, project, python, ssh, tidy};

/// What to test.
pub(super) struct Scope {
    /// Installs nothing and leaves out features that take minutes to build.
    pub(super) quick: bool,
    /// Only what a change reaches.
    pub(super) reach: Option<Reach>,
}

impl Scope {
    /// Whether to run a part. Those that cost seconds always run, and so do those where cargo itself checks only what changed.
    pub(super) fn has(&self, part: &str) -> bool {
        let Some(reach) = &self.reach else { return true };
        match part {
            "features" => reach.has_crate("eaves-cli"),
            "findings" => reach.has_crate("eaves-analyze"),
            "licenses" => reach.has_file(&["Cargo.lock", "Cargo.toml", "deny.toml"]),
            "page" => reach.has_file(&["crates/webui/", "ui/"]),
            "peers" => reach.has_crate("eaves-analyze") || reach.has_file(&["peers/"]),
            "python" => reach.has_file(&["crates/python/", "pyproject.toml", "python/"]),
            _ => true,
        }
    }
}

type Part = (&'static str, fn(&Scope) -> Counts);

/// In the order in which they fail soonest. All that builds Rust does so with the same features and without optimization, so
/// that Clippy and the documentation share what is checked, and tests, the program and the Python package what is compiled.
pub(super) const PARTS: [Part; 13] = [
    ("format", |_| cargo(&["fmt", "--all", "--check"], &[])),
    ("tidy", |_| Counts::of(tidy::run(Options::new([])))),
    ("examples", |_| Counts::of(generate::run(Options::new(["--check".to_owned()])))),
    ("clippy", |scope| {
        let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", features(scope)];
        cargo(&[&arguments[..], &["--", "--deny", "warnings"]].concat(), &[])
    }),
    ("documentation", |scope| {
        let arguments =
            ["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet", features(scope)];
        cargo(&arguments, &[("RUSTDOCFLAGS", "--deny warnings")])
    }),
    ("tools", tools),
    ("tests", tests),
    ("features", without_features),
    ("findings", findings),
    ("peers", other_tools),
    ("python", python_package),
    ("page", the_page),
    ("licenses", licenses),
];

/// Installs what tests need besides Rust. Tests skip themselves without it, so it counts only if it fails.
fn tools(scope: &Scope) -> Counts {
    if scope.quick {
        return Counts::default();
    }
    type Tool = (fn() -> bool, fn() -> Result<()>);
    let linux: [Tool; 3] = [
        (pocl::is_installed, pocl::install),
        (ssh::is_installed, ssh::install),
        (nvrtc::is_installed, nvrtc::install),
    ];
    let anywhere: [Tool; 2] =
        [(python::is_installed, python::install), (peers::is_installed, peers::install)];
    let tools = linux.into_iter().filter(|_| cfg!(target_os = "linux")).chain(anywhere);
    let missing = tools.filter(|(is_installed, _)| !is_installed());
    missing
        .map(|(_, install)| install())
        .filter(Result::is_err)
        .map(Counts::of)
        .fold(Counts::default(), Counts::and)
}

fn tests(scope: &Scope) -> Counts {
    let tools = [(python::VARIABLE, python::with_torch()), (nvrtc::VARIABLE, nvrtc::installed())];
    let tools = tools.map(|(name, path)| Some((name, path?.to_string_lossy().into_owned())));
    let environment: Vec<(&str, &str)> =
        tools.iter().flatten().map(|(name, path)| (*name, path.as_str())).collect();
    match &scope.reach {
        Some(reach) => count::cargo_test_of(&|name| reach.has_crate(name), features(scope), &environment),
        None => count::cargo_test(&["--workspace", "--no-fail-fast", features(scope)], &environment),
    }
}

/// The program as people build it first, without features: that it builds, and that it says what it lacks.
fn without_features(scope: &Scope) -> Counts {
    if scope.quick {
        // The tests have been built like that.
        return Counts::default();
    }
    count::cargo_test(&["--package", "eaves-cli", "--test", "cli", "features::"], &[])
}

/// Simulated jobs with a known fault: the small matrix must meet the goals of the whole one. Nothing in it is timed.
fn findings(scope: &Scope) -> Counts {
    with_program(scope, |program| {
        let words = ["findings", "--small", "--program", &program.to_string_lossy()];
        Counts::of(bench::run(Options::new(words.map(str::to_owned))))
    })
}

/// Other tools on the examples and on recordings made on the spot, compared with eaves.
fn other_tools(scope: &Scope) -> Counts {
    if !peers::is_installed() {
        return Counts::skip("other tools", "they are not installed; without --quick they would be");
    }
    with_program(scope, peers::test)
}

/// Runs something with the program that the tests have built.
fn with_program(scope: &Scope, run: impl FnOnce(&Path) -> Counts) -> Counts {
    // With the tests, because without what they alone depend on other features may be selected, and all be built again.
    let built =
        project::run(project::cargo().args(["test", "--workspace", "--no-run", "--quiet", features(scope)]));
    let folder = project::target().join("debug");
    let program = folder.join(format!("eaves{}", std::env::consts::EXE_SUFFIX));
    match built.and_then(|()| Ok(std::path::absolute(program)?)) {
        Ok(program) => run(&program),
        Err(error) => Counts::of(Err(error)),
    }
}

/// Everything, or the least.
fn features(scope: &Scope) -> &'static str {
    if scope.quick { "--features=" } else { "--features=eaves-python/full" }
}

/// The Python package: built and installed as users do, then tested.
fn python_package(scope: &Scope) -> Counts {
    if !python::is_installed() {
        return Counts::skip(
            "the Python package",
            "its environment is not installed; without --quick it would be",
        );
    }
    Counts::of(python::build(!scope.quick)).and_then(python::test)
}

/// The page: that what is committed is what its sources give, and its tests, in a browser too.
fn the_page(scope: &Scope) -> Counts {
    match page::tools(!scope.quick) {
        Ok(Some(tools)) => {
            Counts::of(tools.check()).and_then(|| with_program(scope, |program| tools.test(program)))
        }
        Ok(None) => {
            Counts::skip("the page", "Node or Chromium is not installed; without --quick they would be")
        }
        Err(error) => Counts::of(Err(error)),
    }
}

/// A single check that cargo makes.
fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Counts {
    let mut command = project::cargo();
    command.args(arguments).envs(environment.iter().copied());
    Counts::of(project::run(&mut command))
}

const CARGO_DENY: Tool = Tool { name: "cargo-deny", options: &[] };

/// Licenses, sources and bans of dependencies. Advisories are left to a schedule: they change without a change of
/// ours, and need the network.
fn licenses(scope: &Scope) -> Counts {
    let arguments = ["--log-level", "error", "check", "bans", "licenses", "sources"];
    let program = match CARGO_DENY.find(!scope.quick) {
        Ok(Some(program)) => program,
        Ok(None) => {
            return Counts::skip("licenses", "cargo-deny is not installed; without --quick it would be");
        }
        Err(error) => return Counts::of(Err(error)),
    };
    Counts::of(project::run(project::command(&program.to_string_lossy()).args(arguments)))
}
