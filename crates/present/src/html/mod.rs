//! The document as one HTML file that needs nothing else: no script, no font, no picture from elsewhere.
//!
//! The page carries the whole document as JSON in the element `eaves`, so that a saved page is an input again.

mod breakdown;
mod findings;
pub mod fragment;
mod head;
mod sections;
mod table;
mod text;

use std::fmt::Write;

use self::text::Plain;
use crate::{Document, json};

/// The page forbids itself everything but its own style. The data block is not a script and needs no permission.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
pub(crate) const STYLE: &str = include_str!("style.css");

/// How the element with the data begins; readers of saved pages look for it.
pub(crate) const DATA_START: &str = r#"<script type="application/json" id="eaves">"#;
/// How it ends. The data cannot hold it: its `<` are written as escapes.
pub(crate) const DATA_END: &str = "</script>";

/// The whole document.
pub fn render(document: &Document) -> String {
    let mut page = String::with_capacity(1 << 16);
    // Writing to a string cannot fail.
    write_page(&mut page, document).unwrap_or_default();
    page
}

fn write_page(page: &mut String, document: &Document) -> std::fmt::Result {
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"eaves {}\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_VERSION"),
        Plain(&head::title(document)),
    )?;
    write_body(page, document, table::MOST_ROWS, None)?;
    write!(page, "{DATA_START}{}{DATA_END}\n</body>\n</html>\n", data(document))
}

/// What people read, without the data, with at most this many rows of each table and a drawing before them.
pub(crate) fn write_body(
    page: &mut String,
    document: &Document,
    most_rows: usize,
    drawing: Option<&str>,
) -> std::fmt::Result {
    page.push_str("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<div class=\"page\">\n");
    head::write(page, document)?;
    page.push_str("<main id=\"main\">\n");
    head::write_warnings(page, document)?;
    if let Some(drawing) = drawing {
        writeln!(page, "<figure class=\"chart\">{drawing}</figure>")?;
    }
    findings::write(page, document)?;
    for section in document.sections() {
        sections::write(page, section, most_rows)?;
    }
    findings::write_skipped(page, document)?;
    writeln!(
        page,
        "</main>\n<footer>This page contains all its data, including rows not shown: <code>eaves diff</code> and <code>eaves open</code> read it.</footer>\n</div>",
    )
}

/// The title of the window.
pub(crate) fn title(document: &Document) -> String {
    head::title(document)
}

/// The JSON of the document. A `<` is only ever inside a text, where an escape stands for it, so that nothing in the
/// data ends the element or begins a comment.
pub(crate) fn data(document: &Document) -> String {
    json::compact(document).replace('<', "\\u003c")
}
