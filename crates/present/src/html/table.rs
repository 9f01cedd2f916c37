//! A table of a section.

use std::fmt::{Result, Write};

use eaves_section::{Column, Table, Unit, Value};

use super::sections::Meanings;
use super::text::{Plain, Sentence};
use crate::names;
use crate::terminal::table::{NEW_NAME, missing_notes, missing_reason, rows_note};
use eaves_section::quantity;

/// More rows make a page that browsers are slow to show; the data of the page has them all.
pub(super) const MOST_ROWS: usize = 1_000;
/// Longer names make a table that nobody can read; the title of the cell has them whole.
const LONGEST_NAME: usize = 60;

/// The table with the notes below it.
pub(super) fn write(
    page: &mut String,
    table: &Table,
    id: &str,
    meanings: &Meanings<'_>,
    most_rows: usize,
) -> Result {
    let shown = table.rows.len().min(most_rows);
    let columns: Vec<ColumnForm<'_>> =
        order(table).into_iter().map(|index| ColumnForm::of(table, index, shown)).collect();
    writeln!(
        page,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{}-title\">\n<table>\n<thead><tr>",
        Plain(id)
    )?;
    for column in &columns {
        write_heading(page, column, meanings.get(column.column.id))?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    let (verdict, new_name) = (position(table, "verdict"), position(table, NEW_NAME));
    for (index, row) in table.rows[..shown].iter().enumerate() {
        let verdict = verdict.and_then(|verdict| row.get(verdict)).map_or("", verdict_class);
        let mut new_name =
            new_name.and_then(|index| row.get(index)).filter(|name| missing_reason(name).is_none());
        page.push_str("<tr>");
        for column in &columns {
            let value = row.get(column.index).unwrap_or(&Value::Missing("no such cell"));
            write_cell(page, column, index, value, verdict, new_name.take())?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    write_notes(page, table, shown)?;
    let explained = columns
        .iter()
        .filter_map(|column| Some((column.column.title.to_owned(), meanings.get(column.column.id)?)));
    write_meanings(page, explained)
}

/// The columns as they are shown: shares stand next to the name, where no scrolling hides them; a second name stands
/// below the first; what has no value at all is only told below.
fn order(table: &Table) -> Vec<usize> {
    let mut order: Vec<usize> = (0..table.columns.len()).collect();
    if let (Some(name), Some(share)) = (position(table, "name"), position(table, "share_pct"))
        && name < share
    {
        order.remove(share);
        order.insert(name + 1, share);
    }
    let has_value = |index: usize| {
        let mut values = table.rows.iter().map(|row| row.get(index));
        table.rows.is_empty()
            || values.any(|value| value.is_some_and(|value| missing_reason(value).is_none()))
    };
    order.retain(|&index| table.columns[index].id != NEW_NAME && has_value(index));
    order
}

fn position(table: &Table, id: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.id == id)
}

/// A column with what is the same for all its cells.
struct ColumnForm<'a> {
    index: usize,
    column: &'a Column,
    /// Texts, short enough to be read and still different; empty for a column of numbers.
    texts: Vec<String>,
    /// True for sentences.
    prose: bool,
    /// True for shares of a whole, which have a bar.
    share: bool,
    /// True for what names the row.
    names_row: bool,
}

impl<'a> ColumnForm<'a> {
    fn of(table: &'a Table, index: usize, shown: usize) -> Self {
        let column = &table.columns[index];
        let values: Vec<Option<&Value>> = table.rows[..shown].iter().map(|row| row.get(index)).collect();
        let is_text = |value: &Option<&Value>| matches!(value, Some(Value::Text(_)));
        let prose = column.id == "note";
        let texts = if values.iter().any(is_text) {
            let full: Vec<String> = values
                .iter()
                .map(|value| value.map_or_else(String::new, |value| quantity::cell(value, column)))
                .collect();
            let full: Vec<&str> = full.iter().map(String::as_str).collect();
            if prose {
                full.iter().map(|&text| text.to_owned()).collect()
            } else {
                names::shorten_all(&full, LONGEST_NAME)
            }
        } else {
            Vec::new()
        };
        let names_row = column.id == "name" || index == 0;
        Self { index, column, texts, prose, share: is_share(table, column, &values), names_row }
    }

    fn is_text(&self) -> bool {
        !self.texts.is_empty()
    }
}

/// True for shares of one whole that a bar can show. A table of many shares would be bars only.
fn is_share(table: &Table, column: &Column, values: &[Option<&Value>]) -> bool {
    const MOST_BARS: usize = 2;
    let percentages = table.columns.iter().filter(|column| column.unit == Unit::Percent).count();
    let fits = |value: &Option<&Value>| match value {
        Some(Value::Float(share)) => !share.is_finite() || (0.0..=100.0).contains(share),
        Some(Value::Integer(share)) => (0..=100).contains(share),
        _ => true,
    };
    // In a comparison the percentages are of many wholes.
    let compares = position(table, "verdict").is_some();
    column.unit == Unit::Percent && percentages <= MOST_BARS && !compares && values.iter().all(fits)
}

fn write_heading(page: &mut String, column: &ColumnForm<'_>, meaning: Option<&str>) -> Result {
    page.push_str("<th scope=\"col\"");
    if !column.is_text() {
        page.push_str(" class=\"num\"");
    }
    if let Some(meaning) = meaning {
        write!(page, " title=\"{}\"", Plain(meaning))?;
    }
    write!(page, ">{}</th>", Plain(column.column.title))
}

fn write_cell(
    page: &mut String,
    form: &ColumnForm<'_>,
    index: usize,
    value: &Value,
    verdict: &str,
    new_name: Option<&Value>,
) -> Result {
    let is_verdict = quantity::is_change(form.column) || form.column.id == "verdict";
    let colour = if is_verdict && !verdict.is_empty() { format!(" {verdict}") } else { String::new() };
    if form.is_text() {
        let (element, scope) = if form.names_row { ("th", " scope=\"row\"") } else { ("td", "") };
        let text = form.texts.get(index).map_or("", String::as_str);
        let class = match (form.prose, form.column.id) {
            (true, _) => "prose",
            (_, "verdict") => "verdict",
            _ if form.names_row || form.column.id.ends_with("name") => "name",
            _ => "text",
        };
        write!(page, "<{element}{scope} class=\"{class}{colour}\"")?;
        match value {
            Value::Text(full) if full != text => write!(page, " title=\"{}\"", Plain(full))?,
            Value::Missing(reason) => write!(page, " title=\"{}\"", Plain(reason))?,
            _ => {}
        }
        write!(page, ">{}", Plain(text))?;
        if let Some(Value::Text(name)) = new_name {
            let short = names::shorten(name, LONGEST_NAME);
            write!(page, "<br><span class=\"quiet\" title=\"{}\">→ {}</span>", Plain(name), Plain(&short))?;
        }
        return write!(page, "</{element}>");
    }
    let text = quantity::cell(value, form.column);
    match value {
        Value::Float(share) if form.share && share.is_finite() => {
            write!(page, "<td class=\"num share\" style=\"--part:{share:.2}%\">{}</td>", Plain(&text))
        }
        _ if missing_reason(value).is_none() && form.names_row => {
            write!(page, "<th scope=\"row\" class=\"num\">{}</th>", Plain(&text))
        }
        _ if missing_reason(value).is_none() => {
            write!(page, "<td class=\"num{colour}\">{}</td>", Plain(&text))
        }
        _ => write_plain_cell(page, value, &text),
    }
}

/// A cell with a number, or with the reason why there is none.
pub(super) fn write_plain_cell(page: &mut String, value: &Value, text: &str) -> Result {
    match missing_reason(value) {
        Some(reason) => {
            write!(page, "<td class=\"num none\" title=\"{}\">{}</td>", Plain(reason), Plain(text))
        }
        None => write!(page, "<td class=\"num\">{}</td>", Plain(text)),
    }
}

/// The color of a verdict; those that say nothing have none.
fn verdict_class(verdict: &Value) -> &'static str {
    match verdict {
        Value::Text(text) => match quantity::tendency(text) {
            Some(true) => "better",
            Some(false) => "worse",
            None => "",
        },
        _ => "",
    }
}

fn write_notes(page: &mut String, table: &Table, shown: usize) -> Result {
    let rows = rows_note(table, shown);
    let missing = missing_notes(table, shown, |column| column.id != NEW_NAME);
    let notes: Vec<String> = rows.into_iter().chain(missing).collect();
    if notes.is_empty() {
        Ok(())
    } else {
        writeln!(page, "<p class=\"below\">{}</p>", Sentence(&notes.join(" · ")))
    }
}

/// What columns mean, for those who cannot hover.
pub(super) fn write_meanings<'a>(
    page: &mut String,
    meanings: impl Iterator<Item = (String, &'a str)>,
) -> Result {
    let mut meanings = meanings.peekable();
    if meanings.peek().is_none() {
        return Ok(());
    }
    page.push_str("<details><summary>Column descriptions</summary><dl>\n");
    for (title, meaning) in meanings {
        writeln!(page, "<dt>{}</dt><dd>{}</dd>", Plain(&title), Sentence(meaning))?;
    }
    page.push_str("</dl></details>\n");
    Ok(())
}
