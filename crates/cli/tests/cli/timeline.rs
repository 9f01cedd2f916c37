//! What `eaves timeline` draws, and where.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Answer, TRACE, fails, run, traces};

fn succeeds(directory: &Path, arguments: &[&str]) -> Answer {
    let answer = run(directory, arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{arguments:?}: {answer:?}");
    answer
}

#[test]
fn text_has_a_line_for_every_track_and_the_numbers() {
    let directory = traces();
    let text = succeeds(directory.path(), &["timeline", "trace.json"]).stdout;
    // 200 us, in which the thread worked for 6, the streams for 40 and 50.
    for (label, share) in [("thread 1 ", "3.0%"), ("stream 7 ", "20.0%"), ("stream 20 ", "25.0%")] {
        let line = text.lines().find(|line| line.trim_start().starts_with(label)).unwrap();
        assert!(line.ends_with(share), "{line}");
    }
    assert!(text.contains("Host and GPU activity over time"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let narrow = succeeds(directory.path(), &["timeline", "trace.json", "--width", "60"]).stdout;
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    succeeds(directory.path(), &["timeline", "trace.json", "-o", "timeline.txt"]);
    assert_eq!(fs::read_to_string(directory.path().join("timeline.txt")).unwrap(), text);
}

#[test]
fn numbers_follow_the_selection() {
    let directory = traces();
    let of = |arguments: &[&str]| -> Vec<(String, i64, f64)> {
        let arguments = [&["timeline", "ranks", "--json"], arguments].concat();
        let document: Value = serde_json::from_str(&succeeds(directory.path(), &arguments).stdout).unwrap();
        let numbers = document["sections"][0]["numbers"].as_array().unwrap().clone();
        let number = |number: &Value| {
            (
                number["id"].as_str().unwrap().to_owned(),
                number["rank"].as_i64().unwrap(),
                number["value"].as_f64().unwrap(),
            )
        };
        numbers.iter().map(number).filter(|(id, ..)| id.ends_with("_ns")).collect()
    };
    let expected = |rank: i64, values: [f64; 5]| -> Vec<(String, i64, f64)> {
        let ids = ["span_ns", "cpu_active_ns", "gpu_active_ns", "overlap_ns", "idle_ns"];
        ids.iter().zip(values).map(|(id, value)| ((*id).to_owned(), rank, value)).collect()
    };
    // The kernel of 10..40 us overlaps the last launch (9..11) for 1 us.
    assert_eq!(of(&["--rank", "1"]), expected(1, [200e3, 6e3, 90e3, 1e3, 105e3]));
    assert_eq!(of(&["--rank", "0", "--time", "5us..20us"]), expected(0, [15e3, 4e3, 10e3, 1e3, 2e3]));
    assert_eq!(of(&[]).len(), 10);
}

#[test]
fn pictures_are_files_of_their_own() {
    let directory = traces();
    let path = directory.path();
    assert_eq!(succeeds(path, &["timeline", "ranks", "-o", "timeline.html"]).stdout, "");
    let page = fs::read_to_string(path.join("timeline.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for part in ["id=\"eaves-document\"", "id=\"eaves-timeline\"", "<figure class=\"chart\"><svg "] {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
    succeeds(path, &["timeline", "trace.json", "--step", "3", "--width", "500", "-o", "timeline.SVG"]);
    let drawing = fs::read_to_string(path.join("timeline.SVG")).unwrap();
    assert!(drawing.starts_with("<svg ") && drawing.contains("width=\"500\""), "{drawing}");
    assert!(drawing.contains("ncclDevKernel_AllReduce"));
    // The same input, the same bytes.
    succeeds(path, &["timeline", "ranks", "-o", "again.html"]);
    assert_eq!(fs::read_to_string(path.join("again.html")).unwrap(), page);
}

#[test]
fn what_makes_no_sense_is_said_before_the_work() {
    let directory = traces();
    let path = directory.path();
    fails(path, &["timeline", "absent", "--json", "-o", "timeline.html"], "contradicts the file name");
    fails(path, &["timeline", "absent", "-o", "no/where.svg"], "no such directory");
    fails(path, &["timeline", "absent", "-o", "timeline.gif"], "unknown output format");
    fails(path, &["timeline", "trace.json", "--step", "9", "-o", "timeline.html"], "steps are 3");
    fails(path, &["timeline", "trace.json", "--width", "7"], "40..=20000");
}

#[test]
fn a_damaged_input_is_drawn_and_told() {
    let directory = traces();
    fs::write(directory.path().join("cut.json"), &TRACE[..TRACE.len() - 40]).unwrap();
    let arguments = ["timeline", "cut.json", "-o", "cut.html"];
    let lenient = run(directory.path(), &arguments);
    assert_eq!(lenient.code, Some(0), "{lenient:?}");
    assert!(lenient.stderr.contains("warning"), "{lenient:?}");
    let strict = run(directory.path(), &[&arguments[..], &["--strict"]].concat());
    assert_eq!(strict.code, Some(2), "{strict:?}");
}
