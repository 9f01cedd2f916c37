//! Sources that a file names once and its numbers refer to by id.
//!
//! `source: ID` means the entry of `sources` with that id; any other text is a source by itself. `source: unverified`
//! says that nobody found a document.

use super::Problem;
use super::own::known;
use super::tree::{Entry, Kind, Node};
use crate::device::Confidence;

/// What numbers without any document have for a source.
const UNVERIFIED: &str = "no public document found";

const SOURCE: &str = "source";
const SOURCES: &str = "sources";
const CONFIDENCE: &str = "confidence";
const KEYS: [&str; 4] = ["address", CONFIDENCE, "title", "where"];

struct Citation {
    id: String,
    text: String,
    confidence: String,
}

/// Puts citations in the place of their ids, in a whole file.
pub(super) fn resolve(root: &mut Node) -> Result<(), Problem> {
    let unverified = Confidence::Unverified.id();
    let mut citations =
        vec![Citation { id: unverified.into(), text: UNVERIFIED.into(), confidence: unverified.into() }];
    read(root, &mut citations)?;
    // Several devices in one list share what stands above them; a stack of our own, so that depth costs no stack.
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match &mut node.kind {
            Kind::List(items) => open.extend(items),
            Kind::Map(entries) => {
                cite(entries, &citations);
                open.extend(
                    entries.iter_mut().filter(|entry| entry.key != SOURCES).map(|entry| &mut entry.value),
                );
            }
            Kind::Null | Kind::Text(_) => {}
        }
    }
    Ok(())
}

fn read(root: &Node, citations: &mut Vec<Citation>) -> Result<(), Problem> {
    let Some(list) = root.get(SOURCES) else { return Ok(()) };
    if !list.is_map() {
        let cause = format!("`{SOURCES}` must be a map from ids to documents, not {}", list.described());
        return Err(Problem::new(list.line, cause));
    }
    for Entry { key, line, value } in list.entries() {
        if citations.iter().any(|citation| citation.id == *key) {
            return Err(Problem::new(*line, format!("`{key}` cannot be the id of a source")));
        }
        for entry in value.entries() {
            known(entry, &KEYS)?;
        }
        let text = |name: &str| value.get(name).and_then(Node::text);
        let title = text("title").ok_or_else(|| {
            Problem::new(value.line, format!("the source `{key}` needs a `title`"))
                .hint("an entry is {title: ..., where: ..., address: ..., confidence: ...}")
        })?;
        let parts = [Some(title), text("where"), text("address")];
        citations.push(Citation {
            id: key.clone(),
            text: parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
            confidence: text(CONFIDENCE).unwrap_or(Confidence::Medium.id()).to_owned(),
        });
    }
    Ok(())
}

/// The citation of a map that names one, with its confidence unless the map has its own.
fn cite(entries: &mut Vec<Entry>, citations: &[Citation]) {
    let Some(entry) = entries.iter_mut().find(|entry| entry.key == SOURCE) else { return };
    let Kind::Text(id) = &entry.value.kind else { return };
    let Some(citation) = citations.iter().find(|citation| citation.id == *id) else { return };
    let line = entry.line;
    entry.value.kind = Kind::Text(citation.text.clone());
    if entries.iter().all(|entry| entry.key != CONFIDENCE) {
        let value = Node { line, kind: Kind::Text(citation.confidence.clone()) };
        entries.push(Entry { key: CONFIDENCE.to_owned(), line, value });
    }
}
