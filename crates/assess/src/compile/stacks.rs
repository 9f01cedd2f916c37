//! `compile-stacks`: which calls of the user's code led to which compilations, as a tree.

use std::collections::{HashMap, HashSet};

use eaves_model::Ns;
use eaves_model::compile::{Compile, CompileLog};
use eaves_section::Outcome;
use eaves_section::{Column, Section, Skipped, Table, Unit, Value};

use super::names;

/// A call, and the calls below it.
#[derive(Default)]
struct Node {
    label: String,
    children: Vec<Node>,
    /// Where a call is among the children.
    known: HashMap<String, usize>,
    ids: Vec<String>,
    status: Option<Status>,
    time: Ns,
}

/// What became of a compilation, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Compiled,
    Nothing,
    Recompiled,
    Restarted,
    Broken,
    Failed,
}

impl Status {
    fn id(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Nothing => "nothing to compile",
            Self::Recompiled => "compiled again",
            Self::Restarted => "began anew",
            Self::Broken => "graph break",
            Self::Failed => "failed",
        }
    }
}

/// The deepest tree that is built.
const DEEPEST: usize = 64;

pub(super) fn section(logs: &[CompileLog]) -> Outcome {
    let mut root = Node::default();
    for log in logs {
        let broken: HashSet<u32> = log.breaks.iter().filter_map(|one| one.compile).collect();
        for (at, compile) in (0..).zip(&log.compiles) {
            let status = status(compile, broken.contains(&at));
            insert(&mut root, log, compile, status);
        }
    }
    if root.children.is_empty() {
        return Outcome::Skipped(Skipped {
            id: "compile-stacks",
            missing: "the log has no compilation stacks (dynamo_start)".to_owned(),
            how_to_record: "record with TORCH_TRACE=DIR instead of TORCH_LOGS".to_owned(),
        });
    }
    let columns = vec![
        Column::new("frame", "call", Unit::None),
        Column::new("status", "status", Unit::None),
        Column::new("time_ns", "time", Unit::Nanoseconds),
        Column::new("count", "compilations", Unit::Count),
        Column::new("ids", "ids", Unit::None),
    ];
    let mut rows = Vec::new();
    list(&root, 0, &mut rows);
    let table = Table { id: "stacks", title: "Calls that triggered compilations", columns, rows };
    Outcome::Section(Section {
        id: "compile-stacks",
        title: "Compilation stacks",
        numbers: Vec::new(),
        tables: vec![table],
        charts: Vec::new(),
        findings: Vec::new(),
    })
}

fn status(compile: &Compile, broken: bool) -> Status {
    if compile.fail_type.is_some() {
        Status::Failed
    } else if broken {
        Status::Broken
    } else if compile.restarts > 0 {
        Status::Restarted
    } else if compile.id.compile.is_some_and(|count| count > 0) {
        Status::Recompiled
    } else if compile.operators == Some(0) {
        Status::Nothing
    } else {
        Status::Compiled
    }
}

fn insert(root: &mut Node, log: &CompileLog, compile: &Compile, status: Status) {
    let mut node = root;
    let frames = compile.stack.of(&log.frames).iter();
    let users = frames.filter(|frame| !names::is_library(log.strings.get(frame.file)));
    let labels = users.map(|frame| {
        let name = log.strings.get(frame.function);
        let name = names::resumed(name)
            .map_or_else(|| name.to_owned(), |(function, line)| format!("{function} (from line {line})"));
        format!("{} {name}", names::place(log.strings.get(frame.file), frame.line))
    });
    let mut labels: Vec<String> = labels.take(DEEPEST).collect();
    if labels.is_empty() {
        labels.push(names::function(log, compile));
    }
    for label in labels {
        let at = node.known.get(&label).copied().unwrap_or_else(|| {
            let at = node.children.len();
            node.known.insert(label.clone(), at);
            node.children.push(Node { label, ..Node::default() });
            at
        });
        node = &mut node.children[at];
    }
    node.ids.push(compile.id.to_string());
    node.status = node.status.max(Some(status));
    node.time += compile.total();
}

fn list(node: &Node, depth: usize, rows: &mut Vec<Vec<Value>>) {
    for child in &node.children {
        let own = child.status.is_some();
        let only = |value: Value| if own { value } else { Value::Missing("nothing compiled here") };
        rows.push(vec![
            format!("{}{}", "  ".repeat(depth), child.label).into(),
            Value::known_text(child.status.map(Status::id), "nothing compiled here"),
            only(child.time.into()),
            only(child.ids.len().into()),
            only(shown(&child.ids).into()),
        ]);
        list(child, depth + 1, rows);
    }
}

fn shown(ids: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = ids.iter().take(MOST).cloned().collect::<Vec<_>>().join(" ");
    if ids.len() > MOST {
        text.push_str(&format!(" and {} more", ids.len() - MOST));
    }
    text
}
