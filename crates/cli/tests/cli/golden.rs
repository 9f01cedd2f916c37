//! What people read, compared with files: every help, and every verb's answer to the examples.
//!
//! `EAVES_UPDATE_GOLDEN=1 cargo test -p eaves-cli --test cli golden` writes the files; look at the difference.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::help::{help, verbs};
use crate::support::run;

/// An answer by the name of its file: the words after `eaves`, run in the folder of the project.
const ANSWERS: [(&str, &str); 29] = [
    ("comm", "comm examples/training"),
    ("compile", "compile crates/cli/tests/cli/compile.log"),
    ("counters", "counters list --arch gfx942 --top 10"),
    ("device-list", "device list --vendor intel"),
    ("device-show", "device show h100-sxm"),
    ("diff", "diff examples/healthy examples/communication-bound"),
    ("export", "export examples/training/rank0.json.gz --to chrome -o target/golden/trace.json"),
    ("flame", "flame examples/training"),
    ("hta", "hta examples/host-bound"),
    ("info", "info examples/training"),
    ("info-damaged", "info examples/damaged"),
    ("ingest", "ingest examples/training --run job -o target/golden/dataset"),
    ("kernels", "kernels examples/training"),
    ("memory", "memory examples/training"),
    ("ops", "ops list --top 10"),
    ("predict", "predict gemm --m 4096 --n 4096 --k 4096 --device h100-sxm"),
    ("predict-model", "predict model llama-3-8b --device h100-sxm"),
    (
        "query",
        "query \"SELECT name, count(*) AS calls FROM kernels GROUP BY name ORDER BY calls DESC, name\" examples/training",
    ),
    ("report-communication-bound", "report examples/communication-bound"),
    ("report-damaged", "report examples/damaged"),
    ("report-full", "report examples/training --full"),
    ("report-healthy", "report examples/healthy"),
    ("report-host-bound", "report examples/host-bound"),
    ("report-padded", "report examples/padded"),
    ("report-training", "report examples/training"),
    ("report-unpadded", "report examples/unpadded"),
    ("roofline", "roofline examples/training"),
    (
        "roofline-table",
        "roofline examples/measurements/kernels.csv --device examples/measurements/peaks.yaml",
    ),
    ("timeline", "timeline examples/training"),
];

/// Verbs without an answer that is the same everywhere.
const OTHERS: [(&str, &str); 10] = [
    // tidy-alphabetical-start
    ("attach", "runs a program until it ends"),
    ("bench", "measures this machine"),
    ("cluster", "starts a cluster"),
    ("open", "serves a page"),
    ("profile", "runs a program, or prints paths of this machine"),
    ("self", "prints what is committed as schema/, and what `cargo xtask dist` packs"),
    ("serve", "serves a page"),
    ("trigger", "records a program that runs"),
    ("validate", "measures this machine"),
    ("watch", "watches this machine"),
    // tidy-alphabetical-end
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a text with a file, or writes the file.
fn check(name: &str, actual: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("EAVES_UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = |(expected, actual): &(&str, &str)| expected != actual;
    match expected.lines().zip(actual.lines()).position(|lines| differs(&lines)) {
        Some(line) => Err(format!(
            "{name}:{}\n  expected {:?}\n  is       {:?}",
            line + 1,
            expected.lines().nth(line).unwrap_or_default(),
            actual.lines().nth(line).unwrap_or_default(),
        )),
        None if expected != actual => Err(format!("{name} ends elsewhere")),
        None => Ok(()),
    }
}

/// All that differ, so that one run tells everything.
fn check_all(results: impl Iterator<Item = Result<(), String>>) {
    let problems: Vec<String> = results.filter_map(Result::err).collect();
    assert!(problems.is_empty(), "{}\nEAVES_UPDATE_GOLDEN=1 writes the files", problems.join("\n"));
}

/// Words as a shell takes them apart, with double quotes alone.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_help_is_as_committed() {
    check_all(verbs(&[]).iter().map(|path| {
        let name = if path.is_empty() { "eaves".to_owned() } else { path.join("-") };
        check(&format!("help/{name}.txt"), &help(path, "--help"))
    }));
}

#[test]
fn every_answer_is_as_committed() {
    // Paths are printed, so that they must be the same everywhere.
    let output = root().join("target/golden");
    drop(std::fs::remove_dir_all(&output));
    std::fs::create_dir_all(&output).unwrap();
    let has_sql = cfg!(feature = "sql");
    check_all(ANSWERS.iter().filter(|(name, _)| has_sql || *name != "query").map(|(name, line)| {
        let words = words(line);
        let answer = run(&root(), &words.iter().map(String::as_str).collect::<Vec<_>>());
        if answer.code != Some(0) {
            return Err(format!("eaves {line}: {answer:?}"));
        }
        check(&format!("answers/{name}.txt"), &(answer.stdout + &answer.stderr))
    }));
}

/// A new verb cannot be forgotten.
#[test]
fn every_verb_has_an_answer_or_a_reason() {
    let commands: Value = serde_json::from_str(include_str!("../../../../schema/commands.json")).unwrap();
    let commands = commands["commands"].as_array().unwrap();
    let verbs: BTreeSet<&str> = commands.iter().map(|command| command["name"].as_str().unwrap()).collect();
    let answered = ANSWERS.iter().map(|(_, line)| line.split(' ').next().unwrap());
    let covered: BTreeSet<&str> = answered.chain(OTHERS.iter().map(|(verb, _)| *verb)).collect();
    assert_eq!(verbs, covered);
}
