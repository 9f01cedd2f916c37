//! Random databases of every page size, encoding and history.

use proptest::collection::vec;
use proptest::prelude::*;
use rusqlite::{Connection, params};

use super::twin::{assert_same, bytes_of};

#[derive(Clone, Debug)]
struct Content {
    page_size: u32,
    reserved: bool,
    encoding: &'static str,
    vacuum: &'static str,
    /// Length of a text, a number, and whether the row is deleted again.
    rows: Vec<(usize, i64, bool)>,
    /// The row before which a column is added.
    added_at: usize,
}

fn content() -> impl Strategy<Value = Content> {
    let lengths = prop_oneof![8 => 0usize..60, 2 => 200usize..3_000, 1 => 3_000usize..150_000];
    let numbers = prop_oneof![any::<i64>(), -3i64..300, Just(0), Just(1)];
    (
        prop::sample::select(vec![512u32, 1_024, 4_096, 8_192, 65_536]),
        any::<bool>(),
        prop::sample::select(vec!["UTF-8", "UTF-16le", "UTF-16be"]),
        prop::sample::select(vec!["NONE", "FULL", "INCREMENTAL"]),
        vec((lengths, numbers, any::<bool>()), 0..120),
        0usize..120,
    )
        .prop_map(|(page_size, reserved, encoding, vacuum, rows, added_at)| Content {
            page_size,
            reserved,
            encoding,
            vacuum,
            rows,
            added_at,
        })
}

fn fill(content: &Content) -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = {}; PRAGMA encoding = '{}'; PRAGMA auto_vacuum = {};",
            content.page_size, content.encoding, content.vacuum
        ))
        .unwrap();
    if content.reserved {
        connection = reserving(connection, 32, content.page_size);
    }
    connection
        .execute_batch(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, c REAL, d BLOB);
             CREATE TABLE u (a, b TEXT);
             CREATE INDEX by_a ON t (a);
             BEGIN;",
        )
        .unwrap();
    let mut is_added = false;
    for (index, &(length, number, is_deleted)) in content.rows.iter().enumerate() {
        if index == content.added_at {
            connection.execute_batch("ALTER TABLE u ADD COLUMN c REAL DEFAULT 7").unwrap();
            is_added = true;
        }
        let text: String = "añ€𝄞 text ".chars().cycle().skip(index).take(length).collect();
        let bytes = vec![index as u8; length];
        connection
            .execute(
                "INSERT OR REPLACE INTO t VALUES (?1, ?2, ?3, ?4, ?5)",
                params![number, number, text, number as f64 / 2.0, bytes],
            )
            .unwrap();
        let row =
            if is_added { "INSERT INTO u VALUES (?1, ?2, ?1)" } else { "INSERT INTO u VALUES (?1, ?2)" };
        connection.execute(row, params![number, text]).unwrap();
        if is_deleted {
            connection.execute("DELETE FROM t WHERE id = ?1", [number]).unwrap();
            connection.execute("DELETE FROM u WHERE rowid = ?1", [index as i64 / 2]).unwrap();
        }
    }
    connection.execute_batch("COMMIT").unwrap();
    connection
}

/// A database with bytes at the end of each page that b-trees do not use. There is no statement for it, so it is
/// written into the header of a database without tables.
fn reserving(mut connection: Connection, bytes: u8, page_size: u32) -> Connection {
    connection.execute_batch("PRAGMA user_version = 1").unwrap();
    let mut first = bytes_of(&mut connection);
    first[20] = bytes;
    let content = (page_size - u32::from(bytes)) as u16;
    first[105..107].copy_from_slice(&content.to_be_bytes());
    let mut reserving = Connection::open_in_memory().unwrap();
    reserving.deserialize_read_exact("main", first.as_slice(), first.len(), false).unwrap();
    reserving
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn read_as_sqlite_reads_them(content in content()) {
        let mut connection = fill(&content);
        let bytes = bytes_of(&mut connection);
        assert_same(&connection, &bytes);
    }
}

/// Three levels of pages, some of them free again, and a schema of more than one page.
#[test]
fn many_rows_and_tables() {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("PRAGMA page_size = 512; BEGIN").unwrap();
    for table in 0..60 {
        connection
            .execute_batch(&format!(
                "CREATE TABLE table_with_a_long_name_{table} (column_a INTEGER, column_b TEXT)"
            ))
            .unwrap();
    }
    let mut statement = connection.prepare("INSERT INTO table_with_a_long_name_7 VALUES (?1, ?2)").unwrap();
    for row in 0..40_000i64 {
        statement.execute(params![row * row, format!("row {row}")]).unwrap();
    }
    drop(statement);
    connection
        .execute_batch("DELETE FROM table_with_a_long_name_7 WHERE rowid % 5 = 0 OR rowid BETWEEN 9000 AND 15000; COMMIT")
        .unwrap();
    let bytes = bytes_of(&mut connection);
    assert!(assert_same(&connection, &bytes) > 20_000);
}
