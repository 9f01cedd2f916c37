//! A section: its numbers, then its tables.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use eaves_section::{Number, Section, Table, Value};

use super::text::{Plain, Sentence};
use super::{breakdown, table};
use crate::terminal::numbers::is_in_table;
use crate::terminal::repeats_earlier;
use crate::{memory, roofline};
use eaves_section::quantity;

/// The whole section.
pub(super) fn write(page: &mut String, section: &Section, most_rows: usize) -> Result {
    let id = Plain(section.id);
    writeln!(
        page,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<div class=\"heading\"><h2 id=\"{id}-title\">{}</h2>\
         <code>{id}</code></div>",
        Plain(section.title)
    )?;
    write_numbers(page, section)?;
    if let Some(chart) = roofline::embedded(&[section]) {
        writeln!(page, "<figure class=\"chart\">{chart}</figure>")?;
    }
    let levels = memory::levels(section).and_then(|table| Some((table.id, memory::embedded(section)?)));
    if let Some((table, chart)) = &levels {
        // The list of tables leads to the chart in place of its table.
        writeln!(page, "<figure class=\"chart\" id=\"{id}.{table}\">{chart}</figure>")?;
    }
    let meanings = Meanings::of(section);
    for (index, table) in section.tables.iter().enumerate() {
        let is_drawn = levels.as_ref().is_some_and(|(id, _)| *id == table.id);
        if is_drawn || memory::is_unreadable(section, table) {
            // The chart shows it, and the data of the page has it.
            continue;
        }
        if repeats_earlier(&section.tables[..index], table) {
            let rows = quantity::counted(table.rows.len(), "row");
            writeln!(page, "<details><summary>By rank: {rows}</summary>")?;
            write_table(page, section, table, &meanings, most_rows)?;
            page.push_str("</details>\n");
        } else {
            write_table(page, section, table, &meanings, most_rows)?;
        }
    }
    page.push_str("</section>\n");
    Ok(())
}

pub(super) fn write_table(
    page: &mut String,
    section: &Section,
    table: &Table,
    meanings: &Meanings<'_>,
    most_rows: usize,
) -> Result {
    let id = format!("{}.{}", section.id, table.id);
    writeln!(
        page,
        "<figure id=\"{0}\" aria-labelledby=\"{0}-title\">\n<figcaption id=\"{0}-title\">{1}</figcaption>",
        Plain(&id),
        Sentence(if table.title.is_empty() { table.id } else { table.title })
    )?;
    breakdown::write(page, section, table)?;
    table::write(page, table, &id, meanings, most_rows)?;
    page.push_str("</figure>\n");
    Ok(())
}

/// What the numbers of a section mean. A column of the same name means the same.
pub(super) struct Meanings<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Meanings<'a> {
    pub(super) fn of(section: &'a Section) -> Self {
        Self(section.numbers.iter().map(|number| (number.id, number.explain)).collect())
    }

    /// What a column means.
    pub(super) fn get(&self, id: &str) -> Option<&'a str> {
        self.0.get(id).copied().filter(|text| !text.is_empty())
    }
}

/// The numbers that no table shows: those of the whole run as cards, those of ranks as a table.
fn write_numbers(page: &mut String, section: &Section) -> Result {
    let shown = section.numbers.iter().filter(|number| !is_in_table(section, number));
    let (of_ranks, of_run): (Vec<&Number>, Vec<&Number>) = shown.partition(|number| number.rank.is_some());
    if !of_run.is_empty() {
        page.push_str("<dl class=\"numbers\">\n");
        for number in of_run {
            write_card(page, number)?;
        }
        page.push_str("</dl>\n");
    }
    if of_ranks.is_empty() { Ok(()) } else { write_ranks(page, section, &of_ranks) }
}

fn write_card(page: &mut String, number: &Number) -> Result {
    let explain = match &number.value {
        Value::Missing(reason) => reason,
        _ => number.explain,
    };
    writeln!(
        page,
        "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"explain\">{}</dd></div>",
        Plain(&eaves_section::words(number.id)),
        Plain(&quantity::value(&number.value, number.unit)),
        Sentence(explain)
    )
}

fn write_ranks(page: &mut String, section: &Section, numbers: &[&Number]) -> Result {
    let mut ids: Vec<&Number> = Vec::new();
    let mut ranks: Vec<i64> = Vec::new();
    for number in numbers {
        if !ids.iter().any(|known| known.id == number.id) {
            ids.push(number);
        }
        ranks.extend(number.rank.filter(|rank| !ranks.contains(rank)));
    }
    let id = format!("{}-ranks", section.id);
    writeln!(
        page,
        "<figure><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Numbers by rank\">\n\
         <table id=\"{}\"><thead><tr><th scope=\"col\" class=\"num\">Rank</th>",
        Plain(&id)
    )?;
    for number in &ids {
        write!(
            page,
            "<th scope=\"col\" class=\"num\" title=\"{}\">{}</th>",
            Plain(number.explain),
            Plain(&eaves_section::words(number.id))
        )?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for rank in ranks {
        write!(page, "<tr><th scope=\"row\" class=\"num\">{rank}</th>")?;
        for column in &ids {
            let number = numbers.iter().find(|number| number.rank == Some(rank) && number.id == column.id);
            let value = number.map_or(&Value::Missing("not for this rank"), |number| &number.value);
            table::write_plain_cell(page, value, &quantity::value(value, column.unit))?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    let meanings = ids.iter().map(|number| (eaves_section::words(number.id), number.explain));
    table::write_meanings(page, meanings)?;
    page.push_str("</figure>\n");
    Ok(())
}
