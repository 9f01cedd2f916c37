//! The JSON of a document as it is read again. What an earlier release did not write is absent.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct DocumentForm {
    pub(super) schema: String,
    #[serde(default)]
    pub(super) inputs: Vec<InputForm>,
    #[serde(default)]
    pub(super) warnings: Vec<WarningForm>,
    #[serde(default)]
    pub(super) sections: Vec<SectionForm>,
    #[serde(default)]
    pub(super) skipped: Vec<SkippedForm>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InputForm {
    pub(super) path: String,
    pub(super) role: Option<String>,
    pub(super) format: String,
    pub(super) container: String,
    pub(super) rank: i64,
    pub(super) rank_source: String,
    pub(super) events: u64,
    pub(super) bytes: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WarningForm {
    pub(super) kind: String,
    pub(super) count: u64,
    pub(super) first_offset: Option<u64>,
    pub(super) path: Option<String>,
    pub(super) message: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct SectionForm {
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) numbers: Vec<NumberForm>,
    #[serde(default)]
    pub(super) tables: Vec<TableForm>,
    #[serde(default)]
    pub(super) charts: Vec<ChartForm>,
    #[serde(default)]
    pub(super) findings: Vec<FindingForm>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChartForm {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) tables: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NumberForm {
    pub(super) id: String,
    pub(super) rank: Option<i64>,
    pub(super) value: serde_json::Value,
    pub(super) reason: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) provenance: String,
    pub(super) explain: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct TableForm {
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    pub(super) columns: Vec<ColumnForm>,
    pub(super) rows: Vec<Vec<serde_json::Value>>,
    #[serde(default)]
    pub(super) missing: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ColumnForm {
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) unit: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FindingForm {
    pub(super) id: String,
    pub(super) severity: String,
    pub(super) claim: String,
    pub(super) gain_ns: Option<(i64, i64)>,
    pub(super) gain_of: Option<String>,
    pub(super) gain_basis: Option<String>,
    pub(super) overlaps: Vec<String>,
    pub(super) evidence: String,
    pub(super) next: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SkippedForm {
    pub(super) id: String,
    pub(super) missing: String,
    pub(super) how_to_record: String,
}
