//! A run against an earlier one of the same suite on the same machine.

use eaves_section::saved::SavedTable;
use eaves_section::{Column, Finding, Section, Severity, Table, Unit, Value};

/// Columns that say which kernel a row is of.
const KEY: [&str; 6] = ["name", "precision", "threads", "state", "code", "backend"];

/// The rows of an earlier run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    rows: Vec<(Vec<String>, Times)>,
}

/// Nanoseconds: the median and the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Times {
    median: f64,
    low: f64,
    high: f64,
}

/// Result of a baseline comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// One row for each kernel.
    pub table: Table,
    /// What is slower beyond noise.
    pub findings: Vec<Finding>,
    /// How many kernels are slower beyond noise.
    pub regressions: usize,
}

impl Baseline {
    /// The rows of a saved document; nothing if it has none of this kind.
    pub fn from_saved(tables: &[SavedTable]) -> Option<Self> {
        let table = tables.iter().find(|table| table.section == "validate" && table.id == "rows")?;
        let columns: Vec<&str> = table.columns.iter().map(String::as_str).collect();
        let rows = table.rows.iter().filter_map(|row| read(&columns, row)).collect();
        Some(Self { rows })
    }

    /// Holds a section against it. A kernel regressed if the two intervals do not overlap and the median grew by more than
    /// this share.
    pub fn compare(&self, section: &Section, threshold: f64) -> Compared {
        let mut rows = Vec::new();
        let mut slower = Vec::new();
        if let Some(table) = section.tables.iter().find(|table| table.id == "rows") {
            let columns: Vec<&str> = table.columns.iter().map(|column| column.id).collect();
            for (key, new) in table.rows.iter().filter_map(|row| read(&columns, row)) {
                let old = self.rows.iter().find(|(known, _)| *known == key).map(|(_, times)| *times);
                let verdict = old.map_or("new", |old| verdict(old, new, threshold));
                if verdict == "regressed" {
                    slower.push(key.get(..2).unwrap_or_default().join(" "));
                }
                let mut cells: Vec<Value> = key.iter().map(|word| word.as_str().into()).collect();
                let missing = "not in the earlier run";
                cells.extend([
                    Value::known(old.map(|old| old.median), missing),
                    Value::Float(new.median),
                    Value::known(old.map(|old| 100.0 * (new.median / old.median - 1.0)), missing),
                    verdict.into(),
                ]);
                rows.push(cells);
            }
        }
        let findings = (!slower.is_empty()).then(|| Finding {
            id: "regressed",
            severity: Severity::Critical,
            claim: format!("Slower than the earlier run beyond noise: {}.", slower.join(", ")),
            gain: None,
            evidence: "baseline".to_owned(),
            next: "run both again in alternation; if it persists, look at what changed".to_owned(),
        });
        Compared {
            table: Table {
                id: "baseline",
                title: "Comparison with the earlier run",
                columns: columns(),
                rows,
            },
            findings: findings.into_iter().collect(),
            regressions: slower.len(),
        }
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("name", "Kernel", Unit::None),
        Column::new("precision", "Precision", Unit::None),
        Column::new("threads", "Threads", Unit::None),
        Column::new("state", "Cache", Unit::None),
        Column::new("code", "Code", Unit::None),
        Column::new("backend", "Backend", Unit::None),
        Column::new("base_ns", "Before", Unit::Nanoseconds),
        Column::new("time_ns", "Now", Unit::Nanoseconds),
        Column::new("delta_pct", "Change", Unit::Percent),
        Column::new("verdict", "Verdict", Unit::None),
    ]
}

fn verdict(old: Times, new: Times, threshold: f64) -> &'static str {
    if new.low > old.high && new.median > old.median * (1.0 + threshold) {
        "regressed"
    } else if new.high < old.low && new.median < old.median * (1.0 - threshold) {
        "improved"
    } else {
        "noise"
    }
}

fn read(columns: &[&str], row: &[Value]) -> Option<(Vec<String>, Times)> {
    let cell = |id: &str| row.get(columns.iter().position(|column| *column == id)?);
    let text = |id: &&str| match cell(id)? {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    let number = |id: &str| match cell(id)? {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    };
    let key = KEY.iter().map(text).collect::<Option<Vec<String>>>()?;
    let times = Times { median: number("median_ns")?, low: number("low_ns")?, high: number("high_ns")? };
    Some((key, times))
}
