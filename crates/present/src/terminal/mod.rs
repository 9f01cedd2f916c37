//! The document for a terminal: compact, aligned, with colors that only repeat what the text says.
//!
//! The text always has its colors; whoever prints it strips them where they are not wanted.

pub(crate) mod breakdown;
pub(crate) mod findings;
pub mod flame;
mod grid;
pub(crate) mod header;
pub(crate) mod numbers;
mod overview;
mod palette;
pub(crate) mod roofline;
mod strip;
pub(crate) mod table;
mod wrap;

use eaves_section::timeline::Charts;
use eaves_section::{Section, Table};
use unicode_width::UnicodeWidthStr;

pub use self::overview::overview;
use self::palette::{HEADING, QUIET, paint};
use self::wrap::hang;
use crate::{Document, memory};
use eaves_section::quantity;

/// How far everything below a heading is moved in.
const INDENT: usize = 2;

/// How the document is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// Rows of each table; 0 for all.
    pub top: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, top: 10 }
    }
}

impl Options {
    /// How many rows of a table are shown.
    pub(crate) fn rows(&self, rows: usize) -> usize {
        // A note in place of a single row would save nothing.
        if self.top == 0 || rows <= self.top + 1 { rows } else { self.top }
    }
}

/// The whole document.
pub fn render(document: &Document, options: &Options) -> String {
    render_below(document, Vec::new(), options)
}

/// The whole document below a picture of the recordings.
pub fn render_timeline(document: &Document, charts: &Charts<'_>, options: &Options) -> String {
    render_below(document, strip::lines(charts, options), options)
}

fn render_below(document: &Document, picture: Vec<String>, options: &Options) -> String {
    let mut blocks = vec![header::inputs(document, options), header::warnings(document, options), picture];
    blocks.extend(document.shown().map(|section| section_lines(document, section, options)));
    blocks.push(more(document, options));
    blocks.push(findings::findings(document, options));
    blocks.push(findings::skipped(document, options));
    let blocks: Vec<String> =
        blocks.into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// The warnings alone, for the error stream when the document goes elsewhere; empty without warnings.
pub fn render_warnings(document: &Document, options: &Options) -> String {
    header::warnings(document, options).iter().map(|line| format!("{line}\n")).collect()
}

fn section_lines(document: &Document, section: &Section, options: &Options) -> Vec<String> {
    let mut lines = vec![rule(section.title, section.id, options)];
    lines.extend(numbers::lines(section, options));
    // A picture is for those who asked for the section; an overview has its table.
    if document.overview.is_none() {
        let chart = roofline::charts(&[section], options.width);
        if !chart.is_empty() {
            lines.push(String::new());
            lines.extend(chart);
        }
    }
    for (index, table) in document.shown_tables(section).iter().enumerate() {
        if repeats_earlier(&section.tables[..index], table) {
            let note = format!("by rank: {} in --csv and --json", quantity::counted(table.rows.len(), "row"));
            lines.push(format!("{}{}", " ".repeat(INDENT), paint(QUIET, note)));
            continue;
        }
        // A title and headings without rows say nothing.
        if table.rows.is_empty() || memory::is_of_chart(section, table) {
            continue;
        }
        if lines.len() > 1 {
            lines.push(String::new());
        }
        lines.extend(table_title(table, options));
        let own =
            breakdown::lines(section, table, options).or_else(|| roofline::points(section, table, options));
        lines.extend(own.unwrap_or_else(|| table::lines(table, options)));
    }
    lines
}

/// What an overview skipped.
fn more(document: &Document, options: &Options) -> Vec<String> {
    let hidden: Vec<&str> = document.hidden().map(|section| section.id).collect();
    let cut = document.shown().filter(|section| document.shown_tables(section).len() < section.tables.len());
    let cut: Vec<&str> = cut.map(|section| section.id).collect();
    let mut lines = Vec::new();
    for (what, ids) in [("more tables of: ", cut), ("more sections: ", hidden)] {
        if !ids.is_empty() {
            let text = hang(&format!("{what}{}", ids.join(", ")), 2 * INDENT, options.width);
            lines.push(format!("{}{}", " ".repeat(INDENT), paint(QUIET, text)));
        }
    }
    if !lines.is_empty() {
        lines.insert(0, rule("More", "--section ID", options));
    }
    lines
}

/// The title, which says of what the shares are.
fn table_title(table: &Table, options: &Options) -> Option<String> {
    let title = hang(table.title, INDENT, options.width);
    (!title.is_empty()).then(|| format!("{}{title}", " ".repeat(INDENT)))
}

/// True for a table that has the columns of an earlier one, only split by rank: too much for eyes.
pub(crate) fn repeats_earlier(earlier: &[Table], table: &Table) -> bool {
    let leading = table.columns.iter().take_while(|column| matches!(column.id, "rank" | "input")).count();
    leading > 0 && earlier.iter().any(|other| other.columns == table.columns[leading..])
}

/// A heading with a line after it and, at its end, what `--section` calls it.
fn rule(title: &str, id: &str, options: &Options) -> String {
    let used = title.width() + id.width() + if id.is_empty() { 1 } else { 2 };
    let line = "─".repeat(options.width.saturating_sub(used).max(3));
    let end = if id.is_empty() { line } else { format!("{line} {id}") };
    format!("{} {}", paint(HEADING, title), paint(QUIET, end))
}
