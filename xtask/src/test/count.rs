//! Counts of single tests, from what test runners print and from the record of skipped tests.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project;

/// The variable that names the record; `crates/testing` appends to it.
const RECORD: &str = "EAVES_SKIPPED";

/// How many tests passed and failed, and which were skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: Vec<Skip>,
}

/// A skipped test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    pub(super) test: String,
    pub(super) reason: String,
}

impl Skip {
    pub(super) fn new(test: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { test: test.into(), reason: reason.into() }
    }
}

impl Counts {
    /// A single check, which is a test as well.
    pub(crate) fn of(result: Result<()>) -> Self {
        match result {
            Ok(()) => Self { passed: 1, ..Self::default() },
            Err(error) => {
                eprintln!("error: {error:#}");
                Self { failed: 1, ..Self::default() }
            }
        }
    }

    /// A check that did not run.
    pub(crate) fn skip(test: &str, reason: &str) -> Self {
        Self { skipped: vec![Skip::new(test, reason)], ..Self::default() }
    }

    /// Both together.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self
    }

    /// Runs `then` unless something failed.
    pub(crate) fn and_then(self, then: impl FnOnce() -> Self) -> Self {
        if self.failed > 0 { self } else { self.and(then()) }
    }

    /// A run that failed without a failed test is a failure: a program that does not compile, or crashes.
    fn with_status(mut self, success: bool) -> Self {
        if !success && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

/// Runs `cargo test` with these arguments. Passed tests are not printed.
pub(super) fn cargo_test(arguments: &[&str], environment: &[(&str, &str)]) -> Counts {
    let run = || {
        let record = Record::start()?;
        let mut command = project::cargo();
        command.arg("test").args(arguments).envs(environment.iter().copied()).env(RECORD, &record.0);
        let mut found = Libtest::default();
        let success = project::watch(&mut command, |line| found.line(line))?;
        Ok(found.counts(&record.read()?).with_status(success))
    };
    run().unwrap_or_else(|error| Counts::of(Err(error)))
}

/// Runs the tests of some crates of the workspace. All of it is built, because a part by itself may have other features
/// and would be built anew; what has not changed takes no time.
pub(super) fn cargo_test_of(
    has: &dyn Fn(&str) -> bool,
    features: &str,
    environment: &[(&str, &str)],
) -> Counts {
    let run = || {
        let mut programs = Vec::new();
        let mut build = project::cargo();
        build.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics", features]);
        let mut found = Libtest::default();
        let built = project::watch(&mut build, |line| match serde_json::from_str::<Value>(line) {
            Ok(message) if message.is_object() => {
                programs.extend(test_program(&message));
                false
            }
            _ => found.line(line),
        })?;
        if !built {
            return Ok(Counts::default().with_status(false));
        }
        programs.retain(|program: &TestProgram| has(&program.package));
        if programs.is_empty() {
            return Ok(Counts::default());
        }
        let record = Record::start()?;
        let mut success = true;
        for program in &programs {
            found.program = stem(&program.path.to_string_lossy()).to_owned();
            let mut command = Command::new(&program.path);
            command.current_dir(&program.folder).envs(environment.iter().copied()).env(RECORD, &record.0);
            success &= project::watch(&mut command, |line| found.line(line))?;
        }
        let mut examples = project::cargo();
        examples.args(["test", "--workspace", "--doc", "--no-fail-fast", features]);
        success &= project::watch(&mut examples, |line| found.line(line))?;
        Ok(found.counts(&record.read()?).with_status(success))
    };
    run().unwrap_or_else(|error| Counts::of(Err(error)))
}

/// A program with tests that cargo has built.
#[derive(Debug, PartialEq, Eq)]
struct TestProgram {
    package: String,
    /// The folder that its tests expect to run in.
    folder: PathBuf,
    path: PathBuf,
}

fn test_program(message: &Value) -> Option<TestProgram> {
    let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    // Such as `path+file:///folder#eaves-model@0.1.0`, or `...folder#0.1.0` if the folder has the name.
    let (place, name) = message["package_id"].as_str()?.rsplit_once('#')?;
    let name =
        name.split_once('@').map_or_else(|| place.rsplit('/').next().unwrap_or_default(), |(name, _)| name);
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
    Some(TestProgram { package: name.to_owned(), folder, path: path.into() })
}

/// Runs pytest with these arguments.
pub(crate) fn pytest(command: &mut Command, arguments: &[&str]) -> Counts {
    let mut run = || {
        let mut counts = Counts::default();
        command.args(["-m", "pytest", "--quiet", "-rs", "--no-fold-skipped"]).args(arguments);
        let success = project::watch(command, |line| {
            if let Some((passed, failed)) = of_pytest(line) {
                (counts.passed, counts.failed) = (passed, failed);
            }
            let skip = skip_of_pytest(line);
            let is_skip = skip.is_some();
            counts.skipped.extend(skip);
            !is_skip
        })?;
        Ok(counts.with_status(success))
    };
    run().unwrap_or_else(|error| Counts::of(Err(error)))
}

/// Runs Vitest.
pub(crate) fn vitest(command: &mut Command) -> Counts {
    let mut run = || {
        let file = project::target().join("vitest.json");
        let _ = std::fs::remove_file(&file);
        let output = format!("--outputFile.json={}", std::path::absolute(&file)?.display());
        command.args(["--reporter=default", "--reporter=json", &output]);
        let success = project::watch(command, |_| true)?;
        let text = std::fs::read_to_string(&file).context("Vitest wrote no results")?;
        Ok(of_vitest(&serde_json::from_str(&text)?).with_status(success))
    };
    run().unwrap_or_else(|error| Counts::of(Err(error)))
}

/// The file that tests append to when they are skipped.
struct Record(PathBuf);

impl Record {
    fn start() -> Result<Self> {
        let file = std::path::absolute(project::target().join("skipped-tests"))?;
        std::fs::write(&file, "").with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self(file))
    }

    fn read(self) -> Result<Vec<(String, Skip)>> {
        Ok(records(&std::fs::read_to_string(&self.0)?))
    }
}

/// Test programs with the tests they skipped. A test may give several reasons; the first one counts.
fn records(text: &str) -> Vec<(String, Skip)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(program), Some(test), Some(reason)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if seen.insert((program, test)) {
            found.push((program.to_owned(), Skip::new(test, reason)));
        }
    }
    found
}

/// What `cargo test` has printed so far.
#[derive(Debug, Default)]
struct Libtest {
    /// The test program that runs.
    program: String,
    passed: usize,
    failures: usize,
    failed: BTreeSet<(String, String)>,
    ignored: Vec<Skip>,
}

impl Libtest {
    /// Takes a line. Returns whether it is worth showing.
    fn line(&mut self, line: &str) -> bool {
        /// What cargo says while it builds, indented.
        const PROGRESS: [&str; 5] = ["Blocking", "Compiling", "Downloaded", "Downloading", "Finished"];
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("Running ") {
            let path = rest.rsplit('(').next().unwrap_or_default().trim_end_matches(')');
            self.program = stem(path).to_owned();
            false
        } else if let Some(name) = text.strip_prefix("Doc-tests ") {
            self.program = name.to_owned();
            false
        } else if let Some(result) = text.strip_prefix("test result: ") {
            self.passed += number(result, "passed");
            self.failures += number(result, "failed");
            number(result, "failed") > 0
        } else if let Some(rest) = text.strip_prefix("test ")
            && let Some((name, verdict)) = rest.rsplit_once(" ... ")
        {
            if let Some(reason) = verdict.strip_prefix("ignored") {
                let name = format!("{}: {name}", without_hash(&self.program));
                self.ignored.push(Skip::new(name, format!("ignored{reason}")));
            }
            verdict == "FAILED"
        } else {
            if let Some(name) = text.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
            {
                self.failed.insert((self.program.clone(), name.to_owned()));
            }
            let is_progress =
                line.starts_with(' ') && PROGRESS.iter().any(|word| text.split(' ').next() == Some(word));
            let is_start = text.starts_with("running ") && text.trim_end_matches('s').ends_with(" test");
            !text.is_empty() && !is_progress && !is_start
        }
    }

    /// libtest counts skipped tests as passed, as long as they do not fail.
    fn counts(self, skipped: &[(String, Skip)]) -> Counts {
        let passed_over: Vec<Skip> = skipped
            .iter()
            .filter(|(program, skip)| !self.failed.contains(&(program.clone(), skip.test.clone())))
            .map(|(program, skip)| {
                Skip::new(format!("{}: {}", without_hash(program), skip.test), skip.reason.as_str())
            })
            .collect();
        Counts {
            passed: self.passed.saturating_sub(passed_over.len()),
            failed: self.failures,
            skipped: [passed_over, self.ignored].concat(),
        }
    }
}

/// The name of a program without its folder and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Cargo appends 16 hexadecimal digits to the names of test programs.
fn without_hash(program: &str) -> &str {
    match program.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => program,
    }
}

/// The number in front of a word: `5 passed; 0 failed` has 5 in front of `passed`.
fn number(text: &str, word: &str) -> usize {
    let words: Vec<&str> = text.split([' ', ';', ',', '.']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|found| *found == word);
    at.and_then(|at| words[at.checked_sub(1)?].parse().ok()).unwrap_or(0)
}

/// Passed and failed tests of pytest's last line, such as `2 failed, 310 passed, 3 skipped in 35.32s`.
fn of_pytest(line: &str) -> Option<(usize, usize)> {
    let text = line.trim_matches(['=', ' ']);
    let (counts, _) = text.split_once(" in ")?;
    let is_count = |part: &str| part.split_once(' ').is_some_and(|(count, _)| count.parse::<usize>().is_ok());
    if !counts.split(", ").all(is_count) {
        return None;
    }
    let failed = ["failed", "error", "errors", "xpassed"].iter().map(|word| number(counts, word)).sum();
    Some((number(counts, "passed") + number(counts, "xfailed"), failed))
}

/// A skipped test or file in pytest's summary, such as `SKIPPED tests/test_a.py::test_b - Skipped: no data`.
fn skip_of_pytest(line: &str) -> Option<Skip> {
    let (test, reason) = line.strip_prefix("SKIPPED ")?.split_once(" - Skipped: ")?;
    Some(Skip::new(test, reason))
}

/// The results that Vitest writes as JSON. A file that fails before its tests start counts as a failed test.
fn of_vitest(results: &Value) -> Counts {
    let mut counts = Counts::default();
    for file in results["testResults"].as_array().into_iter().flatten() {
        let failed_before = counts.failed;
        for test in file["assertionResults"].as_array().into_iter().flatten() {
            match test["status"].as_str() {
                Some("passed") => counts.passed += 1,
                Some("failed") => counts.failed += 1,
                _ => {
                    let path = file["name"].as_str().map(stem).unwrap_or_default();
                    let name = test["fullName"].as_str().unwrap_or_default();
                    counts.skipped.push(Skip::new(format!("{path}: {name}"), "skipped by the test itself"));
                }
            }
        }
        if file["status"] == "failed" && counts.failed == failed_before {
            counts.failed += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "   Compiling eaves-model v0.1.0
    Finished `test` profile [unoptimized] target(s) in 1.20s
     Running unittests src/lib.rs (target/debug/deps/eaves_model-0123456789abcdef)

running 3 tests
test one ... ok
test two::three ... ok
test tool ... ignored, for eyes

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/main.rs (target/debug/deps/ingest-fedcba9876543210)

running 4 tests
test real::cells ... ok
test real::rows ... FAILED
test reading - should panic ... ok
test two::three ... ok

failures:

---- real::rows stdout ----
thread 'real::rows' panicked at crates/ingest/tests/real.rs:1:1:
no row

failures:
    real::rows

test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

error: test failed, to rerun pass `-p eaves-ingest --test ingest`
   Doc-tests eaves_model

running 1 test
test crates/model/src/lib.rs - (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.40s
";

    /// Three lines of one test, one of a test that failed all the same, and one of another program's test of the same name.
    const SKIPPED: &str = "ingest-fedcba9876543210\treal::cells\tno data at x
ingest-fedcba9876543210\treal::cells\tno data at y
ingest-fedcba9876543210\treal::rows\tno data at x
eaves_model-0123456789abcdef\ttwo::three\tno tool, a tab\tin it
broken line
";

    fn read(output: &str, skipped: &str) -> Counts {
        let mut found = Libtest::default();
        for line in output.lines() {
            found.line(line);
        }
        found.counts(&records(skipped))
    }

    #[test]
    fn skipped_tests_are_not_passed_tests() {
        let counts = read(OUTPUT, SKIPPED);
        assert_eq!((counts.passed, counts.failed), (4, 1));
        let skips: Vec<(&str, &str)> =
            counts.skipped.iter().map(|skip| (skip.test.as_str(), skip.reason.as_str())).collect();
        assert_eq!(
            skips,
            [
                ("ingest: real::cells", "no data at x"),
                ("eaves_model: two::three", "no tool, a tab\tin it"),
                ("eaves_model: tool", "ignored, for eyes"),
            ]
        );
        assert_eq!((read(OUTPUT, "").passed, read(OUTPUT, "").failed), (6, 1));
    }

    #[test]
    fn only_failures_and_warnings_are_shown() {
        let mut found = Libtest::default();
        let shown: Vec<&str> = OUTPUT.lines().filter(|line| found.line(line)).collect();
        assert_eq!(
            shown,
            [
                "test real::rows ... FAILED",
                "failures:",
                "---- real::rows stdout ----",
                "thread 'real::rows' panicked at crates/ingest/tests/real.rs:1:1:",
                "no row",
                "failures:",
                "    real::rows",
                "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
                "error: test failed, to rerun pass `-p eaves-ingest --test ingest`",
            ]
        );
    }

    #[test]
    fn a_run_that_breaks_off_is_a_failure() {
        assert_eq!(read("     Running tests/main.rs (x/y-1)\n", "").with_status(false).failed, 1);
        assert_eq!(read(OUTPUT, "").with_status(false).failed, 1);
        assert_eq!(read("", "").with_status(true), Counts::default());
    }

    #[test]
    fn programs_of_tests_are_found() {
        let message = |id: &str, is_test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": id, "manifest_path": "/w/crates/model/Cargo.toml",
                "profile": {"test": is_test}, "executable": "/w/target/debug/deps/eaves_model-0123456789abcdef",
            })
        };
        let program = test_program(&message("path+file:///w/crates/model#eaves-model@0.1.0", true)).unwrap();
        assert_eq!((program.package.as_str(), program.folder), ("eaves-model", "/w/crates/model".into()));
        assert_eq!(test_program(&message("path+file:///w/xtask#0.1.0", true)).unwrap().package, "xtask");
        assert_eq!(test_program(&message("path+file:///w/xtask#0.1.0", false)), None);
        assert_eq!(test_program(&serde_json::json!({"reason": "build-finished"})), None);
    }

    #[test]
    fn the_last_line_of_pytest_is_read() {
        assert_eq!(of_pytest("310 passed, 3 skipped in 35.32s (0:00:35)"), Some((310, 0)));
        assert_eq!(
            of_pytest("=== 2 failed, 1 passed, 1 xfailed, 4 warnings, 1 error in 0.1s ==="),
            Some((2, 3))
        );
        assert_eq!(of_pytest("1 skipped in 0.01s"), Some((0, 0)));
        assert_eq!(of_pytest("no tests ran in 0.01s"), None);
        assert_eq!(of_pytest("importing eaves takes 3 ms in 1s"), None);
    }

    #[test]
    fn skipped_tests_of_pytest_have_names_and_reasons() {
        let skip = skip_of_pytest("SKIPPED a/test_s.py::test_c[x - y] - Skipped: why - so");
        assert_eq!(skip, Some(Skip::new("a/test_s.py::test_c[x - y]", "why - so")));
        assert_eq!(skip_of_pytest("FAILED a/test_s.py::test_c - assert 1 == 2"), None);
    }

    #[test]
    fn results_of_vitest_are_counted() {
        let results = serde_json::json!({"testResults": [
            {"name": "ui/test/unit/flame.test.ts", "status": "passed", "assertionResults": [
                {"fullName": "flame draws", "status": "passed"},
                {"fullName": "flame reads", "status": "skipped"},
            ]},
            {"name": "ui/test/unit/bad.test.ts", "status": "failed", "assertionResults": []},
            {"name": "ui/test/unit/wrong.test.ts", "status": "failed", "assertionResults": [
                {"fullName": "is wrong", "status": "failed"},
            ]},
        ]});
        let counts = of_vitest(&results);
        assert_eq!((counts.passed, counts.failed), (1, 2));
        assert_eq!(counts.skipped, [Skip::new("flame.test.ts: flame reads", "skipped by the test itself")]);
    }

    #[test]
    fn checks_stop_at_the_first_failure() {
        let failed = || Counts { failed: 1, ..Counts::default() };
        let passed = || Counts { passed: 1, ..Counts::default() };
        assert_eq!(failed().and_then(passed), failed());
        assert_eq!(passed().and_then(failed).passed, 1);
        assert_eq!(passed().and(Counts::skip("a", "b")).skipped.len(), 1);
    }
}
