//! Ranks of datasets are read when they are needed, and only those that are.

use std::fs;
use std::path::Path;

use eaves_model::SliceKind;
use eaves_store::Dataset;
use serde_json::json;

use super::{ask, recording};
use crate::{Error, Limits, Ranks, query};

/// Two runs of three ranks each.
fn dataset(folder: &Path) -> Ranks {
    let dataset = Dataset::create(folder.to_str().unwrap()).unwrap();
    for run in ["a", "b"] {
        for rank in 0..3 {
            let recording = recording(rank, &[(SliceKind::Op, "x", rank, 10), (SliceKind::Op, run, 20, 21)]);
            dataset.stage(run, &recording, None).unwrap().complete(rank).unwrap();
        }
    }
    Ranks::of_dataset(&Dataset::find(folder.to_str().unwrap()).unwrap().unwrap()).unwrap()
}

#[test]
fn all_runs_of_a_dataset_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = dataset(folder.path());
    assert_eq!(ask("SELECT * FROM runs ORDER BY run", &ranks), json!([["a", 3], ["b", 3]]));
    let sql = "SELECT run, rank, sum(duration_ns) FROM slices WHERE name = 'x' AND rank > 0 GROUP BY 1, 2 ORDER BY 1, 2";
    assert_eq!(ask(sql, &ranks), json!([["a", 1, 9], ["a", 2, 8], ["b", 1, 9], ["b", 2, 8]]));
    let sql = "SELECT count(*) FROM slices x JOIN slices y USING (run, rank, slice)";
    assert_eq!(ask(sql, &ranks), json!([[12]]));
}

#[test]
fn ranks_that_a_filter_leaves_out_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = dataset(folder.path());
    let damaged = folder.path().join("run=a/rank=1/slices.parquet");
    fs::write(&damaged, "damaged").unwrap();
    let error = query("SELECT count(*) FROM slices", &ranks, &Limits::default()).unwrap_err();
    assert!(matches!(&error, Error::Read { run, rank: 1, .. } if run == "a"), "{error}");
    for (filter, rows) in [
        ("rank <> 1", 8),
        ("run = 'b'", 6),
        ("rank IN (0, 2) AND run LIKE 'a%'", 4),
        ("slices.rank % 2 = 0 AND name = 'x'", 4),
        ("rank = 99", 0),
        ("NOT (run = 'a' AND rank = 1)", 10),
    ] {
        let answer = ask(&format!("SELECT count(*) FROM slices WHERE {filter}"), &ranks);
        assert_eq!(answer, json!([[rows]]), "{filter}");
    }
}

#[test]
fn several_threads_read_and_the_order_stays() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = dataset(folder.path());
    let sql = "SELECT run, rank, slice FROM slices";
    let one = query(sql, &ranks, &Limits::default()).unwrap().json();
    let several = query(sql, &ranks, &Limits { threads: 4, ..Limits::default() }).unwrap().json();
    assert_eq!(one, several);
    assert_eq!(one["rows"][11], json!(["b", 2, 1]));
}
