//! SQL over traces: the tables of recordings, and functions for intervals, kernels and rooflines.
//!
//! [`query`] runs SQL on [`Ranks`], in memory or in a dataset. A rank of a dataset is read when its rows are needed and
//! dropped afterwards, so a job of many ranks needs the memory of a few. Queries are read-only: other statements are
//! rejected, and SQL cannot name files.
//!
//! Without the feature `sql`, everything returns [`Error::NotBuilt`].

#[cfg(feature = "sql")]
mod engine;
mod error;
#[cfg(feature = "sql")]
mod explain;
#[cfg(feature = "sql")]
mod functions;
#[cfg(feature = "sql")]
mod provider;
#[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "only SQL looks at rows"))]
mod ranks;
mod result_set;
#[cfg(feature = "sql")]
mod tables;
mod text;

use std::time::Duration;

pub use error::{Error, Place};
pub use ranks::{Ranks, Recordings};
pub use result_set::{Column, ResultSet};

/// Resource limits of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows; all if none is given.
    pub rows: Option<usize>,
    /// How long it may take.
    pub time: Option<Duration>,
    /// Bytes of memory for sorting, grouping and joining; what was read is not counted.
    pub memory: Option<usize>,
    /// Ranks that are read side by side.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: None, time: None, memory: None, threads: 1 }
    }
}

/// Available tables, columns and functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// The name in SQL.
    pub name: &'static str,
    /// Meaning of a row.
    pub about: &'static str,
    /// The columns, in order.
    pub columns: Vec<ColumnInfo>,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The name in SQL.
    pub name: &'static str,
    /// `int`, `float`, `text` or `bool`.
    pub kind: &'static str,
    /// Contents.
    pub about: &'static str,
}

/// A function that SQL does not have by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionInfo {
    /// The name in SQL.
    pub name: &'static str,
    /// How it is called.
    pub call: &'static str,
    /// Result.
    pub about: &'static str,
}

/// Answers a question.
///
/// # Errors
/// If it is not a question, names something that is not there, or takes more than it may.
#[cfg(feature = "sql")]
pub fn query(sql: &str, ranks: &Ranks, limits: &Limits) -> Result<ResultSet, Error> {
    engine::query(sql, ranks, limits)
}

/// Answers a question.
///
/// # Errors
/// Always: this build has no SQL.
#[cfg(not(feature = "sql"))]
pub fn query(_: &str, _: &Ranks, _: &Limits) -> Result<ResultSet, Error> {
    Err(Error::NotBuilt)
}

/// The tables, in name order.
///
/// # Errors
/// If this build has no SQL.
#[cfg(feature = "sql")]
pub fn tables() -> Result<Vec<TableInfo>, Error> {
    Ok(tables::all())
}

/// The tables, in name order.
///
/// # Errors
/// Always: this build has no SQL.
#[cfg(not(feature = "sql"))]
pub fn tables() -> Result<Vec<TableInfo>, Error> {
    Err(Error::NotBuilt)
}

/// The functions that are ours, in name order.
///
/// # Errors
/// If this build has no SQL.
#[cfg(feature = "sql")]
pub fn functions() -> Result<Vec<FunctionInfo>, Error> {
    Ok(functions::all())
}

/// The functions that are ours, in name order.
///
/// # Errors
/// Always: this build has no SQL.
#[cfg(not(feature = "sql"))]
pub fn functions() -> Result<Vec<FunctionInfo>, Error> {
    Err(Error::NotBuilt)
}

#[cfg(feature = "sql")]
#[cfg(test)]
mod tests;
