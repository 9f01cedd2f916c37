//! Nsight Systems: the database of `nsys export --type sqlite`.

use super::Refused;
use super::sqlite::Stored;
use crate::formats::Document;
use crate::sqlite::Database;

/// Tells it by the table that every export has.
pub(super) fn is_it(database: &Database<'_>) -> bool {
    database.table("StringIds").is_some()
}

/// Reads it.
pub(super) fn read(stored: Stored<'_>) -> Result<Document, Refused> {
    Err(Refused {
        offset: 0,
        what: format!("an export of Nsight Systems, which is not read yet: {}", stored.path),
        hint: String::new(),
    })
}
