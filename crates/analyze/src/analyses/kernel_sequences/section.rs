//! The sequences of all ranks as a section.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::Ns;

use super::super::Analyse;
use super::find::Kept;
use super::{KernelSequences, Part, Rank};
use crate::advice::Audience;
use crate::section::{Budget, Column, Finding, Gain, Number, Section, Severity, Table, Unit, Value};
use crate::text::{duration, percent, percentage};
use crate::{Job, Outcome};

pub(super) fn section(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
    let rows = over_ranks(ranks);
    let total: Ns = ranks.iter().map(|rank| rank.part.gpu_time).sum();
    let mut tables = vec![by_sequence(&rows, total)];
    if ranks.len() > 1 {
        tables.push(by_rank_and_sequence(job, ranks));
    }
    Outcome::Section(Section {
        id: KernelSequences::ID,
        title: "Kernel sequences by operator",
        numbers: vec![Number::counter(
            "sequences",
            rows.len().into(),
            Unit::Count,
            "distinct sequences of 3 to 32 GPU activities launched by one operator call; top 200 per rank",
        )],
        tables,
        charts: Vec::new(),
        findings: fusion_candidate(job.audience(), &rows, ranks).into_iter().collect(),
    })
}

fn over_ranks(ranks: &[Rank<'_, Part>]) -> Vec<Kept> {
    let mut merged: HashMap<u64, Kept> = HashMap::new();
    for kept in ranks.iter().flat_map(|rank| &rank.part.sequences) {
        merged
            .entry(kept.identity)
            .and_modify(|sum| {
                sum.count += kept.count;
                sum.gpu += kept.gpu;
                sum.cpu += kept.cpu;
                sum.beside_longest += kept.beside_longest;
            })
            .or_insert_with(|| kept.clone());
    }
    let mut rows: Vec<Kept> = merged.into_values().collect();
    rows.sort_by(|a, b| {
        let names = || (&a.operator, &a.kernels, a.identity).cmp(&(&b.operator, &b.kernels, b.identity));
        b.gpu.cmp(&a.gpu).then_with(names)
    });
    rows
}

fn columns(leading: Vec<Column>) -> Vec<Column> {
    let own = [
        Column::new("operator", "Operator", Unit::None),
        Column::new("kernels", "Kernels in order", Unit::None),
        Column::new("length", "Activities per call", Unit::Count),
        Column::new("count", "Calls", Unit::Count),
        Column::new("gpu_ns", "GPU", Unit::Nanoseconds),
        Column::new("cpu_ns", "Operator on the host", Unit::Nanoseconds),
        Column::new("share_pct", "Of durations", Unit::Percent),
    ];
    leading.into_iter().chain(own).collect()
}

fn cells(leading: &[Value], row: &Kept, total: Ns) -> Vec<Value> {
    let own = [
        row.operator.as_str().into(),
        row.kernels.as_str().into(),
        row.length.into(),
        row.count.into(),
        row.gpu.into(),
        row.cpu.into(),
        Value::percent(row.gpu.0, total.0),
    ];
    leading.iter().cloned().chain(own).collect()
}

fn by_sequence(rows: &[Kept], total: Ns) -> Table {
    Table {
        id: "by_sequence",
        title: "Activity sequences by operator call, shares of summed GPU activity duration",
        columns: columns(Vec::new()),
        rows: rows.iter().map(|row| cells(&[], row, total)).collect(),
    }
}

fn by_rank_and_sequence(job: &Job, ranks: &[Rank<'_, Part>]) -> Table {
    let rows = ranks.iter().flat_map(|rank| {
        let leading = job.rank_cells(rank);
        rank.part.sequences.iter().map(move |row| cells(&leading, row, rank.part.gpu_time))
    });
    Table {
        id: "by_rank_and_sequence",
        title: "The same by rank, shares of the rank's summed duration",
        columns: columns(job.rank_columns()),
        rows: rows.collect(),
    }
}

/// Share of the busy time above which a sequence is worth fusing.
const WORTH_FUSING_PCT: f64 = 5.0;
/// Share of the time above which what is gained would be noticed.
const NOTABLE_PCT: f64 = 2.0;

/// The sequence of short kernels from which fusing could gain most, on the rank where it could.
fn fusion_candidate(audience: Audience, rows: &[Kept], ranks: &[Rank<'_, Part>]) -> Option<Finding> {
    let candidates = ranks.iter().flat_map(|rank| {
        let worth = |kept: &&Kept| {
            kept.is_fusible && kept.count > 1 && percentage(kept.gpu, rank.times.busy()) >= WORTH_FUSING_PCT
        };
        rank.part.sequences.iter().filter(worth).map(move |kept| (rank, kept))
    });
    let (rank, kept) =
        candidates.max_by_key(|(rank, kept)| (kept.beside_longest, Reverse((rank.rank, kept.identity))))?;
    let row = rows.iter().position(|row| row.identity == kept.identity)?;
    Some(Finding {
        id: "fusion_candidate",
        severity: if percentage(kept.beside_longest, rank.steady.time()) < NOTABLE_PCT {
            Severity::Info
        } else {
            Severity::Warning
        },
        claim: format!(
            "`{}` launches the same {} short kernels in each of {} calls, {} of the busy time on rank {} ({}): {}",
            kept.operator,
            kept.length,
            kept.count,
            percent(kept.gpu, rank.times.busy()),
            rank.rank,
            duration(kept.gpu),
            kept.kernels
        ),
        gain: Some(
            Gain::new(
                Ns::ZERO,
                kept.beside_longest,
                rank.steps,
                "at most all but the longest kernel of each call, if a fused kernel takes as long as that one",
            )
            .out_of(rank.rank, Budget::Compute),
        ),
        evidence: format!("table by_sequence, row {}", row + 1),
        next: audience.unless_compiled(
            &format!(
                "fuse them: `torch.compile` the code that calls `{}`, or write a fused kernel",
                kept.operator
            ),
            "fuse them into one kernel",
        ),
    })
}
