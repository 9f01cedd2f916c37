//! What to do next, and what could not be said.

use eaves_analyze::section::{Finding, Section, Skipped};

use super::palette::{GAIN, HEADING, QUIET, paint, severity};
use super::wrap::hang;
use super::{Options, rule};
use crate::{Document, human};

/// The findings of all sections, ranked by gain.
pub(super) fn findings(document: &Document, options: &Options) -> Vec<String> {
    let findings = document.findings();
    if findings.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![rule("Findings", "by possible gain", options)];
    for (index, (section, finding)) in findings.iter().enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        lines.extend(finding_lines(index + 1, section, finding, options));
    }
    lines
}

fn finding_lines(number: usize, section: &Section, finding: &Finding, options: &Options) -> Vec<String> {
    let label = format!("{number:>2}. ");
    let indent = label.len();
    let space = " ".repeat(indent);
    let claim = paint(HEADING, hang(&finding.claim, indent, options.width));
    let mut facts = paint(severity(finding.severity), finding.severity.id());
    if let Some(gain) = finding.gain_ns {
        facts.push_str(&format!(" · {}", paint(GAIN, gain_text(gain))));
    }
    facts.push_str(&paint(QUIET, format!(" · {}", section.id)));
    let mut lines = vec![format!("{label}{claim}"), format!("{space}{facts}")];
    for (label, text) in [("see:  ", &finding.evidence), ("next: ", &finding.next)] {
        if !text.is_empty() {
            let text = hang(text, indent + label.len(), options.width);
            lines.push(format!("{space}{}{text}", paint(QUIET, label)));
        }
    }
    lines
}

/// A gain as people say it.
pub(crate) fn gain_text((low, high): (i64, i64)) -> String {
    match (low, high) {
        (low, high) if low == high => format!("may gain {}", human::duration(high)),
        (0, high) => format!("may gain up to {}", human::duration(high)),
        (low, high) => format!("may gain {} to {}", human::duration(low), human::duration(high)),
    }
}

/// The analyses that lacked something, and how to record it. Those that lack the same are named together.
pub(super) fn skipped(document: &Document, options: &Options) -> Vec<String> {
    let mut lines = Vec::new();
    for (ids, skipped) in skipped_together(document) {
        if lines.is_empty() {
            lines.push(rule("Not in this recording", "", options));
        } else {
            lines.push(String::new());
        }
        lines.push(format!("  {}", paint(QUIET, hang(&ids.join(", "), 2, options.width))));
        let how = format!("to record it: {}", skipped.how_to_record);
        for text in [&skipped.missing, &how] {
            lines.push(format!("    {}", paint(QUIET, hang(text, 4, options.width))));
        }
    }
    lines
}

/// The ids of what was skipped for the same reason.
pub(crate) fn skipped_together(document: &Document) -> Vec<(Vec<&str>, &Skipped)> {
    let mut groups: Vec<(Vec<&str>, &Skipped)> = Vec::new();
    for skipped in document.skipped() {
        let same = |(_, other): &&mut (Vec<&str>, &Skipped)| {
            (&other.missing, &other.how_to_record) == (&skipped.missing, &skipped.how_to_record)
        };
        match groups.iter_mut().find(same) {
            Some((ids, _)) => ids.push(skipped.id),
            None => groups.push((vec![skipped.id], skipped)),
        }
    }
    groups
}
