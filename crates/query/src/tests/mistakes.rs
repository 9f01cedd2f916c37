//! What is wrong with a question is said so that it can be put right.

use super::mistake;
use crate::{Error, Place};

fn said(sql: &str) -> (String, Option<Place>, String) {
    match mistake(sql) {
        Error::Sql { message, place, hint } => (message, place, hint),
        other => panic!("{other}"),
    }
}

#[test]
fn a_column_that_is_not_there_is_named_with_its_place_and_those_that_are() {
    let (message, place, hint) = said("SELECT name,\n  durration_ns\nFROM kernels");
    assert_eq!(message, "no column `durration_ns` in `kernels`");
    assert_eq!(place, Some(Place { line: 2, column: 3 }));
    assert!(hint.starts_with("did you mean `duration_ns`? available: run, rank, slice, name"), "{hint}");
}

#[test]
fn a_table_and_a_function_that_are_not_there_are_named() {
    let (message, _, hint) = said("SELECT * FROM kernal");
    assert_eq!(message, "no table `kernal`");
    assert!(hint.starts_with("did you mean `kernels`?"), "{hint}");
    let (message, _, hint) = said("SELECT interval_onion(start_ns, end_ns) FROM slices");
    assert_eq!(
        (message.as_str(), hint.as_str()),
        ("no function `interval_onion`", "did you mean `interval_union`?")
    );
}

#[test]
fn what_is_no_sql_has_a_place() {
    let (message, place, _) = said("SELECT name FORM kernels");
    assert!(place.is_some(), "{message}");
    let (_, place, _) = said("SELECT 'name FROM kernels");
    assert_eq!(place.map(|place| place.line), Some(1));
    said("");
    said("SELECT 1; SELECT 2");
}

#[test]
fn nothing_can_be_changed_and_no_file_be_read() {
    for sql in [
        "DROP TABLE kernels",
        "CREATE TABLE a AS SELECT 1",
        "CREATE VIEW a AS SELECT 1",
        "CREATE EXTERNAL TABLE a STORED AS CSV LOCATION '/etc/passwd'",
        "INSERT INTO steps VALUES ('a', 1, 1, 1, 1, 1)",
        "COPY kernels TO 'kernels.csv'",
        "EXPLAIN ANALYZE COPY kernels TO 'kernels.csv'",
        "SET datafusion.execution.batch_size = 1",
        "DELETE FROM kernels",
    ] {
        let error = mistake(sql);
        let refused = matches!(error, Error::NotAQuestion { .. } | Error::Sql { .. });
        assert!(refused, "{sql}: {error}");
    }
    assert_eq!(mistake("DROP TABLE kernels"), Error::NotAQuestion { what: "`DropTable`".to_owned() });
    for sql in [
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM \"/etc/passwd\"",
    ] {
        assert!(matches!(mistake(sql), Error::Sql { .. }), "{sql}");
    }
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let (message, ..) = said("SELECT roofline_class(1.0, 1.0, 'h1000', 'fp16_matrix')");
    assert!(message.contains("unknown device `h1000`"), "{message}");
    let (message, ..) = said("SELECT roofline_class(1.0, 1.0, 'h100-sxm', 'fp3')");
    assert!(message.contains("no peak `fp3`"), "{message}");
}
