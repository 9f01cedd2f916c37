//! Exports of Nsight Systems, read by us and by SQL through SQLite itself.

mod made;
mod real;

use std::collections::BTreeMap;

use eaves_ingest::{Options, read};
use eaves_model::{Recording, SliceKind, Trace};
use rusqlite::{Connection, OpenFlags};

/// The one recording of a file.
fn recording(path: &std::path::Path) -> Recording {
    let run = read(&[path.to_owned()], &Options::default()).unwrap();
    assert_eq!(run.recordings.len(), 1);
    run.recordings.into_iter().next().unwrap()
}

/// A connection that changes nothing.
fn connect(path: &std::path::Path) -> Connection {
    let uri = format!("file:{}?immutable=1", path.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(uri, flags).unwrap()
}

/// A single number.
fn number(connection: &Connection, query: &str) -> i64 {
    connection.query_row(query, [], |row| row.get::<_, Option<i64>>(0)).unwrap().unwrap_or(0)
}

/// Names with two numbers each: of a query, sorted.
fn listed(connection: &Connection, query: &str) -> Vec<(String, i64, i64)> {
    let mut statement = connection.prepare(query).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let mut rows: Vec<_> = rows.map(Result::unwrap).collect();
    rows.sort();
    rows
}

/// Count and total time of slices of a kind, by name, sorted.
fn by_name(trace: &Trace, kind: SliceKind) -> Vec<(String, i64, i64)> {
    let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for row in 0..trace.slices.len() {
        if trace.slices.kind[row] == kind {
            let sum = sums.entry(trace.strings.get(trace.slices.name[row])).or_default();
            sum.0 += 1;
            sum.1 += trace.slices.duration[row].0;
        }
    }
    sums.into_iter().map(|(name, (count, time))| (name.to_owned(), count, time)).collect()
}
