//! A reader of SQLite database files that only reads.
//!
//! It knows tables and rows, and no SQL: whatever views, triggers and indexes a file brings are not run, nothing is ever
//! written, a damaged or cut file gives every page that is intact, and a scan of a whole table costs little more
//! than reading its pages. What it does not read are tables `WITHOUT ROWID`, virtual tables and virtual columns.
//!
//! The format is that of <https://www.sqlite.org/fileformat2.html>; names of fields are those of that page.

mod database;
mod header;
mod pages;
mod plan;
mod record;
mod scan;
mod schema;
#[cfg(test)]
mod tests;
mod wal;
mod words;

pub(crate) use database::{Database, Row, Table, Value};
pub(crate) use header::MAGIC;

/// Why a database, or a table of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The system refused.
    #[error("the database cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It begins like a database, but the rest of its header makes no sense.
    #[error("the header of the database is damaged: {0}")]
    Header(&'static str),
    /// Packed in a stream, it is too large for memory.
    #[error("decompress a database of more than {} GB first", Database::MOST_IN_MEMORY >> 30)]
    TooLarge,
    /// The table has its own organization.
    #[error("the table `{0}` is WITHOUT ROWID, which is not supported")]
    WithoutRowid(String),
}
