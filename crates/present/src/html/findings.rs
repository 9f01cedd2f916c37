//! What to do next, and what could not be said.

use std::fmt::{Result, Write};

use super::text::{Plain, Sentence};
use crate::Document;
use crate::terminal::findings::{NOTHING_FOUND, gain_text, skipped_together};

/// The findings of all sections, ranked by gain.
pub(super) fn write(page: &mut String, document: &Document) -> Result {
    let findings = document.findings();
    if findings.is_empty() && !document.says_nothing_found() {
        return Ok(());
    }
    page.push_str("<section id=\"findings\" aria-labelledby=\"findings-title\">\n");
    page.push_str("<div class=\"heading\"><h2 id=\"findings-title\">Findings</h2></div>\n");
    if findings.is_empty() {
        writeln!(page, "<p>{NOTHING_FOUND}</p>")?;
    } else {
        page.push_str("<ol class=\"findings\">\n");
    }
    for (section, finding) in &findings {
        let severity = finding.severity.id();
        write!(
            page,
            "<li><article>\n<p class=\"claim\">{}</p>\n<p class=\"tags\"><span class=\"label {severity}\">{severity}\
             </span>",
            Sentence(&finding.claim)
        )?;
        if let Some(gain) = &finding.gain {
            write!(page, " <span class=\"gain\">{}</span> ·", Plain(&gain_text(gain)))?;
        }
        writeln!(page, " <a href=\"#{0}\">{0}</a></p>", Plain(section.id))?;
        page.push_str("<dl>\n");
        let basis = finding.gain.as_ref().map_or("", |gain| gain.basis.as_str());
        for (label, text) in [("Gain", basis), ("See", &finding.evidence), ("Next", &finding.next)] {
            if !text.is_empty() {
                writeln!(page, "<dt>{label}</dt><dd>{}</dd>", Sentence(text))?;
            }
        }
        page.push_str("</dl>\n</article></li>\n");
    }
    if !findings.is_empty() {
        page.push_str("</ol>\n");
    }
    page.push_str("</section>\n");
    Ok(())
}

/// The analyses that lacked something.
pub(super) fn write_skipped(page: &mut String, document: &Document) -> Result {
    let skipped = skipped_together(document);
    if skipped.is_empty() {
        return Ok(());
    }
    page.push_str("<section id=\"skipped\" aria-labelledby=\"skipped-title\">\n");
    page.push_str("<div class=\"heading\"><h2 id=\"skipped-title\">Not in this recording</h2></div>\n");
    page.push_str("<ul class=\"notes\">\n");
    for (ids, skipped) in skipped {
        let ids: Vec<String> = ids.iter().map(|id| format!("<code>{}</code>", Plain(id))).collect();
        writeln!(
            page,
            "<li>{}: {}<br><span class=\"quiet\">To record it: {}</span></li>",
            ids.join(", "),
            Sentence(&skipped.missing),
            Sentence(&skipped.how_to_record)
        )?;
    }
    page.push_str("</ul>\n</section>\n");
    Ok(())
}
