//! The keys that `eaves hta --json` has besides those of every document: the form in which tools around HTA exchange
//! its answers. Every value is one of the section `hta-summary`; what the recording lacks is `null` and says why.

use eaves_section::{Section, Severity, Table, Value};
use serde_json::{Map, Value as Json};

use super::{Cell, reason};
use crate::Document;

/// The section with the values.
const SUMMARY: &str = "hta-summary";
/// As many rows as the tools list.
const LISTED: usize = 10;
const DENOMINATOR: &str = "GPU span, from first start to last end of GPU activity, summed over the ranks; \
                           gpu_idle_pct, compute_pct, communication_pct and memory_pct add up to 100";
const NO_PEAK: &str = "no recording has the copy bandwidth limit";

/// The keys, for a document of the verb `hta`.
pub(super) fn keys(document: &Document) -> Option<Map<String, Json>> {
    (document.verb == "hta").then(|| {
        let summary = Summary::of(document);
        let mut keys = Map::new();
        keys.insert("temporal_breakdown".to_owned(), temporal_breakdown(&summary));
        keys.insert("kernel_analysis".to_owned(), kernel_analysis(&summary));
        keys.insert("communication".to_owned(), communication(&summary));
        keys.insert("memory".to_owned(), memory(&summary));
        keys.insert("bottlenecks".to_owned(), bottlenecks(document));
        keys.insert("recommendations".to_owned(), recommendations(document));
        keys
    })
}

/// The section, or why there is none.
struct Summary<'a> {
    section: Option<&'a Section>,
    missing: &'a str,
}

impl<'a> Summary<'a> {
    fn of(document: &'a Document) -> Self {
        let skipped = document.skipped().find(|skipped| skipped.id == SUMMARY);
        Self {
            section: document.sections().find(|section| section.id == SUMMARY),
            missing: skipped.map_or("not computed", |skipped| &skipped.missing),
        }
    }

    fn number(&self, id: &str) -> Option<&'a Value> {
        self.section?.numbers.iter().find(|number| number.id == id).map(|number| &number.value)
    }

    fn table(&self, id: &str) -> Option<&'a Table> {
        self.section?.tables.iter().find(|table| table.id == id)
    }
}

/// An object whose null values say why.
#[derive(Default)]
struct Object {
    values: Map<String, Json>,
    missing: Map<String, Json>,
}

impl Object {
    fn put(&mut self, key: &str, value: Option<&Value>, otherwise: &str) {
        let why = value.map_or(Some(otherwise), reason);
        match (value, why) {
            (Some(value), None) => self.insert(key, json(value)),
            (_, why) => self.lacks(key, why.unwrap_or(otherwise)),
        }
    }

    fn insert(&mut self, key: &str, value: Json) {
        self.values.insert(key.to_owned(), value);
    }

    fn lacks(&mut self, key: &str, why: &str) {
        self.insert(key, Json::Null);
        self.missing.insert(key.to_owned(), why.into());
    }

    fn finish(mut self) -> Json {
        if !self.missing.is_empty() {
            self.values.insert("missing".to_owned(), Json::Object(self.missing));
        }
        Json::Object(self.values)
    }
}

fn json(value: &Value) -> Json {
    serde_json::to_value(Cell(value)).unwrap_or_default()
}

fn temporal_breakdown(summary: &Summary<'_>) -> Json {
    let mut object = Object::default();
    for (keys, id) in [
        // The short names are those of the file, the long ones those of the report class of the same tools.
        (&["gpu_idle_pct", "gpu_idle_time_pct"][..], "idle_pct"),
        (&["compute_pct", "compute_time_pct"], "compute_pct"),
        (&["communication_pct", "communication_time_pct"], "exposed_comm_pct"),
        (&["memory_pct", "memory_time_pct"], "exposed_memory_pct"),
        (&["communication_total_pct"], "all_comm_pct"),
        (&["memory_total_pct"], "all_memory_pct"),
        (&["gpu_span_ns"], "span_ns"),
    ] {
        for key in keys {
            object.put(key, summary.number(id), summary.missing);
        }
    }
    object.insert("denominator", DENOMINATOR.into());
    object.finish()
}

fn kernel_analysis(summary: &Summary<'_>) -> Json {
    let mut object = Object::default();
    match summary.table("top_kernels") {
        Some(table) => object.insert("top_kernels", timed_rows(table)),
        None => object.lacks("top_kernels", summary.missing),
    }
    match summary.table("launches") {
        Some(table) => {
            let mut launches = Object::default();
            launches.put("total_kernels", summary.number("kernels"), summary.missing);
            launches.insert("by_rank", Json::Array(rows(table)));
            object.insert("launch_stats", launches.finish());
        }
        None => object.lacks("launch_stats", summary.missing),
    }
    object.finish()
}

fn communication(summary: &Summary<'_>) -> Json {
    let mut object = Object::default();
    match summary.table("collectives") {
        Some(table) => {
            let mut breakdown = Object::default();
            let numbers = [
                ("total_ns", "comm_ns"),
                ("total_pct", "all_comm_pct"),
                ("exposed_pct", "exposed_comm_pct"),
                ("overlap_pct", "overlap_pct"),
            ];
            for (key, id) in numbers {
                breakdown.put(key, summary.number(id), summary.missing);
            }
            object.insert("breakdown", breakdown.finish());
            object.insert("collective_ops", timed_rows(table));
        }
        None => {
            let why = if summary.section.is_some() { "nothing communicated" } else { summary.missing };
            object.lacks("breakdown", why);
            object.lacks("collective_ops", why);
        }
    }
    object.finish()
}

fn memory(summary: &Summary<'_>) -> Json {
    let mut object = Object::default();
    object.put("bandwidth_gbps", summary.number("copy_gbps"), summary.missing);
    object.lacks("efficiency_pct", NO_PEAK);
    object.finish()
}

/// What costs time, as the findings of all sections claim.
fn bottlenecks(document: &Document) -> Json {
    let findings = document.findings().into_iter().filter(|(_, finding)| finding.severity > Severity::Info);
    findings.map(|(_, finding)| Json::from(finding.claim.as_str())).collect()
}

/// What to do about it, each once.
fn recommendations(document: &Document) -> Json {
    let mut texts: Vec<&str> = Vec::new();
    for (_, finding) in document.findings() {
        if !finding.next.is_empty() && !texts.contains(&finding.next.as_str()) {
            texts.push(&finding.next);
        }
    }
    texts.into()
}

/// The rows of a table as objects; null cells are skipped.
fn rows(table: &Table) -> Vec<Json> {
    let row = |row: &Vec<Value>| {
        let present = table.columns.iter().zip(row).filter(|(_, value)| reason(value).is_none());
        Json::Object(present.map(|(column, value)| (column.id.to_owned(), json(value))).collect())
    };
    table.rows.iter().map(row).collect()
}

/// The first rows with their total under both names that readers look for, and how many calls.
fn timed_rows(table: &Table) -> Json {
    let mut listed = rows(table);
    listed.truncate(LISTED);
    for row in listed.iter_mut().filter_map(Json::as_object_mut) {
        if let Some(total) = row.get("total_ns").and_then(Json::as_i64) {
            let microseconds = Json::from(total as f64 / 1e3);
            row.insert("time_us".to_owned(), microseconds.clone());
            row.insert("duration_us".to_owned(), microseconds);
        }
        for (key, id) in [("count", "calls"), ("pct", "share_pct")] {
            if let Some(value) = row.get(id).cloned() {
                row.insert(key.to_owned(), value);
            }
        }
    }
    Json::Array(listed)
}
