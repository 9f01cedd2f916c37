//! The document as GitHub Markdown, for pull requests and notes.

use eaves_section::{Column, Section, Table, Value};

use crate::terminal::findings::{NOTHING_FOUND, gain_text, skipped_together};
use crate::terminal::numbers::is_in_table;
use crate::terminal::table::rows_note;
use crate::terminal::{Options, repeats_earlier};
use crate::{Document, memory, names};
use eaves_section::quantity;

/// Longer names make a table that nobody can read; JSON and CSV have them whole.
const LONGEST_NAME: usize = 80;

/// The whole document; `top` rows of each table, 0 for all.
pub fn render(document: &Document, top: usize) -> String {
    let options = Options { top, ..Options::default() };
    let mut blocks = vec![format!("# eaves {}", document.verb)];
    blocks.extend(inputs(document));
    blocks.extend(warnings(document));
    blocks.extend(findings(document));
    for section in document.shown() {
        blocks.push(format!("## {}", escape(section.title)));
        blocks.extend(numbers(section));
        for (index, table) in document.shown_tables(section).iter().enumerate() {
            if !repeats_earlier(&section.tables[..index], table) && !memory::is_of_chart(section, table) {
                blocks.extend(table_blocks(table, &options));
            }
        }
    }
    blocks.extend(skipped(document));
    format!("{}\n", blocks.join("\n\n"))
}

fn inputs(document: &Document) -> Option<String> {
    let rows: Vec<Vec<String>> = document
        .inputs
        .iter()
        .map(|input| {
            vec![
                format!("`{}`", input.path.replace('`', "'").replace('|', "\\|")),
                input.rank.to_string(),
                input.format.to_owned(),
                input.container.to_owned(),
                quantity::thousands(i64::try_from(input.events).unwrap_or(i64::MAX)),
                quantity::bytes(input.bytes as f64),
            ]
        })
        .collect();
    let headings = ["Input", "Rank", "Format", "Container", "Events", "Size"];
    let right = [false, true, false, false, true, true];
    (!rows.is_empty()).then(|| grid(&headings, &right, &rows))
}

fn warnings(document: &Document) -> Option<String> {
    let items: Vec<String> = document
        .warnings
        .iter()
        .map(|warning| {
            let label = if warning.kind.is_harmless() { "Note" } else { "Warning" };
            let path = warning.path.as_ref().map_or_else(String::new, |path| format!(" (`{path}`)"));
            let place = warning.first_offset.map_or_else(String::new, |at| format!(", first at byte {at}"));
            let count = i64::try_from(warning.count).unwrap_or(i64::MAX);
            let count = if count > 1 { format!("{} × ", quantity::thousands(count)) } else { String::new() };
            format!("- **{label}**: {count}{}{place}{path}", escape(&warning.message()))
        })
        .collect();
    (!items.is_empty()).then(|| items.join("\n"))
}

fn findings(document: &Document) -> Vec<String> {
    let findings = document.findings();
    if document.says_nothing_found() {
        return vec!["## Findings".to_owned(), NOTHING_FOUND.to_owned()];
    }
    if findings.is_empty() {
        return Vec::new();
    }
    let items: Vec<String> = findings
        .iter()
        .map(|(section, finding)| {
            let mut item =
                format!("1. **{}** ({}, `{}`)", escape(&finding.claim), finding.severity.id(), section.id);
            if let Some(gain) = &finding.gain {
                item.push_str(&format!(": {}", gain_text(gain)));
            }
            let basis = finding.gain.as_ref().map_or("", |gain| gain.basis.as_str());
            for (label, text) in [("Gain", basis), ("See", &finding.evidence), ("Next", &finding.next)] {
                if !text.is_empty() {
                    item.push_str(&format!("\n   - {label}: {}", escape(text)));
                }
            }
            item
        })
        .collect();
    vec!["## Findings".to_owned(), items.join("\n")]
}

fn numbers(section: &Section) -> Option<String> {
    let items: Vec<String> = section
        .numbers
        .iter()
        .filter(|number| !is_in_table(section, number))
        .map(|number| {
            let value = quantity::value(&number.value, number.unit);
            let explain = match &number.value {
                Value::Missing(reason) => reason,
                _ => number.explain,
            };
            let rank = number.rank.map_or_else(String::new, |rank| format!(" of rank {rank}"));
            format!("- {}{rank}: **{value}** ({})", eaves_section::words(number.id), escape(explain))
        })
        .collect();
    (!items.is_empty()).then(|| items.join("\n"))
}

fn table_blocks(table: &Table, options: &Options) -> Vec<String> {
    let shown = options.rows(table.rows.len());
    let headings: Vec<String> = table.columns.iter().map(|column| escape(column.title)).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let is_text = |index: usize| table.rows.iter().any(|row| matches!(row.get(index), Some(Value::Text(_))));
    let right: Vec<bool> = (0..table.columns.len()).map(|index| !is_text(index)).collect();
    let rows: Vec<Vec<String>> = table.rows[..shown]
        .iter()
        .map(|row| row.iter().zip(&table.columns).map(|(value, column)| cell(value, column)).collect())
        .collect();
    let mut blocks = Vec::new();
    if !table.title.is_empty() {
        blocks.push(format!("**{}**", escape(table.title)));
    }
    blocks.push(grid(&headings, &right, &rows));
    blocks.extend(rows_note(table, shown));
    blocks
}

fn cell(value: &Value, column: &Column) -> String {
    match value {
        Value::Text(text) => escape(&names::shorten(text, LONGEST_NAME)),
        other => quantity::cell(other, column),
    }
}

fn grid(headings: &[&str], right: &[bool], rows: &[Vec<String>]) -> String {
    let mut lines = vec![format!("| {} |", headings.join(" | "))];
    let marks: Vec<&str> = right.iter().map(|&right| if right { "---:" } else { "---" }).collect();
    lines.push(format!("| {} |", marks.join(" | ")));
    lines.extend(rows.iter().map(|row| format!("| {} |", row.join(" | "))));
    lines.join("\n")
}

fn skipped(document: &Document) -> Vec<String> {
    let items: Vec<String> = skipped_together(document)
        .into_iter()
        .map(|(ids, skipped)| {
            let ids: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
            let (missing, how) = (escape(&skipped.missing), escape(&skipped.how_to_record));
            format!("- {}: {missing}\n  - To record it: {how}", ids.join(", "))
        })
        .collect();
    if items.is_empty() { Vec::new() } else { vec!["## Not in this recording".to_owned(), items.join("\n")] }
}

/// Text that Markdown shows as it is. What stands between backticks is code already and is left alone.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut code = false;
    let balanced = text.matches('`').count().is_multiple_of(2);
    for character in text.chars() {
        match character {
            '`' if balanced => {
                code = !code;
                escaped.push('`');
            }
            // A bar ends a cell, in code too.
            '|' => escaped.push_str("\\|"),
            '\n' | '\r' => escaped.push(' '),
            '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '~' if !code => {
                escaped.push('\\');
                escaped.push(character);
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_taken_for_markdown() {
        assert_eq!(escape("f<int>(a_b) | `x_y|z`\n"), "f\\<int\\>(a\\_b) \\| `x_y\\|z` ");
        assert_eq!(escape("one ` only_"), "one \\` only\\_");
    }
}
