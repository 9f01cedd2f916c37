//! The parts of `cargo xtask test`.

use std::path::Path;

use anyhow::Result;

use super::count::{self, Counts};
use crate::options::Options;
use crate::tool::Tool;
use crate::{bench, generate, nvrtc, page, peers, pocl, project, python, ssh, tidy};

/// What to test.
pub(super) struct Scope {
    /// Installs nothing and leaves out SQL, whose engine takes minutes to build.
    pub(super) quick: bool,
}

type Part = (&'static str, fn(&Scope) -> Counts);

/// In the order in which they fail soonest. Tests run without optimization, because that builds in a fraction of
/// the time and shares the dependencies with Clippy's.
pub(super) const PARTS: [Part; 13] = [
    ("format", |_| cargo(&["fmt", "--all", "--check"], &[])),
    ("tidy", |_| Counts::of(tidy::run(Options::new([])))),
    ("examples", |_| Counts::of(generate::run(Options::new(["--check".to_owned()])))),
    ("clippy", |scope| {
        let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", features(scope)];
        cargo(&[&arguments[..], &["--", "--deny", "warnings"]].concat(), &[])
    }),
    ("tools", tools),
    ("tests", tests),
    ("findings", findings),
    ("peers", other_tools),
    ("python", python_package),
    ("page", the_page),
    ("cuda", cuda),
    ("documentation", |_| {
        let arguments = ["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
        cargo(&arguments, &[("RUSTDOCFLAGS", "--deny warnings")])
    }),
    ("licenses", licenses),
];

/// Installs what tests need besides Rust. Tests skip themselves without it, so it counts only if it fails.
fn tools(scope: &Scope) -> Counts {
    if scope.quick {
        return Counts::default();
    }
    type Tool = (fn() -> bool, fn() -> Result<()>);
    let linux: [Tool; 2] = [(pocl::is_installed, pocl::install), (ssh::is_installed, ssh::install)];
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
    let python = python::with_torch().map(|python| python.to_string_lossy().into_owned());
    let environment: Vec<(&str, &str)> =
        python.iter().map(|python| (python::VARIABLE, python.as_str())).collect();
    count::cargo_test(&["--workspace", "--no-fail-fast", features(scope)], &environment)
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

/// Builds the program as the tests have built it, which takes no time after them, and runs something with it.
fn with_program(scope: &Scope, run: impl FnOnce(&Path) -> Counts) -> Counts {
    // Of the workspace, because features of other packages are refused for one package, and would build it anew.
    let built = project::run(project::cargo().args([
        "build",
        "--workspace",
        "--bin",
        "eaves",
        "--quiet",
        features(scope),
    ]));
    let folder = project::target().join("debug");
    let program = folder.join(format!("eaves{}", std::env::consts::EXE_SUFFIX));
    match built.and_then(|()| Ok(std::path::absolute(program)?)) {
        Ok(program) => run(&program),
        Err(error) => Counts::of(Err(error)),
    }
}

/// Without SQL the documentation builds, which checks that everything does.
fn features(scope: &Scope) -> &'static str {
    if scope.quick {
        "--features="
    } else {
        "--features=eaves-cli/sql,eaves-python/sql,eaves-query/sql,eaves-serve/sql"
    }
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

/// The backend for NVIDIA GPUs: its lints, its kernels on an emulated GPU, and each compiled for every architecture.
fn cuda(scope: &Scope) -> Counts {
    const PART: &str = "the CUDA backend";
    if !cfg!(target_os = "linux") {
        return Counts::skip(PART, "its kernels are compiled and emulated on Linux");
    }
    let folder = match nvrtc::installed() {
        Some(folder) => folder,
        None if scope.quick => {
            return Counts::skip(PART, "NVRTC is not installed; without --quick it would be");
        }
        None => match nvrtc::install() {
            Ok(folder) => folder,
            Err(error) => return Counts::of(Err(error)),
        },
    };
    println!("linting with the feature cuda, running every kernel on an emulated GPU, and");
    println!("compiling each for sm_80, sm_89, sm_90a, sm_100a and sm_120a with {}", folder.display());
    let folder = folder.to_string_lossy();
    let environment = [("EAVES_NVRTC", &*folder)];
    let package = ["--package", "eaves-bench", "--features", "cuda"];
    let clippy =
        [&["clippy", "--quiet"], &package[..], &["--all-targets", "--", "--deny", "warnings"]].concat();
    let emulated = [&package[..], &["--lib", "cuda::"]].concat();
    let compiled = [&package[..], &["--test", "bench", "cuda_compiles::"]].concat();
    cargo(&clippy, &environment)
        .and_then(|| count::cargo_test(&emulated, &environment))
        .and_then(|| count::cargo_test(&compiled, &environment))
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
