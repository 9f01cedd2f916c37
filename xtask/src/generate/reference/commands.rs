//! The command line, from `schema/commands.json`.

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::definitions;
use super::{code, list, page as finished, paragraph, prose, required, sentence, table, text};

const INTRODUCTION: &str = "\
# Command line reference

Every verb with its options, as in `eaves VERB --help`. The [command line guide](../cli.md) groups
the verbs by task and explains exit codes.

";

pub(super) fn page() -> Result<String> {
    let described = definitions::read(definitions::COMMANDS)?;
    let commands = described["commands"].as_array().context("no commands")?;
    let mut page = INTRODUCTION.to_owned();
    let mut rows = Vec::new();
    for command in commands {
        let name = required(command, "name")?;
        rows.push(vec![format!("[{}](#eaves-{name})", code(name)), prose(required(command, "about")?)]);
    }
    page.push_str(&table(&["verb", "does"], &rows));
    page.push_str("## Output options\n\nEvery verb has these.\n\n");
    page.push_str(&options(described["options"].as_array().context("no options")?, &[]));
    for command in commands {
        page.push_str(&section(command, "eaves", 2, &[])?);
    }
    Ok(finished(&page))
}

/// A verb and what can follow it. Options of the verb before are not repeated.
fn section(command: &Value, parent: &str, level: usize, known: &[Value]) -> Result<String> {
    let name = format!("{parent} {}", required(command, "name")?);
    let mut section = format!("{} {}\n\n", "#".repeat(level), code(&name));
    section.push_str(&paragraph(&sentence(required(command, "about")?)));
    let usage = required(command, "usage")?;
    section.push_str(&format!("```text\n{usage}\n```\n\n"));
    if let Some(examples) = text(command, "examples") {
        section.push_str(&format!("Examples:\n\n```text\n{examples}\n```\n\n"));
    }
    let own = list(command, "options");
    section.push_str(&options(own, known));
    if own.iter().any(|option| known.contains(option)) {
        section.push_str(&paragraph(&format!("The other options of {} apply too.", code(parent))));
    }
    for following in list(command, "commands") {
        section.push_str(&section_of(following, &name, level, own)?);
    }
    Ok(section)
}

fn section_of(command: &Value, parent: &str, level: usize, known: &[Value]) -> Result<String> {
    section(command, parent, level + 1, known)
}

/// A table for each group of options, in the order of help.
fn options(options: &[Value], known: &[Value]) -> String {
    let mut headings: Vec<Option<&str>> = Vec::new();
    for option in options {
        let heading = text(option, "heading");
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut result = String::new();
    for heading in headings {
        let of_group = options
            .iter()
            .filter(|option| text(option, "heading") == heading && !known.contains(option))
            .map(row);
        let rows: Vec<Vec<String>> = of_group.collect();
        let head = heading.map_or_else(|| "option".to_owned(), str::to_lowercase);
        result.push_str(&table(&[&head, "meaning", "default"], &rows));
    }
    result
}

fn row(option: &Value) -> Vec<String> {
    let values: Vec<&str> = list(option, "values").iter().filter_map(Value::as_str).collect();
    let value = values.join(" ");
    let names: Vec<&str> = list(option, "names").iter().filter_map(Value::as_str).collect();
    let shown = if names.is_empty() {
        code(&if option["repeatable"] == true { format!("{value}...") } else { value })
    } else {
        let last = names.len() - 1;
        let full = |(index, name): (usize, &&str)| {
            code(&if index == last && !value.is_empty() {
                format!("{name} {value}")
            } else {
                (*name).to_owned()
            })
        };
        names.iter().enumerate().map(full).collect::<Vec<_>>().join(", ")
    };
    let defaults: Vec<String> = list(option, "default").iter().filter_map(Value::as_str).map(code).collect();
    // Some say their default in words.
    let about = text(option, "about").unwrap_or_default();
    let (about, default) = about
        .strip_suffix(']')
        .and_then(|about| about.split_once(" [default: "))
        .map_or((about, defaults.join(", ")), |(about, default)| (about, prose(default)));
    vec![shown, sentence(about), default]
}
