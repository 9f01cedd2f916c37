//! The outcome of ingesting: the rank of each input, and refused inputs.

use anyhow::Context;
use eaves_analyze::Outcome as Analysed;
use eaves_analyze::section::{Column, Number, Provenance, Section, Table, Unit, Value};
use eaves_model::Run;
use eaves_present::Document;
use eaves_store::{RankFile, StoredWarning};
use serde::{Deserialize, Serialize};

use super::writer::{Action, Entry};
use crate::{Failure, hinted};

/// Outcome of ingesting the inputs.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The ranks that are in the run now, of these inputs.
    pub(super) entries: Vec<Entry>,
    /// What could not be read, or whose rank another input has.
    pub(super) refused: Vec<String>,
    /// What was read, without rows.
    pub(super) read: Run,
}

/// Serialized form.
#[derive(Deserialize, Serialize)]
struct Told {
    entries: Vec<Entry>,
    refused: Vec<String>,
    recordings: Vec<RankFile>,
    warnings: Vec<StoredWarning>,
}

impl Outcome {
    /// Itself, unless nothing came of it.
    pub(super) fn checked(self) -> anyhow::Result<Self> {
        if self.entries.is_empty() {
            return Err(hinted(
                format!("nothing was added: {}", self.refused.first().map_or("no input", String::as_str)),
                "`eaves info` shows what an input is",
            ));
        }
        Ok(self)
    }

    /// What was refused, and why.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// As a document.
    pub fn document(&self) -> Document {
        let section = section(&self.entries, &self.refused);
        Document::new("ingest", &self.read, vec![Analysed::Section(section)])
    }

    /// Serialized for another process.
    ///
    /// # Errors
    /// Never because of its content.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        let Self { entries, refused, read } = self;
        let file = |recording| RankFile::new(recording, None, Vec::new());
        let told = Told {
            entries: entries.clone(),
            refused: refused.clone(),
            recordings: read.recordings.iter().map(file).collect(),
            warnings: StoredWarning::all(&read.diagnostics),
        };
        Ok(serde_json::to_vec(&told).context("cannot serialize the outcome")?)
    }

    /// Deserialized from another process.
    ///
    /// # Errors
    /// If it is something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        let damaged = |what: String| {
            let hint = "use the same eaves version here and on the cluster";
            hinted(format!("not an ingest outcome: {what}"), hint)
        };
        let told: Told = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        let recordings = told.recordings.iter().map(RankFile::recording).collect::<Result<_, _>>();
        let read = Run {
            recordings: recordings.map_err(damaged)?,
            diagnostics: StoredWarning::diagnostics(&told.warnings).map_err(damaged)?,
        };
        Ok(Self { entries: told.entries, refused: told.refused, read })
    }
}

/// What was done.
fn section(entries: &[Entry], refused: &[String]) -> Section {
    let columns = vec![
        Column::new("rank", "Rank", Unit::None),
        Column::new("action", "Action", Unit::None),
        Column::new("input", "Input", Unit::None),
        Column::new("rows", "Rows", Unit::Count),
        Column::new("bytes", "Size", Unit::Bytes),
    ];
    let row = |entry: &Entry| {
        vec![
            Value::from(entry.rank),
            Value::from(entry.action.name()),
            Value::from(entry.path.clone()),
            Value::from(entry.rows),
            Value::from(entry.bytes),
        ]
    };
    let table = Table { id: "ranks", title: "Ranks", columns, rows: entries.iter().map(row).collect() };
    let number = |id, value: usize, explain| {
        let (unit, provenance) = (Unit::Count, Provenance::Counter);
        Number { id, rank: None, value: value.into(), unit, provenance, explain }
    };
    let count = |action: Action| entries.iter().filter(|entry| entry.action == action).count();
    let numbers = vec![
        number("added", count(Action::Added), "Ranks new to the run."),
        number("replaced", count(Action::Replaced), "Ranks whose content changed."),
        number("skipped", count(Action::Skipped), "Ranks whose input has not changed."),
        number(
            "refused",
            refused.len(),
            "Inputs that could not be read, or that claim a rank already taken.",
        ),
    ];
    Section { id: "ingest", title: "Ingest", numbers, tables: vec![table], ..Section::default() }
}
