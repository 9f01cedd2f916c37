//! What the verbs print, and with which exit code.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::{Answer, TRACE, eaves, names, run};
use tempfile::TempDir;

/// A directory with a sound trace, a damaged one, an empty file and a web page.
fn inputs() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| std::fs::write(directory.path().join(name), content).unwrap();
    file("trace.json", TRACE);
    file("cut.json", &TRACE[..TRACE.len() - 40]);
    file("empty.json", "");
    file("page.html", "<!DOCTYPE html><html><body>not found</body></html>");
    directory
}

#[test]
fn a_report_is_text_without_escapes_when_piped() {
    let directory = inputs();
    let answer = run(directory.path(), &["report", "trace.json", "--full"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("temporal-breakdown"));
    assert!(!answer.stdout.contains('\u{1b}'));
    assert_eq!(answer.stderr, "");
}

/// Lines of the longest finding: they begin with a number, and end with the section or the next finding.
fn most_lines_of_a_finding(screen: &str) -> usize {
    let findings = screen.split("\nFindings ").nth(1).unwrap_or_default();
    let mut counts = Vec::new();
    for line in findings.lines().skip(1).take_while(|line| !line.is_empty()) {
        let number = line.trim_start().split('.').next().is_some_and(|start| start.parse::<usize>().is_ok());
        if number {
            counts.push(0);
        }
        if let Some(count) = counts.last_mut() {
            *count += 1;
        }
    }
    counts.into_iter().max().unwrap_or(0)
}

#[test]
fn a_report_fits_a_screen_unless_all_of_it_is_wanted() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = std::fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap());
    let jobs = folders.filter(|entry| entry.path().is_dir() && entry.file_name() != "measurements");
    let names: Vec<String> = jobs.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert!(names.len() >= 7, "{names:?}");
    for example in names {
        let input = format!("examples/{example}");
        let screen = run(&root, &["report", &input]).stdout;
        assert!(screen.lines().count() <= 40, "{example}:\n{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= 80), "{example}:\n{screen}");
        assert!(most_lines_of_a_finding(&screen) <= 4, "{example}:\n{screen}");
        assert!(screen.contains("\nVerdict ") && screen.contains("\nFindings "), "{example}:\n{screen}");
        let full = run(&root, &["report", &input, "--full"]).stdout;
        assert!(full.contains(" temporal-breakdown\n") && full.len() > 2 * screen.len(), "{example}");
        // Whoever asks for rows wants tables.
        assert_eq!(run(&root, &["report", &input, "--top", "10"]).stdout, full, "{example}");
    }
    let directory = inputs();
    run(directory.path(), &["report", "trace.json", "-o", "report.txt"]);
    let file = std::fs::read_to_string(directory.path().join("report.txt")).unwrap();
    assert!(file.contains(" temporal-breakdown\n"), "{file}");
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let directory = inputs();
    let forced = run(directory.path(), &["report", "trace.json", "--color", "always"]);
    assert!(forced.stdout.contains("\u{1b}[1m"));
    let mut command = eaves(directory.path(), ["report", "trace.json"]);
    let coloured: Answer = command.env("CLICOLOR_FORCE", "1").output().unwrap().into();
    assert!(coloured.stdout.contains('\u{1b}'));
    let plain: Answer = command.env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1").output().unwrap().into();
    assert!(!plain.stdout.contains('\u{1b}'));
}

#[test]
fn what_cannot_be_read_is_an_error_with_a_hint() {
    let directory = inputs();
    for (input, message) in [
        ("absent.json", "error: no such file or directory: absent.json"),
        ("empty.json", "empty.json"),
        ("page.html", "page.html"),
        ("*.absent", "*.absent"),
    ] {
        for verb in ["info", "report"] {
            let answer = run(directory.path(), &[verb, input, "--json"]);
            assert_eq!(answer.code, Some(2), "{input}: {answer:?}");
            assert_eq!(answer.stdout, "", "{input}");
            assert!(answer.stderr.starts_with("error: "), "{input}: {answer:?}");
            assert!(answer.stderr.contains(message), "{input}: {answer:?}");
            assert!(answer.stderr.contains("\nhint: "), "{input}: {answer:?}");
        }
    }
}

#[test]
fn a_damaged_input_warns_and_strict_fails() {
    let directory = inputs();
    let lenient = run(directory.path(), &["report", "cut.json", "--json"]);
    assert_eq!(lenient.code, Some(0), "{lenient:?}");
    assert!(lenient.stderr.starts_with("warning: "), "{lenient:?}");
    let strict = run(directory.path(), &["report", "cut.json", "--json", "--strict"]);
    assert_eq!(strict.code, Some(2));
    assert_eq!(strict.stdout, lenient.stdout);
    assert!(strict.stderr.contains("error: "), "{strict:?}");
    let quiet = run(directory.path(), &["report", "cut.json", "--json", "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    let sound = run(directory.path(), &["report", "trace.json", "--strict"]);
    assert_eq!((sound.code, sound.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_unknown_section_is_answered_with_a_similar_one() {
    let directory = inputs();
    let answer = run(directory.path(), &["report", "trace.json", "--section", "kernal"]);
    assert_eq!(answer.code, Some(2));
    assert_eq!(answer.stderr, "error: no section `kernal`\nhint: did you mean `kernels`?\n");
}

#[test]
fn an_unknown_verb_is_answered_with_a_similar_one() {
    let directory = inputs();
    let answer = run(directory.path(), &["reprot", "trace.json"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("'report'"), "{answer:?}");
}

#[test]
fn a_section_alone_is_pure_csv() {
    let directory = inputs();
    let answer = run(directory.path(), &["report", "trace.json", "--section", "kernels", "--csv"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines[0], "name,type,calls,total_ns,mean_ns,min_ns,max_ns,std_ns,share_pct");
    assert_eq!(lines.len(), 4);
    assert!(lines[2].starts_with("gemm,compute,1,30000,30000,30000,30000,"), "{}", lines[2]);
}

#[test]
fn verbs_show_sections_of_the_report() {
    let directory = inputs();
    std::fs::write(directory.path().join("memory.json"), "[[-1, 1, 100, 0], [20, 2, 50, 4]]").unwrap();
    let sections = |arguments: &[&str]| -> (Vec<String>, Vec<serde_json::Value>) {
        let answer = run(directory.path(), &[arguments, &["--json"]].concat());
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let list = |key: &str| json[key].as_array().unwrap().clone();
        let ids = list("sections").into_iter().chain(list("skipped"));
        (ids.map(|one| one["id"].as_str().unwrap().to_owned()).collect(), list("sections"))
    };
    let (_, all) = sections(&["report", "trace.json"]);
    for (verb, expected) in [
        ("comm", &["comm-overlap", "collectives", "stragglers"][..]),
        ("kernels", &["kernel-types", "kernels"]),
        ("memory", &["memory"]),
    ] {
        let (ids, shown) = sections(&[verb, "trace.json", "--rank", "0", "--step", "3"]);
        assert_eq!(ids, expected, "{verb}");
        assert!(shown.iter().all(|section| all.contains(section)), "{verb}");
    }
    let (ids, shown) = sections(&["memory", "memory.json"]);
    assert_eq!(ids, ["memory"]);
    assert_eq!(shown[0]["numbers"][0]["value"], 150);
}

#[test]
fn selections_narrow_the_report() {
    let directory = inputs();
    let busy = |arguments: &[&str]| {
        let mut all = vec!["report", "trace.json", "--json", "--section", "temporal-breakdown"];
        all.extend(arguments);
        let answer = run(directory.path(), &all);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let numbers = json["sections"][0]["numbers"].as_array().unwrap().clone();
        numbers.iter().find(|number| number["id"] == "busy_ns").unwrap()["value"].as_i64().unwrap()
    };
    assert_eq!(busy(&[]), 90_000);
    assert_eq!(busy(&["--time", "..55us"]), 35_000);
    assert_eq!(busy(&["--step", "3", "--rank", "0"]), 90_000);
    for wrong in [["--step", "9"], ["--rank", "7"], ["--time", "5s..6s"], ["--time", "5..6"], ["--step", "x"]]
    {
        let answer = run(directory.path(), &[&["report", "trace.json"][..], &wrong].concat());
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert_eq!(answer.stdout, "");
    }
}

#[test]
fn thresholds_reach_the_analyses() {
    let directory = inputs();
    // One gap of the whole GPU, 10 µs long, before a kernel that had been launched.
    let kernel_wait = |arguments: &[&str]| {
        let all = [&["report", "trace.json", "--json", "--section", "idle-time"], arguments].concat();
        let json: serde_json::Value = serde_json::from_str(&run(directory.path(), &all).stdout).unwrap();
        let numbers = json["sections"][0]["numbers"].as_array().unwrap().clone();
        numbers.iter().find(|number| number["id"] == "kernel_wait_ns").unwrap()["value"].as_i64().unwrap()
    };
    assert_eq!([kernel_wait(&[]), kernel_wait(&["--kernel-wait", "10us"])], [10_000, 0]);
    let answer = run(directory.path(), &["report", "trace.json", "--kernel-wait", "10"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
}

#[test]
fn the_name_of_the_output_says_its_form() {
    let directory = inputs();
    for (name, start) in [
        ("a.json", "{\n  \"schema\""),
        ("a.csv", "# temporal"),
        ("a.md", "# eaves"),
        ("a.txt", "eaves report"),
    ] {
        let answer = run(directory.path(), &["report", "trace.json", "-o", name]);
        assert_eq!(
            (answer.code, answer.stdout.as_str(), answer.stderr.as_str()),
            (Some(0), "", ""),
            "{name}"
        );
        let content = std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert!(content.starts_with(start), "{name}: {content}");
        assert!(!content.contains('\u{1b}'));
    }
    for (arguments, message) in [
        (vec!["-o", "a.xyz"], "unknown output format"),
        (vec!["-o", "a.csv", "--json"], "--json contradicts"),
        (vec!["-o", "absent/a.csv"], "no such directory"),
        (vec!["-o", "./trace.json"], "would replace the input"),
        (vec!["-o", "tables/", "--json"], "one file, not a directory"),
        (vec!["--csv", "--json"], "cannot be used with"),
    ] {
        let answer = run(directory.path(), &[&["report", "trace.json"][..], &arguments].concat());
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(answer.stderr.contains(message), "{message}: {answer:?}");
    }
}

#[test]
fn a_directory_gets_one_file_per_table() {
    let directory = inputs();
    let answer = run(directory.path(), &["report", "trace.json", "-o", "tables/"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let names = names(&directory.path().join("tables"));
    assert!(names.contains(&"kernels.by_name.csv".to_owned()), "{names:?}");
    assert!(names.iter().all(|name| name.ends_with(".csv")), "{names:?}");
}

#[test]
fn a_failed_report_leaves_the_old_output() {
    let directory = inputs();
    std::fs::write(directory.path().join("report.json"), "old").unwrap();
    let before = names(directory.path());
    let answer = run(directory.path(), &["report", "empty.json", "-o", "report.json"]);
    assert_eq!(answer.code, Some(2));
    assert_eq!(names(directory.path()), before);
    assert_eq!(std::fs::read_to_string(directory.path().join("report.json")).unwrap(), "old");
}

#[test]
fn stdin_and_patterns_are_inputs() {
    let directory = inputs();
    let mut command = eaves(directory.path(), ["info", "-", "--json"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(TRACE.as_bytes()).unwrap();
    let answer: Answer = child.wait_with_output().unwrap().into();
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(json["inputs"][0]["events"], 7);
    let answer = run(directory.path(), &["report", "tra*.json", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let directory = inputs();
    for format in ["--json", "--csv", "--markdown", "--quiet"] {
        let mut command = eaves(directory.path(), ["report", "trace.json", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Closed before the first byte is written, as far as one can tell.
        drop(child.stdout.take());
        let answer: Answer = child.wait_with_output().unwrap().into();
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{format}");
    }
    let mut command = eaves(directory.path(), ["self", "schema"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "{\n");
    assert!(child.wait().unwrap().success());
}
