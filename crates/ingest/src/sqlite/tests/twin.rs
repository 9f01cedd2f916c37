//! Every row of every table, read by us and by SQLite.

use eaves_model::Diagnostics;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::super::{Database, Value};

/// A database in memory as its file would be.
pub(super) fn bytes_of(connection: &mut Connection) -> Vec<u8> {
    connection.serialize("main").unwrap().to_vec()
}

/// Compares a database in memory with what a connection to it sees.
pub(super) fn assert_same(connection: &Connection, bytes: &[u8]) -> u64 {
    let mut diagnostics = Diagnostics::default();
    let database = Database::open(&bytes, std::io::empty(), &mut diagnostics).unwrap();
    assert_eq!(diagnostics, Diagnostics::default());
    assert_equal(connection, &database)
}

/// The answer is the number of rows of all tables.
pub(super) fn assert_equal(connection: &Connection, database: &Database<'_>) -> u64 {
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid")
        .unwrap();
    let names: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(database.tables().collect::<Vec<_>>(), names);
    names.iter().map(|name| assert_table(connection, database, name)).sum()
}

fn assert_table(connection: &Connection, database: &Database<'_>, name: &str) -> u64 {
    let table = database.table(name).unwrap();
    let columns: Vec<&str> = table.columns().collect();
    let quoted: Vec<String> =
        columns.iter().map(|column| format!("\"{}\"", column.replace('"', "\"\""))).collect();
    let query =
        format!("SELECT rowid, {} FROM \"{}\" ORDER BY rowid", quoted.join(", "), name.replace('"', "\"\""));
    let mut statement = connection.prepare(&query).unwrap();
    let mut theirs = statement.query([]).unwrap();
    let mut diagnostics = Diagnostics::default();
    let mut count = 0;
    table
        .scan(&columns, &mut diagnostics, |row| {
            count += 1;
            let expected = theirs.next().unwrap().unwrap_or_else(|| panic!("{name}: too many rows"));
            assert_eq!(row.rowid(), expected.get::<_, i64>(0).unwrap(), "{name}");
            for (index, column) in columns.iter().enumerate() {
                let (ours, theirs) = (row.value(index), expected.get_ref(index + 1).unwrap());
                assert!(is_equal(&ours, theirs), "{name}.{column} row {}: {ours:?}, {theirs:?}", row.rowid());
            }
        })
        .unwrap();
    assert!(theirs.next().unwrap().is_none(), "{name}: too few rows, {count}");
    assert_eq!(diagnostics, Diagnostics::default(), "{name}");
    count
}

fn is_equal(ours: &Value<'_>, theirs: ValueRef<'_>) -> bool {
    match (ours, theirs) {
        (Value::Null, ValueRef::Null) => true,
        (Value::Integer(a), ValueRef::Integer(b)) => *a == b,
        (Value::Real(a), ValueRef::Real(b)) => a.to_bits() == b.to_bits(),
        (Value::Text(a), ValueRef::Text(b)) => *a == String::from_utf8_lossy(b),
        (Value::Blob(a), ValueRef::Blob(b)) => *a == b,
        _ => false,
    }
}
