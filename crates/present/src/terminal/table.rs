//! A table of a section as people see it: the rows that matter, units that fit, and what is not shown.

use std::collections::BTreeMap;

use anstyle::Style;
use eaves_section::{Column, Table, Unit, Value};
use unicode_width::UnicodeWidthStr;

use super::grid::{Grid, GridColumn};
use super::palette::{BETTER, QUIET, WORSE, paint};
use super::wrap::hang;
use super::{INDENT, Options};
use crate::names;
use eaves_section::quantity;

/// The lines of a table, with notes on everything skipped.
pub(super) fn lines(table: &Table, options: &Options) -> Vec<String> {
    let shown = options.rows(table.rows.len());
    let width = options.width.saturating_sub(INDENT);
    let mut notes: Vec<String> = Vec::new();
    if let Some(note) = rows_note(table, shown) {
        notes.push(format!("{note}; --top 0 shows all"));
    }
    let mut grid = grid(table, shown);
    let columns = grid.columns.len();
    let mut left_out = grid.fit(width);
    let lacks_main = left_out.iter().any(|column| column.is_main);
    let is_record = grid.columns.first().is_some_and(|first| first.right) && left_out.len() >= WORTH_TURNING;
    if shown <= MOST_RECORDS && (is_record || lacks_main && columns <= MOST_FACTS) {
        grid = self::grid(table, shown).turned();
        grid.fit(width);
        left_out.clear();
    } else if lacks_main {
        let is_said = |column: &GridColumn| shown > 1 && column.is_constant();
        let main = left_out.extract_if(.., |column| column.is_main && !is_said(column)).collect::<Vec<_>>();
        grid.below = below(&main, shown, options.width);
    }
    let is_shown = |column: &Column| {
        column.id != NEW_NAME && !left_out.iter().any(|left_out| left_out.heading == column.title)
    };
    notes.extend(missing_notes(table, shown, is_shown));
    notes.extend(left_out_notes(&left_out, shown));
    let mut lines = grid.lines(INDENT);
    add_new_names(&mut lines, table, shown, options.width);
    for note in notes {
        let note = hang(&note, INDENT, options.width);
        lines.push(format!("{}{}", " ".repeat(INDENT), paint(QUIET, note)));
    }
    lines
}

/// The name of a row in the second of two runs, where it is another. It stands below the row.
pub(crate) const NEW_NAME: &str = "new_name";

/// Puts the other name of a row on its own line.
fn add_new_names(lines: &mut Vec<String>, table: &Table, shown: usize, width: usize) {
    let index = |id: &str| table.columns.iter().position(|column| column.id == id);
    let (Some(name), Some(by)) = (index(NEW_NAME), index("matched_by")) else { return };
    // Rows of such a table are one line each, below the headings.
    let Some(first) = lines.len().checked_sub(shown) else { return };
    for (at, row) in table.rows[..shown].iter().enumerate().rev() {
        if let (Some(Value::Text(name)), Some(by)) = (row.get(name), row.get(by)) {
            let by = format!(" (by {})", quantity::value(by, Unit::None));
            let room = width.saturating_sub(INDENT + 4 + by.width());
            let line = format!("{}  → {}{by}", " ".repeat(INDENT), names::shorten(name, room));
            lines.insert(first + at + 1, paint(QUIET, line));
        }
    }
}

/// A table of no more rows than this is better read downwards than with columns missing that matter.
const MOST_RECORDS: usize = 2;
/// With more columns than this it would be longer than a screen.
const MOST_FACTS: usize = 20;
/// That many columns must be missing for that.
const WORTH_TURNING: usize = 4;

/// The line below each row: what has no room in it, by name.
fn below(columns: &[GridColumn], rows: usize, width: usize) -> Vec<String> {
    /// Deeper than the row it belongs to.
    const DEEPER: usize = INDENT + 2;
    let fact = |column: &GridColumn, row: usize| {
        format!("{} {}", column.heading, column.cells.get(row).map_or("", String::as_str).trim())
    };
    let line = |row: usize| {
        let facts: Vec<String> = columns.iter().map(|column| fact(column, row)).collect();
        format!("{}{}", " ".repeat(DEEPER), hang(&facts.join(", "), DEEPER, width))
    };
    (0..rows).map(line).collect()
}

fn grid(table: &Table, shown: usize) -> Grid {
    let mut grid = Grid::default();
    let verdict = table.columns.iter().position(|column| column.id == "verdict");
    for index in (0..table.columns.len()).filter(|&index| table.columns[index].id != NEW_NAME) {
        let values = column_values(table, index, shown);
        if values.is_empty() || values.iter().any(|value| missing_reason(value).is_none()) {
            let mut column = grid_column(&table.columns, index, &values);
            if let Some(verdict) = verdict
                && (index == verdict || quantity::is_change(&table.columns[index]))
            {
                column.styles = column_values(table, verdict, shown).into_iter().map(verdict_style).collect();
            }
            grid.columns.push(column);
        }
    }
    grid
}

/// Colors are for what is good or bad news; noise is neither.
fn verdict_style(verdict: &Value) -> Option<Style> {
    let Value::Text(verdict) = verdict else { return None };
    quantity::tendency(verdict).map(|is_better| if is_better { BETTER } else { WORSE })
}

fn column_values(table: &Table, index: usize, shown: usize) -> Vec<&Value> {
    table.rows[..shown].iter().filter_map(|row| row.get(index)).collect()
}

/// Which columns had no room. One that says the same in every row is said here.
fn left_out_notes(left_out: &[GridColumn], rows: usize) -> Vec<String> {
    let (same, other): (Vec<&GridColumn>, Vec<&GridColumn>) =
        left_out.iter().partition(|column| rows > 1 && column.is_constant());
    let mut notes = Vec::new();
    if !same.is_empty() {
        let facts: Vec<String> =
            same.iter().map(|column| format!("{} {}", column.heading, column.cells[0].trim())).collect();
        notes.push(format!("in every row: {}", facts.join(", ")));
    }
    if !other.is_empty() {
        let headings: Vec<&str> = other.iter().map(|column| column.heading.as_str()).collect();
        notes.push(format!("columns hidden at this width: {}", headings.join(", ")));
    }
    notes
}

/// What the rows below the cut hold, if there are any.
pub(crate) fn rows_note(table: &Table, shown: usize) -> Option<String> {
    let hidden = &table.rows[shown..];
    if hidden.is_empty() {
        return None;
    }
    let rows = quantity::counted(hidden.len(), "more row");
    let Some(share) = table.columns.iter().position(|column| column.id == "share_pct") else {
        return Some(format!("… {rows}"));
    };
    let total = hidden.iter().filter_map(|row| match row.get(share) {
        Some(Value::Float(share)) => Some(*share),
        Some(Value::Integer(share)) => Some(*share as f64),
        _ => None,
    });
    let whole = table.columns[share].title.strip_prefix("Of ").unwrap_or("the total");
    Some(format!("… {rows} with {} of {whole}", quantity::percent(total.sum())))
}

pub(crate) fn missing_reason(value: &Value) -> Option<&str> {
    match value {
        Value::Missing(reason) => Some(reason),
        Value::Float(number) if !number.is_finite() => Some("not a finite number"),
        _ => None,
    }
}

/// Why there are cells without a value, each reason once.
pub(crate) fn missing_notes(table: &Table, shown: usize, is_shown: impl Fn(&Column) -> bool) -> Vec<String> {
    let mut columns: BTreeMap<(&str, bool), Vec<&str>> = BTreeMap::new();
    for (index, column) in table.columns.iter().enumerate().filter(|(_, column)| is_shown(column)) {
        let values = column_values(table, index, shown);
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in values.iter().filter_map(|value| missing_reason(value)) {
            *reasons.entry(reason).or_default() += 1;
        }
        for (reason, count) in reasons {
            columns.entry((reason, count < values.len())).or_default().push(column.title);
        }
    }
    let note = |((reason, partly), titles): ((&str, bool), Vec<&str>)| {
        let part = if partly { "- in " } else { "" };
        format!("{part}{}: {reason}", titles.join(", "))
    };
    columns.into_iter().map(note).collect()
}

fn grid_column(columns: &[Column], index: usize, values: &[&Value]) -> GridColumn {
    let column = &columns[index];
    let cells = values.iter().map(|value| quantity::cell(value, column)).collect();
    let right = !values.iter().any(|value| matches!(value, Value::Text(_)));
    GridColumn {
        heading: column.title.to_owned(),
        cells: align_units(cells, column.unit),
        right,
        prose: matches!(column.id, "note" | "reason" | "text"),
        importance: importance(columns, index, right),
        is_main: column.is_main,
        styles: Vec::new(),
    }
}

/// Gives all units of a column the same width, so that digits stand below digits.
fn align_units(mut cells: Vec<String>, unit: Unit) -> Vec<String> {
    if !matches!(unit, Unit::Bytes | Unit::Flop | Unit::GigaflopsPerSecond | Unit::Nanoseconds) {
        return cells;
    }
    let unit_width = |cell: &String| cell.rsplit_once(' ').map_or(0, |(_, unit)| unit.width());
    let widest = cells.iter().map(unit_width).max().unwrap_or(0);
    for cell in &mut cells {
        if let Some((number, unit)) = cell.rsplit_once(' ') {
            *cell = format!("{number} {unit:>widest$}");
        }
    }
    cells
}

/// How long a column stays when there is no room for all: statistics go before texts, texts before totals, the
/// right before the left, and the answer of a roofline and reasons last; what names the row, its share, and what
/// changed stay.
fn importance(columns: &[Column], index: usize, right: bool) -> Option<u32> {
    let id = columns[index].id;
    let compares = columns.iter().any(|column| column.id == "verdict");
    let is_change = compares && matches!(id, "delta_ns" | "delta_bytes" | "delta_count" | "delta_pct");
    if index == 0 || matches!(id, "cause" | "name" | "share_pct" | "verdict") || is_change {
        return None;
    }
    let statistics = ["std_", "min_", "max_", "p", "median_"];
    let statistic = statistics.iter().position(|prefix| {
        let rest = id.strip_prefix(prefix);
        rest.is_some_and(|rest| *prefix != "p" || rest.starts_with(|first: char| first.is_ascii_digit()))
    });
    let from_right = (columns.len() - index) as u32;
    Some(match statistic {
        Some(position) => position as u32,
        None if matches!(
            id,
            "bound_by" | "gbps" | "gflops" | "implementation" | "precision" | "reason" | "role" | "time_ns"
        ) =>
        {
            300 + from_right
        }
        None if right => 200 + from_right,
        None => 100 + from_right,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| line.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "")).collect()
    }

    #[test]
    fn what_is_not_shown_is_said() {
        let row = |name: &str, time, share| {
            vec![Value::from(name), Value::Integer(time), Value::Float(share), Value::Missing("not recorded")]
        };
        let table = Table {
            id: "top",
            title: "",
            columns: vec![
                Column::new("name", "Name", Unit::None),
                Column::new("total_ns", "Total", Unit::Nanoseconds),
                Column::new("share_pct", "Share", Unit::Percent),
                Column::new("bytes", "Size", Unit::Bytes),
            ],
            rows: vec![
                row("a", 2_500_000_000, 50.0),
                row("b", 900_000, 25.0),
                row("c", 7, 20.0),
                row("d", 6, 5.0),
            ],
        };
        let options = Options { width: 80, top: 2 };
        assert_eq!(
            strip(&lines(&table, &options)),
            [
                "  Name      Total  Share",
                "  a       2.50  s  50.0%",
                "  b     900.00 µs  25.0%",
                "  … 2 more rows with 25.0% of the total; --top 0 shows all",
                "  Size: not recorded",
            ]
        );
    }

    #[test]
    fn statistics_go_first() {
        let columns = ["rank", "name", "std_ns", "p90_ns", "total_ns", "pid", "share_pct"]
            .map(|id| Column::new(id, id, Unit::None));
        let ranks: Vec<_> = (0..columns.len()).map(|index| importance(&columns, index, true)).collect();
        assert_eq!(ranks, [None, None, Some(0), Some(3), Some(203), Some(202), None]);
    }
}
