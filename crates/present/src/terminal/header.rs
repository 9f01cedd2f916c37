//! The first lines: what was read, and what was odd about it.

use std::collections::BTreeMap;

use eaves_model::WarningKind;

use super::palette::{HEADING, QUIET, WARNING, paint};
use super::wrap::hang;
use super::{INDENT, Options};
use crate::{Document, Input, InputWarning, names};
use eaves_section::quantity;

/// More inputs than this are counted, not listed.
const LISTED_INPUTS: usize = 4;

/// One line about all inputs, then one for each.
pub(super) fn inputs(document: &Document, options: &Options) -> Vec<String> {
    let inputs = &document.inputs;
    if inputs.is_empty() {
        return Vec::new();
    }
    let facts = facts(document).join(" · ");
    let title = format!("eaves {}", document.verb);
    let indent = title.len() + 2;
    let mut lines = vec![format!("{}  {}", paint(HEADING, &title), hang(&facts, indent, options.width))];
    lines.extend(inputs.iter().take(LISTED_INPUTS).map(|input| {
        let role = input.role.map_or_else(String::new, |role| format!("{role:4}  "));
        let rank = format!("{role}rank {}  ", input.rank);
        let room = options.width.saturating_sub(INDENT + rank.len());
        format!("{}{}{}", " ".repeat(INDENT), paint(QUIET, &rank), names::shorten(&input.path, room))
    }));
    if inputs.len() > LISTED_INPUTS {
        let more = format!("… {}", quantity::counted(inputs.len() - LISTED_INPUTS, "more input"));
        lines.push(format!("{}{}", " ".repeat(INDENT), paint(QUIET, more)));
    }
    lines
}

/// What there is to say about all inputs together.
pub(crate) fn facts(document: &Document) -> Vec<String> {
    let inputs = &document.inputs;
    let mut facts = vec![quantity::counted(inputs.len(), "input"), kinds(inputs)];
    if inputs.len() > 1 && inputs.iter().all(|input| input.role.is_none()) {
        let ranks: Vec<i64> = inputs.iter().map(|input| input.rank).collect();
        facts.push(format!("ranks {}", names::cut_end(&quantity::ranges(&ranks), 20)));
    }
    let sum = |field: fn(&Input) -> u64| inputs.iter().map(field).fold(0, u64::saturating_add);
    facts.push(quantity::counted(sum(|input| input.events) as usize, "event"));
    facts.push(quantity::bytes(sum(|input| input.bytes) as f64));
    facts
}

/// The formats with their containers, each once.
fn kinds(inputs: &[Input]) -> String {
    let mut kinds: Vec<String> = inputs
        .iter()
        .map(|input| match input.container {
            "plain" => input.format.to_owned(),
            container => format!("{} ({container})", input.format),
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.join(", ")
}

/// Every kind of oddity once, whatever the number of inputs that show it.
pub(super) fn warnings(document: &Document, options: &Options) -> Vec<String> {
    let line = |(harmless, text): (bool, String)| {
        let (label, style) = if harmless { ("note:", QUIET) } else { ("warning:", WARNING) };
        let indent = label.len() + 1;
        format!("{} {}", paint(style, label), hang(&text, indent, options.width))
    };
    grouped_warnings(document).into_iter().map(line).collect()
}

/// The same as texts, each with whether it is harmless.
pub(crate) fn grouped_warnings(document: &Document) -> Vec<(bool, String)> {
    let mut kinds: BTreeMap<WarningKind, Vec<&InputWarning>> = BTreeMap::new();
    for warning in &document.warnings {
        kinds.entry(warning.kind).or_default().push(warning);
    }
    let names_inputs = document.inputs.len() > 1;
    let text = |(kind, warnings): (WarningKind, Vec<&InputWarning>)| {
        (kind.is_harmless(), warning_text(&warnings, names_inputs))
    };
    kinds.into_iter().map(text).collect()
}

fn warning_text(warnings: &[&InputWarning], names_inputs: bool) -> String {
    let count: u64 = warnings.iter().map(|warning| warning.count).fold(0, u64::saturating_add);
    let mut text = warnings.first().map_or_else(String::new, |warning| warning.message());
    if count > 1 {
        text = format!("{} × {text}", quantity::thousands(i64::try_from(count).unwrap_or(i64::MAX)));
    }
    text.push_str(&place(warnings, names_inputs));
    text
}

/// Where the first one is, and in how many more inputs there are some. A single input needs no name.
fn place(warnings: &[&InputWarning], names_inputs: bool) -> String {
    let Some(first) = warnings.first() else { return String::new() };
    let more = match warnings.len() - 1 {
        0 => String::new(),
        more => format!("; also in {}", quantity::counted(more, "more input")),
    };
    let offset =
        |offset: u64| format!("byte {}", quantity::thousands(i64::try_from(offset).unwrap_or(i64::MAX)));
    match (first.path.as_ref().filter(|_| names_inputs), first.first_offset) {
        (Some(path), Some(at)) => format!("; {path}, first at {}{more}", offset(at)),
        (Some(path), None) => format!("; {path}{more}"),
        (None, Some(at)) => format!("; first at {}", offset(at)),
        (None, None) => String::new(),
    }
}
