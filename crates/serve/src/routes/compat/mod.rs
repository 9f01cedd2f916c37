//! Routes for clients of two other dashboards, under the paths that they ask for. All they say is taken from the report or
//! from `eaves predict`; what was not recorded is a 404 that says how to record it, never a guess.
//!
//! - The dashboard of the PyTorch profiling tools: `/api/profiler/*` (`profiler`).
//! - The dashboard of the roofline calculator: `/api/analyze`, `/api/sweep`, `/api/recommend`, `/api/import-benchmarks`
//!   (`calculator`), `/api/benchmark/stream` (`benchmark`), `/api/hardware` (`hardware`), `/api/tiling` (`tiling`) and
//!   `/api/nvml/*` (`machine`); under `/api/public/` those of them that run nothing on this machine.

mod benchmark;
mod calculator;
mod hardware;
mod machine;
mod profiler;
mod tiling;

use std::sync::Arc;

use axum::Router;
use serde_json::{Map, Value};

use crate::Problem;
use crate::state::Shared;

pub(crate) use hardware::Described;

/// All of them.
pub(super) fn routes() -> Router<Arc<Shared>> {
    profiler::routes()
        .merge(benchmark::routes())
        .merge(calculator::routes())
        .merge(hardware::routes())
        .merge(machine::routes())
        .merge(tiling::routes())
}

/// An answer as JSON.
fn document(answer: &[u8]) -> Value {
    // What was written a moment ago is JSON.
    serde_json::from_slice(answer).unwrap_or_default()
}

/// A section of a document.
fn section<'a>(document: &'a Value, id: &str) -> Result<&'a Value, Problem> {
    let list = |name: &str| document[name].as_array().map_or(&[][..], Vec::as_slice);
    if let Some(found) = list("sections").iter().find(|section| section["id"] == id) {
        return Ok(found);
    }
    let skipped = list("skipped").iter().find(|skipped| skipped["id"] == id);
    let text = |skipped: &Value, field: &str| skipped[field].as_str().unwrap_or_default().to_owned();
    Err(match skipped {
        Some(skipped) => Problem::missing(format!("not recorded: {}", text(skipped, "missing")))
            .hint(text(skipped, "how_to_record")),
        None => Problem::missing(format!("this run has no `{id}`"))
            .hint("open a recording that has it; `eaves info` shows what a file contains"),
    })
}

/// A number of a section: of the run, or of the first rank.
fn number(section: &Value, id: &str) -> Value {
    let numbers = section["numbers"].as_array().map_or(&[][..], Vec::as_slice);
    let found = numbers.iter().filter(|number| number["id"] == id);
    found.min_by_key(|number| number["rank"].as_i64()).map_or(Value::Null, |number| number["value"].clone())
}

/// The rows of a table by the ids of its columns.
fn rows(section: &Value, id: &str) -> Vec<Map<String, Value>> {
    let tables = section["tables"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(table) = tables.iter().find(|table| table["id"] == id) else { return Vec::new() };
    let columns: Vec<&str> = table["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|column| column["id"].as_str())
        .collect();
    let row = |row: &Value| {
        let values = row.as_array().map_or(&[][..], Vec::as_slice);
        columns.iter().zip(values).map(|(column, value)| ((*column).to_owned(), value.clone())).collect()
    };
    table["rows"].as_array().into_iter().flatten().map(row).collect()
}

/// A value of a row in another unit; null stays null.
fn scaled(value: Option<&Value>, factor: f64) -> Value {
    value.and_then(Value::as_f64).map_or(Value::Null, |value| (value * factor).into())
}
