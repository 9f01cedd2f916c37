//! Every input that some verb reads is an input of `report`, `info` and `diff`, alone or next to others.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Answer, TRACE, eaves, run};

const LOG: &str = include_str!("compile.log");
const BENCHMARK: &str = r#"{"simplified": [{"shape": "4096x4096", "precision": "FP16", "time_us": 203.4}]}"#;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A folder with one input of each kind.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [("trace.json", TRACE), ("compile.log", LOG), ("benchmark.json", BENCHMARK)] {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    for name in ["commands.json", "events.json", "kernels.csv", "npu_config.json", "peaks.yaml"] {
        std::fs::copy(root("examples/measurements").join(name), folder.path().join(name)).unwrap();
    }
    std::fs::copy(root("fuzz/corpus/pickle/failed.pickle"), folder.path().join("memory.pickle")).unwrap();
    folder
}

fn document(answer: &Answer) -> Value {
    assert_eq!(answer.code, Some(0), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

fn ids(document: &Value, list: &str) -> Vec<String> {
    let entries = document[list].as_array().unwrap();
    entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

fn section<'a>(document: &'a Value, id: &str) -> &'a Value {
    document["sections"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()
}

fn fits_a_screen(answer: &Answer) {
    assert!(answer.code == Some(0) && answer.stdout.contains("1 input"), "{answer:?}");
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines.len() <= 40 && lines.iter().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
}

#[test]
fn a_report_has_every_section_that_applies() {
    let folder = folder();
    let report = |words: &[&str]| document(&run(folder.path(), &[&["report", "--json"], words].concat()));
    for (words, sections) in [
        (&["kernels.csv", "--device", "peaks.yaml"][..], &["roofline"][..]),
        (&["events.json", "--device", "peaks.yaml"], &["roofline", "comm-roofline"]),
        (&["commands.json"], &["roofline"]),
        (&["benchmark.json", "--device", "gb10"], &["roofline"]),
        (&["compile.log"], &["graph-breaks", "recompiles", "compile-time", "fusion", "compile-stacks"]),
    ] {
        let found = report(words);
        assert_eq!(found["schema"], "eaves.report/1");
        assert_eq!(ids(&found, "sections"), sections, "{words:?}");
        assert_eq!(found["inputs"].as_array().unwrap().len(), 1);
        // For people, too.
        fits_a_screen(&run(folder.path(), &[&["report"], words].concat()));
    }
    fits_a_screen(&run(folder.path(), &["report", "memory.pickle"]));
    fits_a_screen(&run(folder.path(), &["report", "kernels.csv"]));
    assert!(ids(&report(&["memory.pickle"]), "sections").contains(&"memory".to_owned()));
    let one = report(&["compile.log", "--section", "fusion"]);
    assert_eq!(ids(&one, "sections"), ["fusion"]);
    let none = report(&["compile.log", "--section", "kernels"]);
    assert_eq!((ids(&none, "sections").len(), ids(&none, "skipped")), (0, vec!["kernels".to_owned()]));
}

#[test]
fn a_missing_device_is_named_and_not_guessed() {
    let folder = folder();
    let found = document(&run(folder.path(), &["report", "kernels.csv", "--json"]));
    assert_eq!((ids(&found, "sections").len(), ids(&found, "skipped")), (0, vec!["roofline".to_owned()]));
    let skipped = &found["skipped"][0];
    assert!(skipped["missing"].as_str().unwrap().contains("kernels.csv"), "{skipped}");
    assert!(skipped["how_to_record"].as_str().unwrap().contains("--device"), "{skipped}");
    // A configuration of an NPU is for NPU commands.
    let found =
        document(&run(folder.path(), &["report", "kernels.csv", "--config", "npu_config.json", "--json"]));
    assert_eq!(ids(&found, "skipped"), ["roofline"]);
    let typo = run(folder.path(), &["report", "kernels.csv", "--device", "h100-sxn"]);
    assert!(typo.code == Some(2) && typo.stderr.contains("h100-sxm"), "{typo:?}");
}

/// The documented defaults, 32 TOPS and 50 GB/s, are those of the example's configuration.
#[test]
fn npu_commands_have_default_roofs() {
    let folder = folder();
    let points = |words: &[&str]| {
        let found = document(&run(folder.path(), &[words, &["commands.json", "--json"]].concat()));
        section(&found, "roofline")["tables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|table| table["id"] == "points")
            .unwrap()["rows"]
            .clone()
    };
    let configured = points(&["roofline", "--config", "npu_config.json"]);
    assert_eq!(points(&["report"]), configured);
    assert_eq!(points(&["report", "--config", "npu_config.json"]), configured);
    assert_eq!(points(&["roofline"]), configured);
    let told = run(folder.path(), &["roofline", "commands.json"]).stderr;
    assert!(told.contains("32 TOPS and 50 GB/s"), "{told}");
    // Half of the peak that is given, and the bandwidth that is not.
    std::fs::write(folder.path().join("half.json"), r#"{"peak_tops": 16}"#).unwrap();
    std::fs::write(folder.path().join("whole.json"), r#"{"peak_tops": 16, "mem_bw": 50}"#).unwrap();
    assert_eq!(points(&["report", "--config", "half.json"]), points(&["report", "--config", "whole.json"]));
    assert_ne!(points(&["report", "--config", "half.json"]), configured);
}

#[test]
fn a_trace_with_its_log_and_its_memory_is_one_report() {
    let folder = folder();
    let inputs = ["trace.json", "compile.log", "memory.pickle", "kernels.csv"];
    let words = [&["report", "--json", "--device", "peaks.yaml"], &inputs[..]].concat();
    let found = document(&run(folder.path(), &words));
    let sections = ids(&found, "sections");
    for id in ["temporal-breakdown", "kernels", "memory", "graph-breaks", "fusion", "roofline"] {
        assert!(sections.contains(&id.to_owned()), "{id}: {sections:?}");
    }
    assert_eq!(ids(&found, "skipped").iter().filter(|id| *id == "memory").count(), 0);
    let mut read: Vec<&str> =
        found["inputs"].as_array().unwrap().iter().map(|input| input["path"].as_str().unwrap()).collect();
    read.sort_unstable();
    let mut named = inputs;
    named.sort_unstable();
    assert_eq!(read, named);
    // The trace says what it says alone.
    let alone = document(&run(folder.path(), &["report", "trace.json", "--json", "--device", "peaks.yaml"]));
    let same = |other: &Value, id: &str| {
        for part in ["numbers", "tables"] {
            assert_eq!(section(&found, id)[part], section(other, id)[part], "{id}");
        }
    };
    same(&alone, "kernels");
    let log = document(&run(folder.path(), &["compile", "compile.log", "--json"]));
    same(&log, "fusion");
    let memory = document(&run(folder.path(), &["memory", "memory.pickle", "--json"]));
    same(&memory, "memory");
    // A page holds all of it.
    let page = run(folder.path(), &[&["report", "-o", "page.html"], &inputs[..]].concat());
    assert_eq!(page.code, Some(0), "{page:?}");
    let saved = document(&run(folder.path(), &["report", "page.html", "--json"]));
    assert!(ids(&saved, "sections").contains(&"fusion".to_owned()));
}

#[test]
fn a_saved_report_is_what_was_saved() {
    let folder = folder();
    let saved = run(folder.path(), &["report", "trace.json", "--json"]);
    std::fs::write(folder.path().join("saved.json"), &saved.stdout).unwrap();
    assert_eq!(run(folder.path(), &["report", "trace.json", "-o", "saved.html"]).code, Some(0));
    for name in ["saved.json", "saved.html"] {
        let again = run(folder.path(), &["report", name, "--json"]);
        assert_eq!(document(&again), document(&saved), "{name}");
        let part = document(&run(folder.path(), &["report", name, "--section", "kernels", "--json"]));
        assert_eq!(section(&part, "kernels"), section(&document(&saved), "kernels"));
        let text = run(folder.path(), &["report", name]);
        assert!(text.stdout.contains("GPU busy"), "{text:?}");
    }
    let page = std::fs::read(folder.path().join("saved.html")).unwrap();
    assert_eq!(run(folder.path(), &["report", "saved.html", "-o", "again.html"]).code, Some(0));
    assert_eq!(std::fs::read(folder.path().join("again.html")).unwrap(), page);
    for words in [
        &["report", "saved.json", "trace.json"][..],
        &["report", "saved.json", "saved.html"],
        &["report", "saved.json", "--rank", "0"],
        &["report", "saved.json", "--device", "h100-sxm"],
    ] {
        let refused = run(folder.path(), words);
        assert!(refused.code == Some(2) && refused.stderr.contains("hint: "), "{words:?} {refused:?}");
    }
    // One that lies next to a trace is made of it, as a rule.
    let beside = document(&run(folder.path(), &["report", ".", "--json", "--device", "peaks.yaml"]));
    assert!(ids(&beside, "sections").contains(&"temporal-breakdown".to_owned()));
}

#[test]
fn info_says_what_each_input_is() {
    let folder = folder();
    for (name, kind, device) in [
        ("kernels.csv", "kernel-table", Value::Null),
        ("commands.json", "npu-commands", Value::Null),
        ("benchmark.json", "benchmark-results", Value::Null),
        ("compile.log", "compile-log", Value::Null),
    ] {
        let found = document(&run(folder.path(), &["info", name, "--json"]));
        let table = &section(&found, "other-inputs")["tables"][0];
        let row = &table["rows"][0];
        assert_eq!((&row[0], &row[1], &row[6]), (&json!(name), &json!(kind), &device));
    }
    let found = document(&run(folder.path(), &["info", "trace.json", "kernels.csv", "--json"]));
    assert_eq!(ids(&found, "sections"), ["contents", "recording", "other-inputs"]);
    let alone = document(&run(folder.path(), &["info", "trace.json", "--json"]));
    assert_eq!(ids(&alone, "sections"), ["contents", "recording"]);
}

/// By hand: one kernel of 0.66 ms takes twice as long.
#[test]
fn kernel_tables_are_compared() {
    let folder = folder();
    let table = std::fs::read_to_string(folder.path().join("kernels.csv")).unwrap();
    let slower = table.replace("134217728,0.660764,", "134217728,1.321528,");
    std::fs::write(folder.path().join("slower.csv"), slower).unwrap();
    let found = document(&run(folder.path(), &["diff", "kernels.csv", "slower.csv", "--json"]));
    assert_eq!(found["schema"], "eaves.diff/1");
    let changed = found["sections"].to_string();
    assert!(changed.contains("gemm_qkv") && changed.contains("660764"), "{changed}");
    let code =
        |condition| run(folder.path(), &["diff", "kernels.csv", "slower.csv", "--fail-on", condition]).code;
    assert_eq!((code("kernel:gemm_qkv>50%"), code("kernel:gemm_qkv>150%")), (Some(1), Some(0)));
    let refused = run(folder.path(), &["diff", "kernels.csv", "compile.log"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("kernel-table and compile-log"),
        "{refused:?}"
    );
}

#[test]
#[cfg(unix)]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let name = |end: &str| {
        let name = [b"\xff\xfe", end.as_bytes()].concat();
        std::ffi::OsStr::from_bytes(&name).to_owned()
    };
    for (of, end) in [("trace.json", ".json"), ("kernels.csv", ".csv"), ("compile.log", ".log")] {
        std::fs::copy(folder.path().join(of), folder.path().join(name(end))).unwrap();
        let words: [std::ffi::OsString; 5] =
            ["report".into(), name(end), "--json".into(), "--device".into(), "peaks.yaml".into()];
        let answer: Answer = eaves(folder.path(), &words).output().unwrap().into();
        assert!(!document(&answer)["sections"].as_array().unwrap().is_empty(), "{of}");
    }
    assert_eq!(run(folder.path(), &["report", "trace.json", "-o", "saved.html"]).code, Some(0));
    std::fs::copy(folder.path().join("saved.html"), folder.path().join(name(".html"))).unwrap();
    let words: [std::ffi::OsString; 3] = ["report".into(), name(".html"), "--json".into()];
    let answer: Answer = eaves(folder.path(), &words).output().unwrap().into();
    assert!(!document(&answer)["sections"].as_array().unwrap().is_empty());
}
