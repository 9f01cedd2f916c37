//! What to do next, and what could not be said.

use eaves_model::Ns;
use eaves_section::{Finding, Gain, Section, Skipped};

use super::palette::{GAIN, HEADING, QUIET, paint, severity};
use super::wrap::hang;
use super::{Options, rule};
use crate::Document;
use eaves_section::quantity;

/// What stands in the place of findings if there are none.
pub(crate) const NOTHING_FOUND: &str = "No findings: nothing costs noticeable time.";

/// The findings of all sections, ranked by gain.
pub(super) fn findings(document: &Document, options: &Options) -> Vec<String> {
    let findings = document.findings();
    if findings.is_empty() {
        return match document.says_nothing_found() {
            true => vec![rule("Findings", "", options), format!("  {NOTHING_FOUND}")],
            false => Vec::new(),
        };
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
    if let Some(gain) = &finding.gain {
        facts.push_str(&format!(" · {}", paint(GAIN, gain_text(gain))));
    }
    facts.push_str(&paint(QUIET, format!(" · {}", section.id)));
    let mut lines = vec![format!("{label}{claim}"), format!("{space}{facts}")];
    let basis = finding.gain.as_ref().map_or("", |gain| gain.basis.as_str());
    for (label, text) in [("gain: ", basis), ("see:  ", &finding.evidence), ("next: ", &finding.next)] {
        if !text.is_empty() {
            let text = hang(text, indent + label.len(), options.width);
            lines.push(format!("{space}{}{text}", paint(QUIET, label)));
        }
    }
    lines
}

/// A gain as people say it.
pub(crate) fn gain_text(gain: &Gain) -> String {
    let per_step = if gain.per_step { " per step" } else { "" };
    match (gain.low.0, gain.high.0) {
        (low, high) if low == high => format!("may gain {}{per_step}", quantity::duration(Ns(high))),
        (0, high) => format!("may gain up to {}{per_step}", quantity::duration(Ns(high))),
        (low, high) => {
            format!("may gain {} to {}{per_step}", quantity::duration(Ns(low)), quantity::duration(Ns(high)))
        }
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
    for skipped in document.skipped().filter(|skipped| !document.is_hidden(skipped.id)) {
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
