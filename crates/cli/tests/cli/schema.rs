//! What `--json` prints follows the schema that is published.

use std::path::PathBuf;

use crate::ingest::{examples, runs_of_others};
use crate::python::check_schema;
use crate::support::{TRACE, run};
use serde_json::Value;

/// A single small product against a device that is not here: quick, whatever the machine.
const VALIDATED: &[&str] =
    &["--suite", "none", "--shape", "1x64x64", "--device", "h100-sxm", "--threads", "1", "--seconds", "0.02"];

/// Every verb that prints a document, with what it needs besides an input.
/// In the arguments, `FILE` stands for the trace.
const VERBS: [(&str, &[&str]); 20] = [
    // tidy-alphabetical-start
    ("bench", &["gemv", "--n", "64", "--k", "64", "--seconds", "0.02", "--threads", "1"]),
    ("comm", &["FILE"]),
    ("compile", &["compile.log"]),
    ("counters", &["list", "--arch", "gfx942"]),
    ("device", &["list"]),
    ("diff", &["FILE", "other.json"]),
    ("export", &["FILE", "--to", "chrome", "-o", "exported.json"]),
    ("flame", &["FILE"]),
    ("hta", &["FILE"]),
    ("info", &["FILE"]),
    ("ingest", &["FILE", "-o", "dataset"]),
    ("kernels", &["FILE"]),
    ("memory", &["FILE", "--details"]),
    ("ops", &["list"]),
    ("predict", &["gemm", "--precision", "all", "--device", "h100-sxm"]),
    ("profile", &["--with", "rocprofv3", "--dry-run", "--", "FILE"]),
    ("report", &["FILE", "--details"]),
    ("roofline", &["FILE", "--device", "h100-sxm"]),
    ("timeline", &["FILE"]),
    ("validate", VALIDATED),
    // tidy-alphabetical-end
];

fn schema() -> Value {
    let answer = run(std::env::temp_dir().as_path(), &["self", "schema"]);
    assert_eq!(answer.code, Some(0));
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Other programs read the copies in the repository; the Python functions and the reference are made of them.
#[test]
fn what_verbs_take_is_published() {
    let published = [
        ("--commands", include_str!("../../../../schema/commands.json")),
        ("--requests", include_str!("../../../../schema/requests.json")),
    ];
    for (option, text) in published {
        let answer = run(std::env::temp_dir().as_path(), &["self", "schema", option]);
        assert_eq!(answer.code, Some(0));
        assert!(answer.stdout == text, "{option}: run `cargo xtask gen` and look at the difference");
    }
}

#[test]
fn every_verb_follows_the_schema() {
    let mut documents = Vec::new();
    let directory = tempfile::tempdir().unwrap();
    let without_gpu = r#"{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}"#;
    let inputs = [
        ("sound", TRACE),
        ("cut", &TRACE[..TRACE.len() - 40]),
        ("without-gpu", without_gpu),
        ("timeline", "[[-1, 1, 100, 0], [20, 2, 50, 4], [30, 4, -50, 4]]"),
        ("none", "[]"),
    ];
    std::fs::write(directory.path().join("compile.log"), include_str!("compile.log")).unwrap();
    std::fs::write(directory.path().join("other.json"), TRACE.replace("gemm", "matmul")).unwrap();
    for (name, content) in inputs {
        let file = format!("{name}.json");
        std::fs::write(directory.path().join(&file), content).unwrap();
        for (verb, options) in VERBS {
            let given = options.iter().map(|option| if *option == "FILE" { file.as_str() } else { option });
            let arguments: Vec<&str> = [verb, "--json"].into_iter().chain(given).collect();
            let answer = run(directory.path(), &arguments);
            if answer.code == Some(2) {
                assert_eq!((name, answer.stdout.as_str()), ("none", ""), "{answer:?}");
                continue;
            }
            let document: Value = serde_json::from_str(&answer.stdout).unwrap();
            assert_eq!(document["schema"], format!("eaves.{verb}/1"));
            for table in
                document["sections"].as_array().unwrap().iter().flat_map(|s| s["tables"].as_array().unwrap())
            {
                let columns = table["columns"].as_array().unwrap().len();
                assert!(
                    table["rows"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .all(|row| row.as_array().unwrap().len() == columns)
                );
            }
            documents.push((format!("{verb} {name}"), document));
        }
    }
    for words in [&["device", "show", "h100-sxm", "--json"][..], &["device", "detect", "--json"]] {
        let answer = run(directory.path(), words);
        documents.push((words.join(" "), serde_json::from_str(&answer.stdout).unwrap()));
    }
    check_schema(&schema(), &documents);
}

/// Verbs that print a document too, but need what is not here: a build with SQL, a program that can be recorded.
const OTHERS: [&str; 2] = ["query", "trigger"];

#[test]
fn the_schema_names_every_verb() {
    let schema = schema();
    let known: Vec<&str> =
        schema["properties"]["schema"]["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let mut verbs: Vec<&str> = VERBS.iter().map(|(verb, _)| *verb).chain(OTHERS).collect();
    verbs.sort_unstable();
    assert_eq!(known, verbs.iter().map(|verb| format!("eaves.{verb}/1")).collect::<Vec<_>>());
}

/// The names that an object of a schema knows.
fn known(schema: &Value) -> Vec<&String> {
    let mut names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    names.sort_unstable();
    names
}

fn names(object: &Value) -> Vec<&String> {
    let mut names: Vec<_> = object.as_object().unwrap().keys().collect();
    names.sort_unstable();
    names
}

#[test]
fn rank_files_of_examples_follow_their_schema() {
    check_rank_files(&examples(), 7);
}

#[test]
fn rank_files_of_other_tools_follow_their_schema() {
    let Some(samples) = runs_of_others() else { return };
    check_rank_files(&samples, 20);
}

fn check_rank_files(samples: &[PathBuf], least: usize) {
    let schema: Value = serde_json::from_str(include_str!("../../../../schema/rank.schema.json")).unwrap();
    let mut files = Vec::new();
    let directory = tempfile::tempdir().unwrap();
    for (number, sample) in samples.iter().enumerate() {
        let dataset = directory.path().join(number.to_string());
        let arguments = ["ingest", sample.to_str().unwrap(), "--run", "run", "-o", dataset.to_str().unwrap()];
        if run(directory.path(), &arguments).code != Some(0) {
            continue;
        }
        for folder in std::fs::read_dir(dataset.join("run=run")).unwrap().map(Result::unwrap) {
            let text = std::fs::read_to_string(folder.path().join("rank.json")).unwrap();
            let file: Value = serde_json::from_str(&text).unwrap();
            // Readers pass over what they do not know, so a name that is missing here would not be an error below.
            assert_eq!(names(&file), known(&schema));
            assert_eq!(names(&file["metadata"]), known(&schema["$defs"]["metadata"]));
            files.push((sample.display().to_string(), file));
        }
    }
    assert!(files.len() >= least, "{}", files.len());
    check_schema(&schema, &files);
}
