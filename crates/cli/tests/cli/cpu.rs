//! Recordings of a CPU: what the overview shows, and what they are compared with.

use std::fs;

use super::support::{eaves, run};

/// Three steps of 10 ms, of which loading takes 6 and a product of matrices 3.
fn trace() -> String {
    let mut events = Vec::new();
    let mut event = |category: &str, name: &str, start: u32, length: u32, arguments: &str| {
        events.push(format!(
            r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": 1, "ts": {start}, "dur": {length}, "args": {{{arguments}}}}}"#
        ));
    };
    let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    let shapes = r#""Input Dims": [[512, 512], [512, 512]], "Input type": ["float", "float"], "Concrete Inputs": ["", ""], "Input Strides": [[512, 1], [512, 1]]"#;
    for step in 0..3 {
        let start = step * 10_000;
        event("user_annotation", &format!("ProfilerStep#{step}"), start, 10_000, "");
        event("user_annotation", loader, start, 6_000, "");
        event("cpu_op", "aten::mm", start + 6_500, 3_000, shapes);
    }
    format!(r#"{{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{}]}}"#, events.join(",\n"))
}

/// One core of 100 GFLOP/s.
const DEVICE: &str = "
name: Made up
source: made up
confidence: low
compute_peaks_GFLOPs: {fp32: 100}
memory:
  - {id: hbm, name: DRAM, bw_GBps: 10}
";

#[test]
fn the_overview_of_a_cpu_has_its_sections_and_findings() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("trace.json"), trace()).unwrap();
    let answer = run(directory.path(), &["report", "trace.json", "--full"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    for part in ["CPU time breakdown", "Operators", "Data loading", "CPU threads", "aten::mm"] {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
    assert!(
        answer.stdout.contains(" 1. the main thread spends 60.0% (18.00 ms) of its time waiting"),
        "{}",
        answer.stdout
    );
    assert!(!answer.stdout.contains("No findings"), "{}", answer.stdout);
    assert!(answer.stdout.lines().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
}

#[test]
fn a_cpu_is_held_against_a_device_or_says_how_to_measure_this_machine() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("trace.json"), trace()).unwrap();
    let answer = run(directory.path(), &["roofline", "trace.json"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("`eaves device measure`"), "{}", answer.stderr);
    fs::write(directory.path().join("device.yaml"), DEVICE).unwrap();
    let answer = run(directory.path(), &["roofline", "trace.json", "--device", "device.yaml", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let numbers = document["sections"][0]["numbers"].as_array().unwrap();
    let number = |id: &str| numbers.iter().find(|number| number["id"] == id).unwrap()["value"].clone();
    assert_eq!(number("busy_ns"), 9_000_000);
    assert_eq!(number("assessed_pct"), 100.0);
    // 2 * 512^3 operations at 100 GFLOP/s are 2.684 ms of the 3 that each of three calls took.
    let headroom = number("headroom_ns").as_i64().unwrap();
    assert!((headroom - 3 * (3_000_000 - 2_684_355)).abs() <= 3, "{headroom}");
}

/// A measurement is of this machine only if the processor is the same, so the test takes the name from the tool.
#[test]
fn what_was_measured_here_is_used_and_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("trace.json"), trace()).unwrap();
    let detected = run(directory.path(), &["device", "detect", "--json"]);
    let Ok(host) = fs::read_to_string("/proc/sys/kernel/hostname") else {
        return eaves_testing::skip("no /proc/sys/kernel/hostname");
    };
    let document: serde_json::Value = serde_json::from_str(&detected.stdout).unwrap();
    let table = &document["sections"][0]["tables"][0];
    let columns = table["columns"].as_array().unwrap();
    let place = |id: &str| columns.iter().position(|column| column["id"] == id).unwrap();
    let (kind, reported) = (place("kind"), place("reported"));
    let row = table["rows"].as_array().unwrap().iter().find(|row| row[kind] == "cpu").unwrap();
    let name = row[reported].as_str().unwrap();
    let cache = directory.path().join("cache");
    fs::create_dir(&cache).unwrap();
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    let file = format!("machine-{}.yaml", host.trim().chars().map(letter).collect::<String>());
    let of = |name: &str| DEVICE.replace("Made up\nsource", &format!("{name} (measured)\nsource"));
    let ask = || {
        let mut command = eaves(directory.path(), ["roofline", "trace.json"]);
        command.env("EAVES_CACHE_DIR", &cache).output().unwrap()
    };
    fs::write(cache.join(&file), of(name)).unwrap();
    let output = ask();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let said =
        format!("compared with this machine ({name} (measured)), because the recording names no device");
    assert!(stderr.contains(&said), "{stderr}");
    // Another processor under the name of this machine.
    fs::write(cache.join(&file), of("Another processor")).unwrap();
    assert_eq!(ask().status.code(), Some(2));
}
