//! A file as a tree of nodes that know their line. JSON is read as the YAML that it is.

use granit_parser::{Event, Parser, ScalarStyle, Span};

use super::Problem;

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// Line of its beginning, from 1.
    pub(super) line: usize,
    pub(super) kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Nothing: `null`, `~`, or no text at all.
    Null,
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Line of the key.
    pub(super) line: usize,
    pub(super) value: Node,
}

impl Node {
    /// The value of a key, unless it is null.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let entry = self.entries().iter().find(|entry| entry.key == key)?;
        (entry.value.kind != Kind::Null).then_some(&entry.value)
    }

    /// The entries of a map; none of anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.kind, Kind::Map(_))
    }

    pub(super) fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(super) fn described(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Text(text) => format!("`{text}`"),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a map".to_owned(),
        }
    }
}

/// The tree of a text of one document.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event
            .map_err(|error| Problem::new(error.marker().line(), format!("not YAML: {}", error.info())))?;
        builder.take(event, span)?;
    }
    builder.root.ok_or_else(|| Problem::new(1, "the file is empty"))
}

/// Nodes that are not complete yet. A stack of our own, so that depth costs no stack of the machine.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
}

enum Open {
    List { line: usize, items: Vec<Node> },
    Map { line: usize, entries: Vec<Entry>, key: Option<(String, usize)> },
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let line = span.start.line();
        match event {
            Event::Scalar(text, style, ..) => {
                let null =
                    style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let kind = if null { Kind::Null } else { Kind::Text(text.into_owned()) };
                self.add(Node { line, kind })
            }
            Event::SequenceStart(..) => {
                self.open.push(Open::List { line, items: Vec::new() });
                Ok(())
            }
            Event::MappingStart(..) => {
                self.open.push(Open::Map { line, entries: Vec::new(), key: None });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { line, items }) => self.add(Node { line, kind: Kind::List(items) }),
                Some(Open::Map { line, entries, .. }) => self.add(Node { line, kind: Kind::Map(entries) }),
                None => Ok(()),
            },
            Event::Alias(_) => Err(Problem::new(line, "references (`*name`) are not supported")
                .hint("write out the value instead")),
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(Problem::new(line, "a second document starts here")
                    .hint("several devices of one file go under `devices:`"))
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, node: Node) -> Result<(), Problem> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => match (key.take(), node.kind) {
                (Some((key, line)), kind) => {
                    entries.push(Entry { key, line, value: Node { line: node.line, kind } });
                }
                (None, Kind::Text(text)) => {
                    if let Some(first) = entries.iter().find(|entry| entry.key == text) {
                        return Err(Problem::new(
                            node.line,
                            format!("duplicate key `{text}`, first in line {}", first.line),
                        ));
                    }
                    *key = Some((text, node.line));
                }
                (None, _) => return Err(Problem::new(node.line, "a key must be a string")),
            },
        }
        Ok(())
    }
}
