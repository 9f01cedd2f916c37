//! Reports of ours as inputs: the JSON that `--json` prints, alone or inside a page.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use eaves_section::Value;
use eaves_section::saved::SavedTable;
use serde::Deserialize;

use crate::Input;
use crate::html::{DATA_END, DATA_START};
use crate::packed::unpacked;
use crate::page::DOCUMENT_START;

/// A report that was saved.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedReport {
    /// The schema it follows, such as `eaves.report/1`.
    pub schema: String,
    /// How many recordings it was made of.
    pub recordings: u64,
    /// The report as an input of another verb.
    pub input: Input,
    /// Its tables.
    pub tables: Vec<SavedTable>,
}

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
    #[error("the page has lost its data: {path}")]
    NoData {
        /// The input.
        path: String,
    },
    /// The data is no document. Whoever changed it, or a disk that was full.
    #[error("the saved report is damaged ({source}): {path}")]
    Damaged {
        /// The input.
        path: String,
        /// What the reader said.
        source: serde_json::Error,
    },
}

/// Reads a report that was saved; nothing if the file is something else, such as a trace.
///
/// # Errors
/// If it is a report of ours but cannot be read.
pub fn read(path: &Path) -> Result<Option<SavedReport>, Error> {
    let shown = path.display().to_string();
    let failed = |source| Error::Io { path: shown.clone(), source };
    // What is no file is not for us to open: a pipe can be read once only. What does not exist is told by the reader of
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
    Ok(Some(report(form, shown, container, size)))
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

/// The JSON of a report that was saved, as it is; nothing if the file is something else.
///
/// # Errors
/// If it is a report of ours but cannot be read.
pub fn json(path: &Path) -> Result<Option<String>, Error> {
    if read(path)?.is_none() {
        return Ok(None);
    }
    let shown = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| Error::Io { path: shown(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(embedded(&text).map_or_else(|| text.to_string(), Cow::into_owned)))
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

#[derive(Deserialize)]
struct DocumentForm {
    schema: String,
    #[serde(default)]
    inputs: Vec<InputForm>,
    #[serde(default)]
    sections: Vec<SectionForm>,
}

#[derive(Deserialize)]
struct InputForm {
    #[serde(default)]
    rank: i64,
    #[serde(default)]
    events: u64,
}

#[derive(Deserialize)]
struct SectionForm {
    id: String,
    #[serde(default)]
    tables: Vec<TableForm>,
}

#[derive(Deserialize)]
struct TableForm {
    id: String,
    columns: Vec<ColumnForm>,
    rows: Vec<Vec<serde_json::Value>>,
}

#[derive(Deserialize)]
struct ColumnForm {
    id: String,
}

fn report(form: DocumentForm, path: String, container: Container, bytes: u64) -> SavedReport {
    let input = Input {
        path,
        role: None,
        format: "eaves",
        container: match container {
            Container::Json => "plain",
            Container::Page => "html",
        },
        rank: form.inputs.first().map_or(0, |input| input.rank),
        rank_source: "assumed",
        events: form.inputs.iter().map(|input| input.events).fold(0, u64::saturating_add),
        bytes,
    };
    let tables = form.sections.into_iter().flat_map(|section| {
        let id = section.id;
        section.tables.into_iter().map(move |table| SavedTable {
            section: id.clone(),
            id: table.id,
            columns: table.columns.into_iter().map(|column| column.id).collect(),
            rows: table.rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect(),
        })
    });
    SavedReport { schema: form.schema, recordings: form.inputs.len() as u64, input, tables: tables.collect() }
}

fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) => Value::Float(float),
            (None, None) => Value::Missing("not a number"),
        },
        serde_json::Value::String(text) => Value::Text(text),
        _ => Value::Missing("not in the saved report"),
    }
}

#[cfg(test)]
mod tests {
    use eaves_section::{Column, Outcome, Section, Table, Unit};

    use super::*;
    use crate::{Document, html, json, page};

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
        let section = Section { id: "kernels", tables: vec![table], ..Section::default() };
        Document { verb: "report", outcomes: vec![Outcome::Section(section)], ..Document::default() }
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
        for content in [bytes, html::render(&document()).into_bytes(), file.into_bytes()] {
            let (_directory, path) = write("report", &content);
            let report = read(&path).unwrap().unwrap();
            assert_eq!(report.schema, "eaves.report/1");
            let table = &report.tables[0];
            assert_eq!((table.section.as_str(), table.id.as_str()), ("kernels", "by_name"));
            assert_eq!(table.columns, ["name", "total_ns"]);
            assert_eq!(table.rows[0], [Value::from("</script><b>"), Value::Integer(i64::MAX)]);
            assert_eq!(table.rows[1][1], Value::Float(0.1));
            assert!(matches!(table.rows[2][1], Value::Missing(_)));
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
            assert_eq!(read(&path).unwrap(), None, "{content}");
        }
        assert_eq!(read(Path::new("no such file")).unwrap(), None);
    }

    #[test]
    fn a_damaged_report_is_an_error_not_a_trace() {
        let page = html::render(&document());
        let without_data = page.replace(DATA_START, "");
        let (_directory, path) = write("page", without_data.as_bytes());
        assert!(matches!(read(&path), Err(Error::NoData { .. })));
        let (_directory, path) = write("cut", b"{\"schema\": \"eaves.report/1\", \"sections\": [");
        assert!(matches!(read(&path), Err(Error::Damaged { .. })));
    }
}
