//! Call trees in every form.

use crate::support::{TRACE, names, run};
use tempfile::TempDir;

fn inputs() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    std::fs::write(directory.path().join("slow.json"), TRACE.replace("\"dur\": 30", "\"dur\": 40")).unwrap();
    directory
}

#[test]
fn the_heaviest_calls_are_shown_as_a_tree() {
    let directory = inputs();
    let answer = run(directory.path(), &["flame", "trace.json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines[5], "   200.00 µs       0 ns  100.0% ████████ thread 1");
    assert_eq!(lines[6], "   200.00 µs  194.00 µs  100.0% ████████  ProfilerStep#*");
    assert_eq!(lines[7], "     6.00 µs    6.00 µs    3.0% ▏          cudaLaunchKernel");
    let gpu = run(directory.path(), &["flame", "trace.json", "--metric", "gpu", "--order", "inverted"]);
    assert!(gpu.stdout.contains("50.00 µs"), "{gpu:?}");
    let few = run(directory.path(), &["flame", "trace.json", "--metric", "gpu", "--top", "1"]);
    assert!(few.stdout.contains("--top 0 shows all"), "{few:?}");
}

#[test]
fn the_name_of_the_file_says_what_is_made() {
    let directory = inputs();
    for (name, start) in [
        ("flame.html", "<!DOCTYPE html>"),
        ("flame.svg", "<svg "),
        ("flame.folded", "thread 1;ProfilerStep#* 194000\n"),
        ("flame.speedscope.json", "{\"$schema\":\"https://www.speedscope.app/"),
        ("flame.d3.json", "{\"name\":\"all\""),
        ("flame.json", "{\n  \"schema\": \"eaves.flame/1\""),
        ("flame.csv", "id,parent,name,kind,calls,total_ns,self_ns,gpu_total_ns,gpu_self_ns,total_bytes"),
        ("flame.md", "# eaves flame"),
        ("flame.txt", "eaves flame"),
    ] {
        let answer = run(directory.path(), &["flame", "trace.json", "-o", name]);
        assert_eq!(
            (answer.code, answer.stdout.as_str(), answer.stderr.as_str()),
            (Some(0), "", ""),
            "{name}"
        );
        let text = std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert!(text.starts_with(start), "{name}: {}", &text[..text.len().min(200)]);
    }
    let printed = run(directory.path(), &["flame", "trace.json", "--format", "folded"]);
    let written = std::fs::read_to_string(directory.path().join("flame.folded")).unwrap();
    assert_eq!(printed.stdout, written);
    let named = run(directory.path(), &["flame", "trace.json", "--format", "d3", "-o", "tree.d3.json"]);
    assert_eq!(named.code, Some(0), "{named:?}");
}

/// One tree in one unit, whichever door it comes through: inclusive values, times in microseconds.
#[test]
fn the_tree_of_d3_is_in_microseconds_in_every_file() {
    let directory = inputs();
    let read = |arguments: &[&str], name: &str| {
        let answer = run(directory.path(), &[&["flame", "trace.json"], arguments].concat());
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let text = std::fs::read_to_string(directory.path().join(name)).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let document = read(&["-o", "flame.json", "--json"], "flame.json");
    let tree = read(&["-o", "flame.d3.json"], "flame.d3.json");
    assert_eq!(document["schema"], "eaves.flame/1");
    for root in [&document, &tree] {
        assert_eq!((&root["name"], root["value"].as_f64()), (&"all".into(), Some(200.0)));
        assert_eq!(root["unit"], "us");
        let thread = &root["children"][0];
        assert_eq!((&thread["name"], thread["value"].as_f64()), (&"thread 1".into(), Some(200.0)));
        let launches = &thread["children"][0]["children"][0];
        assert_eq!((&launches["name"], launches["value"].as_f64()), (&"cudaLaunchKernel".into(), Some(6.0)));
        assert!(launches["children"].is_array(), "{launches}");
    }
    assert_eq!(document["children"], tree["children"]);
    let calls = read(&["--metric", "calls", "-o", "calls.d3.json"], "calls.d3.json");
    assert_eq!(calls["unit"], "count");
    let printed = run(directory.path(), &["flame", "trace.json", "--format", "d3"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed.stdout).unwrap(), tree);
}

#[test]
fn what_cannot_be_done_is_said_and_leaves_nothing() {
    let directory = inputs();
    for (arguments, message) in [
        (
            &["-o", "flame.gif"][..],
            ".txt, .json, .csv, .md, .html, .svg, .png, .folded, .speedscope.json, .d3.json",
        ),
        (&["-o", "flame"], "unknown output format"),
        (&["--format", "svg", "-o", "flame.html"], "use one of the two"),
        (&["-o", "trace.json"], "would replace the input"),
        (&["--diff", "slow.json", "-o", "slow.json"], "would replace the input"),
        (&["-o", "absent/flame.svg"], "no such directory"),
        (&["--metric", "bytes", "-o", "flame.svg"], "profile_memory=True"),
        (&["--diff", "slow.json", "--order", "time", "-o", "flame.html"], "cannot be in time order"),
        (&["--diff", "slow.json", "-o", "flame.speedscope.json"], "does not support comparisons"),
        (&["--rank", "4", "-o", "flame.svg"], "no recording of rank 4"),
        (&["--min-share", "200"], "expected a percentage"),
        (&["--min-duration", "5"], "is not a time"),
        (&["--format", "svg", "--json"], "cannot be used with"),
    ] {
        let answer = run(directory.path(), &[&["flame", "trace.json"], arguments].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(message), "{arguments:?}: {}", answer.stderr);
    }
    assert_eq!(names(directory.path()), ["slow.json", "trace.json"]);
}

#[test]
fn two_recordings_are_compared() {
    let directory = inputs();
    let arguments = ["flame", "slow.json", "--diff", "trace.json", "--metric", "gpu"];
    let text = run(directory.path(), &arguments);
    assert!(text.stdout.contains(" 30.00 µs   40.00 µs  +33.3%"), "{text:?}");
    let folded = run(directory.path(), &[&arguments[..], &["--format", "folded"]].concat());
    assert!(
        folded.stdout.contains("thread *;ProfilerStep#*;cudaLaunchKernel;gemm 30000 40000\n"),
        "{folded:?}"
    );
    for name in ["diff.html", "diff.svg"] {
        let answer = run(directory.path(), &[&arguments[..], &["-o", name]].concat());
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
        assert!(std::fs::read_to_string(directory.path().join(name)).unwrap().contains("#b2182b"));
    }
    let json = run(directory.path(), &[&arguments[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let table = &json["sections"][0]["tables"][0];
    assert_eq!(table["columns"][11]["id"], "base_calls");
    assert_eq!(table["rows"][0][7], 100_000);
    assert_eq!(table["rows"][0][14], 90_000);
}

#[test]
fn selections_and_limits_narrow_the_tree() {
    let directory = inputs();
    let folded = |arguments: &[&str]| {
        let all = [&["flame", "trace.json", "--format", "folded"], arguments].concat();
        run(directory.path(), &all).stdout
    };
    assert_eq!(
        folded(&["--time", "2us..6us"]),
        "thread 1;ProfilerStep#* 2000\nthread 1;ProfilerStep#*;cudaLaunchKernel 2000\n"
    );
    assert_eq!(folded(&["--max-depth", "1"]), "thread 1;ProfilerStep#* 200000\n");
    assert_eq!(
        folded(&["--min-duration", "100us"]),
        "thread 1;ProfilerStep#* 194000\nthread 1;ProfilerStep#*;[small] 6000\n"
    );
    assert_eq!(folded(&["--min-share", "3.0001"]), folded(&["--min-duration", "100us"]));
    assert_eq!(folded(&["--order", "time"]).lines().count(), 4);
}
