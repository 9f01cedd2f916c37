//! The first screen of a report: what was read, the verdict, a bar per rank, the findings, and how to see more.

use eaves_section::{Finding, Section};
use unicode_width::UnicodeWidthStr;

use super::findings::{NOTHING_FOUND, gain_text, skipped_together};
use super::palette::{GAIN, HEADING, QUIET, WARNING, paint, severity};
use super::wrap::{padding, wrap};
use super::{INDENT, Options, breakdown, header, rule};
use crate::Document;
use crate::verdict;
use eaves_section::quantity;

/// Lines that a warning may take.
const WARNING_LINES: usize = 2;
/// Warnings that are shown; the others are counted.
const WARNINGS: usize = 3;
/// Ranks that have a bar; the others are counted.
const BARS: usize = 4;
/// Lines of the whole screen: what a terminal shows without scrolling.
const SCREEN: usize = 40;
/// Findings that are shown even where that takes more than a screen.
const FINDINGS: usize = 2;
/// Lines that the claim of a finding may take.
const CLAIM_LINES: usize = 2;

/// The first screen of a document, with colors.
pub fn overview(document: &Document, options: &Options) -> String {
    let above =
        [header::inputs(document, options), warnings(document, options), verdict_lines(document, options)];
    let below = more(document, options);
    let around = above.iter().chain([&below]).filter(|block| !block.is_empty());
    // An entry may have several lines, and an empty line follows each block.
    let taken: usize = around.map(|block| block.iter().map(|line| lines_of(line)).sum::<usize>() + 1).sum();
    let findings = findings(document, SCREEN.saturating_sub(taken), options);
    let blocks: Vec<String> = above
        .into_iter()
        .chain([findings, below])
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.join("\n"))
        .collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// How many lines of the terminal a text takes.
fn lines_of(text: &str) -> usize {
    text.split('\n').count()
}

/// The first lines of a text, the last of them cut where more would follow.
fn first_lines(text: &str, lines: usize, indent: usize, options: &Options) -> String {
    let width = options.width.saturating_sub(indent).max(20);
    let mut wrapped = wrap(text, width);
    if wrapped.len() > lines {
        wrapped.truncate(lines);
        if let Some(last) = wrapped.last_mut() {
            while last.width() + 1 >= width && last.pop().is_some() {}
            let end = last.trim_end_matches([' ', ',', ';', ':']).len();
            last.truncate(end);
            last.push('…');
        }
    }
    wrapped.join(&format!("\n{}", " ".repeat(indent)))
}

fn warnings(document: &Document, options: &Options) -> Vec<String> {
    let all = header::grouped_warnings(document);
    let serious: Vec<&String> = all.iter().filter(|(harmless, _)| !harmless).map(|(_, text)| text).collect();
    let label = "warning: ";
    let mut lines: Vec<String> = serious
        .iter()
        .take(WARNINGS)
        .map(|text| {
            let text = first_lines(text, WARNING_LINES, label.len(), options);
            format!("{}{text}", paint(WARNING, label))
        })
        .collect();
    let others = all.len() - lines.len();
    if others > 0 {
        let text = format!("{}; --full shows them", quantity::counted(others, "more note"));
        lines.push(paint(QUIET, text));
    }
    lines
}

fn verdict_lines(document: &Document, options: &Options) -> Vec<String> {
    let verdict = verdict(document);
    let width = verdict.iter().map(|line| line.label.width()).max().unwrap_or(0);
    let mut lines: Vec<String> = verdict
        .iter()
        .map(|line| {
            let text = first_lines(&line.text, 2, INDENT + width + 2, options);
            let label = paint(HEADING, line.label);
            format!("{}{label}{}  {text}", " ".repeat(INDENT), padding(line.label, width))
        })
        .collect();
    let bars = bars(document, options);
    if !bars.is_empty() {
        lines.push(String::new());
        lines.extend(bars);
    }
    if !lines.is_empty() {
        lines.insert(0, rule("Verdict", "", options));
    }
    lines
}

fn bars(document: &Document, options: &Options) -> Vec<String> {
    let table = document.tables().find(|(section, table)| breakdown::is_drawn(section, table));
    table
        .map(|(_, table)| table)
        .map_or_else(Vec::new, |table| breakdown::bars_with_legend(table, BARS, options))
}

/// As many findings as there are lines for, and how many more there are.
fn findings(document: &Document, lines: usize, options: &Options) -> Vec<String> {
    let findings = document.findings();
    if findings.is_empty() {
        return match document.says_nothing_found() {
            true => vec![rule("Findings", "", options), format!("{}{NOTHING_FOUND}", " ".repeat(INDENT))],
            false => Vec::new(),
        };
    }
    let mut block = vec![rule("Findings", "by possible gain", options)];
    // The heading, and the line about those that are not shown.
    let mut left = lines.saturating_sub(2);
    for (index, (section, finding)) in findings.iter().enumerate() {
        let of_finding = of_finding(index + 1, section, finding, options);
        let needed: usize = of_finding.iter().map(|line| lines_of(line)).sum();
        if needed > left && index >= FINDINGS {
            let more = quantity::counted(findings.len() - index, "more finding");
            block.push(paint(QUIET, format!("{}… {more}; --full shows them", " ".repeat(INDENT))));
            break;
        }
        left = left.saturating_sub(needed);
        block.extend(of_finding);
    }
    block
}

/// A finding in at most four lines: the claim, its gain, and what to do.
fn of_finding(number: usize, section: &Section, finding: &Finding, options: &Options) -> Vec<String> {
    let label = format!("{number:>2}. ");
    let indent = label.len();
    let space = " ".repeat(indent);
    let claim = paint(HEADING, first_lines(&finding.claim, CLAIM_LINES, indent, options));
    let mut facts = paint(severity(finding.severity), finding.severity.id());
    if let Some(gain) = &finding.gain {
        facts.push_str(&format!(" · {}", paint(GAIN, gain_text(gain))));
    }
    facts.push_str(&paint(QUIET, format!(" · {}", section.id)));
    let mut lines = vec![format!("{label}{claim}"), format!("{space}{facts}")];
    if !finding.next.is_empty() {
        let arrow = "→ ";
        lines.push(format!(
            "{space}{arrow}{}",
            first_lines(&finding.next, 1, indent + arrow.width(), options)
        ));
    }
    lines
}

/// How to see the rest, and what the recording lacks.
fn more(document: &Document, options: &Options) -> Vec<String> {
    let missing: Vec<&str> = skipped_together(document).into_iter().flat_map(|(ids, _)| ids).collect();
    let mut rows = vec![
        ("--full", "every section and table, findings with their evidence".to_owned()),
        ("--section ID", "one section; `--json` and `-o FILE` have them all".to_owned()),
        ("eaves open", "the same in the browser, with timeline, roofline and flame graph".to_owned()),
    ];
    if !missing.is_empty() {
        rows.push(("eaves info", format!("how to record what is missing: {}", missing.join(", "))));
    }
    let width = rows.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    let mut lines = vec![rule("More", "", options)];
    lines.extend(rows.iter().map(|(what, text)| {
        let text = first_lines(text, 1, INDENT + width + 2, options);
        format!("{}{what:width$}  {}", " ".repeat(INDENT), paint(QUIET, text))
    }));
    lines
}
