//! Reference tables of TraceLens (AMD-AGI/TraceLens 171dd747), and how arguments are read from them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Every table below a folder, sorted, whose name is accepted.
pub(crate) fn tables(folder: &Path, accepts: fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = entry.file_name().into_string().unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".csv") && accepts(&name) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A row by column.
pub(crate) type Row = HashMap<String, String>;

/// The rows of a table.
pub(crate) fn rows(path: &Path) -> Vec<Row> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Lists and tuples as Python prints them, as JSON.
pub(crate) fn json(python: &str) -> String {
    let mut json = String::new();
    let mut characters = python.chars();
    while let Some(character) = characters.next() {
        match character {
            '(' => json.push('['),
            ')' => {
                // A tuple of one has a comma behind it.
                let kept = json.trim_end_matches([',', ' ']).len();
                json.truncate(kept);
                json.push(']');
            }
            '\'' => {
                let text: String = characters.by_ref().take_while(|character| *character != '\'').collect();
                json.push_str(&format!("{text:?}"));
            }
            other => json.push(other),
        }
    }
    json.replace("None", "null")
}
