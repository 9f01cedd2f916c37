//! The page: every input with a chart that answers, its points as a table, and where its roofs come from.
//!
//! The page carries the documents as `eaves ... --json` writes them, and draws from those: what it shows is what other
//! programs read. Its policy forbids it to load anything, so names from an input can do no harm even if they look like
//! markup.

use std::fmt::{Result, Write};

use eaves_analyze::section::{Section, Value};

use super::colours::{REST, SERIES, STATUSES};
use super::{Options, Page, has_chart, svg};
use crate::html::{self, DATA_END, DATA_START};
use crate::human;
use crate::markup::escaped;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const PROGRAM: [&str; 3] =
    [include_str!("page/data.js"), include_str!("page/chart.js"), include_str!("page/page.js")];

/// Ink and paper of the page: the name, then its value on a light and on a dark page.
const INK: [(&str, &str, &str); 16] = [
    ("page", "#f6f7f8", "#101317"),
    ("surface", "#ffffff", "#171b21"),
    ("raised", "#f0f2f4", "#20262e"),
    ("text", "#1b1f24", "#e4e8ed"),
    ("quiet", "#5a6470", "#9aa5b1"),
    ("line", "#dfe3e8", "#2c343e"),
    ("field", "#ffffff", "#1b2027"),
    ("on", "#1f5fa8", "#7db6ee"),
    ("on-text", "#ffffff", "#10141a"),
    ("chosen", "#dbe9f7", "#22384f"),
    ("bar", "#cfe3f5", "#24405c"),
    ("grid", "#e1e5ea", "#2b333c"),
    ("minor", "#f1f3f5", "#1e242b"),
    ("edge", "#9aa5b1", "#5d6874"),
    ("warn", "#b01e70", "#ff7cc4"),
    ("rest", REST[0], REST[1]),
];

/// The whole page.
pub(super) fn render(pages: &[Page<'_>], title: &str) -> String {
    let mut body = String::new();
    let mut data = String::new();
    for (index, page) in pages.iter().enumerate() {
        // Writing to memory cannot fail.
        write_input(&mut body, page, index).unwrap_or_default();
        write_data(&mut data, page, index).unwrap_or_default();
    }
    if pages.is_empty() {
        body.push_str("<p class=\"note\">There is nothing to show.</p>\n");
    }
    let program: String = PROGRAM.concat();
    // From the end to the beginning: the first mark of a name is then the template's own, whatever texts of the input
    // stand behind it.
    let places = [
        ("{{program}}", program.as_str()),
        ("{{data}}", data.as_str()),
        ("{{pages}}", body.as_str()),
        ("{{style}}", STYLE),
        ("{{colours}}", &colours()),
        ("{{version}}", env!("CARGO_PKG_VERSION")),
    ];
    let mut text = PAGE.to_owned();
    for (place, content) in places {
        text = text.replacen(place, content, 1);
    }
    text.replacen("{{title}}", &escaped(title), 2)
}

/// The colours as variables: light, dark where the system is, and what the reader chose.
fn colours() -> String {
    let sheet = |shade: usize| -> String {
        let ink = INK.iter().map(|(name, light, dark)| format!("--{name}:{};", [light, dark][shade]));
        let numbered = |prefix: &'static str| move |(index, colour)| format!("--{prefix}{index}:{colour};");
        let statuses = STATUSES.iter().map(|(_, safe, _)| safe[shade]).enumerate().map(numbered("s"));
        let series = SERIES.iter().map(|shades| shades[shade]).enumerate().map(numbered("n"));
        ink.chain(statuses).chain(series).collect()
    };
    let (light, dark) = (sheet(0), sheet(1));
    format!(
        ":root{{{light}}}\n@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n\
         :root[data-theme=dark]{{{dark}color-scheme:dark}}:root[data-theme=light]{{color-scheme:light}}\n\
         @media print{{:root,:root[data-theme=dark]{{{light}--page:#fff}}}}"
    )
}

fn write_data(data: &mut String, page: &Page<'_>, index: usize) -> Result {
    let json = html::data(page.document);
    match index {
        0 => writeln!(data, "{DATA_START}{json}{DATA_END}"),
        _ => writeln!(data, "<script type=\"application/json\" id=\"eaves-{}\">{json}{DATA_END}", index + 1),
    }
}

fn write_input(body: &mut String, page: &Page<'_>, index: usize) -> Result {
    let number = index + 1;
    let label = escaped(page.label);
    writeln!(
        body,
        "<section class=\"input\" id=\"input-{number}\" role=\"tabpanel\" aria-label=\"{label}\" data-label=\"{label}\">\n\
         <h2>{label}</h2>"
    )?;
    write_facts(body, page)?;
    for section in page.document.sections() {
        match section.id {
            "roofline" => write_roofline(body, section, number)?,
            "comm-roofline" => write_communication(body, section, number)?,
            _ => write_other(body, section, number)?,
        }
    }
    for skipped in page.document.skipped() {
        writeln!(
            body,
            "<p class=\"note\">No {}: {}. {}</p>",
            escaped(skipped.id),
            escaped(&skipped.missing),
            escaped(&skipped.how_to_record)
        )?;
    }
    body.push_str("</section>\n");
    Ok(())
}

/// Device, totals and inputs.
fn write_facts(body: &mut String, page: &Page<'_>) -> Result {
    body.push_str("<ul class=\"facts\">\n");
    for number in
        page.document.sections().filter(|section| has_chart(section)).flat_map(|section| &section.numbers)
    {
        if !matches!(number.value, Value::Missing(_)) {
            writeln!(
                body,
                "<li title=\"{}\">{} <b>{}</b></li>",
                escaped(number.explain),
                escaped(&human::words(number.id)),
                escaped(&human::value(&number.value, number.unit))
            )?;
        }
    }
    for input in &page.document.inputs {
        writeln!(body, "<li>{}</li>", escaped(&input.path))?;
    }
    for warning in &page.document.warnings {
        writeln!(body, "<li class=\"warn\">{}</li>", escaped(&warning.message()))?;
    }
    body.push_str("</ul>\n");
    Ok(())
}

fn still(section: &Section) -> String {
    svg::embedded(&[section], &Options::default(), false)
}

fn write_roofline(body: &mut String, section: &Section, number: usize) -> Result {
    write!(
        body,
        "<div class=\"work\"><div><div class=\"bar\" role=\"toolbar\" aria-label=\"What the chart shows\"></div>\n\
         <div class=\"plot\">{}</div></div>\n<div class=\"side\" aria-label=\"Filters\"></div></div>\n\
         <div class=\"detail\" aria-live=\"polite\"></div>\n<div class=\"points\"></div>\n",
        still(section)
    )?;
    write_tables(body, section, number, |id| id != "points")
}

fn write_communication(body: &mut String, section: &Section, number: usize) -> Result {
    write!(
        body,
        "<details open><summary>{}</summary>\n<div class=\"plot links\">{}</div></details>\n",
        escaped(section.title),
        still(section)
    )?;
    write_tables(body, section, number, |_| true)
}

fn write_other(body: &mut String, section: &Section, number: usize) -> Result {
    writeln!(body, "<h3>{}</h3>", escaped(section.title))?;
    if has_chart(section) {
        writeln!(body, "<div class=\"plot\">{}</div>", still(section))?;
    }
    write_tables(body, section, number, |_| true)
}

/// The tables that have rows, folded.
fn write_tables(
    body: &mut String,
    section: &Section,
    number: usize,
    is_shown: impl Fn(&str) -> bool,
) -> Result {
    for table in section.tables.iter().filter(|table| is_shown(table.id) && !table.rows.is_empty()) {
        let id = format!("{}.{}.{number}", section.id, table.id);
        writeln!(
            body,
            "<details><summary id=\"{0}-title\">{1} ({2})</summary>",
            escaped(&id),
            escaped(if table.title.is_empty() { table.id } else { table.title }),
            human::counted(table.rows.len(), "row")
        )?;
        html::write_table(body, section, table, &id)?;
        body.push_str("</details>\n");
    }
    Ok(())
}
