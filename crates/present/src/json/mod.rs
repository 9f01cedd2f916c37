//! The document as JSON. Other programs rely on these names: `schema/eaves.schema.json`.
//!
//! The structures here are the serializable counterparts of the section types, which know nothing of JSON.

mod hta;
mod rows;

use std::collections::BTreeMap;
use std::io;

use eaves_section::{Chart, Column, Finding, Number, Section, Skipped, Table, Value, view_of};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use self::rows::RowFormatter;
use crate::{Document, Input, InputWarning};

/// The JSON Schema of every document, as `eaves self schema` prints it.
pub const SCHEMA: &str = include_str!("../../../../schema/eaves.schema.json");

const NOT_FINITE: &str = "not a finite number";

/// Writes the document, one line per table row, with a line feed at the end.
pub fn write(document: &Document, mut writer: impl io::Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut writer, RowFormatter::default());
    DocumentForm::from(document).serialize(&mut serializer)?;
    writer.write_all(b"\n")
}

/// The document on one line.
pub(crate) fn compact(document: &Document) -> String {
    // Texts, numbers and lists of them can always be written.
    serde_json::to_string(&DocumentForm::from(document)).unwrap_or_default()
}

#[derive(Serialize)]
struct DocumentForm<'a> {
    schema: String,
    tool: Tool,
    inputs: Vec<InputForm<'a>>,
    warnings: Vec<WarningForm<'a>>,
    sections: Vec<SectionForm<'a>>,
    skipped: Vec<SkippedForm<'a>>,
    /// Further keys that other tools' readers look for.
    #[serde(flatten)]
    hta: Option<serde_json::Map<String, serde_json::Value>>,
    /// The same for readers of call trees.
    #[serde(flatten)]
    tree: Option<TreeForm<'a>>,
}

/// The outermost frame. What is in it is text already: it may be deeper than a stack.
#[derive(Serialize, serde::Deserialize)]
struct TreeForm<'a> {
    #[serde(borrow)]
    name: &'a RawValue,
    #[serde(borrow)]
    unit: &'a RawValue,
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(borrow)]
    children: &'a RawValue,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct InputForm<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    format: &'a str,
    container: &'a str,
    rank: i64,
    rank_source: &'a str,
    events: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct WarningForm<'a> {
    kind: &'a str,
    count: u64,
    first_offset: Option<u64>,
    path: Option<&'a str>,
    message: String,
    harmless: bool,
}

#[derive(Serialize)]
struct SectionForm<'a> {
    id: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<&'static str>,
    numbers: Vec<NumberForm<'a>>,
    tables: Vec<TableForm<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    charts: Vec<ChartForm>,
    findings: Vec<FindingForm<'a>>,
}

/// What can be drawn, and the tables that hold it by their part in the picture.
#[derive(Serialize)]
struct ChartForm {
    kind: &'static str,
    tables: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
struct NumberForm<'a> {
    id: &'a str,
    rank: Option<i64>,
    value: Cell<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    unit: Option<&'a str>,
    provenance: &'a str,
    explain: &'a str,
}

#[derive(Serialize)]
struct TableForm<'a> {
    id: &'a str,
    title: &'a str,
    columns: Vec<ColumnForm<'a>>,
    rows: Vec<Vec<Cell<'a>>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    missing: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct ColumnForm<'a> {
    id: &'a str,
    title: &'a str,
    unit: Option<&'a str>,
}

#[derive(Serialize)]
struct FindingForm<'a> {
    id: &'a str,
    place: usize,
    severity: &'a str,
    claim: &'a str,
    gain_ns: Option<(i64, i64)>,
    gain_of: Option<&'static str>,
    gain_basis: Option<&'a str>,
    overlaps: &'a [&'static str],
    evidence: &'a str,
    next: &'a str,
}

#[derive(Serialize)]
struct SkippedForm<'a> {
    id: &'a str,
    missing: &'a str,
    how_to_record: &'a str,
}

/// A value; `null` where there is none, because JSON has no NaN.
struct Cell<'a>(&'a Value);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            _ if reason(self.0).is_some() => serializer.serialize_none(),
            Value::Integer(number) => serializer.serialize_i64(*number),
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Missing(_) => serializer.serialize_none(),
        }
    }
}

/// Why a value is `null`.
fn reason(value: &Value) -> Option<&str> {
    match value {
        Value::Missing(reason) => Some(reason),
        Value::Float(number) if !number.is_finite() => Some(NOT_FINITE),
        _ => None,
    }
}

impl<'a> From<&'a Document> for DocumentForm<'a> {
    fn from(document: &'a Document) -> Self {
        let ranked = document.findings();
        Self {
            schema: document.schema(),
            tool: Tool { name: "eaves", version: env!("CARGO_PKG_VERSION") },
            inputs: document.inputs.iter().map(InputForm::from).collect(),
            warnings: document.warnings.iter().map(WarningForm::from).collect(),
            sections: document.sections().map(|section| SectionForm::of(section, &ranked)).collect(),
            skipped: document.skipped().map(SkippedForm::from).collect(),
            hta: hta::keys(document),
            // What is not a tree is not written, which no tree of ours is.
            tree: document.tree.as_deref().and_then(|tree| serde_json::from_str(tree).ok()),
        }
    }
}

impl<'a> From<&'a Input> for InputForm<'a> {
    fn from(input: &'a Input) -> Self {
        let Input { path, role, format, container, rank, rank_source, events, bytes } = input;
        Self {
            path,
            role: *role,
            format,
            container,
            rank: *rank,
            rank_source,
            events: *events,
            bytes: *bytes,
        }
    }
}

impl<'a> From<&'a InputWarning> for WarningForm<'a> {
    fn from(warning: &'a InputWarning) -> Self {
        Self {
            kind: warning.kind.id(),
            count: warning.count,
            first_offset: warning.first_offset,
            path: warning.path.as_deref(),
            message: warning.message(),
            harmless: warning.kind.is_harmless(),
        }
    }
}

impl<'a> SectionForm<'a> {
    /// A section among the findings of its document, in their order.
    fn of(section: &'a Section, ranked: &[(&Section, &Finding)]) -> Self {
        let place = |finding: &Finding| ranked.iter().position(|(_, one)| std::ptr::eq(*one, finding));
        let finding = |finding| FindingForm::of(finding, place(finding).unwrap_or(ranked.len()) + 1);
        Self {
            id: section.id,
            title: section.title,
            view: view_of(section.id),
            numbers: section.numbers.iter().map(NumberForm::from).collect(),
            tables: section.tables.iter().map(TableForm::from).collect(),
            charts: section.charts.iter().map(|chart| ChartForm::from(*chart)).collect(),
            findings: section.findings.iter().map(finding).collect(),
        }
    }
}

impl From<Chart> for ChartForm {
    fn from(chart: Chart) -> Self {
        Self { kind: chart.id(), tables: chart.tables().into_iter().collect() }
    }
}

impl<'a> From<&'a Number> for NumberForm<'a> {
    fn from(number: &'a Number) -> Self {
        Self {
            id: number.id,
            rank: number.rank,
            value: Cell(&number.value),
            reason: reason(&number.value),
            unit: number.unit.id(),
            provenance: number.provenance.id(),
            explain: number.explain,
        }
    }
}

impl<'a> From<&'a Table> for TableForm<'a> {
    fn from(table: &'a Table) -> Self {
        Self {
            id: table.id,
            title: table.title,
            columns: table.columns.iter().map(ColumnForm::from).collect(),
            rows: table.rows.iter().map(|row| row.iter().map(Cell).collect()).collect(),
            missing: missing(table),
        }
    }
}

/// For every column with `null` cells the reasons, each once.
fn missing(table: &Table) -> BTreeMap<&str, String> {
    let mut missing = BTreeMap::new();
    for (index, column) in table.columns.iter().enumerate() {
        let mut reasons: Vec<&str> = table.rows.iter().filter_map(|row| reason(row.get(index)?)).collect();
        reasons.sort_unstable();
        reasons.dedup();
        if !reasons.is_empty() {
            missing.insert(column.id, reasons.join("; "));
        }
    }
    missing
}

impl<'a> From<&'a Column> for ColumnForm<'a> {
    fn from(column: &'a Column) -> Self {
        Self { id: column.id, title: column.title, unit: column.unit.id() }
    }
}

impl<'a> FindingForm<'a> {
    /// A finding and its place among all findings of the document, counted from 1.
    fn of(finding: &'a Finding, place: usize) -> Self {
        Self {
            id: finding.id,
            place,
            severity: finding.severity.id(),
            claim: &finding.claim,
            gain_ns: finding.gain.as_ref().map(|gain| (gain.low.0, gain.high.0)),
            gain_of: finding.gain.as_ref().map(|gain| if gain.per_step { "step" } else { "selection" }),
            gain_basis: finding.gain.as_ref().map(|gain| gain.basis.as_str()),
            overlaps: finding.gain.as_ref().map_or(&[], |gain| &gain.overlaps),
            evidence: &finding.evidence,
            next: &finding.next,
        }
    }
}

impl<'a> From<&'a Skipped> for SkippedForm<'a> {
    fn from(skipped: &'a Skipped) -> Self {
        Self { id: skipped.id, missing: &skipped.missing, how_to_record: &skipped.how_to_record }
    }
}

#[cfg(test)]
mod tests {
    use eaves_section::{Outcome, Provenance, Unit};

    use super::*;

    #[test]
    fn what_is_missing_is_null_and_says_why() {
        let number = |value| Number {
            id: "idle_pct",
            rank: Some(0),
            value,
            unit: Unit::Percent,
            provenance: Provenance::Formula,
            explain: "",
        };
        let table = Table {
            id: "by_rank",
            columns: vec![Column::new("a", "", Unit::None), Column::new("b_pct", "", Unit::Percent)],
            rows: vec![
                vec![Value::Integer(1), Value::Float(f64::INFINITY)],
                vec![Value::Text("\u{0}\"".to_owned()), Value::Missing("no steps")],
            ],
            ..Table::default()
        };
        let section = Section {
            numbers: vec![number(Value::Float(f64::NAN)), number(Value::Float(0.5))],
            tables: vec![table],
            ..Section::default()
        };
        let document = Document { outcomes: vec![Outcome::Section(section)], ..Document::default() };
        let mut bytes = Vec::new();
        write(&document, &mut bytes).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let section = &json["sections"][0];
        assert_eq!(section["numbers"][0]["value"], serde_json::Value::Null);
        assert_eq!(section["numbers"][0]["reason"], NOT_FINITE);
        assert_eq!(section["numbers"][1]["value"], 0.5);
        assert!(section["numbers"][1].get("reason").is_none());
        assert_eq!(section["tables"][0]["rows"][1], serde_json::json!(["\u{0}\"", null]));
        assert_eq!(
            section["tables"][0]["missing"],
            serde_json::json!({"b_pct": "no steps; not a finite number"})
        );
    }
}
