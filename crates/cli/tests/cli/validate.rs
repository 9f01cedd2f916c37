//! `eaves validate`: the documents, conditions and baselines; how near predictions are is no matter of tests.

use std::path::Path;

use serde_json::Value;

use crate::support::{Answer, run};

/// Roofs by hand, so that nothing has to be measured first, and so high that no machine breaks them.
const ROOFS: &str = "devices:
  - id: all
    name: By hand
    scope: all cores
    compute_peaks_GFLOPs: {fp32: 20000}
    memory:
      - {id: hbm, name: DRAM, bw_GBps: 4000}
  - id: one
    name: By hand
    scope: one core
    compute_peaks_GFLOPs: {fp32: 10000}
    memory:
      - {id: hbm, name: DRAM, bw_GBps: 2000}
      - {id: l2, name: L2, bw_GBps: 9000, size_MiB: 0.5}
    rates:
      - {id: dequantise mxfp4/int8, G_per_s: 30}
";

fn validate(directory: &Path, arguments: &[&str]) -> Answer {
    std::fs::write(directory.join("roofs.yaml"), ROOFS).unwrap();
    let usual =
        ["validate", "--suite", "none", "--device", "roofs.yaml", "--threads", "1", "--seconds", "0.3"];
    run(directory, &[&usual, arguments].concat())
}

fn section(answer: &Answer) -> Value {
    let document: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    document["sections"][0].clone()
}

fn column(section: &Value, table: &str, id: &str) -> Vec<Value> {
    let tables = section["tables"].as_array().unwrap();
    let table = tables.iter().find(|one| one["id"] == table).unwrap_or_else(|| panic!("{table}"));
    let index = table["columns"].as_array().unwrap().iter().position(|column| column["id"] == id).unwrap();
    table["rows"].as_array().unwrap().iter().map(|row| row[index].clone()).collect()
}

/// 512 x 512 weights of 4 bytes with a vector and an output are 1 052 672 bytes, 526.3 ns at 2 TB/s; 524 288 operations are
/// 52.4 ns at 10 TFLOP/s.
#[test]
fn predictions_are_those_of_the_roofs_of_one_core() {
    let directory = tempfile::tempdir().unwrap();
    let answer = validate(directory.path(), &["--shape", "1x512x512", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let section = section(&answer);
    assert_eq!(column(&section, "rows", "class"), ["gemv"]);
    let least = column(&section, "rows", "least_ns")[0].as_f64().unwrap();
    let most = column(&section, "rows", "most_ns")[0].as_f64().unwrap();
    assert!((least - 526.336).abs() < 1.0, "{least}");
    assert!((most - least - 52.4288).abs() < 0.01, "{most} {least}");
    assert_eq!(column(&section, "rows", "bound_by"), ["DRAM"]);
    let names = column(&section, "calibration", "name");
    assert!(names.contains(&Value::from("dequantise mxfp4/int8")), "{names:?}");
}

#[test]
fn a_baseline_of_another_time_is_compared_with() {
    let directory = tempfile::tempdir().unwrap();
    let saved = validate(directory.path(), &["--shape", "1x512x512", "--json"]);
    let mut document: Value = serde_json::from_str(&saved.stdout).unwrap();
    let rows = document["sections"][0]["tables"].as_array_mut().unwrap();
    let rows = rows.iter_mut().find(|table| table["id"] == "rows").unwrap();
    let columns: Vec<String> = rows["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["id"].as_str().unwrap().to_owned())
        .collect();
    // As if it had taken a nanosecond.
    for (index, id) in columns.iter().enumerate() {
        if ["time_ns", "median_ns", "low_ns", "high_ns"].contains(&id.as_str()) {
            rows["rows"][0][index] = Value::from(1.0);
        }
    }
    std::fs::write(directory.path().join("before.json"), document.to_string()).unwrap();
    let answer = validate(directory.path(), &["--shape", "1x512x512", "--baseline", "before.json", "--json"]);
    let section = section(&answer);
    if column(&section, "rows", "time_ns")[0].is_null() {
        return eaves_testing::skip("this machine is too busy for a clean sample");
    }
    assert_eq!(column(&section, "baseline", "verdict"), ["regressed"]);
    assert_eq!(answer.code, Some(1), "{}", answer.stderr);
    assert!(answer.stderr.contains("slower than in the baseline"), "{}", answer.stderr);
}

#[test]
fn conditions_name_what_there_is() {
    let directory = tempfile::tempdir().unwrap();
    let answer = validate(directory.path(), &["--shape", "1x512x512", "--fail-on", "eror>25%"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("hint:"), "{}", answer.stderr);
    for (arguments, part) in [
        (&["--shape", "1x2"][..], ""),
        (&["--shape", "4096"], "a shape such as"),
        (&["--fail-on", "error"], "neither `>`"),
        (&["--baseline", "roofs.yaml"], "not an `eaves validate` result"),
    ] {
        let answer = validate(directory.path(), arguments);
        if !part.is_empty() {
            assert_eq!(answer.code, Some(2), "{arguments:?}");
            assert!(answer.stderr.contains(part), "{arguments:?}: {}", answer.stderr);
        }
    }
}
