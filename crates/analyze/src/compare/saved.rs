//! What is compared of a report that was saved, from its tables.

use std::collections::BTreeMap;

use eaves_model::Ns;

use super::profile::{Entry, Place, Profile, RankProfile, Series, Step, StepWork};
use crate::section::Value;
use crate::section::saved::SavedTable;
use crate::{Breakdown, KernelType};

/// The rows as look-ups by column.
fn records(table: &SavedTable) -> impl Iterator<Item = Record<'_>> {
    table.rows.iter().map(|row| Record { columns: &table.columns, row })
}

/// A row by column.
struct Record<'a> {
    columns: &'a [String],
    row: &'a [Value],
}

impl<'a> Record<'a> {
    fn get(&self, column: &str) -> Option<&'a Value> {
        self.row.get(self.columns.iter().position(|known| known == column)?)
    }

    fn integer(&self, column: &str) -> Option<i64> {
        match self.get(column)? {
            Value::Integer(value) => Some(*value),
            _ => None,
        }
    }

    fn time(&self, column: &str) -> Option<Ns> {
        self.integer(column).map(Ns)
    }

    fn text(&self, column: &str) -> Option<&'a str> {
        match self.get(column)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Profile {
    /// What a saved report of some ranks gives to compare; nothing if it has none of the tables that are compared.
    pub fn from_saved(ranks: u64, tables: &[SavedTable]) -> Option<Self> {
        let find =
            |section: &str, id: &str| tables.iter().find(|table| table.section == section && table.id == id);
        let kernels = find("kernels", "by_name").map(entries);
        let collectives = find("hta-summary", "collectives").map(entries);
        let steps = find("steps", "by_step").map(steps).unwrap_or_default();
        let breakdowns: Vec<Breakdown> = find("temporal-breakdown", "by_rank")
            .into_iter()
            .flat_map(records)
            .filter_map(|record| breakdown(&record))
            .collect();
        if kernels.is_none() && steps.is_empty() && breakdowns.is_empty() {
            return None;
        }
        // Entries are sums over the ranks, so one of them may hold them all.
        let mut profiles: Vec<RankProfile> =
            steps.into_values().map(|steps| RankProfile { steps, ..RankProfile::default() }).collect();
        profiles.resize_with((ranks.max(1) as usize).max(profiles.len()), RankProfile::default);
        if let Some(first) = profiles.first_mut() {
            first.kernels = kernels.unwrap_or_default();
            first.collectives = collectives;
        }
        let mut profile = Self::new(profiles);
        profile.breakdowns = breakdowns;
        Some(profile)
    }
}

/// Names with their calls and totals; a report has no places and no steps of them.
fn entries(table: &SavedTable) -> Vec<Entry> {
    let outside = |value: i64| Series { inside: Vec::new(), outside: value };
    let entry = |(order, record): (usize, Record<'_>)| {
        let time = record.integer("total_ns")?;
        let class = record.text("type").unwrap_or(KernelType::Communication.id());
        Some(Entry {
            place: Place {
                name: record.text("name")?.to_owned(),
                class: KernelType::ALL
                    .iter()
                    .map(|known| known.id())
                    .find(|known| *known == class)
                    .unwrap_or(""),
                operator: None,
                path: String::new(),
            },
            order: order as u64,
            calls: outside(record.integer("calls")?),
            time: outside(time),
            total: outside(time),
            gpu: Series::default(),
        })
    };
    records(table).enumerate().filter_map(entry).collect()
}

/// The steps of each recording.
fn steps(table: &SavedTable) -> BTreeMap<(i64, String), Vec<Step>> {
    let mut ranks: BTreeMap<(i64, String), Vec<Step>> = BTreeMap::new();
    for record in records(table) {
        let number = record.integer("step").and_then(|number| u64::try_from(number).ok());
        let (Some(number), Some(duration)) = (number, record.time("duration_ns")) else { continue };
        let rank = (record.integer("rank").unwrap_or(0), record.text("input").unwrap_or_default().to_owned());
        ranks.entry(rank).or_default().push(Step { number, duration, gpu: work(&record) });
    }
    ranks
}

fn work(record: &Record<'_>) -> Option<StepWork> {
    Some(StepWork {
        busy: record.time("gpu_busy_ns")?,
        compute: record.time("compute_ns")?,
        exposed_communication: record.time("exposed_comm_ns")?,
        exposed_memory: record.time("exposed_memory_ns")?,
        idle: record.time("idle_ns")?,
        kernels: u64::try_from(record.integer("kernels")?).ok()?,
    })
}

fn breakdown(record: &Record<'_>) -> Option<Breakdown> {
    Some(Breakdown {
        span: record.time("span_ns")?,
        busy: record.time("busy_ns")?,
        compute: record.time("compute_ns")?,
        exposed_communication: record.time("exposed_comm_ns")?,
        exposed_memory: record.time("exposed_memory_ns")?,
    })
}
