//! The reference part of the book, `docs/reference/`: made of the definitions of the program, so that it names everything
//! and nothing else.

mod commands;
mod http;
mod json;
mod python;
mod sql;

use anyhow::{Context, Result};
use serde_json::Value;

use super::examples::Example;

/// Every page.
pub(super) fn all() -> Result<Vec<(String, Example)>> {
    let pages = [
        ("command-line", commands::page()?),
        ("http", http::page()?),
        ("json", json::page()?),
        ("sql", sql::page()?),
    ];
    let python = python::page()?.map(|page| ("python", page));
    let file = |(name, text): (&str, String)| {
        (format!("docs/reference/{name}.md"), Example::plain(text.into_bytes()))
    };
    Ok(pages.into_iter().chain(python).map(file).collect())
}

/// A text in a definition, in one line.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn required<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    text(value, key).with_context(|| format!("no `{key}` in {value}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Prose of a definition in one line: what Markdown would take for markup is written out, except code in backquotes.
fn prose(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("``", "`");
    let parts = words.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 1 {
            return code(part);
        }
        let mut prose = String::new();
        for letter in part.chars() {
            if matches!(letter, '<' | '>' | '*' | '[' | ']' | '|' | '~') {
                prose.push('\\');
            }
            prose.push(letter);
        }
        prose
    });
    parts.collect()
}

/// A sentence: it begins with a capital letter, unless that is a name, and ends in a period.
fn sentence(text: &str) -> String {
    let prose = period(&prose(text));
    let word = prose.split(' ').next().unwrap_or_default();
    if word.contains('_') {
        return prose;
    }
    let mut letters = prose.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn period(prose: &str) -> String {
    if prose.ends_with(['.', ':']) || prose.is_empty() { prose.to_owned() } else { format!("{prose}.") }
}

/// A name as it is typed, also in a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// A table, or nothing without rows. Columns that are empty everywhere are skipped.
fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let shown: Vec<usize> =
        (0..heads.len()).filter(|column| rows.iter().any(|row| !row[*column].is_empty())).collect();
    if shown.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let mut table = line(shown.iter().map(|column| heads[*column]).collect());
    table.push_str(&format!("|{}\n", "---|".repeat(shown.len())));
    for row in rows {
        table.push_str(&line(shown.iter().map(|column| row[*column].as_str()).collect()));
    }
    table.replace("|  |", "| |").replace("|  |", "| |") + "\n"
}

/// A paragraph, wrapped.
fn paragraph(text: &str) -> String {
    const WIDTH: usize = 100;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n") + "\n\n"
}

/// A page ends in one line feed.
fn page(text: &str) -> String {
    text.trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_prose_is_written_out() {
        assert_eq!(prose("-o <FILE>:\n  `a|b`, *.json"), "-o \\<FILE\\>: `a\\|b`, \\*.json");
        assert_eq!(sentence("its id"), "Its id.");
        assert_eq!(sentence("all_gather, ..."), "all_gather, ...");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let rows = [vec!["`a`".to_owned(), String::new(), "x".to_owned()]];
        assert_eq!(
            table(&["name", "default", "meaning"], &rows),
            "| name | meaning |\n|---|---|\n| `a` | x |\n\n"
        );
        assert_eq!(table(&["name"], &[]), "");
    }
}
