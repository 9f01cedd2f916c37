//! The top of the page: what was read, where things are, and what was odd.

use std::fmt::{Result, Write};

use super::text::{Plain, Sentence};
use crate::Document;
use crate::terminal::header::{facts, grouped_warnings};
use eaves_section::quantity;

/// The title of the window.
pub(super) fn title(document: &Document) -> String {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    match document.inputs.as_slice() {
        [] => format!("eaves {}", document.verb),
        [input] => format!("{} · eaves {}", name(&input.path), document.verb),
        [first, rest @ ..] => {
            format!("{} and {} more · eaves {}", name(&first.path), rest.len(), document.verb)
        }
    }
}

/// The header and the list of contents.
pub(super) fn write(page: &mut String, document: &Document) -> Result {
    write!(page, "<header>\n<h1>eaves {}</h1>\n", Plain(document.verb))?;
    if !document.inputs.is_empty() {
        page.push_str("<p class=\"facts\">");
        for fact in facts(document) {
            write!(page, "<span>{}</span>", Plain(&fact))?;
        }
        page.push_str("</p>\n");
        write_inputs(page, document)?;
    }
    page.push_str("</header>\n");
    write_contents(page, document)
}

fn write_inputs(page: &mut String, document: &Document) -> Result {
    /// More than this are folded away.
    const OPEN: usize = 4;
    let open = if document.inputs.len() <= OPEN { " open" } else { "" };
    let has_role = document.inputs.iter().any(|input| input.role.is_some());
    write!(page, "<details{open}><summary>Inputs</summary>\n<div class=\"scroll\"><table>\n<thead><tr>")?;
    if has_role {
        page.push_str("<th scope=\"col\">Side</th>");
    }
    page.push_str(
        "<th scope=\"col\" class=\"num\">Rank</th><th scope=\"col\">Input</th><th scope=\"col\">Format</th>\
         <th scope=\"col\">Container</th><th scope=\"col\" class=\"num\">Events</th>\
         <th scope=\"col\" class=\"num\">Size</th></tr></thead>\n<tbody>\n",
    );
    for input in &document.inputs {
        page.push_str("<tr>");
        if has_role {
            write!(page, "<td>{}</td>", input.role.unwrap_or(quantity::MISSING))?;
        }
        writeln!(
            page,
            "<td class=\"num\">{}</td><td class=\"name\">{}</td><td>{}</td><td>{}</td><td class=\"num\">{}</td>\
             <td class=\"num\">{}</td></tr>",
            input.rank,
            Plain(&input.path),
            Plain(input.format),
            Plain(input.container),
            quantity::thousands(i64::try_from(input.events).unwrap_or(i64::MAX)),
            quantity::bytes(input.bytes as f64),
        )?;
    }
    page.push_str("</tbody></table></div></details>\n");
    Ok(())
}

/// Up to this many sections have their tables among the contents.
const SECTIONS_WITH_TABLES: usize = 2;

fn write_contents(page: &mut String, document: &Document) -> Result {
    page.push_str("<nav aria-label=\"Contents\">\n<ul>\n");
    let mut entry = |id: &str, title: &str, count: usize| {
        let count = if count == 0 { String::new() } else { format!("<span class=\"count\">{count}</span>") };
        writeln!(page, "<li><a href=\"#{}\">{}{count}</a></li>", Plain(id), Plain(title))
    };
    if !document.warnings.is_empty() {
        entry("warnings", "Warnings", grouped_warnings(document).len())?;
    }
    if !document.findings().is_empty() || document.says_nothing_found() {
        entry("findings", "Findings", document.findings().len())?;
    }
    // A document of few sections is a document of tables.
    let lists_tables = document.sections().count() <= SECTIONS_WITH_TABLES;
    for section in document.sections() {
        entry(section.id, section.title, 0)?;
        for table in section.tables.iter().filter(|_| lists_tables) {
            let id = format!("{}.{}", section.id, table.id);
            entry(&id, &format!("– {}", eaves_section::words(table.id)), 0)?;
        }
    }
    let skipped = document.skipped().count();
    if skipped > 0 {
        entry("skipped", "Not in this recording", skipped)?;
    }
    page.push_str("</ul>\n</nav>\n");
    Ok(())
}

/// Every kind of oddity once.
pub(super) fn write_warnings(page: &mut String, document: &Document) -> Result {
    let warnings = grouped_warnings(document);
    if warnings.is_empty() {
        return Ok(());
    }
    page.push_str("<section id=\"warnings\" aria-labelledby=\"warnings-title\">\n");
    page.push_str(
        "<div class=\"heading\"><h2 id=\"warnings-title\">Warnings</h2></div>\n<ul class=\"notes\">\n",
    );
    for (harmless, text) in warnings {
        let (class, label) = if harmless { ("info", "note") } else { ("warning", "warning") };
        writeln!(page, "<li><span class=\"label {class}\">{label}</span> {}</li>", Sentence(&text))?;
    }
    page.push_str("</ul>\n</section>\n");
    Ok(())
}
