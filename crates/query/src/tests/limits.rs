//! No question takes more than it may.

use std::time::Duration;

use eaves_model::SliceKind;

use super::{ranks, recording};
use crate::{Error, Limits, Ranks, query};

fn many() -> Ranks {
    let slices: Vec<(SliceKind, &str, i64, i64)> =
        (0..20_000).map(|start| (SliceKind::Op, "a", start, start + 1)).collect();
    ranks(vec![recording(0, &slices)])
}

#[test]
fn rows_are_cut_and_said_to_be() {
    let limits = Limits { rows: Some(3), ..Limits::default() };
    let answer = query("SELECT slice FROM slices", &many(), &limits).unwrap();
    assert_eq!((answer.rows(), answer.truncated), (3, true));
    let answer = query("SELECT slice FROM slices LIMIT 3", &many(), &limits).unwrap();
    assert_eq!((answer.rows(), answer.truncated), (3, false));
    let answer = query("SELECT slice FROM slices LIMIT 0", &many(), &limits).unwrap();
    assert_eq!((answer.rows(), answer.columns()[0].name), (0, "slice"));
}

#[test]
fn an_answer_that_takes_too_long_is_given_up() {
    // No machine joins 400 million rows in a millisecond.
    let limit = Duration::from_millis(1);
    let limits = Limits { time: Some(limit), ..Limits::default() };
    let sql = "SELECT count(*) FROM slices a, slices b WHERE length(repeat(a.name, 90)) + b.slice < 0";
    assert_eq!(query(sql, &many(), &limits).unwrap_err(), Error::TooLong { limit });
}

#[test]
fn an_answer_that_takes_too_much_memory_is_given_up() {
    let limits = Limits { memory: Some(64 << 10), ..Limits::default() };
    let sql = "SELECT slice, count(*) FROM slices GROUP BY slice ORDER BY 2, 1";
    let error = query(sql, &many(), &limits).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

#[test]
fn a_question_that_is_too_long_or_too_deep_is_refused() {
    let error = query(&"x".repeat(100_000), &many(), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("100000 letters"), "{error}");
    let deep = format!("SELECT {}1{}", "(".repeat(900), ")".repeat(900));
    let error = query(&deep, &many(), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("nested too deeply"), "{error}");
    // A chain is a tree as deep as it is long.
    let chain = |length| format!("SELECT slice{} AS sum FROM slices LIMIT 1", " + slice".repeat(length));
    let answer = query(&chain(900), &many(), &Limits::default()).unwrap();
    assert_eq!(answer.json()["rows"], serde_json::json!([[0]]));
    let error = query(&chain(3000), &many(), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("words and signs"), "{error}");
}
