//! A column: its name, what it holds, and the value of a row.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array};
use eaves_model::Ns;

use crate::ColumnInfo;

/// A column of rows `R`.
pub(super) struct Column<R> {
    name: &'static str,
    about: &'static str,
    get: Get<R>,
}

/// The value of a row.
enum Get<R> {
    Int(fn(&R, usize) -> Option<i64>),
    Float(fn(&R, usize) -> Option<f64>),
    Text(for<'r> fn(&'r R, usize) -> Option<Cow<'r, str>>),
    Bool(fn(&R, usize) -> Option<bool>),
}

/// A column of whole numbers.
pub(super) fn int<R>(
    name: &'static str,
    about: &'static str,
    get: fn(&R, usize) -> Option<i64>,
) -> Column<R> {
    Column { name, about, get: Get::Int(get) }
}

/// A column of floats.
pub(super) fn float<R>(
    name: &'static str,
    about: &'static str,
    get: fn(&R, usize) -> Option<f64>,
) -> Column<R> {
    Column { name, about, get: Get::Float(get) }
}

/// A column of texts.
pub(super) fn text<R>(
    name: &'static str,
    about: &'static str,
    get: for<'r> fn(&'r R, usize) -> Option<Cow<'r, str>>,
) -> Column<R> {
    Column { name, about, get: Get::Text(get) }
}

/// A column of truths.
pub(super) fn truth<R>(
    name: &'static str,
    about: &'static str,
    get: fn(&R, usize) -> Option<bool>,
) -> Column<R> {
    Column { name, about, get: Get::Bool(get) }
}

/// A time or a duration as a value.
pub(super) fn ns(time: Ns) -> Option<i64> {
    Some(time.0)
}

/// A count as a value.
pub(super) fn count(count: impl TryInto<i64>) -> Option<i64> {
    count.try_into().ok()
}

impl<R> Column<R> {
    /// What it is.
    pub(super) fn info(&self) -> ColumnInfo {
        let kind = match self.get {
            Get::Int(_) => "int",
            Get::Float(_) => "float",
            Get::Text(_) => "text",
            Get::Bool(_) => "bool",
        };
        ColumnInfo { name: self.name, kind, about: self.about }
    }

    /// The values of some rows.
    pub(super) fn array(&self, rows: &R, part: Range<usize>) -> ArrayRef {
        match self.get {
            Get::Int(get) => Arc::new(part.map(|row| get(rows, row)).collect::<Int64Array>()),
            Get::Float(get) => Arc::new(part.map(|row| get(rows, row)).collect::<Float64Array>()),
            Get::Bool(get) => Arc::new(part.map(|row| get(rows, row)).collect::<BooleanArray>()),
            Get::Text(get) => {
                // Names are few and long.
                let mut builder = StringViewBuilder::with_capacity(part.len()).with_deduplicate_strings();
                for row in part {
                    builder.append_option(get(rows, row));
                }
                Arc::new(builder.finish())
            }
        }
    }
}
