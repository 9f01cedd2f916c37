//! `eaves bench`: kernels that run. Nothing here depends on how fast: a machine that is too busy gives no numbers, and the
//! documents are the same.

use std::path::Path;

use serde_json::Value;

use crate::support::run;

const SHORT: [&str; 4] = ["--seconds", "0.05", "--threads", "1"];

fn bench(directory: &Path, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = [&["bench"], arguments, &SHORT, &["--json"]].concat();
    let answer = run(directory, &arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

fn table<'a>(document: &'a Value, id: &str) -> Option<&'a Value> {
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    tables.iter().find(|table| table["id"] == id)
}

/// The cells of a column of a table.
fn column(table: &Value, id: &str) -> Vec<Value> {
    let columns = table["columns"].as_array().unwrap();
    let index = columns.iter().position(|column| column["id"] == id).unwrap_or_else(|| panic!("{id}"));
    table["rows"].as_array().unwrap().iter().map(|row| row[index].clone()).collect()
}

#[test]
fn every_kernel_is_verified_and_every_sample_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let document =
        bench(directory.path(), &["gemv", "--n", "96", "--k", "160", "--precision", "fp32,mxfp4/int8"]);
    let results = table(&document, "results").unwrap();
    assert_eq!(column(results, "name"), ["gemv 1x96x160", "gemv 1x96x160"]);
    assert_eq!(column(results, "execution"), ["executed", "executed"]);
    // 2 n k operations.
    assert_eq!(column(results, "flops"), [30720.0, 30720.0]);
    for (error, tolerance) in
        column(results, "verification_error").iter().zip(column(results, "verification_tolerance"))
    {
        assert!(error.as_f64().unwrap() <= tolerance.as_f64().unwrap());
    }
    let samples = table(&document, "samples").unwrap();
    let total: i64 = column(results, "samples").iter().filter_map(Value::as_i64).sum();
    assert_eq!(column(samples, "row").len() as i64, total);
    let clean: i64 = column(results, "clean").iter().filter_map(Value::as_i64).sum();
    assert_eq!(column(samples, "contamination").iter().filter(|cell| cell.is_null()).count() as i64, clean);
    assert!(
        document["sections"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["severity"] != "critical")
    );
}

/// The roofline of what was measured has the same work and times, whichever way it is made.
#[test]
fn a_roofline_reads_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let document = bench(directory.path(), &["gemv", "--n", "64", "--k", "64", "--device", "h100-sxm"]);
    std::fs::write(directory.path().join("bench.json"), document.to_string()).unwrap();
    let answer = run(directory.path(), &["roofline", "bench.json", "--device", "h100-sxm", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let roofline: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(roofline["inputs"][0]["format"], "benchmark");
    let points = table(&roofline, "points").unwrap();
    let results = table(&document, "results").unwrap();
    for id in ["flops", "bytes"] {
        assert_eq!(column(points, id), column(results, id), "{id}");
    }
    let time = |table| column(table, "time_ns").first().and_then(Value::as_f64);
    let (read, measured) = (time(points), time(results));
    assert_eq!(read.is_some(), measured.is_some());
    if let (Some(read), Some(measured)) = (read, measured) {
        assert!((read - measured).abs() <= 1.0, "{read} {measured}");
    }
}

#[test]
fn batches_are_a_sweep() {
    let directory = tempfile::tempdir().unwrap();
    let document = bench(
        directory.path(),
        &["gemm", "--n", "64", "--k", "64", "--batch", "2,8", "--precision", "fp32,fp64"],
    );
    let results = table(&document, "results").unwrap();
    let names = column(results, "name");
    assert_eq!(names, ["gemm 2x64x64", "gemm 2x64x64", "gemm 8x64x64", "gemm 8x64x64"]);
    // A sweep has a row for each that has a number.
    let known = column(results, "time_ns").iter().filter(|cell| !cell.is_null()).count();
    let swept = table(&document, "sweep").map_or(0, |table| table["rows"].as_array().unwrap().len());
    assert!(swept == known || swept == 0, "{swept} {known}");
    if known == 4 {
        let answer = run(
            directory.path(),
            &[&["bench", "gemm", "--n", "64", "--k", "64", "--batch", "2,8", "-o", "sweep.svg"][..], &SHORT]
                .concat(),
        );
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let drawing = std::fs::read_to_string(directory.path().join("sweep.svg")).unwrap();
        assert!(drawing.starts_with("<svg"));
    }
}

#[test]
fn what_cannot_be_run_is_an_error_with_a_hint() {
    let directory = tempfile::tempdir().unwrap();
    // A machine with a GPU would run kernels, but compiles for no architecture that does not exist.
    let no_cuda = if cfg!(feature = "cuda") { "`sm_1` is no architecture" } else { "without CUDA" };
    for (arguments, part) in [
        (&["gemv", "--precision", "int9"][..], "int9"),
        (&["attention", "--heads", "6", "--kv-heads", "4"], "6 query heads cannot share 4"),
        (&["attention", "--queries", "9", "--context", "8"], "exceed the context of 8"),
        (&["gemv", "--device", "h1000"], "h1000"),
        (&["gemv", "--json", "-o", "a.png"], "--json contradicts the file name"),
        (&["--backend", "cuda", "--compile-for", "sm_1", "--preset", "decode"], no_cuda),
        (&["--precision", "fp32", "gemv"], "after the kernel"),
        (&["--json"], "nothing to run"),
    ] {
        let arguments: Vec<&str> = [&["bench"], arguments].concat();
        let answer = run(directory.path(), &arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(part), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains("hint:"), "{arguments:?}: {}", answer.stderr);
    }
}

#[test]
fn streams_and_multiply_adds_run() {
    let directory = tempfile::tempdir().unwrap();
    let streams =
        bench(directory.path(), &["stream", "--bytes", "16k", "--state", "hot", "--kind", "read-4,triad-nt"]);
    assert_eq!(column(table(&streams, "results").unwrap(), "name"), ["read-4 16.0 KiB", "triad-nt 16.0 KiB"]);
    let peaks = bench(directory.path(), &["fma", "--types", "fp32"]);
    assert_eq!(column(table(&peaks, "results").unwrap(), "kind"), ["fma"]);
}
