//! The headline numbers of a section, with what they mean.

use eaves_section::{Number, Section, Value};
use unicode_width::UnicodeWidthStr;

use super::grid::{Grid, GridColumn};
use super::palette::{HEADING, QUIET, paint};
use super::wrap::{hang, padding};
use super::{INDENT, Options};
use eaves_section::quantity;

/// The numbers: those of the whole run one per line, those of ranks one line per rank.
pub(super) fn lines(section: &Section, options: &Options) -> Vec<String> {
    let (of_ranks, of_run): (Vec<&Number>, Vec<&Number>) = section
        .numbers
        .iter()
        .filter(|number| !is_in_table(section, number))
        .partition(|number| number.rank.is_some());
    let mut lines = run_lines(&of_run, options);
    if !of_ranks.is_empty() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(rank_lines(&of_ranks, options));
    }
    lines
}

/// True if a table has the number as a column, where it would be read twice.
pub(crate) fn is_in_table(section: &Section, number: &Number) -> bool {
    number.rank.is_some()
        && section.tables.iter().any(|table| {
            let has = |id: &str| table.columns.iter().any(|column| column.id == id);
            has("rank") && has(number.id)
        })
}

fn run_lines(numbers: &[&Number], options: &Options) -> Vec<String> {
    let labels: Vec<String> = numbers.iter().map(|number| eaves_section::words(number.id)).collect();
    let values: Vec<String> =
        numbers.iter().map(|number| quantity::value(&number.value, number.unit)).collect();
    let label_width = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let value_width = values.iter().map(|value| value.width()).max().unwrap_or(0);
    let indent = INDENT + label_width + 2 + value_width + 2;
    let line = |((number, label), value): ((&&Number, &String), &String)| {
        let label = format!("{label}{}", padding(label, label_width));
        let value = format!("{}{}", padding(value, value_width), paint(HEADING, value));
        let explain = paint(QUIET, hang(&explanation(number), indent, options.width));
        format!("{}{label}  {value}  {explain}", " ".repeat(INDENT))
    };
    numbers.iter().zip(&labels).zip(&values).map(line).collect()
}

/// What a number means, or why there is none.
fn explanation(number: &Number) -> String {
    match &number.value {
        Value::Missing(reason) => (*reason).to_owned(),
        _ => number.explain.to_owned(),
    }
}

fn rank_lines(numbers: &[&Number], options: &Options) -> Vec<String> {
    let mut ranks: Vec<i64> = numbers.iter().filter_map(|number| number.rank).collect();
    ranks.dedup();
    let mut ids: Vec<&str> = Vec::new();
    for number in numbers {
        if !ids.contains(&number.id) {
            ids.push(number.id);
        }
    }
    let shown = options.rows(ranks.len());
    let cell = |rank: i64, id: &str| {
        let number = numbers.iter().find(|number| number.rank == Some(rank) && number.id == id);
        number.map_or_else(
            || quantity::MISSING.to_owned(),
            |number| quantity::value(&number.value, number.unit),
        )
    };
    let mut grid = Grid::default();
    let names = ranks[..shown].iter().map(i64::to_string).collect();
    grid.columns.push(GridColumn::of_numbers("Rank".to_owned(), names, None));
    for (index, id) in ids.iter().enumerate() {
        let cells = ranks[..shown].iter().map(|&rank| cell(rank, id)).collect();
        grid.columns.push(GridColumn::of_numbers(
            eaves_section::words(id),
            cells,
            Some((ids.len() - index) as u32),
        ));
    }
    grid.fit(options.width.saturating_sub(INDENT));
    let mut lines = grid.lines(INDENT);
    if shown < ranks.len() {
        let note = format!("… {}; --top 0 shows all", quantity::counted(ranks.len() - shown, "more rank"));
        lines.push(paint(QUIET, format!("{}{note}", " ".repeat(INDENT))));
    }
    lines.extend(notes(&ids, numbers).iter().map(|note| {
        let note = hang(note, INDENT + 2, options.width);
        format!("{}{}", " ".repeat(INDENT), paint(QUIET, note))
    }));
    lines
}

/// What the numbers mean, and why some are missing.
fn notes(ids: &[&str], numbers: &[&Number]) -> Vec<String> {
    let mut notes = Vec::new();
    for id in ids {
        let mut of_id = numbers.iter().filter(|number| number.id == *id);
        let explain = of_id.clone().next().map_or("", |number| number.explain);
        notes.push(format!("{}: {explain}", eaves_section::words(id)));
        let reason = of_id.find_map(|number| match &number.value {
            Value::Missing(reason) => Some(*reason),
            _ => None,
        });
        notes.extend(
            reason.map(|reason| format!("{} in {}: {reason}", quantity::MISSING, eaves_section::words(id))),
        );
    }
    notes
}
