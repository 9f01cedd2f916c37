//! TraceLens' tables, and how its cells are read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::common::checks::{CsvRow, read_csv};

/// What both sides know a row by: name, shapes, types, strides, scalars.
pub(crate) type Key = [String; 5];

/// A list as Python prints it or as JSON has it, as one text.
pub(crate) fn literal(text: &str) -> String {
    let mut result = String::new();
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => {
                quote = None;
                result.push('"');
            }
            (Some(_), letter) => result.push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                result.push('"');
            }
            (None, '(' | '[') => result.push('['),
            (None, ')' | ']') => {
                if result.ends_with(',') {
                    result.pop();
                }
                result.push(']');
            }
            (None, letter) if letter.is_whitespace() => {}
            (None, letter) => result.push(letter),
        }
    }
    result
}

/// The key of a row of theirs.
pub(crate) fn key(row: &CsvRow) -> Key {
    let cell = |column: &str| literal(&row[column]);
    [
        row["name"].clone(),
        cell("Input Dims"),
        cell("Input type"),
        cell("Input Strides"),
        cell("Concrete Inputs"),
    ]
}

/// A number; nothing if the cell is empty.
pub(crate) fn number(row: &CsvRow, column: &str) -> Option<f64> {
    row.get(column)?.parse().ok()
}

/// The rows of a table by key. Theirs are split by thread and by recomputation besides.
pub(crate) fn by_key(path: &Path) -> BTreeMap<Key, Vec<CsvRow>> {
    let mut rows: BTreeMap<Key, Vec<CsvRow>> = BTreeMap::new();
    for row in read_csv(path).unwrap_or_default() {
        rows.entry(key(&row)).or_default().push(row);
    }
    rows
}

/// The sum of a column over rows.
pub(crate) fn sum(rows: &[CsvRow], column: &str) -> f64 {
    rows.iter().filter_map(|row| number(row, column)).sum()
}

/// An operator of TraceLens' registry.
pub(crate) struct Registered {
    /// True if it has a model; others have a category only.
    pub(crate) modelled: bool,
    pub(crate) category: String,
}

/// The operators that TraceLens knows by name.
pub(crate) fn catalogue(root: &Path) -> HashMap<String, Registered> {
    let rows = read_csv(&root.join("op_catalogue.csv")).unwrap();
    rows.into_iter()
        .map(|row| {
            let registered =
                Registered { modelled: !row["model_class"].is_empty(), category: row["category"].clone() };
            (row["op"].clone(), registered)
        })
        .collect()
}

/// The tables of one family each.
pub(crate) fn family_tables(folder: &Path) -> Vec<PathBuf> {
    let families = ["Elementwise", "GEMM", "CONV_", "Normalization", "Reduce_", "SDPA_"];
    let mut tables: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    tables.retain(|path| families.iter().any(|family| path.to_string_lossy().contains(family)));
    tables.sort();
    tables
}

/// The key of the first event of a row of a family table.
pub(crate) fn first_key(row: &CsvRow) -> Key {
    let cell = |column: &str| literal(&row[column]);
    [
        row["name"].clone(),
        cell("Input Dims_first"),
        cell("Input type_first"),
        cell("Input Strides_first"),
        cell("Concrete Inputs_first"),
    ]
}
