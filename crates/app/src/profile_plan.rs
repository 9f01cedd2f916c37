//! `eaves profile --dry-run`: the exact commands, to read, to paste or to be checked by a program.

use std::ffi::OsString;

use eaves_capture::{Plan, Purpose, Tool};
use eaves_present::Document;
use eaves_section::{Column, Outcome, Section, Table, Unit};

/// The commands as data.
pub fn document(tool: &Tool, plan: &Plan, environment: &[(OsString, OsString)]) -> Document {
    let outcomes = vec![Outcome::Section(section(tool, plan, environment))];
    Document { verb: "profile", outcomes, ..Document::default() }
}

/// Everything as a shell would take it.
pub fn script(plan: &Plan, environment: &[(OsString, OsString)]) -> String {
    let mut text = String::new();
    for directory in &plan.directories {
        text.push_str(&format!("mkdir -p {}\n", eaves_capture::quoted(directory.as_os_str())));
    }
    for (path, content) in &plan.files {
        let path = eaves_capture::quoted(path.as_os_str());
        text.push_str(&format!("cat > {path} <<'END'\n{}\nEND\n", content.trim_end()));
    }
    for run in &plan.runs {
        if run.purpose == Purpose::Record {
            text.push_str(&variables(environment));
        }
        text.push_str(&format!("{}\n", run.to_shell()));
    }
    text
}

fn variables(environment: &[(OsString, OsString)]) -> String {
    let word = |(name, value): &(OsString, OsString)| {
        format!("{}={} ", name.to_string_lossy(), eaves_capture::quoted(value))
    };
    environment.iter().map(word).collect()
}

fn section(tool: &Tool, plan: &Plan, environment: &[(OsString, OsString)]) -> Section {
    let purpose = |purpose| match purpose {
        Purpose::Record => "record",
        Purpose::Convert => "convert",
    };
    let commands = Table {
        id: "commands",
        title: "Commands",
        columns: vec![
            Column::new("tool", "Tool", Unit::None),
            Column::new("purpose", "Purpose", Unit::None),
            Column::new("command", "Command", Unit::None),
        ],
        rows: plan
            .runs
            .iter()
            .map(|run| {
                let before =
                    if run.purpose == Purpose::Record { variables(environment) } else { String::new() };
                let command = format!("{before}{}", run.to_shell());
                vec![tool.id.into(), purpose(run.purpose).into(), command.into()]
            })
            .collect(),
    };
    let files = Table {
        id: "files",
        title: "Files written first",
        columns: vec![Column::new("path", "Path", Unit::None), Column::new("content", "Content", Unit::None)],
        rows: plan
            .files
            .iter()
            .map(|(path, content)| vec![path.display().to_string().into(), content.as_str().into()])
            .collect(),
    };
    let tables = if plan.files.is_empty() { vec![commands] } else { vec![commands, files] };
    Section { id: "profile-plan", title: "Commands", tables, ..Section::default() }
}
