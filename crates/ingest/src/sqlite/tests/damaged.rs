//! Damage anywhere costs pages, never the reader.

use eaves_model::{Diagnostics, WarningKind};
use rusqlite::Connection;

use super::super::Database;

/// A few pages of every kind: a root with leaves, overflow chains, a freed page.
fn sound() -> Vec<u8> {
    let mut connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 512;
             CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT DEFAULT 'x', c REAL, d BLOB);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
             INSERT INTO t SELECT i, i * i, 'row ' || i, i / 3.0, zeroblob(i % 7 * 150) FROM n;
             DELETE FROM t WHERE id BETWEEN 20 AND 30;",
        )
        .unwrap();
    super::twin::bytes_of(&mut connection)
}

/// Reads everything and answers how many rows there were.
fn read(bytes: &[u8]) -> Option<(u64, Diagnostics)> {
    let mut diagnostics = Diagnostics::default();
    let database = Database::open(&bytes, std::io::empty(), &mut diagnostics).ok()?;
    let mut rows = 0;
    let names: Vec<&str> = database.tables().collect();
    for name in names {
        let table = database.table(name)?;
        let columns: Vec<&str> = table.columns().collect();
        let outcome = table.scan(&columns, &mut diagnostics, |row| {
            rows += 1;
            for index in 0..=columns.len() {
                std::hint::black_box(row.value(index));
            }
        });
        std::hint::black_box(outcome.is_ok());
    }
    for warning in diagnostics.warnings() {
        assert!(warning.first_offset.is_none_or(|offset| offset <= bytes.len() as u64), "{warning:?}");
    }
    Some((rows, diagnostics))
}

#[test]
fn any_byte_may_be_any_other() {
    let sound = sound();
    let (all, diagnostics) = read(&sound).unwrap();
    assert_eq!((all, diagnostics), (19, Diagnostics::default()));
    let mut bytes = sound.clone();
    for at in 0..sound.len() {
        for value in [0, 0xFF, sound[at] ^ 0x10] {
            bytes[at] = value;
            if let Some((rows, _)) = read(&bytes) {
                assert!(rows <= 4_000, "byte {at} = {value}: {rows} rows");
            }
        }
        bytes[at] = sound[at];
    }
}

#[test]
fn a_cut_file_gives_what_is_whole() {
    let sound = sound();
    let mut last = 0;
    for end in (0..sound.len()).step_by(37) {
        let Some((rows, diagnostics)) = read(&sound[..end]) else { continue };
        assert!(diagnostics.count(WarningKind::Truncated) == 1, "{end}");
        assert!(rows >= last || diagnostics.count(WarningKind::DamagedPage) > 0);
        last = rows;
    }
    assert!(last > 0);
}

/// A root that names itself and each other page, over and over.
#[test]
fn loops_end() {
    let mut bytes = sound();
    let pages = (bytes.len() / 512) as u32;
    for page in 1..pages {
        let start = page as usize * 512;
        bytes[start] = 5;
        bytes[start + 3..start + 5].copy_from_slice(&80u16.to_be_bytes());
        bytes[start + 8..start + 12].copy_from_slice(&2u32.to_be_bytes());
        for cell in 0..80 {
            let at = start + 12 + 2 * cell;
            let child = (at % 500) as u16;
            bytes[at..at + 2].copy_from_slice(&child.to_be_bytes());
        }
    }
    let (rows, diagnostics) = read(&bytes).unwrap();
    assert_eq!(rows, 0);
    assert!(diagnostics.count(WarningKind::DamagedPage) > 0);
}

#[test]
fn a_header_that_makes_no_sense_is_refused() {
    let sound = sound();
    for (at, value) in [(0, b'X'), (16, 0), (17, 3), (20, 40), (59, 9)] {
        let mut bytes = sound.clone();
        bytes[at] = value;
        assert!(read(&bytes).is_none(), "byte {at}");
    }
    assert!(read(&sound[..99]).is_none());
}
