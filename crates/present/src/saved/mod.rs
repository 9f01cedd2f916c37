//! Reports of ours as inputs: the JSON that `--json` prints, alone or inside a page.

mod document;
mod form;
mod names;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use eaves_section::saved::SavedTable;
use eaves_section::{Section, Table};

use self::form::DocumentForm;
use crate::html::{DATA_END, DATA_START};
use crate::packed::unpacked;
use crate::page::DOCUMENT_START;
use crate::{Document, Input};

/// Why a report of ours cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused. Usually the user's path.
    #[error("cannot read the input: {source}: {path}")]
    Io {
        /// The input.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The page was saved without its data. Whoever changed it.
    #[error("the page no longer contains its data: {path}")]
    NoData {
        /// The input.
        path: String,
    },
    /// The data is not a document. Whoever changed it, or a disk that was full.
    #[error("the saved report is damaged ({source}): {path}")]
    Damaged {
        /// The input.
        path: String,
        /// What the reader said.
        source: serde_json::Error,
    },
    /// It has more names of sections, tables and columns than any report of ours. Whoever made it.
    #[error("the saved report has too many names: {path}")]
    TooManyNames {
        /// The input.
        path: String,
    },
}

/// A report that was saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The schema that it follows, such as `eaves.report/1`.
    pub schema: String,
    /// The report as an input of another verb.
    pub input: Input,
    /// The JSON as it was saved.
    pub json: String,
    /// The same as a document.
    pub document: Document,
    /// The page that it was saved as, with its pictures; nothing if it was saved as JSON.
    pub page: Option<Vec<u8>>,
}

/// Opens a report that was saved; nothing if the file is something else, such as a trace.
///
/// # Errors
/// If it is a report of ours but cannot be read.
pub fn open(path: &Path) -> Result<Option<Saved>, Error> {
    let shown = path.display().to_string();
    let failed = |source| Error::Io { path: shown.clone(), source };
    // What is not a file is not for us to open: a pipe can be read once only. What does not exist is told by the reader of
    // traces.
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut start = Vec::new();
    file.by_ref().take(START).read_to_end(&mut start).map_err(failed)?;
    let Some(container) = container(&start) else { return Ok(None) };
    let mut bytes = start;
    file.read_to_end(&mut bytes).map_err(failed)?;
    let size = bytes.len() as u64;
    let text = String::from_utf8_lossy(&bytes);
    let json = match container {
        Container::Json => text,
        Container::Page => embedded(&text).ok_or_else(|| Error::NoData { path: shown.clone() })?,
    };
    let form: DocumentForm =
        serde_json::from_str(&json).map_err(|source| Error::Damaged { path: shown.clone(), source })?;
    let document = document::document(&form).ok_or_else(|| Error::TooManyNames { path: shown.clone() })?;
    let input = input(&document, shown, container, size);
    let (json, page) = (json.into_owned(), (container == Container::Page).then_some(bytes));
    Ok(Some(Saved { schema: form.schema, input, json, document, page }))
}

fn input(document: &Document, path: String, container: Container, bytes: u64) -> Input {
    Input {
        path,
        role: None,
        format: "eaves",
        container: match container {
            Container::Json => "plain",
            Container::Page => "html",
        },
        rank: document.inputs.first().map_or(0, |input| input.rank),
        rank_source: "assumed",
        events: document.inputs.iter().map(|input| input.events).fold(0, u64::saturating_add),
        bytes,
    }
}

/// The tables of a document as those of a saved report, to be compared.
pub fn tables(document: &Document) -> Vec<SavedTable> {
    let table = |(section, table): (&Section, &Table)| SavedTable {
        section: section.id.to_owned(),
        id: table.id.to_owned(),
        columns: table.columns.iter().map(|column| column.id.to_owned()).collect(),
        rows: table.rows.clone(),
    };
    document.tables().map(table).collect()
}

/// The JSON in a page, as it is or packed.
fn embedded(page: &str) -> Option<Cow<'_, str>> {
    if let Some(plain) = element(page, DATA_START) {
        return Some(Cow::Borrowed(plain));
    }
    String::from_utf8(unpacked(element(page, DOCUMENT_START)?)?).ok().map(Cow::Owned)
}

/// What the element that begins so holds.
fn element<'a>(page: &'a str, start: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(start)?;
    rest.split_once(DATA_END).map(|(data, _)| data)
}

/// So much of a file decides what it is.
const START: u64 = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Json,
    Page,
}

/// How the file holds a report of ours, if it does.
fn container(start: &[u8]) -> Option<Container> {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with("<!DOCTYPE html>") {
        return text.contains("name=\"generator\" content=\"eaves ").then_some(Container::Page);
    }
    // The schema is the first key that we write.
    let value = text.strip_prefix('{')?.trim_start().strip_prefix("\"schema\"")?;
    let value = value.trim_start().strip_prefix(':')?.trim_start();
    value.starts_with("\"eaves.").then_some(Container::Json)
}

#[cfg(test)]
mod tests {
    use eaves_model::{Ns, WarningKind};
    use eaves_section::{Column, Finding, Gain, Number, Outcome, Provenance, Severity, Skipped, Unit, Value};

    use super::*;
    use crate::{InputWarning, html, json, page};

    /// Something of everything that documents hold.
    fn document() -> Document {
        let table = Table {
            id: "by_name",
            title: "",
            columns: vec![
                Column::new("name", "", Unit::None),
                Column::new("total_ns", "", Unit::Nanoseconds),
            ],
            rows: vec![
                vec![Value::from("</script><b>"), Value::Integer(i64::MAX)],
                vec![Value::from("gemm"), Value::Float(0.1)],
                vec![Value::from("none"), Value::Missing("not recorded")],
            ],
        };
        let number = Number {
            id: "idle_pct",
            rank: Some(3),
            value: Value::Missing("no GPU"),
            unit: Unit::Percent,
            provenance: Provenance::Datasheet,
            explain: "of the span",
        };
        let finding = Finding {
            id: "idle",
            severity: Severity::Critical,
            claim: "idle".to_owned(),
            gain: Some(Gain { overlaps: vec!["sync"], ..Gain::new(Ns(8), Ns(9), 1, "by hand") }),
            evidence: "by_name".to_owned(),
            next: "use it".to_owned(),
        };
        let section = Section {
            id: "kernels",
            title: "Kernels",
            numbers: vec![number],
            tables: vec![table],
            charts: Vec::new(),
            findings: vec![finding],
        };
        let skipped =
            Skipped { id: "memory", missing: "no memory".into(), how_to_record: "record it".into() };
        let input = Input {
            path: "a.json".to_owned(),
            role: None,
            format: "kineto",
            container: "gzip",
            rank: 3,
            rank_source: "trace",
            events: 7,
            bytes: 8,
        };
        let warning = InputWarning {
            kind: WarningKind::Garbage,
            count: 2,
            first_offset: Some(5),
            path: Some("a.json".to_owned()),
            detail: Some("3 bytes".to_owned()),
        };
        Document {
            verb: "report",
            inputs: vec![input],
            warnings: vec![warning],
            outcomes: vec![Outcome::Section(section), Outcome::Skipped(skipped)],
            ..Document::default()
        }
    }

    fn write(name: &str, content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        (directory, path)
    }

    #[test]
    fn pages_and_json_give_the_same_tables_back() {
        let mut bytes = Vec::new();
        json::write(&document(), &mut bytes).unwrap();
        let file = page::offline(&document(), &page::Parts::default(), page::BUDGET);
        let written = bytes.clone();
        for content in [bytes, html::render(&document()).into_bytes(), file.into_bytes()] {
            let (_directory, path) = write("report", &content);
            let saved = open(&path).unwrap().unwrap();
            assert_eq!(saved.schema, "eaves.report/1");
            let table = &tables(&saved.document)[0];
            assert_eq!((table.section.as_str(), table.id.as_str()), ("kernels", "by_name"));
            assert_eq!(table.columns, ["name", "total_ns"]);
            assert_eq!(table.rows[0], [Value::from("</script><b>"), Value::Integer(i64::MAX)]);
            assert_eq!(table.rows[1][1], Value::Float(0.1));
            assert_eq!(saved.document, document());
            assert_eq!((saved.input.events, saved.input.bytes), (7, content.len() as u64));
            let mut again = Vec::new();
            json::write(&saved.document, &mut again).unwrap();
            assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(written.clone()).unwrap());
        }
    }

    #[test]
    fn other_files_are_not_ours() {
        for content in [
            "",
            "{\"traceEvents\": []}",
            "{\"schema\": 1}",
            "<!DOCTYPE html><html></html>",
            "[1]",
            "\u{1f}\u{8b}",
        ] {
            let (_directory, path) = write("file", content.as_bytes());
            assert_eq!(open(&path).unwrap(), None, "{content}");
        }
        assert_eq!(open(Path::new("no such file")).unwrap(), None);
    }

    #[test]
    fn a_damaged_report_is_an_error_not_a_trace() {
        let page = html::render(&document());
        let without_data = page.replace(DATA_START, "");
        let (_directory, path) = write("page", without_data.as_bytes());
        assert!(matches!(open(&path), Err(Error::NoData { .. })));
        let (_directory, path) = write("cut", b"{\"schema\": \"eaves.report/1\", \"sections\": [");
        assert!(matches!(open(&path), Err(Error::Damaged { .. })));
    }
}
