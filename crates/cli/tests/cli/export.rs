//! What `eaves export` writes, where, and what it says about it.

use std::fs;
use std::path::Path;

use crate::support::{TRACE, fails, names, run, traces};

/// The analyses of an exported trace, which must be those of the trace itself.
fn report(directory: &Path, input: &str) -> serde_json::Value {
    let answer = run(directory, &["report", input, "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    document["sections"].clone()
}

#[test]
fn an_exported_trace_gives_the_same_report() {
    let directory = traces();
    let original = report(directory.path(), "trace.json");
    for (format, output) in [("chrome", "again.json"), ("perfetto", "again.json.gz")] {
        let answer = run(directory.path(), &["export", "trace.json", "--to", format, "-o", output]);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
        assert_eq!(report(directory.path(), output), original, "{format}");
    }
    let packed = fs::read(directory.path().join("again.json.gz")).unwrap();
    assert_eq!(packed[..2], [0x1f, 0x8b]);
}

#[test]
fn counters_are_added_once_and_change_no_number() {
    let directory = traces();
    let with_copy = TRACE
        .replace(
            r#""cat": "kernel", "name": "relu""#,
            r#""cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)""#,
        )
        .replace(r#""correlation": 2, "device""#, r#""correlation": 2, "bytes": 4096, "device""#);
    fs::write(directory.path().join("copy.json"), with_copy).unwrap();
    let original = report(directory.path(), "copy.json");
    let counters = |file: &str| {
        let text = fs::read_to_string(directory.path().join(file)).unwrap();
        let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut names: Vec<String> = trace["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["ph"] == "C")
            .map(|event| event["name"].as_str().unwrap().to_owned())
            .collect();
        names.dedup();
        (names, text)
    };
    for format in ["chrome", "perfetto"] {
        let export = |input, output| {
            let answer =
                run(directory.path(), &["export", input, "--to", format, "--counters", "-o", output]);
            assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
        };
        export("copy.json", "once.json");
        assert_eq!(report(directory.path(), "once.json"), original, "{format}");
        let (names, once) = counters("once.json");
        let expected = ["Queue length of stream 7", "Queue length of stream 20", "Bandwidth of Memcpy HtoD"];
        assert_eq!(names, expected);
        export("once.json", "twice.json");
        assert_eq!(counters("twice.json").1, once);
    }
    let csv = ["export", "trace.json", "--to", "csv", "--counters", "-o", "tables"];
    fails(directory.path(), &csv, "requires chrome or perfetto");
}

#[test]
fn the_critical_path_is_drawn_beside_everything_else() {
    let directory = traces();
    let original = report(directory.path(), "trace.json");
    for format in ["chrome", "perfetto"] {
        let arguments = ["export", "trace.json", "--to", format, "--critical-path", "-o", "drawn.json"];
        let answer = run(directory.path(), &arguments);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
        assert_eq!(report(directory.path(), "drawn.json"), original, "{format}");
        let text = fs::read_to_string(directory.path().join("drawn.json")).unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let drawn = |phase: &str| -> Vec<serde_json::Value> {
            let events = document["traceEvents"].as_array().unwrap().iter();
            events.filter(|event| event["cat"] == "critical_path" && event["ph"] == phase).cloned().collect()
        };
        // The path fills the step without a hole.
        let mut now = 0.0;
        for slice in drawn("X") {
            assert_eq!((&slice["pid"], slice["ts"].as_f64()), (&"critical path".into(), Some(now)));
            now += slice["dur"].as_f64().unwrap();
        }
        assert_eq!(now, 200.0);
        assert_eq!(drawn("s").len(), drawn("f").len());
        // Drawing it again changes nothing.
        let again = ["export", "drawn.json", "--to", format, "--critical-path", "-o", "again.json"];
        assert_eq!(run(directory.path(), &again).code, Some(0));
        assert_eq!(fs::read_to_string(directory.path().join("again.json")).unwrap(), text);
    }
    let tables = ["export", "absent", "--to", "csv", "--critical-path", "-o", "x"];
    fails(directory.path(), &tables, "requires chrome or perfetto");
}

/// A trace with two ranks' worth of waiting: the path goes from the host to the device and back.
#[test]
fn arrows_follow_the_critical_path_from_slice_to_slice() {
    let directory = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/training/rank0.json.gz");
    let input = example.to_str().unwrap();
    let arguments = ["export", input, "--to", "perfetto", "--critical-path", "-o", "drawn.json"];
    let answer = run(directory.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(report(directory.path(), "drawn.json"), report(directory.path(), input));
    let text = fs::read_to_string(directory.path().join("drawn.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = document["traceEvents"].as_array().unwrap();
    let place = |event: &serde_json::Value| (event["pid"].to_string(), event["tid"].to_string());
    let drawn = |phase: &'static str| {
        events.iter().filter(move |event| event["cat"] == "critical_path" && event["ph"] == phase)
    };
    assert!(drawn("s").count() >= 10);
    for (start, end) in drawn("s").zip(drawn("f")) {
        assert_eq!(start["id"], end["id"]);
        assert_ne!(place(start), place(end));
        for arrow in [start, end] {
            let time = arrow["ts"].as_f64().unwrap();
            let around = |slice: &&serde_json::Value| {
                let begin = slice["ts"].as_f64().unwrap();
                slice["ph"] == "X" && begin <= time && time <= begin + slice["dur"].as_f64().unwrap()
            };
            let slices = events.iter().filter(|slice| slice["ph"] == "X" && place(slice) == place(arrow));
            assert!(slices.filter(around).count() > 0, "{arrow}");
        }
    }
}

#[test]
fn the_summary_lists_the_files() {
    let directory = traces();
    let arguments = ["export", "ranks", "--to", "parquet", "-o", "tables", "--json"];
    let answer = run(directory.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["schema"], "eaves.export/1");
    let section = &document["sections"][0];
    let table = &section["tables"][0];
    assert_eq!((&section["id"], &table["id"]), (&"export".into(), &"files".into()));
    let columns: Vec<_> = table["columns"].as_array().unwrap().iter().map(|column| &column["id"]).collect();
    assert_eq!(columns, ["file", "table", "rank", "rows", "bytes"]);
    for row in table["rows"].as_array().unwrap() {
        let path = directory.path().join(row[0].as_str().unwrap());
        assert_eq!(row[4], fs::metadata(path).unwrap().len());
    }
    assert_eq!(names(&directory.path().join("tables")), ["rank=0", "rank=1"]);
    let again = run(directory.path(), &arguments);
    assert_eq!(again.code, Some(0), "an export may be made again: {again:?}");
}

#[test]
fn several_ranks_make_a_directory_of_traces() {
    let directory = traces();
    let answer = run(directory.path(), &["export", "ranks", "--to", "perfetto", "-o", "view"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(names(&directory.path().join("view")), ["rank-0.json", "rank-1.json"]);
    assert_eq!(report(directory.path(), "view"), report(directory.path(), "ranks"));
    fails(directory.path(), &["export", "ranks", "--to", "chrome", "-o", "one.json"], "need a directory");
    fails(directory.path(), &["export", "ranks", "--to", "chrome", "-o", "-"], "need a directory");
}

#[test]
fn stdout_has_nothing_but_the_data() {
    let directory = traces();
    let arguments = ["export", "trace.json", "--to", "csv", "--table", "gpu", "-o", "-"];
    let answer = run(directory.path(), &arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    assert_eq!(answer.stdout.lines().count(), 4);
    assert!(answer.stdout.starts_with("slice,device,context,stream,correlation,"));
    let trace = run(directory.path(), &["export", "trace.json", "--to", "chrome", "-o", "-"]);
    serde_json::from_str::<serde_json::Value>(&trace.stdout).unwrap();
    assert!(names(directory.path()).iter().all(|name| name != "-"));
}

#[test]
fn one_table_is_one_file_also_of_several_ranks() {
    let directory = traces();
    for output in ["gpu.csv", "ranks/gpu.csv"] {
        let path = output.trim_end_matches("/gpu.csv");
        let answer = run(directory.path(), &["export", "ranks", "--to", "csv", "--table", "gpu", "-o", path]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let text = fs::read_to_string(directory.path().join(output)).unwrap();
        let ranks: Vec<_> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(ranks, ["rank", "0", "0", "0", "1", "1", "1"]);
    }
}

#[test]
fn what_makes_no_sense_is_said_before_the_work() {
    let directory = traces();
    let path = directory.path();
    fails(path, &["export", "trace.json", "--to", "csv", "-o", "-"], "hint: name a directory, or one table");
    fails(
        path,
        &["export", "trace.json", "--to", "csv", "--table", "kernels", "-o", "kernels.csv"],
        "hint: `eaves kernels --csv`",
    );
    fails(path, &["export", "absent", "--to", "csv", "-o", "trace.json"], "all tables need a directory");
    fails(
        path,
        &["export", "absent", "--to", "csv", "--table", "slice", "-o", "x"],
        "did you mean `slices`?",
    );
    fails(
        path,
        &["export", "absent", "--to", "chrome", "--table", "slices", "-o", "x"],
        "requires csv or parquet",
    );
    fails(path, &["export", "absent", "--to", "chrome", "-o", "no/where.json"], "no such directory: no");
    fails(path, &["export", "absent", "--to", "chrome", "-o", "-", "--json"], "stdout cannot carry");
    fails(
        path,
        &["export", "trace.json", "--to", "csv", "-o", "ranks"],
        "contains something other than an export",
    );
    fails(
        path,
        &["export", "ranks", "--to", "chrome", "-o", "ranks"],
        "contains something other than an export",
    );
    fails(path, &["export", "trace.json", "--to", "chrom", "-o", "x"], "chrome");
}

#[test]
fn one_parquet_file_has_the_kernels() {
    let directory = traces();
    let arguments = ["export", "trace.json", "--to", "parquet", "-o", "rocprof_kernels.parquet", "--json"];
    let answer = run(directory.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("\"kernels\""), "{}", answer.stdout);
    let named = ["export", "trace.json", "--to", "parquet", "--table", "kernels", "-o", "named.parquet"];
    assert_eq!(run(directory.path(), &named).code, Some(0));
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert_eq!(read("rocprof_kernels.parquet"), read("named.parquet"));
}

#[test]
fn strict_fails_after_writing_what_could_be_read() {
    let directory = traces();
    fs::write(directory.path().join("cut.json"), &TRACE[..TRACE.len() - 40]).unwrap();
    for output in ["cut-again.json", "-"] {
        let arguments = ["export", "cut.json", "--to", "chrome", "-o", output];
        let lenient = run(directory.path(), &arguments);
        assert_eq!(lenient.code, Some(0), "{lenient:?}");
        let strict = run(directory.path(), &[&arguments[..], &["--strict"]].concat());
        assert_eq!(strict.code, Some(2), "{strict:?}");
        assert_eq!(strict.stdout, lenient.stdout);
    }
}
