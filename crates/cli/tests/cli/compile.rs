//! `eaves compile` from end to end: logs, programs that are run, and PyTorch itself where it is.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::python::python;
use crate::support::{Answer, eaves, run};

/// A log with two breaks at one place, one recompilation and one graph.
const LOG: &str = include_str!("compile.log");

fn document(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"))
}

fn number(document: &Value, section: &str, id: &str) -> Value {
    let sections = document["sections"].as_array().unwrap();
    let section = sections.iter().find(|one| one["id"] == *section).unwrap();
    let numbers = section["numbers"].as_array().unwrap();
    numbers.iter().find(|one| one["id"] == *id).unwrap()["value"].clone()
}

fn with_log() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.log"), LOG).unwrap();
    directory
}

#[test]
fn a_log_is_told() {
    let directory = with_log();
    let answer = run(directory.path(), &["compile", "a.log", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let told = document(&answer);
    assert_eq!(number(&told, "graph-breaks", "graph_breaks"), 1);
    assert_eq!(number(&told, "graph-breaks", "graph_breaks_met"), 2);
    assert_eq!(number(&told, "recompiles", "recompiles"), 1);
    assert_eq!(number(&told, "compile-time", "compile_time_ns"), 7_000_000);
    assert_eq!(number(&told, "fusion", "fusion_ratio"), 1.5);
    // The same from a directory, and for people.
    let answer = run(directory.path(), &["compile", "."]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("train.py:12"), "{}", answer.stdout);
    assert!(answer.stdout.lines().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
    // Phases are a trace for other verbs.
    let answer = run(directory.path(), &["export", "a.log", "--to", "chrome", "-o", "phases.json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let exported = std::fs::read_to_string(directory.path().join("phases.json")).unwrap();
    assert!(exported.contains("entire_frame_compile"), "{exported}");
}

#[test]
fn conditions_decide_the_exit_code() {
    let directory = with_log();
    let code = |condition| run(directory.path(), &["compile", "a.log", "--fail-on", condition]).code;
    assert_eq!(code("graph_breaks>0"), Some(1));
    assert_eq!(code("graph_breaks>1"), Some(0));
    assert_eq!(code("compile_time>1s"), Some(0));
    assert_eq!(code("no_such_number>0"), Some(2));
}

#[test]
fn two_logs_are_compared() {
    let directory = with_log();
    std::fs::write(directory.path().join("b.log"), LOG.replace("train.py:12", "train.py:13")).unwrap();
    for arguments in [
        ["diff", "a.log", "b.log", "--json"].as_slice(),
        &["compile", "b.log", "--against", "a.log", "--json"],
    ] {
        let answer = run(directory.path(), arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let told = document(&answer);
        assert_eq!(number(&told, "compile-diff", "new_graph_breaks"), 1);
        assert_eq!(number(&told, "compile-diff", "gone_graph_breaks"), 1);
        assert_eq!(number(&told, "compile-diff", "compile_time_change_ns"), 0);
        assert_eq!(told["inputs"][0]["role"], "base");
    }
    let failing = ["diff", "a.log", "b.log", "--fail-on", "new_graph_breaks>0"];
    assert_eq!(run(directory.path(), &failing).code, Some(1));
}

#[cfg(unix)]
#[test]
fn a_program_is_run_with_a_directory_of_its_own() {
    let directory = with_log();
    let script = "test -d \"$TORCH_TRACE\" && cp a.log \"$TORCH_TRACE/dedicated_log_torch_trace_x.log\"; echo out; exit 3";
    let answer = run(directory.path(), &["compile", "--json", "--", "sh", "-c", script]);
    // The program's own exit code; what it prints is not a part of the answer.
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert_eq!(number(&document(&answer), "graph-breaks", "graph_breaks"), 1);
    assert!(answer.stderr.contains("out") && answer.stderr.contains("exit code 3"), "{answer:?}");
    // Kept if asked for, and never mixed with what is there.
    let keeping = ["compile", "--output-dir", "kept", "--", "sh", "-c", "cp a.log \"$TORCH_TRACE/x.log\""];
    assert_eq!(run(directory.path(), &keeping).code, Some(0));
    assert!(directory.path().join("kept/x.log").is_file());
    assert_eq!(run(directory.path(), &keeping).code, Some(2));
    // Nothing was compiled, or nothing could be run.
    let answer = run(directory.path(), &["compile", "--", "true"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("compiled nothing"), "{answer:?}");
    assert_eq!(run(directory.path(), &["compile", "--", "./no-such-program"]).code, Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_line_does_not_fill_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_eaves");
    // A gigabyte without a line end, in half a gigabyte of address space.
    let script = format!(
        "ulimit -v 500000; head -c 1000000000 /dev/zero | EAVES_THREADS=1 '{program}' compile - >out 2>err"
    );
    let status =
        Command::new("sh").args(["-c", &script]).current_dir(directory.path()).stdin(Stdio::null()).status();
    let said = std::fs::read_to_string(directory.path().join("err")).unwrap();
    assert_eq!(status.unwrap().code(), Some(2), "{said}");
    assert!(said.contains("not a torch.compile log"), "{said}");
}

/// A print, a branch on a tensor, and a value that is read: three breaks, in lines 7, 8 and 10.
const PROGRAM: &str = "\
import torch


@torch.compile(backend='eager')
def f(x):
    y = x + 1
    print('side effect')
    if y.sum() > 0:
        y = y * 2
    n = int(y.sum().item())
    return y + n


f(torch.ones(4))
";

#[test]
fn breaks_of_a_real_program_are_found() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("program.py"), PROGRAM).unwrap();
    let python = python.to_string_lossy().into_owned();
    let arguments = ["compile", "--json", "--", &python, "program.py"];
    let answer: Answer = eaves(directory.path(), arguments.iter()).output().unwrap().into();
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let told = document(&answer);
    assert_eq!(number(&told, "graph-breaks", "graph_breaks"), 3);
    let breaks = &told["sections"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == "graph-breaks")
        .unwrap()["tables"][0];
    let mut places: Vec<&str> =
        breaks["rows"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap()).collect();
    places.sort_unstable();
    assert_eq!(places, ["program.py:10", "program.py:7", "program.py:8"]);
}
