//! Everything is compared with SQLite itself.

mod damaged;
mod random;
mod twin;

use std::path::Path;

use super::{Database, Error, Value};
use eaves_model::{Diagnostics, WarningKind};
use rusqlite::Connection;
use twin::{assert_equal, assert_same, bytes_of};

/// A database in memory that some statements made.
fn made(statements: &str) -> (Connection, Vec<u8>) {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection.execute_batch(statements).unwrap();
    let bytes = bytes_of(&mut connection);
    (connection, bytes)
}

#[test]
fn names_and_types_are_those_of_the_statement() {
    let (connection, bytes) = made(
        r#"
        CREATE TABLE "odd ""name""" (
            [a b] INTEGER PRIMARY KEY, -- the rowid, and a comment, with commas
            `c` VARCHAR(10, 2) NOT NULL DEFAULT 'it''s', /* a, b */
            "d,e" REAL CHECK (1 IN (1, 2)),
            f, g DOUBLE PRECISION DEFAULT (1.5), h INTEGER REFERENCES t(x) ON DELETE SET NULL,
            CONSTRAINT u UNIQUE (f, g), FOREIGN KEY (h) REFERENCES t(x)
        );
        INSERT INTO "odd ""name""" VALUES (7, 'x', 3, NULL, -4, 9), (-5, '', 2.5, x'00ff', 1e300, NULL);
        CREATE TABLE key_of_table (a TEXT, b INTEGER, PRIMARY KEY (b DESC));
        INSERT INTO key_of_table VALUES ('a', 10), ('b', -9223372036854775808);
        CREATE TABLE no_alias (a INTEGER PRIMARY KEY DESC, b INT);
        INSERT INTO no_alias VALUES (10, 20);
        CREATE TABLE generated (a INT, b INT AS (a * 2) VIRTUAL, c INT AS (a * 3) STORED, d INT);
        INSERT INTO generated VALUES (1, 2);
        CREATE TABLE made_of AS SELECT 1 AS x, 'y' AS "z w";
        CREATE TABLE no_rows (a);
        CREATE VIEW seen AS SELECT 1;
        CREATE INDEX by_f ON "odd ""name""" (f);
        "#,
    );
    assert_same(&connection, &bytes);
    let mut diagnostics = Diagnostics::default();
    let source = bytes.as_slice();
    let database = Database::open(&source, std::io::empty(), &mut diagnostics).unwrap();
    let columns: Vec<&str> = database.table("ODD \"NAME\"").unwrap().columns().collect();
    assert_eq!(columns, ["a b", "c", "d,e", "f", "g", "h"]);
    assert_eq!(database.table("generated").unwrap().columns().collect::<Vec<_>>(), ["a", "c", "d"]);
    assert!(database.table("seen").is_none());
    assert!(database.table("no_rows").unwrap().has("A"));
}

#[test]
fn columns_that_were_added_have_their_defaults_in_older_rows() {
    let (connection, bytes) = made(
        "CREATE TABLE t (a INTEGER);
         INSERT INTO t VALUES (1), (2);
         ALTER TABLE t ADD COLUMN b TEXT DEFAULT 5;
         ALTER TABLE t ADD COLUMN c REAL DEFAULT -1;
         ALTER TABLE t ADD COLUMN d INTEGER DEFAULT '12';
         ALTER TABLE t ADD COLUMN e BLOB DEFAULT x'0aFF';
         ALTER TABLE t ADD COLUMN f;
         ALTER TABLE t ADD COLUMN g TEXT NOT NULL DEFAULT 'it''s';
         ALTER TABLE t ADD COLUMN h INT DEFAULT 0x10;
         ALTER TABLE t ADD COLUMN i INT DEFAULT TRUE;
         ALTER TABLE t ADD COLUMN j NUMERIC DEFAULT 2.0;
         ALTER TABLE t ADD COLUMN k INT DEFAULT 'words';
         ALTER TABLE t ADD COLUMN l DEFAULT -9223372036854775808;
         ALTER TABLE t ADD COLUMN m DEFAULT .5;
         ALTER TABLE t ADD COLUMN n DEFAULT -1e-3;
         ALTER TABLE t ADD COLUMN o DEFAULT (+12) CHECK (o < 20);
         ALTER TABLE t ADD COLUMN p TEXT COLLATE NOCASE DEFAULT \"in quotes\" REFERENCES u(x);
         INSERT INTO t (a) VALUES (3);
         INSERT INTO t VALUES (4, 'x', 1.5, 6, x'00', 'f', 'g', 8, 0, 1.25, 3, 1, 2, 3, 4, 5);",
    );
    assert_same(&connection, &bytes);
}

#[test]
fn integers_of_every_length_and_sign() {
    let (mut connection, _) = made("CREATE TABLE t (a INTEGER, b REAL, c)");
    for shift in 0..64 {
        for value in [1i64 << shift, (1i64 << shift).wrapping_neg(), (1i64 << shift).wrapping_sub(1)] {
            connection.execute("INSERT INTO t VALUES (?1, ?1, ?2)", (value, value as f64 / 3.0)).unwrap();
        }
    }
    let bytes = bytes_of(&mut connection);
    assert_same(&connection, &bytes);
}

#[test]
fn tables_without_rowid_are_refused_by_name() {
    let (_, bytes) = made("CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES ('x')");
    let mut diagnostics = Diagnostics::default();
    let source = bytes.as_slice();
    let database = Database::open(&source, std::io::empty(), &mut diagnostics).unwrap();
    let refused = database.table("t").unwrap().scan(&["a"], &mut diagnostics, |_| {});
    assert!(matches!(refused, Err(Error::WithoutRowid(name)) if name == "t"));
}

#[test]
fn a_column_that_is_not_there_is_null() {
    let (_, bytes) = made("CREATE TABLE t (a INTEGER, b INTEGER); INSERT INTO t VALUES (1, 2)");
    let mut diagnostics = Diagnostics::default();
    let source = bytes.as_slice();
    let database = Database::open(&source, std::io::empty(), &mut diagnostics).unwrap();
    let mut rows = Vec::new();
    let table = database.table("t").unwrap();
    table
        .scan(&["absent", "b"], &mut diagnostics, |row| {
            rows.push((row.integer(0), row.integer(1), row.value(0) == Value::Null, row.rowid()));
        })
        .unwrap();
    assert_eq!(rows, [(None, Some(2), true, 1)]);
    assert_eq!(table.name(), "t");
}

#[test]
fn a_stream_is_read_as_a_file_is() {
    let (connection, bytes) = made("CREATE TABLE t (a); INSERT INTO t VALUES (1), ('two')");
    /// What a packed file is: to be read once, from its beginning.
    struct Stream;
    impl crate::source::Source for Stream {
        fn open(&self, _: u64) -> std::io::Result<Box<dyn std::io::Read + Send + '_>> {
            Ok(Box::new(std::io::empty()))
        }
        fn size(&self) -> Option<u64> {
            None
        }
    }
    let mut diagnostics = Diagnostics::default();
    let database = Database::open(&Stream, bytes.as_slice(), &mut diagnostics).unwrap();
    assert_equal(&connection, &database);
    assert_eq!(database.size(), bytes.len() as u64);
}

/// A log with two commits and one change that was not committed, next to the file it belongs to.
#[test]
fn what_is_committed_to_the_log_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 1;
             CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'in the file');
             PRAGMA wal_checkpoint(TRUNCATE);
             INSERT INTO t VALUES (2, 'in the log');
             CREATE TABLE u (c); INSERT INTO u SELECT zeroblob(3000) FROM t, t AS v, t AS w;
             UPDATE t SET b = 'changed' WHERE a = 1;",
        )
        .unwrap();
    let opened = open_file(&path);
    let mut diagnostics = Diagnostics::default();
    let database = Database::open(&*opened, std::io::empty(), &mut diagnostics).unwrap();
    assert_equal(&writer, &database);
    // A transaction that spills into the log, and is rolled back by not being committed.
    writer.execute_batch("BEGIN; INSERT INTO u SELECT randomblob(3000) FROM u, t").unwrap();
    let reader = Connection::open(&path).unwrap();
    let database = Database::open(&*opened, std::io::empty(), &mut diagnostics).unwrap();
    assert_equal(&reader, &database);
    assert_eq!(diagnostics, Diagnostics::default());
}

fn open_file(path: &Path) -> Box<dyn crate::source::Source + Send> {
    let opened = crate::containers::open_file(path, &Default::default(), Default::default()).unwrap();
    opened.into_iter().next().unwrap().source
}

#[test]
fn every_sample_reads_as_sqlite_reads_it() {
    let samples = [
        "amd/rocprof_v1/HIP_Programming/results.db",
        "amd/rocprofv3/rocpd_db/28_results.envcleared.db",
        "nvidia/nsys/perlmutter-cloverleaf-cuda.sqlite",
        "nvidia/nsys/power_iteration__baseline.sqlite",
        "nvidia/nsys/saxpy-mpi-cuda_nsys_perlmutter0.sqlite",
    ];
    for sample in samples {
        let Some(path) = eaves_testing::data(&format!("formats/{sample}")) else { return };
        let bytes = std::fs::read(&path).unwrap();
        let mut connection = Connection::open_in_memory().unwrap();
        connection.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), true).unwrap();
        let opened = open_file(&path);
        let mut diagnostics = Diagnostics::default();
        let database = Database::open(&*opened, std::io::empty(), &mut diagnostics).unwrap();
        let rows = assert_equal(&connection, &database);
        eprintln!("{sample}: {} tables, {rows} rows", database.tables().count());
        assert!(rows > 0);
        assert_eq!(diagnostics.count(WarningKind::DamagedPage), 0);
    }
}
