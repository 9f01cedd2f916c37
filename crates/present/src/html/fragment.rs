//! Parts of a document to stand in pages of others: the cells of notebooks. Everything is inside one element, whose style
//! reaches nothing outside it.

use std::fmt::{Result, Write};

use eaves_section::{Section, Table};

use super::sections::{self, Meanings};
use super::text::Plain;
use super::{STYLE, findings, head};
use crate::Document;
use crate::markup::escaped;

/// Rows of a table of several: whoever wants more looks at the table itself.
const FEW_ROWS: usize = 10;
/// Rows of a table that was asked for.
const MORE_ROWS: usize = 50;
/// Pixels of a page inside a page.
const FRAME_HEIGHT: u32 = 640;

/// Overview of a document: findings and a summary of the sections.
pub fn document(document: &Document) -> String {
    inside(|page| {
        head::write_warnings(page, document)?;
        findings::write(page, document)?;
        for section in document.shown() {
            let tables = document.shown_tables(section).to_vec();
            sections::write(page, &Section { tables, ..section.clone() }, FEW_ROWS)?;
        }
        findings::write_skipped(page, document)
    })
}

/// A section with all its tables, and the findings about it.
pub fn section(section: &Section) -> String {
    let outcomes = vec![eaves_section::Outcome::Section(section.clone())];
    let alone = Document { outcomes, ..Document::default() };
    inside(|page| {
        findings::write(page, &alone)?;
        sections::write(page, section, FEW_ROWS)
    })
}

/// A table alone.
pub fn table(table: &Table) -> String {
    let section = Section::default();
    inside(|page| {
        page.push_str("<section>\n");
        sections::write_table(page, &section, table, &Meanings::of(&section), MORE_ROWS)?;
        page.push_str("</section>\n");
        Ok(())
    })
}

/// Some rows of a table of texts that is longer.
pub fn plain_table(title: &str, columns: &[&str], rows: &[Vec<String>], all: usize) -> String {
    inside(|page| {
        write!(
            page,
            "<section>\n<figure><figcaption>{}</figcaption>\n<div class=\"scroll\"><table>",
            Plain(title)
        )?;
        page.push_str("<thead><tr>");
        for column in columns {
            write!(page, "<th scope=\"col\">{}</th>", Plain(column))?;
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            page.push_str("<tr>");
            for cell in row {
                write!(page, "<td>{}</td>", Plain(cell))?;
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody></table></div>\n");
        if rows.len() < all {
            writeln!(page, "<p class=\"below\">The first {} of {all} rows</p>", rows.len())?;
        }
        page.push_str("</figure>\n</section>\n");
        Ok(())
    })
}

/// A whole page inside a page, which can neither see it nor be seen by it.
pub fn frame(page: &str, title: &str) -> String {
    format!(
        "<iframe sandbox=\"allow-scripts allow-downloads\" title=\"{}\" srcdoc=\"{}\" \
         style=\"width:100%;height:{FRAME_HEIGHT}px;border:1px solid #8884;border-radius:6px\"></iframe>",
        escaped(title),
        escaped(page)
    )
}

fn inside(write: impl FnOnce(&mut String) -> Result) -> String {
    let mut page = format!("<div class=\"eaves-output\">\n<style>\n{}</style>\n<main>\n", style());
    // Writing to a string cannot fail.
    write(&mut page).unwrap_or_default();
    page.push_str("</main>\n</div>\n");
    page
}

/// The style of pages, nested in that of the one element, which takes the place of the page.
fn style() -> String {
    let mut style = String::from(".eaves-output {\n");
    for line in STYLE.lines() {
        let line = match line.trim_start().split_once(" {") {
            Some((":root" | "body", rest)) => format!("& {{{rest}"),
            _ => line.to_owned(),
        };
        // Writing to a string cannot fail.
        writeln!(style, "{line}").unwrap_or_default();
    }
    style.push_str("}\n");
    style
}

#[cfg(test)]
mod tests {
    use eaves_section::{Column, Unit, Value};

    use super::*;

    #[test]
    fn nothing_of_the_style_is_outside_the_element() {
        let style = style();
        let mut depth = 0;
        for (index, letter) in style.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            assert!(depth > 0 || index < ".eaves-output {".len() || index + 2 >= style.len(), "{index}");
        }
        assert_eq!(depth, 0);
        for outside in [":root", "body {"] {
            assert!(!style.contains(outside), "{outside}");
        }
        // What the page has, the element has: its colors and its font.
        assert!(style.contains("& {\n  color-scheme: light dark;") && style.contains("& {\n  margin: 0;"));
    }

    #[test]
    fn a_fragment_is_well_formed_and_escapes_what_it_shows() {
        let shown = Table {
            id: "t",
            title: "T",
            columns: vec![Column::new("name", "Name", Unit::None)],
            rows: vec![vec![Value::from("<script>alert(1)</script>")]; 60],
        };
        let text = table(&shown);
        assert!(!text.contains("<script") && text.contains("&lt;script"));
        assert_eq!(text.matches("<tr>").count(), 1 + MORE_ROWS);
        let body = text.split_once("</style>").unwrap().1;
        let document = format!("<div>{body}");
        roxmltree::Document::parse(&document).unwrap();
        let text = plain_table("T", &["<a>"], &[vec!["<b>".to_owned()]], 2);
        assert!(
            text.contains("&lt;a&gt;")
                && text.contains("&lt;b&gt;")
                && text.contains("The first 1 of 2 rows")
        );
    }

    #[test]
    fn a_frame_holds_a_page_as_text() {
        let text = frame("<p title=\"a\">&amp;</p>", "\"");
        let frame = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(frame.root_element().attribute("srcdoc"), Some("<p title=\"a\">&amp;</p>"));
    }
}
