//! Sections and reference tables as the comparisons look at them.

use std::collections::HashMap;

use eaves_analyze::section::{Section, Table, Value};
use eaves_analyze::{Options, analyses, report_of};
use eaves_model::Run;

use crate::common::checks::CsvRow;

/// The section of one analysis.
pub(crate) fn section(run: &Run, id: &str, options: &Options) -> Option<Section> {
    report_of(run, options, &[analyses::find(id).unwrap()]).unwrap()[0].section().cloned()
}

/// A table that must be there.
pub(crate) fn table<'a>(section: &'a Section, id: &str) -> &'a Table {
    section.tables.iter().find(|table| table.id == id).unwrap()
}

/// A row by column.
pub(crate) fn rows(table: &Table) -> impl Iterator<Item = HashMap<&'static str, &Value>> {
    table.rows.iter().map(|row| table.columns.iter().map(|column| column.id).zip(row).collect())
}

/// A number; not one if there is none.
pub(crate) fn float(value: &Value) -> f64 {
    match value {
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        _ => f64::NAN,
    }
}

/// An integer, which it must be.
pub(crate) fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(value) => *value,
        other => panic!("an integer was expected, not {other:?}"),
    }
}

/// A text; empty if it is none.
pub(crate) fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        _ => "",
    }
}

/// A number of a reference table; not one if the cell is empty.
pub(crate) fn cell(row: &CsvRow, column: &str) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}
